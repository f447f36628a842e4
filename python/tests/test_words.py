"""Messages in the words of a call: whatever the command line can say, Python says without flags and commands."""

import re
import tempfile
import warnings

import pytest
from conftest import ROOT, rows

import tooljudge as tj
from tooljudge._words import in_python

COMMANDS = "label|resnap|score|convert|gold|bench|compare|audit|train|drive|merge|suite|store|templates"
THEIRS = re.compile(rf"(?<![\w-])--[a-z]|(?<= )-o\b|\btooljudge (?:{COMMANDS})\b")


@pytest.mark.parametrize(
    "theirs, ours",
    [
        ("give --max-tokens N", "give `max_tokens`"),
        ("a lower --max-tokens, or --retry truncated", 'a lower `max_tokens`, or `retry="truncated"`'),
        ("use `--column question=user_msg`", 'use `column={"question": "user_msg"}`'),
        ("use `--max-cost=5`", "use `max_cost=5`"),
        ("add --agent PROVIDER:MODEL, or --agent script:FILE to", 'add `agent="PROVIDER:MODEL"`, or `agent="script:FILE"` to'),
        ("--judge gpt: use `builtin`", '`judge="gpt"`: use `builtin`'),
        ("below the 0.9 that --min-pass-rate asks for", "below the 0.9 that `min_pass_rate` asks for"),
        ("--min-pass-rate 0.9 --gate-on low", '`min_pass_rate=0.9` `gate_on="low"`'),
        ("--rails GOOD,BAD; --rails 1,0", '`rails=["GOOD", "BAD"]`; `rails=[1, 0]`'),
        ("read it with --from parquet", 'read it with `from_="parquet"`'),
        ("--max-fail errored=0", '`max_fail={"errored": 0}`'),
        ("see `tooljudge templates list`", "see `tj.templates.list`"),
        ("as `tooljudge templates show tool_calling` has it", 'as `tj.templates.show("tool_calling")` has it'),
        ("`tooljudge convert --summary` counts", "`tj.convert(..., return_summary=True)` counts"),
        ("run `tooljudge bench --judge m --report FILE.json`", 'run `tj.bench(..., judge="m", report="FILE.json")`'),
        ("or `bench --repeat`, or `bench -o`", "or `tj.bench(..., repeat=...)`, or `tj.bench(..., output=...)`"),
        ("as with `--compat ragas --evaluate a,b`", 'as with `compat="ragas", evaluate=["a", "b"]`'),
        ("more than --max-wait allows: busy", "more than `max_wait` allows: busy"),
        ("invalid value 'x' for '--per <UNIT>'", "invalid value 'x' for `per`"),
        ("`tooljudge store stat`", "`tj.store_stat`"),
        ("`tooljudge suite from-log`", "`tj.suite_from_log`"),
        ("`--column question=COLUMN --column tool_call=CALL`", '`column={"question": "COLUMN", "tool_call": "CALL"}`'),
        ("write `codex exec --json` and `a --judge b`", "write `codex exec --json` and `a --judge b`"),
        ("the path /tmp/--judge/x", "the path /tmp/--judge/x"),
    ],
)
def test_flags_and_commands_are_options_and_calls(theirs, ours):
    assert in_python(theirs) == ours


