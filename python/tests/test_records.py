"""Jobs that write files and give a record."""

import pytest
import tooljudge as tj
from conftest import ROOT

DATA = ROOT / "datasets"
CALL = {"name": "weather", "arguments": {"city": "Oslo"}}
TOOLS = [{"name": "weather", "description": "The weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}]


def logged(count):
    return [
        {"question": f"Weather in Oslo, please ({at})", "tool_call": CALL, "tool_definitions": TOOLS} for at in range(count)
    ]


def test_reviewed_calls_become_a_suite(tmp_path):
    made = tj.suite_from_log(logged(3), output=tmp_path / "suite.jsonl")
    assert made["cases"] == 3 and (tmp_path / "suite.jsonl").exists()
    with pytest.raises(tj.OutputError, match="`force`"):
        (tmp_path / "other.jsonl").write_text("mine")
        tj.suite_from_log(logged(3), output=tmp_path / "other.jsonl")


def test_a_shipped_suite_is_driven():
    found = tj.drive(f"{DATA}/weather.toml", agent=f"script:{DATA}/weather_script.jsonl")
    assert found["cases"] == 9 and not found["passed"]
    dry = tj.drive(f"{DATA}/weather.toml", agent=f"script:{DATA}/weather_script.jsonl", dry_run=True)
    assert dry and "passed" not in dry[0]
    with pytest.warns(tj.ToolJudgeWarning):
        assert not tj.drive(f"{DATA}/weather.toml", agent=f"script:{DATA}/weather_script.jsonl", min_pass_rate=1)["passed"]
    with pytest.raises(tj.SettingsError, match="agent"):
        tj.drive(f"{DATA}/weather.toml")


def test_training_measures_before_it_writes(tmp_path):
    rows = [{**row, "gold": "correct"} for row in logged(3)]
    with pytest.raises(tj.ToolJudgeError, match="`output`"):
        tj.train(rows)
    with pytest.raises(tj.ToolJudgeError, match="50|few"):
        tj.train(rows, output=tmp_path / "mine.model")
    assert not (tmp_path / "mine.model").exists()


def test_a_store_is_counted_thinned_out_and_merged(tmp_path):
    yes = tj.Judge(lambda prompts: ["correct" for _ in prompts], name="yes", version=1)
    tj.label(logged(2), judge=yes, store=tmp_path / "a.sqlite")
    tj.label(logged(3), judge=yes, store=tmp_path / "b.sqlite")
    assert tj.store_stat(tmp_path / "a.sqlite")["replies"] == 2
    (merged,) = tj.store_merge(tmp_path / "b.sqlite", store=tmp_path / "a.sqlite")
    assert (merged["added"], merged["known"]) == (1, 2)
    assert tj.store_prune(store=tmp_path / "a.sqlite", older_than="0m", dry_run=True) == {"replies": 3, "dry_run": True}
    assert tj.store_prune(store=tmp_path / "a.sqlite", older_than="0m")["replies"] == 3
    assert tj.store_stat(tmp_path / "a.sqlite")["replies"] == 0


def test_a_store_that_is_not_wanted_keeps_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    yes = tj.Judge(lambda prompts: ["correct" for _ in prompts], name="yes", version=1)
    assert [row["label"] for row in tj.label(logged(2), judge=yes, store=False)] == ["correct"] * 2
    assert not list(tmp_path.rglob("*.sqlite*"))


def test_false_goes_before_the_settings_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tooljudge.toml").write_text("[label]\nfindings = true\nlimit = 1\ndry_run = true\n")
    rows = logged(2)
    assert len(tj.label(rows, dry_run=False)) == 1
    assert "findings" in tj.label(rows, dry_run=False)[0]
    assert "findings" not in tj.label(rows, dry_run=False, findings=False)[0]


def test_what_a_run_did_is_logged(caplog):
    caplog.set_level("INFO", logger="tooljudge")
    tj.label(logged(2), judge="builtin")
    assert "label builtin (tool_calling): 2 rows" in caplog.text


SUITE = '{"suite": {"name": "s"}}\n{"id": "a", "messages": [{"role": "user", "content": "hi"}], "tools": [{"name": "say"}], "should_not_call_tools": true}\n'


def test_agents_with_settings_of_their_own(server, tmp_path):
    (tmp_path / "suite.jsonl").write_text(SUITE)
    one = server(label="Hello.")
    agents = [tj.Judge("vllm:m", base_url=one.url, name=name, temperature=heat) for name, heat in (("mild", 0), ("hot", 1))]
    found = tj.drive("suite.jsonl", agent=agents)
    assert [agent["agent"] for agent in found["agents"]] == ["mild", "hot"] and one.requests == 2
    with pytest.raises(tj.SettingsError, match="agent: the function len answers prompts"):
        tj.drive("suite.jsonl", agent=tj.Judge(len))
