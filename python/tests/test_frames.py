"""Frames in, frames out: labels, order and index are those of the command line on the same rows."""

import collections
import contextlib
import dataclasses
import datetime
import decimal
import enum
import json
import math
import re
import sys
import warnings

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import LABELS, ROOT, TOOLS, by_program, labels, rows

import tooljudge as tj


def typed(frame):
    return pa.Table.from_pylist(frame)


def to_rows(frame):
    if isinstance(frame, list):
        return frame
    if isinstance(frame, pd.DataFrame):
        return [{name: null(cell) for name, cell in row.items()} for row in frame.to_dict("records")]
    if isinstance(frame, pl.DataFrame):
        return frame.to_dicts()
    return pa.table(frame).to_pylist()


def relation(rows):
    table = typed(rows)
    return duckdb.connect().from_arrow(table)


KINDS = {
    "dicts": lambda rows: rows,
    "pandas": lambda rows: pd.DataFrame(rows, index=[f"i{n % 3}" for n in range(len(rows))]),
    "pandas_arrow": lambda rows: typed(rows).to_pandas(types_mapper=pd.ArrowDtype),
    "pandas_of_arrow": lambda rows: typed(rows).to_pandas(),
    "polars": lambda rows: pl.from_arrow(typed(rows)),
    "polars_lazy": lambda rows: pl.from_arrow(typed(rows)).lazy(),
    "polars_objects": lambda rows: pl.DataFrame(
        [pl.Series(name, [row[name] for row in rows], dtype=pl.Object if name == "tool_call" else None) for name in rows[0]]
    ),
    "pyarrow": typed,
    "reader": lambda rows: typed(rows).to_reader(max_chunksize=2),
    "duckdb": relation,
}
KEPT = {
    "dicts": list,
    "pandas": pd.DataFrame,
    "pandas_arrow": pd.DataFrame,
    "pandas_of_arrow": pd.DataFrame,
    "polars": pl.DataFrame,
    "polars_lazy": pl.DataFrame,
    "polars_objects": pl.DataFrame,
}


def null(value):
    return None if value is None or value is pd.NA or isinstance(value, float) and value != value else value


@pytest.mark.filterwarnings("ignore::tooljudge.ToolJudgeWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_labels_are_those_of_the_command_line(kind, tmp_path):
    expected = by_program(rows(), tmp_path)
    assert [row["label"] for row in expected][:3] == ["correct", "correct", "incorrect"]
    frame = KINDS[kind](rows())
    columns = list(rows()[0])
    out = tj.label(frame)
    assert isinstance(out, KEPT.get(kind, pa.Table))
    if isinstance(out, pd.DataFrame):
        assert out.index.equals(frame.index)
        assert out[columns].dtypes.equals(frame.dtypes)
        found = [{name: null(out[name].iloc[at]) for name in LABELS} for at in range(len(out))]
    else:
        found = labels(to_rows(out))
    assert found == labels(expected)
    names = list(out[0]) if isinstance(out, list) else list(getattr(out, "column_names", None) or out.columns)
    assert names == list(expected[0])


@pytest.mark.filterwarnings("ignore::tooljudge.ToolJudgeWarning")
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "polars_objects"])
def test_chosen_rows(kind, tmp_path):
    expected = by_program(rows(), tmp_path, "--where=id=7", "--limit=1")
    out = tj.label(KINDS[kind](rows()), where={"id": 7}, limit=1)
    assert len(out) == 1
    if kind == "pandas":
        assert list(out.index) == ["i0"]
    found = to_rows(out)
    assert [row["label"] for row in found] == [row["label"] for row in expected]
    assert found[0]["id"] == 7 and "tooljudge row" not in found[0]


