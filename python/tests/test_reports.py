"""What measures judges and what makes rows, in the words of the command line; and how results show themselves."""

import json
import logging
import subprocess
import sys
import time

import pandas as pd
import polars as pl
import pytest
from conftest import PATIENCE, PROGRAM, ROOT, TOOLS, numbered, rows

import tooljudge as tj
from tooljudge import _progress, _run

BENCHMARK = ROOT / "datasets/benchmark.jsonl"


def by_program(*words):
    ran = subprocess.run([PROGRAM, *map(str, words)], check=True, capture_output=True, text=True)
    return json.loads(ran.stdout)


def without(record, *names):
    return {name: value for name, value in record.items() if name not in names}


def test_bench_measures_what_the_command_line_measures():
    expected = by_program("bench", BENCHMARK, "--limit=200", "--json", "--by=category")
    frame = pd.read_json(BENCHMARK, lines=True)
    lines = [json.loads(line) for line in BENCHMARK.read_text().splitlines()]
    texts = [{name: json.dumps(cell) if isinstance(cell, (dict, list)) else cell for name, cell in row.items()} for row in lines]
    for data in (BENCHMARK, frame, pl.DataFrame(texts, infer_schema_length=None)):
        report = tj.bench(data, limit=200, by="category")
        same = ("run", "created_at", "inputs")
        assert without(report.record, *same, "entrants") == without(expected, *same, "entrants")
        for ours, theirs in zip(report.record["entrants"], expected["entrants"], strict=True):
            assert ours["overall"] == theirs["overall"] and ours["slices"] == theirs["slices"]
    figures = report.figures
    own = figures[(figures["judge"] == "builtin") & figures["by"].isna() & (figures["figure"] == "accuracy")]
    assert own["value"].item() == expected["entrants"][0]["overall"]["figures"]["accuracy"]["value"]
    assert own["low"].item() < own["value"].item() < own["high"].item()
    share = expected["entrants"][0]["overall"]["coverage"]["value"]
    labelled = figures[(figures["judge"] == "builtin") & figures["by"].isna() & (figures["figure"] == "labelled")]
    assert labelled["value"].item() == share and f"labelled {round(200 * share)} ({share:.0%})" in repr(report)
    html = report._repr_html_()
    assert f"{own['value'].item():.3f} (" in html and html.count("<tr>") == 1 + len(expected["entrants"])


def test_gates_and_rows_of_a_benchmark():
    gold = [{**row, "gold": "correct"} for row in rows()[:3]]
    frame = pd.DataFrame(gold, index=["a", "b", "c"])
    with pytest.warns(tj.ToolJudgeWarning, match="accuracy"):
        report = tj.bench(frame, min_accuracy=1, return_rows=True, where={"id": 7})
    assert not report.passed and list(report.rows.index) == ["a", "b"]
    with pytest.raises(tj.SettingsError, match="not both"):
        tj.bench(gold, judge="builtin", judges="builtin")
    with pytest.raises(tj.SettingsError, match="bfcl"):
        tj.bench()


def test_judges_are_compared_in_frames_and_files(tmp_path):
    rows = [json.loads(line) for line in BENCHMARK.read_text().splitlines()[:150]]

    def always(prompts):
        return ["correct"] * len(prompts)

    judged = {"decide": "always", "return_rows": True}
    one, other = (tj.bench(pd.DataFrame(rows), judge=judge, **judged).rows for judge in ("builtin", always))
    found = tj.compare({"ours": one, "theirs": other})
    assert found.record["judges"] == ["builtin", "always"] and found.passed
    path = tmp_path / "other.parquet"
    tj.bench(rows, judge=always, output=path)
    expected = tj.compare(one, path)
    assert expected.record["comparisons"] == found.record["comparisons"]
    (pair,) = found.record["comparisons"]
    accuracy = found.figures.set_index("measure").loc["accuracy"]
    right = [(row["label"] == row["gold"]) for row in one.to_dict("records") if row["label"]]
    assert accuracy["value_a"] == pytest.approx(sum(right) / len(right), abs=0.02) and accuracy["rows"] == pair["rows"]
    assert "always" in found._repr_html_() and pair["verdict"] in repr(found)
    # The one that is better second passes, the other way round fails.
    right = other.assign(label=other["gold"], judge="sure")
    assert tj.compare(other, right, gate=True).passed and not tj.compare(right, other, gate=True).passed
    with pytest.raises(tj.InputError, match="no judge's labels"):
        tj.compare(pd.DataFrame(rows), one)


