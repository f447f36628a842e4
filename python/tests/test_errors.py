"""Bad input and options: exceptions of a kind, in the words of the command line, that name the remedy."""

import doctest
import importlib
import inspect
import json
import re
import subprocess
import sys
import warnings

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import PROGRAM, rows

import tooljudge as tj


@pytest.mark.parametrize(
    "kind, data, options, words",
    [
        (tj.InputError, pd.DataFrame({"a": [1.5], "b": [2]}), {}, r"`a`"),
        (tj.InputError, pl.DataFrame({"question": ["x"]}), {}, "tool_call|column"),
        (tj.InputError, [1, 2], {}, "int.*pandas"),
        (tj.InputError, 5, {}, "int is no table"),
        (tj.InputError, pl.Series([1]), {}, "a Series is a column, not a table: give the frame"),
        (tj.InputError, pd.Series(["a"]), {}, "a Series is a column, not a table: give the frame"),
        (tj.InputError, pd.Series(rows()), {}, "if each of its cells is a row .* list"),
        (tj.InputError, pa.array([1]), {}, "is a column, not a table"),
        (tj.InputError, rows(), {"column": {"question": "qestion"}}, r'try `column={"question": "question"}`'),
        (tj.InputError, [{**rows()[0], "customer_name": "x"}], {"column": {"question": "custmer_name"}}, "customer_name.*customer_name"),
        (tj.InputError, "no-such-file.csv", {}, "no file matches"),
        (tj.InputError, pd.DataFrame([[1, 2]], columns=["a", "a"]), {}, "two columns named `a`"),
        (tj.InputError, pd.DataFrame({"question": pd.Series(["\ud800"], dtype=object)}), {}, "column `question`.*not Unicode"),
        (tj.InputError, pa.table({"question": pa.array([None], pa.decimal256(50, 2))}), {}, "`question` has the type Decimal256"),
        (tj.InputError, pa.table({"question": pa.array([None], pa.month_day_nano_interval())}), {}, "`question` has the type"),
        (tj.InputError, pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]), {}, "two columns named `a`"),
        (tj.InputError, rows(), {"where": {"nope": 1}}, "nope"),
        (tj.SettingsError, rows(), {"judge": "gpt"}, "PROVIDER:MODEL"),
        (tj.JudgeError, rows(), {"judge": print}, "the function print: it returned a NoneType"),
        (tj.SettingsError, rows(), {"judge": [print, print]}, "two judges are named `print`"),
        (tj.SettingsError, rows(), {"judge": print, "max_cost": 1}, "what the function print costs is not known"),
        (tj.SettingsError, rows(), {"judge": "openai:no-price", "api_key": "k", "max_cost": 1, "max_tokens": 9}, "needs the price"),
        (tj.SettingsError, rows(), {"votes": 2}, "odd"),
        (tj.SettingsError, rows(), {"task": "nope"}, "nope"),
        (tj.SettingsError, rows(), {"drop": "nope"}, "no column `nope`"),
        (tj.SettingsError, rows(), {"overwrite": True, "prefix": "x"}, "cannot be used with"),
        (tj.JudgeError, rows(), {"judge": "openai:gpt-5-mini"}, "OPENAI_API_KEY"),
        (tj.JudgeError, rows(), {"judge": "vllm:m", "base_url": "http://10.1.2.3/v1"}, "plain http"),
        (tj.OutputError, rows(), {"output": "no/such/folder.csv"}, "no/such"),
    ],
)
def test_what_is_wrong_is_said(kind, data, options, words, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(kind, match=words) as raised:
        tj.label(data, **options)
    assert isinstance(raised.value, tj.ToolJudgeError)
    assert "Usage:" not in str(raised.value) and "--help" not in str(raised.value)


def test_a_judge_that_is_not_there():
    with pytest.raises(tj.JudgeError, match="127.0.0.1:1"):
        tj.label(rows()[:2], judge="vllm:m", base_url="http://127.0.0.1:1/v1", max_attempts=1)


def test_unknown_options():
    with pytest.raises(TypeError, match="max_csot"):
        tj.label(rows(), max_csot=1)
    with pytest.raises(TypeError, match="max_csot.*max_cost"):
        tj.bench(rows(), max_csot=1)


SLIPS = [
    ({"seed": 1}, "`seed` has no effect without `sample`"),
    ({"progress": "yes"}, "progress: give True"),
    ({"judge": "bad"}, "PROVIDER:MODEL"),
    ({"votes": 2}, "odd"),
    ({"tools": "no-such-file.json"}, "no-such-file"),
    ({"judge": "openai:gpt-5-mini", "api_key": "k", "max_cost": 1}, "maximum length of an answer: give `max_tokens`$"),
    ({"rails": {"yes": 1}}, r"rails: it takes no dict; give a list of labels, .* \['yes', 'no'\]"),
    ({"drop": {"a": 1}}, "drop: it takes no dict"),
    ({"column": ["question"]}, 'column: give a dict, such as column={"question": "user_msg"}'),
    ({"where": "language"}, "where: give a dict, such as"),
    ({"per": "calls"}, "`per`: `calls` is not one of turn, call; did you mean `call`"),
    ({"judge": tj.Judge("openai:m", price="0.2")}, r"price: give two numbers.* \(0.25, 2.0\)"),
    ({"config": False}, "config.*empty file"),
    ({"config": True}, "^config: True is no path$"),
    ({"store": 1}, "^store: 1 is no path$"),
    ({"by": True}, "^by: True is no column's name"),
    ({"store": False, "purse": "p", "max_cost": 5, "max_tokens": 5}, "^purse has no effect beside store=False"),
]


@pytest.mark.parametrize("options, words", SLIPS)
def test_slips_are_seen_before_there_are_rows(options, words):
    for data in (rows()[:1], []):
        with pytest.raises(tj.SettingsError, match=words):
            tj.label(data, **options)
    with pytest.raises(tj.SettingsError, match=words):
        tj.label_batches(iter([]), **options)


def test_what_depends_on_rows_is_no_slip_without_them(tmp_path):
    (tmp_path / "mine.txt").write_text('{row["note"]} correct or incorrect')
    for options in (
        {"column": {"question": "said"}, "where": {"day": 1}, "drop": "note", "seed": 1, "sample": 5},
        {"judge": print, "template": tmp_path / "mine.txt", "rails": ["correct", "incorrect"]},
        {"from_": "rows", "tools": rows()[0]["tool_definitions"]},
    ):
        assert tj.label([], **options, allow_empty=True) == []
    # A settings file may choose the sample, and name columns.
    (tmp_path / "tooljudge.toml").write_text("[label]\nsample = 2\ndrop = ['note']\n")
    assert tj.label([], seed=1, allow_empty=True) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.txt", "tooljudge.toml"]


def test_a_slip_shows_little_of_us():
    for call in (lambda: tj.label(rows(), judge="bad"), lambda: tj.bench(rows(), votes=2), lambda: tj.label(5)):
        with pytest.raises(tj.ToolJudgeError) as raised:
            call()
        ours = [frame for frame in raised.traceback if "tooljudge" in str(frame.path) and "tests" not in str(frame.path)]
        assert len(ours) == 1


@pytest.mark.parametrize(
    ("name", "functions"),
    [("store", "store_stat"), ("suite", "suite_from_log"), ("trend", "`tooljudge trend`"), ("review", "`tooljudge review`")],
)
def test_commands_whose_functions_have_other_names(name, functions):
    with pytest.raises(AttributeError, match=functions):
        getattr(tj, name)


def test_warnings_are_pythons_and_point_at_the_caller():
    with pytest.warns(tj.ToolJudgeWarning, match="does not use `explain`") as caught:
        tj.label(rows()[:1], explain=True)
    assert caught[0].filename == __file__
    with warnings.catch_warnings(), pytest.raises(tj.ToolJudgeWarning):
        warnings.simplefilter("error")
        tj.label(rows()[:1], explain=True)


def test_nothing_is_printed(capfd, caplog):
    with caplog.at_level("INFO", logger="tooljudge"):
        tj.label(rows()[:1])
    assert capfd.readouterr() == ("", "")


CALL = {"name": "say", "arguments": {"n": 1}}
SAID = {"question": "Say 1", "tool_call": CALL, "tool_definitions": [{"name": "say", "parameters": {"properties": {"n": {"type": "integer"}}}}]}


def test_each_job_logs_what_it_did_and_what_it_cost(caplog, server):
    here = server()
    asks = {"judge": "vllm:m", "base_url": here.url, "prices": {"vllm:m": (1, 1)}, "store": False}
    gold = [{**SAID, "question": f"Say {at}", "gold": label} for at, label in enumerate(("correct", "incorrect"))]
    case = {"id": "a", "user_message": "Say 1", "tools": SAID["tool_definitions"], "expected_tool_calls": [{"tool_name": "say"}]}
    with open("suite.json", "w") as file:
        json.dump({"cases": [case]}, file)
    for job, said in (
        (lambda: tj.label(gold, **asks), r"label vllm:m \(tool_calling\): 2 rows, 2 correct, 0 from the store, \$0\.\d+"),
        (lambda: tj.bench(gold, **asks), r"bench vllm:m \(\w+\): 2 rows, 1\.000 labeled, accuracy 0\.500, 0 from the store, \$0\.\d+"),
        (lambda: tj.bench(gold), r"bench builtin \(\w+\): 2 rows, "),
        (lambda: tj.audit(gold, **asks), r"audit vllm:m \(\w+\): 2 rows, \d+ questions, 0 unanswered, .* flips by attacks"),
        (lambda: tj.score([{**SAID, "expected_tool_calls": [CALL]}], scorer="tool_correctness"), "score: 1 case, 1 passed, 0 failed"),
        (lambda: tj.convert(gold), "convert: 2 rows, 2 calls, 0 skipped, 0 unreadable"),
        (lambda: tj.gold(gold), r"gold: \d+ rows, 1 question"),
        (lambda: tj.drive("suite.json", agent=lambda question: "no"), "drive <?lambda>?: 1 episode, 0 passed, 1 failed"),
    ):
        caplog.clear()
        with caplog.at_level("INFO", logger="tooljudge"):
            job()
        found = [line for line in caplog.messages if re.match(said, line)]
        assert len(found) == 1, (said, caplog.messages)


def test_a_settings_file_that_leaves_out_rows_is_told_of_once(tmp_path):
    (tmp_path / "tooljudge.toml").write_text("[label]\nwhere = ['question=Say 1']\n\nlimit = 1\n")
    rows = [SAID, SAID, {**SAID, "question": "Say 2"}]
    with pytest.warns(tj.ToolJudgeWarning, match=r"tooljudge.toml: `limit`.* and `where`.*: the result has these rows only; limit=False, where=False"):
        assert len(tj.label(rows)) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(tj.label(rows)) == 1
    # What the call says itself needs no word; it is another case with one of them.
    with pytest.warns(tj.ToolJudgeWarning, match=r"tooljudge.toml: `where`.*: the result"):
        assert len(tj.label(rows, limit=2)) == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(tj.label(rows, limit=False, where=False)) == 3


def test_importing_does_nothing():
    loaded = "import sys; before = set(sys.modules); import tooljudge; print(*(set(sys.modules) - before))"
    found = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True).stdout.split()
    assert {"pandas", "polars", "pyarrow", "asyncio", "json", "logging"}.isdisjoint(found)