@pytest.mark.filterwarnings("ignore::tooljudge.ToolJudgeWarning")
@pytest.mark.parametrize("kind", ["pandas", "pandas_arrow", "polars", "pyarrow", "reader", "duckdb"])
def test_frames_without_rows(kind):
    table = typed(rows()).slice(0, 0)
    empty = {
        "pandas": lambda: pd.DataFrame(rows()).iloc[:0],
        "pandas_arrow": lambda: table.to_pandas(types_mapper=pd.ArrowDtype),
        "polars": lambda: pl.from_arrow(table),
        "pyarrow": lambda: table,
        "reader": table.to_reader,
        "duckdb": lambda: duckdb.connect().from_arrow(table),
    }[kind]()
    out = tj.label(empty)
    assert len(out) == 0
    assert "label" in (getattr(out, "column_names", None) or list(out.columns))
    assert tj.label([]) == []


def test_a_frame_of_many_types_is_given_back_as_it_was():
    frame = pd.DataFrame(rows()[:2])
    frame["category"] = pd.Categorical(["a", None])
    frame["number category"] = pd.Categorical([1, 2])
    frame["when"] = pd.to_datetime(["2026-01-01", None])
    frame["complex"] = [1j, 2j]
    frame["period"] = pd.period_range("2026-01", periods=2, freq="M")
    frame["mixed"] = [1, "x"]
    frame[5] = [1.5, None]
    frame.index = pd.MultiIndex.from_tuples([("a", 1), ("a", 1)])
    before = frame.copy(deep=True)
    out = tj.label(frame)
    assert out[list(frame.columns)].equals(before) and frame.equals(before)
    assert out.index.equals(before.index)
    assert list(out["label"]) == ["correct", "correct"]


def calls_as_shown(data):
    """The tool calls as a judge sees them, row by row."""
    shown, decoder = {}, json.JSONDecoder()

    def judge(prompts):
        for prompt in prompts:
            for found in re.finditer(r"\{", prompt):
                with contextlib.suppress(ValueError):
                    thing = decoder.raw_decode(prompt, found.start())[0]
                    if "arguments" in thing:
                        shown[int(re.search(r"order (\d+)", prompt)[1])] = thing
        return ["correct"] * len(prompts)

    tj.label(data, judge=judge)
    return [shown[row] for row in sorted(shown)]


def test_no_row_changes_what_another_says(tmp_path):
    """A field without a value is absent in a frame; in a list of dicts None is null."""

    def row(at, **arguments):
        return {"question": f"order {at}", "tool_call": {"name": "book", "arguments": arguments}, "tool_definitions": []}

    table = [row(0, city="Oslo"), row(1, guests=2)]
    pq.write_table(pa.Table.from_pylist(table), tmp_path / "padded.parquet")
    padded = pd.read_parquet(tmp_path / "padded.parquet")
    other = pd.DataFrame([row(2, city="Rome", days=3)])
    edited = padded.copy()
    edited.at[0, "tool_call"] = {"name": "book", "arguments": {"city": "Oslo"}}
    for frame in (padded, edited, pd.concat([padded, other]), pd.concat([other, padded]), pl.from_pandas(padded)):
        shown = calls_as_shown(frame)
        assert [call["arguments"] for call in shown[:2]] == [{"city": "Oslo"}, {"guests": 2}]
    null = row(0, city=None)
    assert calls_as_shown([null])[0]["arguments"] == {"city": None}
    assert calls_as_shown(pd.DataFrame([null]))[0]["arguments"] == {}
    # Texts beside dicts stay texts.
    mixed = [row(0, city="Oslo"), {**row(1), "tool_call": 'book(city="Oslo")'}]
    assert labels(to_rows(tj.label(pd.DataFrame(mixed)))) == labels(by_program(mixed, tmp_path))


def test_types_that_are_not_read_are_named_with_a_remedy():
    table = typed(rows()[:1])
    views = pa.array([["x"]], pa.list_view(pa.string()))
    runs = pa.RunEndEncodedArray.from_arrays([1], ["x"])
    for cells, words in [(views, "column `odd` has the type list_view.*cast"), (runs, "column `odd`.*run_end_decode")]:
        for data in (table.append_column("odd", cells), table.append_column("odd", cells).to_reader()):
            with pytest.raises(tj.InputError, match=words):
                tj.label(data)