def test_an_audit_attacks_and_keeps_its_questions():
    found = tj.audit(str(BENCHMARK), sample=10, decide="always", return_rows=True)
    expected = by_program("audit", BENCHMARK, "--sample=10", "--decide=always", "--json")
    assert found.record["judges"] == expected["judges"]
    kinds = found.figures["kind"].unique()
    assert set(kinds) == {"attack", "change"} and len(found.rows) > 10
    assert not tj.audit(str(BENCHMARK), sample=60, decide="always", max_flip_rate=0.0001).passed


def test_logs_become_rows(tmp_path):
    call = {"id": "1", "type": "function", "function": {"name": "book", "arguments": json.dumps({"city": "Oslo", "guests": 4})}}
    chat = [{"role": "user", "content": "Book a table in Oslo for 4"}, {"role": "assistant", "tool_calls": [call]}]
    log = [{"messages": chat, "tools": [{"type": "function", "function": TOOLS[0]}]}] * 2
    for data, kind in ((log, list), (pd.DataFrame(log), pd.DataFrame), (pl.DataFrame(log), pl.DataFrame)):
        made, files = tj.convert(data, return_summary=True)
        assert isinstance(made, kind) and len(made) == 2 and files[0]["items"] == 2
        labels = tj.label(made)
        labels = [row["label"] for row in labels] if kind is list else list(labels["label"])
        assert labels == ["correct"] * 2
    summary = tj.convert(log, output=tmp_path / "rows.jsonl")
    assert summary[0]["items"] == 2 and len((tmp_path / "rows.jsonl").read_text().splitlines()) == 2
    with pytest.raises(tj.InputError, match="nothing of it can be read.*unrecognised_tool_call"):
        tj.convert([{"messages": [{"role": "user", "content": "x"}, {"role": "assistant", "tool_calls": 5}]}])


def test_right_calls_become_a_test_set(tmp_path):
    right = [{**rows()[0], "tool_definitions": TOOLS}]
    made, counts = tj.gold(pd.DataFrame(right), return_summary=True, seed=3)
    assert set(made["gold"]) == {"correct", "incorrect"} and counts
    assert [row["gold"] for row in tj.gold(right, seed=3)] == list(made["gold"])
    made = tj.gold(bfcl=ROOT / "tests/cases/gold/bfcl")
    assert len(made) > 10 and set(made.to_pandas()["gold"]) == {"correct", "incorrect"}
    tj.gold(right, output=tmp_path / "gold.jsonl")
    assert len((tmp_path / "gold.jsonl").read_text().splitlines()) == len(tj.gold(right))
    with pytest.raises(tj.SettingsError, match="bfcl"):
        tj.gold()


def test_templates(tmp_path):
    names = tj.templates.list()
    assert {"tool_calling", "tool_selection", "parameter_extraction"} <= set(names) and all(names.values())
    path = tmp_path / "own.jinja"
    path.write_text(tj.templates.show("tool_calling"))
    assert "rails" in tj.templates.check(path)
    path.write_text("{{ nothing }}")
    with pytest.raises(tj.SettingsError, match="nothing"):
        tj.templates.check(path)
    with pytest.raises(tj.SettingsError, match="did you mean"):
        tj.templates.show("tool_caling")


def test_a_dry_run_asks_nobody(server):
    one = server()
    record = tj.label(numbered(5), dry_run=2, **one.judge())
    assert one.requests == 0 and "Say 1" in json.dumps(record)