def test_the_command_line_is_the_same_program(tmp_path):
    (tmp_path / "in.jsonl").write_text(json.dumps(rows()[0]))
    on_path = subprocess.run(["tooljudge", "--version"], capture_output=True, text=True, check=True).stdout
    theirs = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True).stdout
    assert on_path.split(" (")[0] == theirs.split(" (")[0]
    words = [sys.executable, "-m", "tooljudge", "label", "in.jsonl", "-o", "out.csv"]
    ran = subprocess.run(words, capture_output=True, text=True)
    assert ran.returncode == 0 and (tmp_path / "out.csv").exists(), ran.stderr
    ran = subprocess.run([*words, "--votes", "2"], capture_output=True, text=True)
    assert ran.returncode == 2 and "--votes" in ran.stderr


def flags(command):
    """The long flags that the command's help tells of."""
    text = subprocess.run([PROGRAM, command, "--help"], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"^ +(?:-\w, )?--([a-z0-9-]+)", text, re.MULTILINE))


OF_A_TERMINAL = {"json", "quiet", "color", "verbose", "log-file", "help", "summary", "formats", "scorers"}
OF_PYTHON = {"api-key", "functions", "progress", "return-summary", "return-rows", "judges", "prices", "data", "tables"}


@pytest.mark.parametrize("job", ["label", "resnap", "score", "convert", "gold", "bench", "compare", "audit"])
def test_every_flag_is_an_option(job):
    options = {name.rstrip("_").replace("_", "-") for name in inspect.signature(getattr(tj, job)).parameters}
    assert options - OF_PYTHON == flags(job) - OF_A_TERMINAL