def test_a_condition_on_an_unknown_column_lists_the_frames_own():
    with pytest.raises(tj.InputError, match="qestion") as refused:
        tj.label(pd.DataFrame(rows()), where={"qestion": "a"})
    assert "`question`" in str(refused.value) and "tooljudge row" not in str(refused.value)


@dataclasses.dataclass
class Call:
    name: str
    arguments: dict


class Kind(enum.Enum):
    BIG = "big"


def test_things_of_python_in_cells(tmp_path):
    """What has a word in JSON is that; what has none is not judged by its text."""
    parameters = {"type": "object", "properties": {"amount": {"type": "number"}, "order": {"type": "integer"}}}
    tools = [{"name": "pay", "description": "Pays for an order.", "parameters": parameters}]

    def row(at, call):
        return {"question": f"Pay 2.5 for order {at}", "tool_call": call, "tool_definitions": tools}

    amount = [decimal.Decimal("2.50"), np.float64(2.5), decimal.Decimal("2.5")]
    calls = [{"name": "pay", "arguments": {"amount": one, "order": at}} for at, one in enumerate(amount)]
    calls.append(Call("pay", {"amount": 2.5, "order": 3}))
    table = [row(at, call) for at, call in enumerate(calls)]
    for data in (table, pd.DataFrame(table)):
        assert [call["arguments"] for call in calls_as_shown(data)] == [{"amount": 2.5, "order": at} for at in range(4)]
        assert {one["label"] for one in to_rows(tj.label(data))} == {"correct"}
    cells = {
        "kind": Kind.BIG,
        "when": datetime.timedelta(1),
        "more": collections.deque([1]),
        "bytes": bytearray(b"x"),
        "open": object(),
    }
    (shown,) = calls_as_shown([row(0, {"name": "pay", "arguments": {"of": cells}})])
    assert shown["arguments"]["of"] == {
        **{"kind": "big", "when": "1 day, 0:00:00", "more": [1], "bytes": "x"},
        "open": "<builtins.object, which has no JSON>",
    }
    with pytest.raises(tj.InputError, match="a cell has no JSON: keys must be"):
        tj.label([row(0, {("a", 1): 2})])
    itself = {}
    itself["itself"] = itself
    with pytest.raises(tj.InputError, match="it holds itself"):
        tj.label([row(0, itself)])


def test_a_cell_without_json_costs_no_row_its_place():
    """NaN is no JSON; the row keeps its number, so that chosen rows are found again."""
    table = [{**row, "note": [float("nan")] if at == 1 else "x"} for at, row in enumerate(rows()[:3])]
    expected = [row["label"] for row in tj.label(rows()[:3])]
    for options in ({}, {"limit": 3}, {"sample": 3}):
        out = tj.label(table, **options)
        assert [row["label"] for row in out] == expected and math.isnan(out[1]["note"][0])


def test_a_row_that_cannot_be_read_is_not_taken_for_another():
    table = [rows()[0], {**rows()[1], "note": "\ud800"}]
    assert [row["status"] for row in tj.label(table, allow_unjudged=1)] == ["judged", "invalid_row"]
    with pytest.raises(tj.InputError, match="row 2 of those chosen cannot be read"):
        tj.label(table, limit=2, allow_unjudged=1)


def test_text_that_is_not_unicode_is_refused(tmp_path):
    for text in (b"caf\xe9", b"\xff\xfe"):
        array = pa.StringArray.from_buffers(
            1, pa.py_buffer(np.array([0, len(text)], dtype=np.int32).tobytes()), pa.py_buffer(text)
        )
        nested = pa.StructArray.from_arrays([array], names=["inner"])
        for column in (array, nested, pa.DictionaryArray.from_arrays(pa.array([0]), array)):
            table = pa.table({"question": ["x"], "tool_call": ["f()"], "note": column})
            with pytest.raises(tj.InputError, match="column `note` holds text that is not UTF-8"):
                tj.label(table)