def test_requests_are_told_to_logging(server, caplog):
    one = server()
    with caplog.at_level(logging.DEBUG, logger="tooljudge"):
        tj.label(numbered(3), **one.judge())
    texts = [record.getMessage() for record in caplog.records if record.levelno == logging.DEBUG]
    assert sum("answered" in text for text in texts) >= 3 and any("status=200" in text for text in texts)
    caplog.clear()
    with caplog.at_level(logging.INFO, logger="tooljudge"):
        tj.label(numbered(6), **one.judge())
    assert not any(record.levelno == logging.DEBUG for record in caplog.records)


def test_a_bar_is_shown_where_it_is_asked_for(server, capfd, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    one = server(delay=0.05)
    tj.label(numbered(40), progress=True, concurrency=2, **one.judge())
    shown = capfd.readouterr().err
    assert " of 40" in shown and shown.endswith("\n")
    one.delay = 0
    tj.label(numbered(41), progress=False, concurrency=2, **one.judge())
    assert capfd.readouterr().err == ""


def test_what_an_audit_would_take(server):
    one = server()
    plans = tj.bench([{**row, "gold": "correct"} for row in numbered(3)], dry_run=True, **one.judge())
    assert plans[0]["questions"] == 3
    plans = tj.audit(numbered(3), dry_run=True, **one.judge())
    assert sum(plan["questions"] for plan in plans) > 3 and one.requests == 0


@pytest.fixture
def told(monkeypatch):
    """How many rows a bar was told of, each time."""
    seen = []
    monkeypatch.setattr(_run.Listener, "progress", lambda _, name, done, rows: seen.append(done))
    return seen


def test_a_bar_moves_while_a_function_judges(told):
    def slow(prompts):
        time.sleep(0.2)
        return ["correct"] * len(prompts)

    tj.label(numbered(16), judge=slow, concurrency=2)
    assert any(0 < done < 16 for done in told)


def test_a_bar_is_told_of_a_few_times_a_second(server, told):
    one, began = server(delay=0.1), time.monotonic()
    tj.label(numbered(20), concurrency=1, **one.judge())
    # As many as there is time for, and the beginning and the end of each of the two passes.
    assert 1 < len(told) <= (time.monotonic() - began) / 0.25 + 4


def test_a_bar_is_not_shown_anew_where_nothing_is_new(capfd):
    bar = _progress.Bar("labelling", 5)
    bar._began -= 1
    bar._shown = _progress._Line("labelling", 5)
    [bar.show(done) for done in (1, 1, 2, 2, 2)]
    assert capfd.readouterr().err.count("\r") == 2


CELL = """
import sys, tooljudge as tj
sys.path.insert(0, %r)
from conftest import numbered
out = tj.label(numbered(40), progress=True, concurrency=2, judge="vllm:m", base_url=%r)
"""


def test_a_bar_in_a_notebook_leaves_nothing(server, kernel):
    one, (_, client), shown = server(delay=0.05), kernel, []

    def hear(message):
        if message["msg_type"] in ("display_data", "update_display_data"):
            shown.append(message["content"]["data"])

    cell = CELL % (str(ROOT / "python/tests"), one.url)
    assert client.execute_interactive(cell, timeout=PATIENCE, output_hook=hear)["content"]["status"] == "ok"
    assert any("<progress" in one["text/html"] and " of 40" in one["text/plain"] for one in shown)
    # A reader of texts sees no object in its place.
    assert shown[-1] == {"text/html": "", "text/plain": ""} and not any("object" in one["text/plain"] for one in shown)


def test_one_list_of_tables_is_compared(tmp_path):
    rows = [json.loads(line) for line in BENCHMARK.read_text().splitlines()[:60]]
    tasks = ("tool_calling", "tool_selection")
    one, other = (tj.bench(rows, task=task, decide="always", return_rows=True).rows for task in tasks)
    tj.bench(rows, output=tmp_path / "other.parquet", task="tool_selection", decide="always")
    expected = tj.compare(one, other, gold="gold").record["comparisons"]
    for tables in ([one, other], (pd.DataFrame(one), tmp_path / "other.parquet")):
        assert tj.compare(tables, gold="gold").record["comparisons"] == expected
