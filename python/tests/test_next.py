"""The loop of marks: label, draw rows, mark them, and the share of right calls among all rows."""

import csv

import pytest
import tooljudge as tj

TOOLS = [{"name": "say", "description": "Says a number", "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}}}]


def labelled(count=40):
    call = [{"name": "say", "arguments": {"n": 1}}]
    rows = [{"id": f"r{at}", "kind": "ab"[at % 2], "question": f"Say {at}", "tool_call": call, "tool_definitions": TOOLS} for at in range(count)]
    return rows, tj.label(rows, decide="always")


def test_few_marks_tell_the_share_of_right_calls(tmp_path):
    rows, out = labelled()
    todo, record = tj.next(out, rows=10, seed=3, return_summary=True)
    assert [type(row) for row in todo] == [dict] * 10 and record["of"] == 40 and record["output"] is None
    assert all(row["gold"] is None and row["inclusion_probability"] == 0.25 and "label" not in row for row in todo)
    assert [row["id"] for row in todo] == [row["id"] for row in tj.next(out, rows=10, seed=3)]
    assert [row["id"] for row in todo] != [row["id"] for row in tj.next(out, rows=10, seed=4)]
    marked = tmp_path / "marked.csv"
    with marked.open("w", newline="") as file:
        table = csv.DictWriter(file, ["id", "gold", *(name for name in todo[0] if name.startswith(("draw", "incl")))], extrasaction="ignore")
        table.writeheader()
        table.writerows({**row, "gold": "correct"} for row in todo)
    _, summary = tj.label(rows, decide="always", errata=marked, return_summary=True)
    assert "correct" in str(summary)
    # The next round leaves out what was drawn.
    second, record = tj.next(out, rows=10, seed=3, gold=marked, return_summary=True)
    assert record["round"] == 2 and not {row["id"] for row in todo} & {row["id"] for row in second}


def test_frames_and_files(tmp_path):
    polars = pytest.importorskip("polars")
    _, out = labelled()
    frame = tj.next(polars.DataFrame([{name: row[name] for name in ("id", "kind", "label", "score", "status", "judge", "template")} for row in out]), queue="stratified:kind", rows=4)
    assert isinstance(frame, polars.DataFrame) and frame["kind"].value_counts()["count"].to_list() == [2, 2]
    record = tj.next(out, rows=2, output=tmp_path / "todo.jsonl")
    assert record["rows"] == 2 and record["output"].endswith("todo.jsonl")
    assert len((tmp_path / "todo.jsonl").read_text().splitlines()) == 2


def test_what_cannot_be_drawn_is_said():
    rows, out = labelled(4)
    with pytest.raises(tj.ToolJudgeError, match="id"):
        tj.next([{name: cell for name, cell in row.items() if name != "id"} for row in out])
    with pytest.raises(tj.SettingsError, match="queue"):
        tj.next(out, queue="best")
    with pytest.raises(tj.ToolJudgeError, match="label"):
        tj.next(rows, queue="unsure")
