"""Agents of LangGraph and of OpenAI's Agents SDK, driven through the suite of the docs: `python/test-agents` runs this.

`TOOLJUDGE_DOCS=write python/test-agents` writes what the blocks of `docs/own-agent.md` print into the page.
"""

import contextlib
import io
import json
import os
import re

import pytest
from conftest import ROOT
from model_server import ModelServer

import tooljudge as tj

PAGE = ROOT / "docs/own-agent.md"
PART = "## LangGraph and the OpenAI Agents SDK"
# What they are named in the page.
FUNCTIONS = {"langgraph": "graph_agent", "openai": "sdk_agent"}
CITY = """
name = "trips"
system = "You book trips."
[[tools]]
name = "get_weather"
parameters = { type = "object", required = ["city"], additionalProperties = false, properties = { city = { type = "string" } } }
[[mocks]]
tool = "get_weather"
when = { city = "Oslo" }
result = { sky = "snow" }
[[mocks]]
tool = "get_weather"
error = "no such city"
[[cases]]
id = "oslo"
user_message = "Weather in Oslo?"
expected_tool_calls = [{ tool_name = "get_weather", required_params = { city = "Oslo" } }]
expected_output_contains = ["snow"]
"""
BERGEN = (
    CITY.replace("in Oslo?", "in Bergen?")
    .replace('["snow"]', '["no such city"]')
    .replace('{ city = "Oslo" } }]', '{ city = "Bergen" } }]')
)


@pytest.fixture(autouse=True)
def server(own_folder, tmp_path, monkeypatch):
    server = ModelServer()
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("OPENAI_API_KEY", "nobody's")
    (tmp_path / "datasets").symlink_to(ROOT / "datasets")
    yield server
    server.http.shutdown()


def blocks():
    page = PAGE.read_text(encoding="utf-8")
    start = page.index(PART)
    end = page.index("\n## ", start)
    found = re.compile(r"^```python\n(?P<code>.*?)^```\n\s*^```text\n(?P<text>.*?)^```\n", re.MULTILINE | re.DOTALL)
    return page, list(found.finditer(page, start, end))


@pytest.fixture
def agent(request):
    """The agent of the page, defined by its block, which drives the suite once."""
    _, found = blocks()
    (block,) = [one for one in found if f"def {FUNCTIONS[request.param]}(" in one["code"]]
    names = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(block["code"], names)
    return names[FUNCTIONS[request.param]]


each = pytest.mark.parametrize("agent", FUNCTIONS, indirect=True)


def test_the_blocks_run_and_print_what_is_shown(server):
    page, found = blocks()
    assert len(found) == len(FUNCTIONS)
    for block in reversed(found):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(compile(block["code"], str(PAGE), "exec"), {"__name__": "__main__"})
        if os.environ.get("TOOLJUDGE_DOCS") == "write":
            page = page[: block.start("text")] + said.getvalue() + page[block.end("text") :]
        else:
            assert said.getvalue() == block["text"]
    if os.environ.get("TOOLJUDGE_DOCS") == "write":
        PAGE.write_text(page, encoding="utf-8")
    # Each by the API that its library uses of itself.
    assert set(server.asked) == {"/v1/chat/completions", "/v1/responses"}


def rows(suite, agent, **options):
    with open("suite.toml", "w", encoding="utf-8") as file:
        file.write(suite)
    tj.drive("suite.toml", agent=agent, output="episodes.jsonl", force=True, allow_failures=True, allow_unscored=1, **options)
    with open("episodes.jsonl", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@each
def test_calls_of_a_reply_and_of_later_turns_are_recorded(agent):
    suite = (
        (ROOT / "datasets/weather.toml").read_text(encoding="utf-8").replace('"weather_tools', f'"{ROOT}/datasets/weather_tools')
    )
    found = {row["case"]: row for row in rows(suite, agent)}
    calls = found["two-cities"]["tool_call"]
    cities = [call["arguments"]["city"] for call in calls]
    assert (sorted(cities) if agent.__name__ == "graph_agent" else cities[::-1]) == ["Lagos", "Oslo"]
    # A second turn knows the first, with its calls and results.
    assert found["follow-up"]["passed"] is True


@each
def test_an_error_of_a_tool_is_told_to_the_model(agent):
    (row,) = rows(BERGEN, agent)
    assert row["passed"] is True and "no such city" in row["response"]


@each
def test_a_model_that_fails_is_the_agents_failure(agent, server):
    server.fails = True
    (row,) = rows(CITY, agent)
    assert (row["ended"], row["passed"], row["score"]) == ("agent_error", False, 0)
    assert "AuthenticationError" in row["reason"] and "the key is wrong" in row["reason"]


@each
def test_a_case_that_is_over_ends_the_agent(agent):
    (row,) = rows(CITY.replace('id = "oslo"', 'id = "oslo"\nmax_steps = 1'), agent)
    assert row["passed"] is False and row["ended"] == "max_steps"


@pytest.mark.parametrize("name", FUNCTIONS.values())
def test_two_agents_beside_each_other(name):
    _, found = blocks()
    (block,) = [one for one in found if f"def {name}(" in one["code"]]
    agents = {}
    for one in ("first", "second"):
        names = {"__name__": "__main__"}
        exec(block["code"].partition("found = ")[0], names)
        agents[one] = names[name]
    found = tj.drive("datasets/weather.toml", agents=agents, allow_failures=True)
    assert [agent["ended"] for agent in found["agents"]] == [{"finished": 9}] * 2
    assert [agent["scores"]["passed"] for agent in found["agents"]] == [6, 6]


@each
def test_many_cases_at_once(agent):
    cases = "".join(
        f'[[cases]]\nid = "{n}"\nuser_message = "Weather in Oslo?"\n'
        'expected_tool_calls = [{ tool_name = "get_weather", required_params = { city = "Oslo" } }]\n'
        for n in range(24)
    )
    found = rows(CITY.partition("[[cases]]")[0] + cases, agent, concurrency=8)
    assert len(found) == 24 and all(row["passed"] for row in found)
