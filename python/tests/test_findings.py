"""Faults as a table of its own, of whatever kind the labelled table is."""

import sys

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import rows
from test_kinds import Dataset

import tooljudge as tj

pytestmark = pytest.mark.filterwarnings("ignore::tooljudge.ToolJudgeWarning")
ROWS = [
    *rows()[:3],
    {**rows()[0], "id": 9, "tool_call": {"name": "book", "arguments": {"city": "Oslo", "x": 1, "y": 2}}},
]
# By row: the argument that is at fault.
EXPECTED = [(2, "/town"), (3, "/x"), (3, "/y")]
COLUMNS = ["row", "id", "judge", "template", "call", "tool", "argument", "kind", "quote", "supported"]


def of_file(rows):
    pd.DataFrame(rows).to_json("rows.jsonl", orient="records", lines=True)
    return "rows.jsonl"


KINDS = {
    "dicts": (list, lambda rows: rows),
    "columns": (dict, lambda rows: {name: [row.get(name) for row in rows] for name in rows[0]}),
    "pandas": (pd.DataFrame, lambda rows: pd.DataFrame(rows, index=list("abcd"[: len(rows)]))),
    "polars": (pl.DataFrame, lambda rows: pl.DataFrame(pa.Table.from_pylist(rows))),
    "pyarrow": (pa.Table, pa.Table.from_pylist),
    "dataset": (Dataset, lambda rows: Dataset(pa.Table.from_pylist(rows))),
    "frame": (tj.Frame, of_file),
}


def as_rows(table):
    if isinstance(table, Dataset):
        table = table.table
    if isinstance(table, pd.DataFrame):
        return table.to_dict("records")
    if isinstance(table, dict):
        return [dict(zip(table, cells, strict=True)) for cells in zip(*table.values(), strict=True)]
    return table if isinstance(table, list) else pl.DataFrame(table).to_dicts()


@pytest.mark.parametrize("kind", KINDS)
def test_faults_are_rows_of_the_kind_that_went_in(kind):
    type_of, make = KINDS[kind]
    out = tj.label(make(ROWS), findings=True, decide="always")
    found = tj.findings(out)
    assert type(found) is type_of
    faults = as_rows(found)
    assert [(fault["row"], fault["argument"]) for fault in faults] == EXPECTED
    assert list(faults[0]) == COLUMNS and [fault["id"] for fault in faults] == [3, 9, 9]
    assert faults[0]["kind"] == "extra_parameter" and faults[0]["supported"] is True and faults[0]["call"] == 1
    assert {fault["judge"] for fault in faults} == {"builtin"}
    # No fault is a table too, with columns of the same types.
    none = tj.findings(tj.label(make(ROWS[:1]), findings=True, decide="always"))
    assert type(none) is type_of and as_rows(none) == []
    if kind == "pandas":
        assert list(found.index) == ["c", "d", "d"] and list(none.columns) == COLUMNS
        assert found["call"].dtype == none["call"].dtype == "Int64"
    if kind == "polars":
        assert {name: dtype for name, dtype in none.schema.items() if name != "id"} == {
            name: dtype for name, dtype in found.schema.items() if name != "id"
        }


def test_nothing_has_no_faults():
    assert tj.findings(tj.label([], findings=True, allow_empty=True)) == []


def test_each_judge_has_faults_of_its_own():
    out = tj.label(ROWS, findings=True, decide="always", task=["tool_selection", "parameter_extraction"])
    faults = tj.findings([{**row, "gold_findings": [{"kind": "other"}]} for row in out])
    assert {fault["template"] for fault in faults} == {"parameter_extraction"}
    assert [(fault["row"], fault["argument"]) for fault in faults] == EXPECTED
    several = [{**row, "tool_selection_findings": [{"kind": "wrong_tool", "call": 1, "more": 7}]} for row in out[:1]]
    (fault,) = tj.findings(several)
    assert fault["template"] == "tool_selection" and fault["more"] == 7 and fault["argument"] is None


def test_without_pyarrow_a_frame_has_faults_too(monkeypatch):
    out = tj.label(of_file(ROWS), findings=True, decide="always")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert pl.DataFrame(tj.findings(out))["argument"].to_list() == [argument for _, argument in EXPECTED]


@pytest.mark.parametrize(
    "given, words",
    [
        (ROWS, "no column of findings.*findings=True"),
        ([{"gold_findings": "[]"}], "no column of findings"),
        ("rows.jsonl", "str holds no labels"),
    ],
)
def test_a_table_without_findings_is_refused(given, words):
    with pytest.raises(tj.InputError, match=words):
        tj.findings(given)


def test_one_value_for_another_is_one_fault():
    row = {**rows()[0], "tool_call": {"name": "book", "arguments": {"city": "Oslo", "guests": 7}}}
    (fault,) = tj.findings(tj.label([row], findings=True, decide="always"))
    assert (fault["argument"], fault["quote"]) == ("/guests", "7")