def test_json_inside_types_of_duckdb_is_not_taken_for_text():
    connection = duckdb.connect()
    relation = connection.sql("select 'Pay 25' question, [{'name': 'pay', 'arguments': map {'amount': '25'::json}}] tool_call")
    with pytest.raises(tj.InputError, match="`tool_call` holds JSON inside .*arrow_lossless_conversion"):
        tj.label(relation)
    connection.execute("set arrow_lossless_conversion = true")
    assert len(tj.label(relation)) == 1


def test_what_pandas_keeps_beside_its_columns():
    frame = pd.DataFrame(rows()[:2])
    frame.attrs, frame.columns.name = {"from": "here"}, "field"
    out = tj.label(frame)
    assert out.attrs == {"from": "here"} and out.columns.name == "field"
    big = [{**rows()[0], "id": 2**53 + 1}, {**rows()[1], "id": None}]
    with open("big.jsonl", "w") as file:
        file.writelines(json.dumps(row) + "\n" for row in big)
    assert tj.label("big.jsonl").to_pandas()["id"].tolist() == [2**53 + 1, pd.NA]


def test_spans_of_phoenix_keep_their_ids():
    messages = {"message.role": "user", "message.content": "Book in Oslo"}
    call = {"tool_call.function.name": "book", "tool_call.function.arguments": '{"city": "Oslo"}'}
    spans = pd.DataFrame(
        {
            "span_kind": ["LLM"],
            "attributes.llm.input_messages": [[messages]],
            "attributes.llm.output_messages": [
                [{"message.role": "assistant", "message.tool_calls": [{"tool_call": call, **call}]}]
            ],
        },
        index=pd.Index(["s1"], name="context.span_id"),
    )
    assert list(tj.label(spans, allow_unjudged=1)["source_id"]) == ["s1"]


def test_our_columns_take_the_place_of_others_only_when_told():
    frame = pl.DataFrame(rows()[:2]).with_columns(label=pl.lit("mine"), score=pl.lit(5))
    with pytest.raises(tj.SettingsError, match='label.*`prefix="judge_"`'):
        tj.label(frame)
    assert tj.label(frame, overwrite=True)["label"].to_list() == ["correct", "correct"]
    assert list(tj.label(frame, prefix="judge_", keep=["score"]).columns[:2]) == ["score", "judge_label"]
    out = tj.label(frame, prefix="judge_", drop=["score", "id"])
    assert out["label"].to_list() == ["mine", "mine"] and out["judge_label"].to_list() == ["correct", "correct"]
    assert "score" not in out.columns and "id" not in out.columns
    out = tj.label(pd.DataFrame({**frame.to_pandas()}), overwrite=True)
    assert list(out["label"]) == ["correct", "correct"] and list(out.columns).count("label") == 1


def test_a_settings_file_chooses_and_names_as_options_do():
    frame = pd.DataFrame(rows()[:3], index=["a", "b", "c"])
    with open("tooljudge.toml", "w") as file:
        file.write("[label]\nwhere = ['id=3']\nprefix = 'ours_'\ndrop = ['question']\n[score]\nprefix = 'ours_'\n")
    out = tj.label(frame)
    assert list(out.index) == ["c"] and list(out["ours_label"]) == ["incorrect"]
    assert "question" not in out and "tooljudge row" not in out and "tool_call" in out
    call = rows()[0]["tool_call"]
    frame = pd.DataFrame({"score": [5], "tool_call": [call], "expected_tool_calls": [[call]]}, index=["x"])
    scored = tj.score(frame, scorer="tool_correctness")
    assert list(scored.index) == ["x"] and list(scored["score"]) == [5] and list(scored["ours_score"]) == [1.0]
    with open("tooljudge.toml", "w") as file:
        file.write("[label]\ndry_run = true\n")
    with pytest.raises(tj.SettingsError, match="dry_run"):
        tj.label(rows()[:1])


