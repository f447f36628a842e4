"""Kinds of tables beside frames: datasets, dicts of columns, rows that are objects; and what is refused, with a remedy."""

import collections
import dataclasses

import attrs
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from conftest import numbered, rows

import tooljudge as tj

pytestmark = pytest.mark.filterwarnings("ignore::tooljudge.ToolJudgeWarning")
EXPECTED = ["correct", "correct", "incorrect"]


class Dataset:
    """Does what a dataset of Hugging Face's does, as far as it is a table: some rows of a table, in an order of its own."""

    def __init__(self, table, indices=None, format=None):
        self.table, self.indices, self.format = table, indices, format
        self.column_names = table.column_names

    def __len__(self):
        return len(self.table) if self.indices is None else len(self.indices)

    def with_format(self, format):
        return Dataset(self.table, self.indices, format)

    def select(self, indices):
        return Dataset(self.table, indices)

    def __getitem__(self, key):
        assert self.format == "arrow" and key == slice(None)
        return self.table if self.indices is None else self.table.take(self.indices)

    def __arrow_c_stream__(self, requested_schema=None):
        raise AssertionError("this would be the rows of the whole table")


def dataset():
    return Dataset(pa.Table.from_pylist(rows()[:3]))


def test_a_dataset_comes_back_as_one():
    out = tj.label(dataset())
    assert type(out) is Dataset and out.table["label"].to_pylist() == EXPECTED
    assert out.column_names[:3] == ["id", "question", "tool_call"]
    # Rows that were selected, and not those of the table below.
    assert tj.label(dataset().select([2, 0])).table["label"].to_pylist() == ["incorrect", "correct"]
    assert tj.label(dataset(), where={"id": 3}).table["id"].to_pylist() == [3]
    log = Dataset(pa.Table.from_pylist([{"messages": CHAT, "tools": rows()[0]["tool_definitions"]}] * 2))
    assert type(tj.label(log)) is Dataset and len(tj.convert(log)) == 2
    with pytest.raises(tj.InputError, match="Dataset is one table"):
        tj.label_batches(dataset())


def columns(kind=list):
    return {name: kind([row[name] for row in rows()[:3]]) for name in ("id", "question", "tool_call", "tool_definitions")}


def objects(cells):
    """An array of numpy as libraries of datasets make them: an element for each row, whatever it is."""
    made = np.empty(len(cells), dtype=object)
    made[:] = cells
    return made


@pytest.mark.parametrize("kind", [list, tuple, objects, pd.Series])
def test_a_dict_of_columns_comes_back_as_one(kind):
    given = columns(kind)
    out = tj.label(given)
    assert list(out)[:5] == ["id", "question", "tool_call", "tool_definitions", "label"] and out["label"] == EXPECTED
    assert out["question"] is given["question"] and "label" not in given
    chosen = tj.label(given, where={"id": 7}, drop=["tool_call"])
    assert list(chosen["id"]) == [7, 7] and chosen["label"] == EXPECTED[:2] and "tool_call" not in chosen
    none = tj.label({"question": [], "tool_call": []})
    assert list(none)[:3] == ["question", "tool_call", "label"] and not any(none.values()) and not any(tj.label({}).values())
    assert tj.convert({"messages": [CHAT], "tools": [rows()[0]["tool_definitions"]]})["question"] == ["Book in Oslo"]


def test_columns_mean_what_frames_mean():
    """Libraries give each dict the fields of all rows, with None where a row has none."""
    given = columns()
    given["tool_call"] = [
        {**call, "arguments": {"city": None, "guests": None, **call["arguments"]}} for call in given["tool_call"]
    ]
    frame = pd.DataFrame(given)
    assert tj.label(given)["label"] == list(tj.label(frame)["label"])


CHAT = [
    {"role": "user", "content": "Book in Oslo"},
    {
        "role": "assistant",
        "tool_calls": [{"id": "1", "type": "function", "function": {"name": "book", "arguments": '{"city": "Oslo"}'}}],
    },
]


