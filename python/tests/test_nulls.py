"""Null arguments out of tables that cannot tell null from absent: those that must have been passed were passed."""

import json
import sys
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest
from conftest import labels
from test_frames import KINDS, to_rows, typed

import tooljudge as tj

pytestmark = pytest.mark.filterwarnings("ignore::tooljudge.ToolJudgeWarning")
NULLABLE = [
    {"type": ["string", "null"]},
    {"anyOf": [{"type": "string"}, {"type": "null"}]},
    {"type": "string", "nullable": True},
    {"enum": ["celsius", None]},
    # What says nothing of null does not forbid it.
    {},
    True,
    {"description": "Anything, or null"},
    {"const": None},
    {"not": {"type": "integer"}},
]


def strict(unit, arguments):
    """A row of a tool that requires `unit`, as OpenAI's strict tools do of all they can be given."""
    parameters = {"type": "object", "properties": {"city": {"type": "string"}, "unit": unit}, "required": ["city", "unit"]}
    tools = [{"name": "get_weather", "description": "Weather of a city", "parameters": parameters}]
    call = {"name": "get_weather", "arguments": arguments}
    # A list and a text under one key have no type in Arrow.
    return {"question": "Weather in Oslo?", "tool_call": call, "tool_definitions": json.dumps(tools)}


def by_parquet(rows, folder):
    pq.write_table(typed(rows), folder / "rows.parquet")
    return folder / "rows.parquet"


def by_columns(rows):
    return {name: [row[name] for row in rows] for name in rows[0]}


def by_rows(columns):
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


@pytest.mark.parametrize("kind", [*KINDS, "parquet", "columns", "pandas_alone"])
def test_a_null_that_must_have_been_passed_was_passed(kind, tmp_path, monkeypatch):
    def found(rows):
        if kind == "parquet":
            return tj.label(by_parquet(rows, tmp_path)).to_dicts()
        if kind == "columns":
            return by_rows(tj.label(by_columns(rows)))
        if kind == "pandas_alone":
            with monkeypatch.context() as without:
                without.setitem(sys.modules, "pyarrow", None)
                return to_rows(tj.label(pd.DataFrame(rows)))
        return to_rows(tj.label(KINDS[kind](rows)))

    for unit in NULLABLE:
        passed = [strict(unit, {"city": "Oslo", "unit": None}), strict(unit, {"city": "Oslo", "unit": "celsius"})]
        told = tj.label(passed)
        assert told[0]["label"] != "incorrect"
        assert labels(found(passed)) == labels(told)
    never = strict({"type": "string"}, {"city": "Oslo", "unit": None})
    assert [row["label"] for row in found([never])] == ["incorrect"]
    # No row has the argument.
    absent = strict(NULLABLE[0], {"city": "Oslo"})
    assert [row["label"] for row in found([absent])] == ["incorrect"]


def test_a_judge_is_shown_the_null_that_must_have_been_passed(tmp_path):
    passed = [strict(NULLABLE[0], {"city": "Oslo", "unit": None, "day": None})]
    shown = []

    def judge(prompts):
        shown.extend(prompts)
        return ["correct"] * len(prompts)

    for data in (pd.DataFrame(passed), pl.DataFrame(passed), typed(passed), by_parquet(passed, tmp_path), by_columns(passed)):
        tj.label(data, judge=judge)
        assert '{"city":"Oslo","unit":null}' in shown.pop()
    # Written texts hold what was read.
    tj.label(pd.DataFrame(passed), judge=judge, output=tmp_path / "out.parquet")
    assert json.loads(pq.read_table(tmp_path / "out.parquet")["tool_call"][0].as_py())["arguments"] == {"city": "Oslo"}


def test_a_null_that_must_have_been_passed_was_passed_in_logs_too(tmp_path):
    row = strict(NULLABLE[0], {"city": "Oslo", "unit": None})
    chat = [
        {"role": "user", "content": row["question"], "tool_calls": None},
        {"role": "assistant", "content": None, "tool_calls": [{"type": "function", "function": row["tool_call"]}]},
    ]
    log = [{"messages": chat, "tools": row["tool_definitions"]}]
    told = tj.label(log)
    assert told[0]["label"] != "incorrect" and len(told) == 1
    for data in (typed(log), pl.DataFrame(log), pd.DataFrame(log), by_columns(log), by_parquet(log, tmp_path)):
        out = tj.label(data)
        out = by_rows(out) if isinstance(out, dict) else out.to_dicts() if isinstance(out, tj.Frame) else to_rows(out)
        assert labels(out) == labels(told)
    # Beside a question.
    beside = [{**row, "messages": chat}]
    for data in (typed(beside), pd.DataFrame(beside)):
        assert labels(to_rows(tj.label(data))) == labels(tj.label(beside))


def asked(data, **options):
    """What a judge is shown."""
    shown = []

    def judge(prompts):
        shown.extend(prompts)
        return ["correct"] * len(prompts)

    tj.label(data, judge=judge, **options)
    return shown


