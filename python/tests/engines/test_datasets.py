"""Datasets of Hugging Face's, the library itself: as a whole, and piece by piece."""

import datasets
import pytest
from conftest import rows

import tooljudge as tj

pytestmark = pytest.mark.filterwarnings("ignore")
EXPECTED = ["correct", "correct", "incorrect", None, None]


def test_a_dataset_is_labelled_as_a_whole_and_piece_by_piece():
    dataset = datasets.Dataset.from_list(rows())
    whole = tj.label(dataset)
    assert type(whole) is datasets.Dataset and list(whole["label"]) == EXPECTED
    pieces = dataset.with_format("arrow").map(tj.label, batched=True, batch_size=1).with_format(None)
    assert list(pieces["label"]) == EXPECTED and pieces.features == whole.features
    some = dataset.select([2, 0]).with_format("arrow").map(tj.label, batched=True, num_proc=2).with_format(None)
    assert list(some["label"]) == ["incorrect", "correct"]