def test_several_judges_and_tasks_have_columns_of_their_own():
    out = tj.label(rows()[:2], task=["tool_selection", "parameter_extraction"], decide="always")
    assert out[0]["tool_selection_label"] == out[0]["parameter_extraction_label"] == "correct"


def test_a_log_becomes_turns(tmp_path):
    messages = [
        {"role": "user", "content": "Book a table in Oslo for 4"},
        {
            "role": "assistant",
            "tool_calls": [
                {
                    "id": "1",
                    "type": "function",
                    "function": {"name": "book", "arguments": json.dumps({"city": "Oslo", "guests": 4})},
                }
            ],
        },
    ]
    log = [{"messages": messages, "tools": [{"type": "function", "function": TOOLS[0]}]}] * 2
    expected = by_program(log, tmp_path)
    assert len(expected) == 2 and expected[0]["label"] == "correct"
    for data in (log, pd.DataFrame(log), pl.DataFrame(log)):
        out = to_rows(tj.label(data))
        assert labels(out) == labels(expected) and out[0]["turn"] == expected[0]["turn"]


def test_paths_and_globs(tmp_path):
    expected = by_program(rows(), tmp_path)
    with pytest.warns(tj.ToolJudgeWarning, match="no label"):
        out = tj.label(tmp_path / "rows.jsonl")
    assert len(out) == 5 and labels(out.to_dicts()) == labels(expected)
    assert len(tj.label(str(tmp_path / "ro*.jsonl"), limit=2).to_polars()) == 2
    record = tj.label(tmp_path / "rows.jsonl", output=tmp_path / "new.parquet", allow_unjudged=1)
    assert record["output"]["rows"] == 5 and len(pd.read_parquet(tmp_path / "new.parquet")) == 5


def test_the_summary_is_that_of_the_command_line():
    out, summary = tj.label(rows()[:3], return_summary=True)
    assert summary["panel"][0]["summary"]["labels"] == {"correct": 2, "incorrect": 1} and len(out) == 3
    assert summary["passed"]
    with pytest.warns(tj.ToolJudgeWarning, match="min_pass_rate"):
        _, summary = tj.label(rows()[:3], min_pass_rate=0.9, return_summary=True)
    assert not summary["passed"]


def test_batches():
    made = list(tj.label_batches(pl.DataFrame(rows()[:3]).iter_slices(2)))
    assert [frame["label"].to_list() for frame in made] == [["correct", "correct"], ["incorrect"]]
    table = typed(rows()[:3])
    for batches in (pl.from_arrow(table).lazy(), table.to_reader(max_chunksize=2)):
        labels = [pl.DataFrame(made)["label"].to_list() for made in tj.label_batches(batches)]
        assert sum(labels, []) == ["correct", "correct", "incorrect"]
    for frame in (pd.DataFrame(rows()), table, pl.from_arrow(table), "rows.jsonl"):
        with pytest.raises(tj.InputError, match="is one table"):
            tj.label_batches(frame)


def test_bench_and_score():
    gold = [{**row, "gold": "correct"} for row in rows()[:3]] + [{**rows()[2], "gold": "incorrect"}]
    report = tj.bench(pl.DataFrame(gold), by=["id"], return_rows=True)
    accuracy = [one for one in report._figures() if one["figure"] == "accuracy" and one["judge"] == "builtin"]
    assert accuracy[0]["value"] == pytest.approx(3 / 4) and {one["slice"] for one in accuracy} >= {"3"}
    assert report.rows["label"].to_list() == ["correct", "correct", "incorrect", "incorrect"]
    assert len(report.figures) == len(list(report._figures())) and report.passed
    with pytest.warns(tj.ToolJudgeWarning, match="min-accuracy|accuracy"):
        assert not tj.bench(gold, min_accuracy=1).passed
    call = rows()[0]["tool_call"]
    frame = pd.DataFrame({"tool_call": [call, call], "expected_tool_calls": [[call], []]}, index=[5, 5])
    scored = tj.score(frame, scorer="tool_correctness")
    assert list(scored.index) == [5, 5] and scored["score"].iloc[0] == 1.0