@pytest.mark.parametrize(
    "given, words",
    [
        (rows()[0], r"`id` holds a int.*give it in a list: \[row\]"),
        ({"question": "x", "tool_call": ["f()"]}, r"`question` holds a str.*\[row\]"),
        ({"question": ["x", "y"], "tool_call": ["f()"]}, r"same length.*`question` 2, `tool_call` 1"),
        ({"messages": CHAT, "tags": ["a", "b"]}, r"each cell of `messages` would be a row.*\[row\]"),
        ({"calls": [{"a": 1}], "tools": [{"a": 1}]}, r"each cell of `calls`.*\[row\]"),
        ({"train": dataset(), "test": dataset()}, r"such as data\['train'\]"),
        ({"a": pd.DataFrame(), "b": pd.DataFrame()}, r"a dict of tables.*data\['a'\]"),
    ],
)
def test_one_row_is_not_taken_for_columns(given, words):
    with pytest.raises(tj.InputError, match=words):
        tj.label(given)


Row = collections.namedtuple("Row", ["question", "tool_call", "tool_definitions"])
Data = dataclasses.make_dataclass("Data", Row._fields)
Attrs = attrs.make_class("Attrs", list(Row._fields))


class Model(Data):
    """Gives its fields as models of pydantic do."""

    __dataclass_fields__ = property()

    def model_dump(self):
        return dict(vars(self))


@pytest.mark.parametrize("kind", [Row, Data, Attrs, Model])
def test_rows_may_be_objects(kind):
    given = [kind(row["question"], row["tool_call"], row["tool_definitions"]) for row in rows()[:3]]
    out = tj.label(given)
    assert [row["label"] for row in out] == EXPECTED and out[0]["tool_call"] == rows()[0]["tool_call"]
    assert list(out[0])[:4] == [*Row._fields, "label"]
    # Beside dicts, too.
    assert [row["label"] for row in tj.label([given[0], rows()[2]])] == ["correct", "incorrect"]


Called = dataclasses.make_dataclass("Called", ["name", "input_parameters"])
Case = dataclasses.make_dataclass("Case", ["input", "actual_output", "tools_called", "expected_tools"])


def test_test_cases_are_scored_as_they_are():
    right, wrong = Called("book", {"city": "Oslo"}), Called("pay", {})
    cases = [Case("Book in Oslo", "Done", [called], [right]) for called in (right, wrong)]
    assert [row["score"] for row in tj.score(cases)] == [1.0, 0.0]


def of_library(module, **members):
    return type("DataFrame", (), {"__module__": module, **members})()


@pytest.mark.parametrize(
    "given, words",
    [
        (
            of_library("dask.dataframe.core"),
            r"DataFrame of dask is no table yet: give it to tooljudge\.dask\.label, or call \.compute\(\)",
        ),
        (of_library("dask_expr._collection"), r"of dask is no table yet: give it to tooljudge\.dask\.label"),
        (of_library("daft.dataframe.dataframe"), r"of daft.*\.to_arrow\(\)"),
        (of_library("pyspark.sql.classic.dataframe"), r"of pyspark.*\.toPandas\(\)"),
        (of_library("ray.data.dataset"), r"of ray.*tooljudge\.ray\.label"),
        (of_library("datasets.iterable_dataset", with_format=None), r"of datasets.*label_batches"),
        ((row for row in rows()), r"a generator can be read once only.*list"),
        ([Data, Data], "list of type is no table"),
        ([rows()[0], 5], "list of dict and int is no table"),
        (len, "builtin_function_or_method is no table: give a pandas"),
    ],
)
def test_what_is_no_table_names_a_remedy(given, words):
    with pytest.raises(tj.InputError, match=words):
        tj.label(given)


def span(text):
    call = {"tool_call.function.name": "book", "tool_call.function.arguments": '{"city": "Oslo"}'}
    return {
        "span_kind": "LLM",
        "attributes.llm.input_messages": [{"message.role": "user", "message.content": text}],
        "attributes.llm.output_messages": [{"message.role": "assistant", "message.tool_calls": [{"tool_call": call, **call}]}],
    }


def test_spans_of_phoenix_come_back_under_their_ids():
    spans = pd.DataFrame([span("Book in Oslo"), span("Book in Rome")], index=pd.Index(["s1", "s2"], name="context.span_id"))
    for out in (tj.label(spans), tj.convert(spans)):
        assert out.index.name == "context.span_id" and list(out.index) == ["s1", "s2"] == list(out["source_id"])
    # Rows beside attributes are rows of the frame.
    frame = pd.DataFrame(numbered(2), index=spans.index).assign(**{"attributes.x": 1})
    out = tj.label(frame)
    assert out.index.equals(frame.index) and list(out.columns)[:4] == list(frame.columns)