def objects(rows):
    return pl.DataFrame({name: pl.Series(name, [row[name] for row in rows], dtype=pl.Object) for name in rows[0]})


# One says null where the other has a value, and nobody passed it.
DEFINITIONS = [
    [{"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": required, **other}}]
    for required, other in ((None, {}), (["city"], {"additionalProperties": False}))
]
OPTIONAL = {"type": "object", "properties": {"city": {"type": "string"}, "unit": {"type": ["string", "null"]}}, "required": ["city"]}


def optional(*several):
    tools = json.dumps([{"name": "get_weather", "description": "Weather of a city", "parameters": OPTIONAL}])
    return [
        {"question": "Weather?", "tool_call": {"name": "get_weather", "arguments": arguments}, "tool_definitions": tools} for arguments in several
    ]


@pytest.mark.parametrize("kind", [list, pd.DataFrame, by_columns, objects, "pandas_alone"])
def test_dicts_with_different_keys_were_padded_by_nobody(kind, monkeypatch):
    def shown(rows):
        if kind == "pandas_alone":
            with monkeypatch.context() as without:
                without.setitem(sys.modules, "pyarrow", None)
                return asked(pd.DataFrame(rows))
        return asked(kind(rows))

    def is_shown(arguments, rows):
        return any(arguments in prompt for prompt in shown(rows))

    rows = optional({"city": "Oslo", "unit": None}, {"city": "Rome"})
    assert is_shown('{"city":"Oslo","unit":null}', rows) and is_shown('{"city":"Rome"}', rows)
    # Where all have the same keys, or others have a value, a library may have given them.
    for others in ([{"city": "Rome", "unit": "celsius"}], [{"city": "Rome", "unit": "celsius"}, {"city": "Bern"}]):
        rows = optional({"city": "Oslo", "unit": None}, *others)
        assert is_shown('{"city":"Oslo"}', rows) == (kind is not list)
    # One column does not tell of another.
    rows = optional({"city": "Oslo", "unit": None}, {"city": "Rome", "unit": "celsius"})
    rows = [{**row, "note": note} for row, note in zip(rows, ({"a": 1}, {"b": 1}), strict=True)]
    assert is_shown('{"city":"Oslo"}', rows) == (kind is not list)


def test_lists_out_of_arrow_are_arrays():
    rows = optional({"city": "Oslo", "unit": None}, {})
    for kind, unit in ((list, ',"unit":null'), (lambda calls: np.array(calls, dtype=object), "")):
        frame = pd.DataFrame([{**row, "tool_call": kind([row["tool_call"]])} for row in rows])
        assert any(f'{{"city":"Oslo"{unit}}}' in prompt for prompt in asked(frame))


@pytest.mark.filterwarnings("default::tooljudge.ToolJudgeWarning")
def test_a_frame_that_may_be_joined_of_padded_ones_is_told_of():
    joined = optional({"city": "Oslo", "unit": None}, {"city": "Rome", "unit": "celsius"}, {"city": "Bern"})
    with pytest.warns(tj.ToolJudgeWarning, match="column `tool_call`: its dicts have different keys"):
        asked(pd.DataFrame(joined))
    # Another field that rows have without a value makes the whole column one that may be padded.
    rows = optional({"city": "Oslo", "unit": None}, {"city": "Bern"})
    rows = [{**row, "tool_call": {**row["tool_call"], "id": one}} for row, one in zip(rows, (None, "x1"), strict=True)]
    by_name = [{**row, "tool_call": {"get_weather": row["tool_call"]["arguments"]}} for row in joined]
    for beside in (rows, by_name):
        with pytest.warns(tj.ToolJudgeWarning, match="column `tool_call`: its dicts have different keys"):
            assert any('{"city":"Oslo"}' in prompt for prompt in asked(pd.DataFrame(beside)))
    # What messages do not say means nothing.
    chat = [{"role": "user", "content": "Weather?"}, {"role": "assistant", "content": None, "tool_calls": []}]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        asked(pd.DataFrame(joined[::2]))
        asked(pd.DataFrame([{**row, "messages": chat} for row in joined[::2]]))
        asked(pd.DataFrame([{**row, "tool_definitions": tools} for row, tools in zip(joined[::2], DEFINITIONS, strict=True)]))
        asked(joined)


def test_texts_in_columns_of_objects_are_what_they_say():
    rows = optional({"city": "Oslo"}, {"city": "Rome"})
    rows = [{**row, "question": one, "lang": lang, "gold": "correct"} for row, one, lang in zip(rows, ("Say 1", 'Say "2"'), ("en", "de"), strict=True)]
    texts = [{**row, "tool_call": json.dumps(row["tool_call"])} for row in rows]
    for these in (texts, [texts[0], rows[1]]):
        assert sorted(asked(objects(these))) == sorted(asked(these))
        assert asked(objects(these), where={"lang": "en"}) == asked(these[:1])
        assert list(tj.bench(objects(these)).figures) == list(tj.bench(these).figures)
