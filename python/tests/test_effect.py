"""Options without effect are errors, as on the command line; input without rows gives what was asked for, and meets the gates."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from conftest import rows

import tooljudge as tj

CALL = {"name": "f", "arguments": {"n": 1}}
CASES = [{"tool_call": CALL, "expected_tool_calls": [CALL]}]
GOLD = [{**row, "gold": "correct"} for row in rows()[:3]]
NO_ROWS = "^the input has no rows"


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: tj.label(rows(), seed=1), "`seed` has no effect without `sample`: "),
        (lambda: tj.label_batches(iter([]), seed=1), "`seed` has no effect without `sample`: "),
        (lambda: tj.bench(GOLD, seed=1), "`seed` has no effect without `sample`: "),
        (lambda: tj.label(rows(), to="csv"), "`to` has no effect without `output`: "),
        (lambda: tj.label(rows(), escape_formulas=True), "`escape_formulas` has no effect without `output` or `fold_output`: "),
        (lambda: tj.label(rows(), gate_on="low"), "`gate_on` has no effect without `min_pass_rate`: "),
        (lambda: tj.label(rows(), rails=["a", "b"]), "`rails` has no effect: "),
        (lambda: tj.label(rows(), judge=print, max_abstained=0.1), "`max_abstained` has no effect: "),
        (lambda: tj.convert(rows(), to="csv"), "`to` has no effect without `output`: "),
        (lambda: tj.gold(rows(), to="csv"), "`to` has no effect without `output`: "),
        (lambda: tj.bench(GOLD, return_rows=True, output="x.csv"), "`output` has no effect beside return_rows: "),
        (lambda: tj.audit(GOLD, return_rows=True, output="x.csv"), "`output` has no effect beside return_rows: "),
        (lambda: tj.bench(GOLD, return_rows=True, to="csv"), "`to` has no effect without `output`: "),
        (lambda: tj.bench(GOLD, prefix="x_"), "`prefix` has no effect without `output`: "),
        (lambda: tj.bench(GOLD, suspects=3), "`suspects` has no effect without `audit`: "),
        (lambda: tj.score(CASES, explain=True), "`explain` has no effect without `judge`: "),
        (lambda: tj.score(CASES, scorer="tool_call", tolerance=0.1), "^`tolerance`: it has no effect without `params=\"fuzzy\"`$"),
        (lambda: tj.score(CASES, scorer="tool_call", tolerance=3), "'3.*`tolerance`.*between 0 and 1"),
        (lambda: tj.score(CASES, scorer="tool_call", params="about"), "^`params`: it must be `strict`"),
        (lambda: tj.score(CASES, questions="q.json"), "`questions` has no effect beside cases"),
        (lambda: tj.score(), "there is nothing to score: give cases, or BFCL's own files as `questions`, `answers` and `results`"),
        (lambda: tj.train(GOLD, dry_run=True, id="id"), "`id` has no effect without `errata`: "),
    ],
)
def test_options_without_effect_are_errors(call, words, tmp_path):
    with pytest.raises(tj.SettingsError, match=words):
        call()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("scorer", ["tool_call", "tool_correctness", "trajectory"])
def test_every_scorer_gives_a_table(scorer):
    scored = tj.score([{"tool_call": "f(a=1)", "expected_tool_calls": "f(a=1)"}], scorer=scorer)
    assert scored[0]["passed"] is True and scored[0]["score"] == 1.0


def test_numbers_and_truth_values_of_numpy_are_those_of_python():
    some = [{**row, "ok": at < 2} for at, row in enumerate(rows())]
    assert len(tj.label(some, where={"ok": np.bool_(True)}, findings=np.bool_(True))) == 2
    assert type(tj.Judge("openai:m", max_tokens=np.int64(5), temperature=np.float32(0.5)).entry("KEY")["max_tokens"]) is int
    assert tj.Judge("openai:m", temperature=np.float32(0.7)).entry("KEY")["temperature"] == 0.7
    assert len(tj.label([{**row, "f": 0.1} for row in rows()], where={"f": np.float32(0.1)})) == len(rows())


def test_a_dry_run_without_prompts_asks_nobody():
    asked = []
    for job in (tj.label, tj.audit):
        assert isinstance(job(GOLD, judge=lambda prompts: asked.append(prompts), dry_run=0), (dict, list))
    assert asked == []


def test_columns_may_come_as_an_index():
    frame = pd.DataFrame([{**row, "a": 1, "b": 2} for row in rows()])
    assert list(tj.label(frame, drop=frame.columns[-2:]).columns[: len(frame.columns) - 2]) == list(frame.columns[:-2])


def test_settings_of_scorers_are_plain_values():
    case = {"tool_call": CALL, "expected_tool_calls": [{"name": "f", "arguments": {"n": 2}}]}
    for settings, score in [({"ignore": ["n"]}, 1.0), ({"ignore": ["m"]}, 0.0), ({"tool_args_match_mode": "ignore"}, 1.0)]:
        found = tj.score([case], scorer="trajectory", set={"tool_args_match_mode": "exact", **settings})
        assert found[0]["score"] == score, settings


def test_batches_have_no_file_of_all_rows_and_may_name_columns(tmp_path):
    (tmp_path / "tooljudge.toml").write_text("[label]\njunit = 'all.xml'\n")
    batches = [[{**row, "agent": "a"} for row in rows()[:2]] for _ in range(2)]
    with pytest.warns(tj.ToolJudgeWarning, match="junit: of the settings file, it is left out"):
        assert [len(batch) for batch in tj.label_batches(iter(batches), by="agent")] == [2, 2]
    assert [path.name for path in tmp_path.iterdir()] == ["tooljudge.toml"]


@pytest.mark.parametrize("job", [tj.label, tj.convert, tj.audit, tj.train])
def test_nothing_is_no_table(job):
    with pytest.raises(tj.InputError, match="NoneType is no table"):
        job(None)


def test_no_parts():
    with pytest.raises(tj.InputError, match="there are no parts"):
        tj.merge([], output="x.csv")
    with pytest.raises(tj.SettingsError, match="^missing: `output`"):
        tj.suite_from_log(rows())


def test_a_settings_file_may_hold_them_and_hinders_nothing(tmp_path):
    (tmp_path / "tooljudge.toml").write_text("[label]\nseed = 1\nto = 'csv'\nsample = 5\nid = 'id'\n[score]\nexplain = true\ntolerance = 0.1\n")
    assert len(tj.label(rows(), limit=2)) == 2
    assert tj.score(CASES, scorer="tool_call")[0]["score"] == 1.0
    (tmp_path / "tooljudge.toml").write_text("[score]\nscorer = 'tool_call'\nparams = 'about'\n")
    with pytest.raises(tj.SettingsError, match=r"tooljudge.toml: line 3: \[score\] `params`: it must be `strict`"):
        tj.score(CASES)


FRAMES = {
    "dicts": lambda: [],
    "columns": lambda: {},
    "named columns": lambda: {"question": [], "tool_call": [], "tool_definitions": []},
    "pandas": lambda: pd.DataFrame(rows()).iloc[:0],
    "polars": lambda: pl.DataFrame(schema={"question": pl.String, "tool_call": pl.String, "tool_definitions": pl.String}),
}


def names(made):
    return list(made) if isinstance(made, dict) else list(getattr(made, "columns", []))


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("job", [tj.label, tj.resnap])
def test_no_rows_fail_the_gate_unless_they_may_be_missing(kind, job):
    given = FRAMES[kind]()
    with pytest.warns(tj.ToolJudgeWarning, match=NO_ROWS):
        made, summary = job(given, judge="builtin", return_summary=True)
    assert type(made) is type(given) and not summary["passed"]
    assert kind == "dicts" or {"label", "status"} <= set(names(made))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _, summary = job(given, judge="builtin", allow_empty=True, min_pass_rate=0.9, return_summary=True)
    assert summary["passed"]


@pytest.mark.parametrize("kind", FRAMES)
def test_no_rows_are_written_where_that_is_asked(kind, tmp_path):
    places = {"output": "out.csv", "report": "page.html", "junit": "j.xml", "fold": "question", "fold_output": "folds.csv"}
    record = tj.label(FRAMES[kind](), **places, allow_empty=True)
    assert record["passed"] and "label,score,status" in (tmp_path / "out.csv").read_text().splitlines()[0]
    assert len((tmp_path / "out.csv").read_text().splitlines()) == 1
    assert all((tmp_path / name).exists() for name in ("page.html", "j.xml", "folds.csv"))


def test_what_an_option_names_is_a_column_of_no_rows(tmp_path):
    tj.label([], column={"question": "said"}, where={"day": 1}, drop="note", by="team", output="out.csv", allow_empty=True)
    head = (tmp_path / "out.csv").read_text().splitlines()[0].split(",")
    assert {"said", "day", "team", "tool_call"} <= set(head) and not {"question", "note"} & set(head)


@pytest.mark.parametrize(
    "job",
    [
        lambda data, **options: tj.score(data, scorer="tool_call", **options),
        lambda data, **_: tj.bench(data),
        lambda data, **_: tj.audit(data),
        lambda data, **_: tj.gold(data),
        lambda data, **_: tj.train(data, dry_run=True),
        lambda data, **_: tj.suite_from_log(data, output="suite.jsonl"),
        lambda data, **options: tj.convert(data, **options),
    ],
)
def test_no_rows_are_an_error_where_the_command_says_so(job, tmp_path):
    with pytest.raises(tj.ToolJudgeError):
        job([])
    assert list(tmp_path.iterdir()) == []


def test_no_cases_and_nothing_to_convert_can_be_accepted(tmp_path):
    assert tj.score([], scorer="tool_call", allow_empty=True) == []
    record = tj.score([], scorer="tool_call", allow_empty=True, output="scores.csv", return_summary=True)
    assert record["passed"] and "score,passed" in (tmp_path / "scores.csv").read_text()
    assert tj.convert([], allow_empty=True) == []


def test_batches_may_be_empty_and_the_input_may_not():
    assert [len(batch) for batch in tj.label_batches(iter([rows()[:1], []]), max_abstained=1.0)] == [1, 0]
    for batches in ([], [[]]):
        with pytest.warns(tj.ToolJudgeWarning, match=NO_ROWS):
            list(tj.label_batches(iter(batches)))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            list(tj.label_batches(iter(batches), allow_empty=True))