TEMPLATE = "{{ question }} {{ tool_call }} {{ tool_definitions }} correct or incorrect"
KEYED = {"judge": "openai:gpt-5-mini", "api_key": "k"}
SUITE = '{"suite": {"name": "s"}}\n{"id": "a", "messages": [{"role": "user", "content": "hi"}], "should_not_call_tools": true}\n'
# A call, and what its message says.
SAID = [
    (lambda: tj.label(rows(), **KEYED, max_cost=1), "give `max_tokens`$"),
    (lambda: tj.label(rows(), **KEYED, template=TEMPLATE + "{% if %}"), r"template given as text: line 1.*`tj.templates.show\("),
    (lambda: tj.label(rows(), **KEYED, template=[TEMPLATE, "{{ qestion }}"]), r"template given as text \(number 2\): unknown variable"),
    (lambda: tj.label(rows(), **KEYED, tools=[{"nothing": 1}]), "the definitions given: "),
    (lambda: tj.label(rows(), scale="five"), "`scale` has no effect"),
    (lambda: tj.label(rows(), **KEYED, scale="five"), 'scale="five"'),
    (lambda: tj.label(rows(), first="openai:m", judge="openai:x"), "`first` takes `builtin`"),
    (lambda: tj.label(rows(), judge="gpt"), '^`judge="gpt"`: use'),
    (lambda: tj.label(rows(), votes=2), "`votes`"),
    (lambda: tj.label(rows(), overwrite=True, prefix="x"), "`overwrite` cannot be used with `prefix`"),
    (lambda: tj.label(rows(), calibration="none.json"), '^`calibration="none.json"`'),
    (lambda: tj.label(rows(), from_="word"), "docs/formats.md"),
    (lambda: tj.label(rows(), shard="0/2"), "`shard`"),
    (lambda: tj.label(rows(), output="x.unknown"), "`to`"),
    (lambda: tj.label(rows(), where={"nope": 1}), "`where`"),
    (lambda: tj.label([{**row, "label": "x"} for row in rows()]), 'put ours beside it with `prefix="judge_"`, or replace it with `overwrite`'),
    (lambda: tj.label([{"user_said": "x", **rows()[0], "question": None}], column={"question": "user_sad"}), "user_said"),
    (lambda: tj.label(rows(), judge="vllm:m", base_url="http://10.1.2.3/v1"), "`allow_http`"),
    (lambda: tj.label(rows(), judge="openai:m"), "`api_key_env`"),
    (lambda: tj.label(rows(), judge="vllm:m", base_url="http://127.0.0.1:1/v1", max_attempts=1), "127.0.0.1:1"),
    (lambda: tj.label(rows(), **KEYED, store="none/such/../x/"), "`store`"),
    (lambda: tj.resnap(rows(), dry_run=True), "use `tj.label`"),
    (lambda: tj.score([{"a": 1}]), "`scorer`"),
    (lambda: tj.score([{"a": 1}], scorer="tool_correctnes"), "`scorer`: `tool_correctnes` is not one of"),
    (lambda: tj.score([{"a": 1}], scorer="tool_correctness", set={"threshold": "x"}), '^`set."threshold".`: it must be a number, and not "x"'),
    (lambda: tj.convert([{"a": 1}]), '`column={"question": "COLUMN", "tool_call": "COLUMN"}`'),
    (lambda: tj.gold([{"a": 1}]), "no column"),
    (lambda: tj.bench(rows()), "`gold`"),
    (lambda: tj.bench([{**rows()[0], "gold": "correct"}], report="x.doc"), 'report="x.doc"'),
    (lambda: tj.compare(rows(), rows()), r"`tj.label` and `tj.bench\(..., output=...\)`"),
    (lambda: tj.audit(rows(), max_flip_rate=2), "`max_flip_rate`"),
    (lambda: tj.audit(rows(), gold="glod"), "`gold`: there is no column `glod`"),
    (lambda: tj.train(rows(), output="x"), "`gold`"),
    (lambda: tj.drive("suite.jsonl"), 'add `agent="PROVIDER:MODEL"`, or `agent="script:FILE"`'),
    (lambda: tj.drive("suite.jsonl", agent="gpt"), '^`agent="gpt"`: use'),
    (lambda: tj.drive("suite.jsonl", agent="script:x", min_pass_hat={"3": 0.5}), "dict|`repeats`"),
    (lambda: tj.drive("suite.jsonl", agent=tj.Judge(print)), "agent: the function print"),
    (lambda: tj.suite_from_log(rows(), output="x.txt"), ".jsonl"),
    (lambda: tj.suite_from_log(rows(), output="x.jsonl", label="nope"), '`label="nope"`'),
    (lambda: tj.merge(["none.csv"], output="x.csv"), "no file matches"),
    (lambda: tj.store_prune(), "`store`"),
    (lambda: tj.store_stat("none.sqlite"), "`store`"),
    (lambda: tj.templates.show("nope"), "`tj.templates.list`"),
    (lambda: tj.templates.check("none.jinja"), "none.jinja"),
]


@pytest.mark.parametrize("at", range(len(SAID)))
def test_errors_and_warnings_are_in_words_of_python(at, tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (tmp_path / "suite.jsonl").write_text(SUITE)
    call, words = SAID[at]
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        with pytest.raises(tj.ToolJudgeError, match=words) as raised:
            call()
    said = [str(raised.value), *(str(one.message) for one in warned)]
    assert [text for text in said if THEIRS.search(text) or tempfile.gettempdir() + "/tooljudge-" in text] == []


def literals(text):
    """The texts of a file of Rust, without those of its comments and tests."""
    text = re.sub(r"^\s*//.*$", "", text.partition("#[cfg(test)]")[0], flags=re.MULTILINE)
    for found in re.finditer(r'r#"(.*?)"#|"((?:[^"\\]|\\.)*)"', text, re.DOTALL):
        yield re.sub(r"\\\n\s*", "", found[1] or found[2] or "").replace('\\"', '"')


# What is of other programs, of documents, or of `tooljudge review` and `trend`, which Python has no function for.
OF_REVIEW = ("--marks", "--reviewer", "--port, ", "--adjudicator: ", "which --blind hides")
OF_TREND = ("--json and -o", "{name}: --max-drop ")
KEPT = ("(--json has all)", "--enable-auto-tool-choice", "--log-file", "codex exec --json", "--features postgres", "<!-- tooljudge", *OF_REVIEW, *OF_TREND)
# The kind of a record, and a flag that is looked for.
NAME = re.compile("tooljudge [a-z]+|--json")
# What only a terminal or a document shows.
TERMINAL = {"args.rs", "colour.rs", "completions.rs", "given.rs", "help.rs", "page.rs", "signals.rs"}


def test_no_message_keeps_a_flag_or_a_command():
    left = {}
    for path in sorted(file for folder in ("src", "core/src") for file in (ROOT / folder).rglob("*.rs")):
        if path.name in TERMINAL or "tests" in path.parts or path.name == "tests.rs":
            continue
        for text in literals(path.read_text()):
            said = in_python(re.sub(r"\{[^{}]*\}", "x", text))
            is_message = THEIRS.search(text) and not NAME.fullmatch(text) and not any(kept in text for kept in KEPT)
            if is_message and THEIRS.search(said):
                left[str(path.relative_to(ROOT)), text[:160]] = said[:240]
    assert left == {}