FIXTURES = ROOT / "tests/fixtures/frames"


def by_duckdb(path):
    connection = duckdb.connect()
    connection.execute("set arrow_lossless_conversion = true")
    return connection.read_parquet(path)


READERS = [pd.read_parquet, pl.read_parquet, pq.read_table, by_duckdb]


@pytest.mark.filterwarnings("ignore::tooljudge.ToolJudgeWarning")
@pytest.mark.parametrize("reader", READERS, ids=["pandas", "polars", "pyarrow", "duckdb"])
@pytest.mark.parametrize("file", sorted(file.name for file in FIXTURES.glob("[cm]*.parquet")))
def test_files_of_other_libraries_read_into_frames(file, reader, tmp_path):
    """Structs, maps, JSON as the libraries read their own files: the labels are those of the same rows in JSON Lines."""
    lines = (FIXTURES / file).parent / (file.split(".")[0] + ".jsonl")
    if file.startswith(("mixed", "maps.json")) and reader in READERS[:2]:
        pytest.skip("the library reads JSON within a struct or a map as any text")
    expected = labels(by_program([json.loads(line) for line in lines.read_text().splitlines()], tmp_path))
    assert labels(to_rows(tj.label(reader(str(FIXTURES / file))))) == expected


def test_types_of_arrow(tmp_path):
    """JSON is what it says, categories are texts; a table in pieces is one."""
    call = rows()[0]["tool_call"]
    expected = by_program(rows()[:1] * 2, tmp_path)
    types = {
        "json": pa.array([json.dumps(call)], pa.json_()),
        "text": pa.array([json.dumps(call)]),
        "category": pa.array([json.dumps(call)]).dictionary_encode(),
        "large": pa.array([json.dumps(call)], pa.large_string()),
        "view": pa.array([json.dumps(call)], pa.string_view()),
    }
    for name, array in types.items():
        one = pa.table({"question": [rows()[0]["question"]], "tool_call": array, "tool_definitions": [json.dumps(TOOLS)]})
        table = pa.concat_tables([one, one])
        out = tj.label(table)
        assert [row["label"] for row in out.select(["label"]).to_pylist()] == [row["label"] for row in expected], name
        assert out.select(table.column_names) == table
    for dtype in (pl.Categorical, pl.Enum([json.dumps(call)])):
        frame = pl.from_arrow(pa.table({**one.to_pydict(), "tool_call": types["text"]})).with_columns(
            pl.col("tool_call").cast(dtype)
        )
        assert tj.label(frame)["label"].to_list() == ["correct"]


@pytest.mark.filterwarnings("ignore::tooljudge.ToolJudgeWarning")
def test_pandas_needs_no_pyarrow(tmp_path, monkeypatch):
    expected = by_program(rows(), tmp_path)
    frame = pd.DataFrame(rows(), index=list("abcde")).assign(
        when=pd.to_datetime(["2026-01-01", None, None, None, None]), kind=pd.Categorical(["x", None, "y", "x", "y"])
    )
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    out = tj.label(frame)
    assert out.index.equals(frame.index) and out[list(frame.columns)].equals(frame)
    assert labels(to_rows(out)) == labels(expected)
    assert list(tj.label(frame, where={"kind": "y"}).index) == ["c", "e"]