MODULES = [
    *("tooljudge", "tooljudge._findings", "tooljudge._functions", "tooljudge._jobs", "tooljudge._judge", "tooljudge._reports", "tooljudge._tasks", "tooljudge.aio"),
    "tooljudge.templates",
]


@pytest.mark.parametrize("module", MODULES)
def test_examples(module):
    found = doctest.testmod(importlib.import_module(module))
    assert found.attempted and not found.failed


def test_a_key_goes_to_the_server_and_nowhere_else(server, tmp_path, caplog, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-environment")
    one, key = server(), "sk-given-4f1d9c02"
    with caplog.at_level("DEBUG", logger="tooljudge"):
        out, summary = tj.label(rows()[:2], judge="openai:m", base_url=one.url, api_key=key, return_summary=True)
    assert one.keys == {f"Bearer {key}"} and out[0]["label"] == "correct"
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert key.encode() not in kept and key not in caplog.text + json.dumps(summary) + repr(out)
    with pytest.raises(tj.SettingsError, match="not both"):
        tj.label(rows(), judge="openai:m", api_key=key, api_key_env="X")
    with pytest.raises(tj.ToolJudgeError) as raised:
        tj.label(rows(), judge="openai:m", base_url="http://127.0.0.1:1/v1", api_key=key, max_attempts=1)
    assert key not in str(raised.value)
