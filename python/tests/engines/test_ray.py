"""What only Ray has: blocks of pandas, cells that are objects of Python, and its default batches."""

import pandas as pd
import pytest
from conftest import numbered, rows
from doors import WORKERS, Ray

import tooljudge as tj

pytestmark = pytest.mark.filterwarnings("ignore")
EXPECTED = ["correct", "correct", "incorrect", None, None]


@pytest.fixture(scope="module", autouse=True)
def engine():
    door = Ray()
    door.start()
    yield
    door.stop()


def test_blocks_of_pandas_and_objects_of_python():
    import ray

    mixed = rows()
    # Beside dicts, so that Arrow has no type for the column. Ray joins no blocks whose nested cells have different fields.
    mixed[1] = {**mixed[1], "tool_call": 'book(city="Bergen", guests=6)'}
    for dataset in (ray.data.from_pandas(pd.DataFrame(mixed)), ray.data.from_items(mixed, override_num_blocks=1)):
        out = tj.ray.label(dataset, batch_size=10).take_all()
        assert [row["label"] for row in out] == EXPECTED
        assert out[0]["tool_call"]["name"] == "book" and out[1]["tool_call"] == mixed[1]["tool_call"]


def test_columns_that_are_not_known_yet_are_found_by_the_workers():
    import ray

    dataset = ray.data.from_items(rows()).map(lambda row: {**row, "more": 1})
    assert [row["label"] for row in tj.ray.label(dataset).take_all()] == EXPECTED


def test_default_batches_are_tables():
    import ray

    out = ray.data.from_items(rows()).map_batches(tj.label).take_all()
    assert [row["label"] for row in out] == EXPECTED


def test_the_schema_costs_a_batch_of_each_worker_at_most_and_the_count_nothing(server):
    import ray

    one = server()
    dataset = tj.ray.label(ray.data.from_items(numbered(40), override_num_blocks=4), **one.judge(), batch_size=10)
    assert dataset.count() == 40 and one.requests == 0
    assert "label" in dataset.schema().names and one.requests <= 10 * WORKERS
    assert [row["label"] for row in dataset.take_all()] == ["correct"] * 40 and one.requests == 40