def test_texts_that_a_frame_made_of_numbers_are_warned_of():
    tools = [{"name": "book", "parameters": {"type": "object", "properties": {"guests": {"type": "integer"}, "name": {"type": "string"}}}}]

    def row(guests, arguments=None):
        call = {"name": "book", "arguments": arguments or {"guests": guests, "name": "Ada"}}
        return {"question": f"Book a table for {guests}", "tool_call": call, "tool_definitions": json.dumps(tools)}

    mixed = [row(guests) for guests in (2, 3, "five")]
    made_texts = pl.DataFrame(mixed)
    said = "rows hold text where the tool takes none, in the column of structs `tool_call`, at `guests`"
    with pytest.warns(tj.ToolJudgeWarning, match=f"^3 {said}"):
        tj.label(made_texts)
    gold = made_texts.with_columns(gold=pl.Series(["correct", "correct", "incorrect"]))
    for job in (tj.bench, tj.audit, tj.gold, tj.convert, lambda data: tj.suite_from_log(data, output="suite.jsonl")):
        with pytest.warns(tj.ToolJudgeWarning, match=said):
            job(gold)
    with pytest.warns(tj.ToolJudgeWarning, match=said), contextlib.suppress(tj.ToolJudgeError):
        # It has too little to learn from.
        tj.train(gold, output="own.model")
    # What tells a text of the agent's from the table's: rows that keep their types, and arguments as JSON text.
    as_text = pl.DataFrame([row(n, json.dumps({"guests": str(n)})) for n in (2, 3)])
    for kept in (mixed, pd.DataFrame(mixed), pl.DataFrame([row(2), row(3)]), as_text):
        with warnings.catch_warnings():
            warnings.filterwarnings("error", message=".*text where the tool takes none")
            tj.label(kept)


@pytest.mark.parametrize(
    "guests",
    [
        {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
        {"allOf": [{"type": "integer"}]},
        {"$ref": "#/$defs/count"},
        {"enum": [2, 3, 4]},
    ],
)
def test_such_texts_are_found_by_whatever_a_schema_says(guests):
    parameters = {"type": "object", "properties": {"guests": guests}, "$defs": {"count": {"type": "integer"}}}
    tools = json.dumps([{"name": "book", "parameters": parameters}])
    rows = [
        {"question": f"Book for {n}", "tool_call": {"name": "book", "arguments": {"guests": n}}, "tool_definitions": tools} for n in (2, 3, "five")
    ]
    with pytest.warns(tj.ToolJudgeWarning, match="3 rows hold text where the tool takes none, .* at `guests`"):
        tj.label(pl.DataFrame(rows, strict=False))


@pytest.mark.parametrize("with_tools", [True, False])
def test_scores_of_texts_that_a_frame_made_of_numbers_are_warned_of(with_tools):
    tools = [{"name": "book", "parameters": {"type": "object", "properties": {"guests": {"type": "integer"}}}}]

    def row(guests, expected=2):
        calls = {"tool_call": guests, "expected_tool_calls": expected}
        made = {column: [{"name": "book", "arguments": {"guests": n}}] for column, n in calls.items()}
        return {**made, **({"tool_definitions": json.dumps(tools)} if with_tools else {})}

    scorer = "bfcl_ast" if with_tools else "tool_correctness"
    mixed = [row(n) for n in (2, 2, "five")]
    for rows, column in ((mixed, "tool_call"), ([row(2), row(2, "five")], "expected_tool_calls")):
        with pytest.warns(tj.ToolJudgeWarning, match=f"rows hold text where .*, in the column of structs `{column}`, at `guests`"):
            tj.score(pl.DataFrame(rows, strict=False), scorer=scorer)
    for kept in (mixed, pd.DataFrame(mixed), pl.DataFrame([row(2), row(3)]), pl.DataFrame([row("2", "2")] if not with_tools else [row(2)])):
        with warnings.catch_warnings():
            warnings.filterwarnings("error", message=".*hold text where")
            tj.score(kept, scorer=scorer)
