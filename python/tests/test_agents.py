"""Agents that are functions: what they are given, what is recorded of them, and what becomes of those that misbehave."""

import asyncio
import gc
import inspect
import json
import logging
import os
import signal
import sys
import threading
import time
import types
import warnings

import pytest
from conftest import PATIENCE, wait_until

import tooljudge as tj

SUITE = """
name = "trips"
system = "You book trips."
[[tools]]
name = "weather"
description = "The weather in a city."
[tools.parameters]
type = "object"
required = ["city"]
additionalProperties = false
[tools.parameters.properties]
city = { type = "string" }
days = { type = "integer", minimum = 1 }
[[mocks]]
tool = "weather"
when = { city = "Oslo" }
result = { sky = "snow" }
[[cases]]
id = "oslo"
user_message = "Weather in Oslo?"
expected_tool_calls = [{ tool_name = "weather", required_params = { city = "Oslo" } }]
expected_output_contains = ["snow"]
"""
TURNS = SUITE.partition("[[cases]]")[0] + """
[[cases]]
id = "talk"
turns = [
  { user = "Weather in Oslo?", expected_tool_calls = [{ tool_name = "weather", required_params = { city = "Oslo" } }] },
  { user = "Thanks!" },
]
"""


@pytest.fixture(autouse=True)
def suites(own_folder, tmp_path):
    (tmp_path / "trips.toml").write_text(SUITE)
    (tmp_path / "turns.toml").write_text(TURNS)


def good(question, tools):
    return f"It will {tools['weather'](city='Oslo').value['sky']}."


def episodes(agent, suite="trips.toml", **options):
    """The rows of all episodes."""
    tj.drive(suite, agent=agent, output="episodes.jsonl", force=True, allow_failures=True, allow_unscored=1, **options)
    with open("episodes.jsonl", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def driven(agent, **options):
    """The row of the only episode."""
    (row,) = episodes(agent, **options)
    return row


# What agents are given, and how they solve tasks.


def type_with_26(question, tools):
    for letter in question:
        tools[letter]()
    return ""


async def type_with_one(question, tools):
    for letter in question:
        await asyncio.sleep(0)
        assert tools["type_letter"](letter) == "OK"
    # As LangChain's agents report; nothing but the answer counts.
    return {"output": "", "intermediate_steps": [("nonsense", 1)], "state": "nonsense"}


@pytest.mark.parametrize("task, agent", [("langchain:typewriter-26", type_with_26), ("langchain:typewriter-1", type_with_one)])
def test_tasks_of_langchain_are_solved(task, agent):
    found = tj.drive(task, agent=agent, concurrency=8)
    assert found["passed"] and found["agents"][0]["scores"]["passed"] == 20


@pytest.mark.filterwarnings("ignore:44 cases have a reference")
def test_all_tasks_are_driven_in_one_call():
    def agent(question, tools):
        return type_with_26(question, tools) if "a" in tools else "7"

    found = tj.drive("langchain:*", agent=agent, allow_failures=True)
    assert found["cases"] == 84 == tj.drive(tj.tasks, agent=agent, allow_failures=True)["cases"]
    rows = episodes(agent, "langchain:*")
    assert {row["suite"] for row in rows if row["passed"]} == {"langchain:typewriter-26"}
    assert sum(row["passed"] is True for row in rows) == 20


def test_what_an_agent_is_given():
    seen = []

    def agent(messages, question, tools, case_id, *, mood="calm"):
        seen.append((messages, question, case_id, mood, list(tools)))
        messages.clear()
        return "snow" if question == "Thanks!" else tools["weather"]("Oslo")

    assert driven(agent, suite="turns.toml")["passed"]
    (before, first, case, mood, names), (after, second, *_) = [(list(one[0]), *one[1:]) for one in seen]
    assert (first, second, case, mood, names) == ("Weather in Oslo?", "Thanks!", "talk#1", "calm", ["weather"])
    assert before == [] and after == []


def test_the_next_turn_has_all_that_was_said():
    seen = []

    def agent(messages, tools):
        seen.append(messages)
        return tools["weather"](city="Oslo") if len(seen) == 1 else "You are welcome."

    assert driven(agent, suite="turns.toml")["passed"]
    assert [message["role"] for message in seen[0]] == ["system", "user"]
    assert [message["role"] for message in seen[1]] == ["system", "user", "assistant", "tool", "assistant", "user"]
    (call,) = seen[1][2]["tool_calls"]
    assert (call["name"], call["arguments"]) == ("weather", {"city": "Oslo"})
    assert seen[1][3]["tool_call_id"] == call["id"] and json.loads(seen[1][3]["content"]) == {"sky": "snow"}


def test_tools_are_functions_with_signatures():
    seen = []

    def agent(tools):
        tool = tools["weather"]
        seen.append((tool.__name__, tool.__doc__, str(inspect.signature(tool)), tools.as_openai()))
        # What is not given, or None where null cannot be meant, is not sent.
        return tool("Oslo", days=None)

    row = driven(agent)
    assert row["passed"] and row["tool_call"][0]["arguments"] == {"city": "Oslo"}
    name, doc, signature, (openai,) = seen[0]
    assert (name, doc, signature) == ("weather", "The weather in a city.", "(city: str, days: int = None) -> str")
    assert openai["type"] == "function" and openai["function"]["parameters"]["required"] == ["city"]


@pytest.mark.parametrize(
    "returned",
    [
        "snow",
        {"output": "snow"},
        {"output": [{"type": "text", "text": "sn"}, "ow"]},
        [{"role": "user", "content": "?"}, {"role": "assistant", "content": "snow"}],
        {"messages": [types.SimpleNamespace(type="ai", content="snow")]},
        types.SimpleNamespace(role="assistant", content=[{"type": "text", "text": "snow"}]),
    ],
)
def test_answers_are_texts_messages_or_records(returned):
    def agent(tools):
        tools["weather"](city="Oslo")
        return returned

    row = driven(agent)
    assert row["passed"] and row["response"] == "snow"


def test_cases_run_at_once():
    at_once = threading.Barrier(5, timeout=PATIENCE)

    def agent(tools):
        at_once.wait()
        return good(None, tools)

    assert all(row["passed"] for row in episodes(agent, repeats=5, concurrency=5))

    async def slow(tools):
        met.add(asyncio.current_task())
        while len(met) < 5:
            await asyncio.sleep(0.001)
        return good(None, tools)

    met = set()
    assert all(row["passed"] for row in episodes(slow, repeats=5, concurrency=5))


def test_calls_of_several_threads_are_all_recorded_and_each_hears_its_own():
    def agent(tools):
        heard = {}

        def ask(days):
            heard[days] = tools.call("weather", {"city": "Oslo", "days": days})

        threads = [threading.Thread(target=ask, args=(days,)) for days in range(-2, 6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
        return "snow" if all(result.is_error == (days < 1) for days, result in heard.items()) else "mixed up"

    row = driven(agent)
    assert sorted(call["arguments"]["days"] for call in row["tool_call"]) == list(range(-2, 6))
    assert row["response"] == "snow" and not row["passed"]


# What goes wrong.


class Rude(BaseException):
    def __str__(self):
        raise ValueError("no words")


def raises(error):
    def agent(tools):
        good(None, tools)
        raise error

    return agent


def returns(value):
    def agent(tools):
        good(None, tools)
        return value

    return agent


def deep(tools):
    def dig():
        return dig()

    return good(None, tools) + dig()


async def fails_later(tools):
    good(None, tools)
    await asyncio.sleep(0)
    raise OSError("no network")


async def leaves(tools):
    good(None, tools)
    await asyncio.create_task(asyncio.to_thread(sys.exit, 3))


async def cancels(tools):
    good(None, tools)
    raise asyncio.CancelledError


BAD = [
    (raises(ValueError("no such city")), "agent_error", "the function raised ValueError: no such city"),
    (raises(SystemExit(0)), "agent_error", "SystemExit: 0"),
    (raises(GeneratorExit()), "agent_error", "GeneratorExit"),
    (raises(Rude()), "agent_error", "Rude: which has no words"),
    (raises(ValueError("a\nFAIL b\x1b[2J")), "agent_error", "ValueError: a FAIL b [2J"),
    (raises(tj.CaseOver()), "agent_error", "CaseOver"),
    (deep, "agent_error", "RecursionError"),
    (fails_later, "agent_error", "OSError: no network"),
    (leaves, "agent_error", "SystemExit: 3"),
    (cancels, "agent_error", "CancelledError"),
    (lambda tools: tools["wether"]("Oslo"), "agent_error", "there is no tool 'wether'; there are: weather"),
    (lambda tools: tools["weather"]("Oslo", 1, "snow"), "agent_error", "takes 2 positional arguments, but 3 were given"),
    (lambda tools: tools["weather"]("Oslo", city="snow"), "agent_error", "multiple values for argument 'city'"),
    (lambda tools: tools.call(7), "agent_error", "the name of a tool is a text, not int"),
    (lambda tools: tools.call("weather", 7), "agent_error", "arguments are a dict or a text of JSON, not int"),
    (returns(None), "agent_error", "the function returned None; an agent returns its answer: a text, a list of messages"),
    (returns(7), "agent_error", "returned an object of the type int"),
    (returns(b"snow"), "agent_error", "the type bytes"),
    (returns(print), "agent_error", "the type builtin_function_or_method"),
    (returns(iter("snow")), "agent_error", "the type str_ascii_iterator|the type str_iterator"),
    (returns([]), "agent_error", "returned an empty list"),
    (returns({}), "agent_error", "returned a dict without an answer"),
    (returns({"output": 7}), "agent_error", "returned a dict without an answer"),
    (returns({"messages": "snow"}), "agent_error", "returned a dict without an answer"),
    (returns([{"role": "user", "content": "snow"}]), "agent_error", "whose last item (dict) is not a message of the assistant"),
    (returns("snow \ud800"), "agent_error", "not Unicode"),
    (returns("snow" * (2 << 20)), "protocol_error", "more than 4 MB at once"),
    (lambda tools: tools.call(""), "protocol_error", "`name` of a call"),
    (lambda tools: tools.call("weather", '{"city": "Oslo", "city": "Oslo"}'), "protocol_error", "a key twice"),
]


@pytest.mark.parametrize("at", range(len(BAD)))
def test_agents_that_misbehave_fail_their_case(at, caplog):
    agent, ended, reason = BAD[at]
    row = driven(agent)
    assert (row["ended"], row["passed"]) == (ended, False)
    assert any(one in row["reason"] for one in reason.split("|")), row["reason"]
    assert "\n" not in row["reason"]


RING = []
RING.append(RING)


@pytest.mark.parametrize(
    "name, arguments, kind",
    [
        ("weather", {"town": "Oslo"}, "invalid_arguments"),
        ("weather", {"city": "Oslo", "days": 0}, "invalid_arguments"),
        ("weather", {"city": ["Oslo"]}, "invalid_arguments"),
        ("weather", None, "invalid_arguments"),
        ("weather", {"city": float("nan")}, "undecodable"),
        ("weather", {"city": "\ud800"}, "undecodable"),
        ("weather", {"city": RING}, "undecodable"),
        ("weather", '{"city": "Os', "undecodable"),
        ("weather", "[1]", "undecodable"),
        ("wether", {"city": "Oslo"}, "unknown_tool"),
        ("we\nFAIL", {"city": "Oslo"}, "unknown_tool"),
        ("\ud800", {"city": "Oslo"}, "unknown_tool"),
    ],
)
def test_wrong_calls_are_recorded_and_told(name, arguments, kind):
    told = []

    def agent(tools):
        told.append(tools.call(name, arguments))
        return good(None, tools)

    row = driven(agent)
    assert told[0].is_error and len(row["tool_call"]) == 2
    assert row["ended"] == "finished" and kind in [issue["kind"] for issue in row["issues"]]
    # As for a model: what nobody can read answers no expectation, and costs nothing else.
    assert row["passed"] is (kind == "undecodable")


def test_numbers_of_other_libraries_are_numbers():
    numpy = pytest.importorskip("numpy")
    row = driven(lambda tools: tools["weather"](city="Oslo", days=numpy.int64(2)))
    assert row["tool_call"][0]["arguments"] == {"city": "Oslo", "days": 2} and row["response"] == '{"sky":"snow"}'


def test_what_an_agent_reports_is_not_believed():
    steps = [({"tool": "weather", "tool_input": {"city": "Oslo"}}, "snow")]
    row = driven(lambda question: {"output": "snow", "intermediate_steps": steps})
    assert not row["passed"] and row["tool_call"] == []


@pytest.mark.parametrize("swallows", [Exception, BaseException])
def test_an_agent_that_calls_without_end_is_stopped(swallows):
    ended, again = threading.Event(), threading.Event()

    def agent(tools):
        try:
            while not again.is_set():
                try:
                    tools["weather"](city="Oslo")
                except swallows:
                    # Of BaseException, it goes on for a while; nothing of it counts.
                    if swallows is BaseException:
                        again.set()
        finally:
            ended.set()

    row = driven(agent, max_steps=6)
    assert row["ended"] == "max_steps" and not row["passed"] and len(row["tool_call"]) == 6
    assert ended.wait(PATIENCE)


def test_a_function_that_does_not_end_is_late_and_can_call_nothing_more():
    go_on, late = threading.Event(), []

    def agent(tools):
        go_on.wait(PATIENCE)
        for work in (lambda: tools["weather"](city="Oslo"), lambda: tools.call("nope")):
            try:
                late.append(work())
            except tj.CaseOver as error:
                late.append(str(error))
        return "snow"

    row = driven(agent, agent_timeout=0.3)
    assert row["ended"] == "timed_out" and not row["passed"]
    assert "no answer within 0.3 s (agent_timeout)" in row["reason"] and row["tool_call"] == []
    go_on.set()
    wait_until(lambda: len(late) == 2)
    assert all("the case is over" in one for one in late)


def test_a_busy_loop_holds_up_nobody_else():
    stop = threading.Event()

    def agent(case_id, tools):
        while case_id == "oslo#1" and not stop.is_set():
            pass
        return good(None, tools)

    try:
        rows = episodes(agent, repeats=3, agent_timeout=1.0, concurrency=3)
    finally:
        stop.set()
    assert [row["ended"] for row in rows if row["case"] == "oslo"][0] == "timed_out"
    assert not rows[0]["passed"]


def test_a_coroutine_that_does_not_end_is_cancelled():
    cancelled = threading.Event()

    async def agent(tools):
        try:
            await asyncio.sleep(PATIENCE * 10)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    assert driven(agent, agent_timeout=0.3)["ended"] == "timed_out"
    assert cancelled.wait(PATIENCE)


def test_a_coroutine_that_blocks_its_loop_blocks_no_later_run():
    stop = threading.Event()

    async def blocks(tools):
        stop.wait(PATIENCE)

    async def works(tools):
        return good(None, tools)

    try:
        assert driven(blocks, agent_timeout=0.3)["ended"] == "timed_out"
        # Its loop is found to be stuck a second later.
        wait_until(lambda: driven(works, agent_timeout=1.5)["passed"])
    finally:
        stop.set()


def test_a_thread_of_an_agent_that_outlives_the_case_counts_nowhere():
    go_on, heard = threading.Event(), []

    def agent(tools):
        def later():
            go_on.wait(PATIENCE)
            try:
                tools["weather"](city="Oslo")
            except tj.CaseOver:
                heard.append("over")

        threading.Thread(target=later, daemon=True).start()
        return good(None, tools)

    row = driven(agent)
    go_on.set()
    wait_until(lambda: heard)
    assert row["passed"] and len(row["tool_call"]) == 1


def test_the_first_failure_is_logged_without_what_it_says(caplog):
    caplog.set_level(logging.WARNING, logger="tooljudge")
    rows = episodes(raises(ValueError("no such city")), repeats=3)
    assert len(rows) == 3 and len(caplog.records) == 1 and "raised ValueError" in caplog.text and "no such city" not in caplog.text
    assert "in agent" in rows[0]["agent_log"] and rows[0]["agent_log"].rstrip().endswith("ValueError: no such city")


def test_an_agent_that_blocks_its_loop_holds_up_no_other():
    async def blocks(tools):
        time.sleep(2.5)
        return good(None, tools)

    async def works(tools):
        return good(None, tools)

    tj.drive("trips.toml", agents={"blocks": blocks, "works": works}, agent_timeout=0.5, repeats=3, output="out.jsonl")
    rows = [json.loads(line) for line in open("out.jsonl")]
    assert {row["agent"]: row["passed"] for row in rows} == {"blocks": False, "works": True}
    assert [row["passed"] for row in rows if row["agent"] == "works"] == [True] * 3


def test_a_thread_that_outlives_its_case_stops_no_run():
    def agent(tools):
        time.sleep(0.4)
        raise KeyboardInterrupt

    def last(tools):
        time.sleep(1)
        return good(None, tools)

    tj.drive("trips.toml", agents={"late": agent, "last": last}, agent_timeout=0.2, output="out.jsonl")
    assert [json.loads(line)["ended"] for line in open("out.jsonl")] == ["timed_out", "timed_out"]


@pytest.mark.parametrize(
    "output, answer",
    [
        ([{"role": "assistant", "content": "snow"}], "snow"),
        ([{"type": "reasoning", "summary": []}, {"type": "message", "content": [{"type": "output_text", "text": "snow"}]}], "snow"),
        ([{"type": "text", "text": "snow"}, {"type": "tool_use", "name": "weather"}], "snow"),
    ],
)
def test_answers_in_parts_are_read(output, answer):
    from tooljudge._agent import _answer_in

    assert _answer_in({"output": output}) == answer


def test_answers_of_openais_objects_are_read():
    from tooljudge._agent import _answer_in

    part = types.SimpleNamespace(type="output_text", text="snow")
    assert _answer_in({"output": [types.SimpleNamespace(type="message", role="assistant", content=[part])]}) == "snow"


def test_loops_end_with_their_agents_and_methods_share_one():
    class Mine:
        async def answer(self, tools):
            loops.add(id(asyncio.get_running_loop()))
            return good(None, tools)

    loops = set()
    mine = Mine()
    before = threading.active_count()
    assert all(driven(mine.answer)["passed"] for _ in range(3)) and len(loops) == 1
    del mine
    gc.collect()
    wait_until(lambda: threading.active_count() <= before)


def test_agents_that_cannot_be_compared_lose_no_run(monkeypatch):
    def refuses(episodes, **options):
        raise tj.InputError("there are not two agents with scored episodes")

    monkeypatch.setattr("tooljudge._reports.compare", refuses)
    with pytest.warns(tj.ToolJudgeWarning, match="not compared: there are not two"):
        found = tj.drive("trips.toml", agents={"good": good, "mute": lambda question: "I do not know."}, allow_failures=True)
    assert found["comparison"] is None and [one["scores"]["passed"] for one in found["agents"]] == [1, 0]


def test_a_loop_that_stopped_halfway_has_not_answered():
    from tooljudge._agent import _answer_in

    assert _answer_in([{"role": "assistant", "content": None, "tool_calls": [{"id": "a"}]}]) is None


def test_null_is_sent_only_where_it_may_be_meant():
    from tooljudge._tools import _allows_null

    for kind, expected in [
        ({}, True),
        ({"type": ["string", "null"]}, True),
        ({"enum": ["a", None]}, True),
        ({"enum": ["a", "b"]}, False),
        ({"$ref": "#/$defs/days"}, False),
        ({"allOf": [{"type": "string"}]}, False),
    ]:
        assert _allows_null(kind) is expected, kind


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks")
def test_tools_in_a_forked_process_raise():
    def agent(tools):
        child = os.fork()
        if not child:
            try:
                tools["weather"](city="Oslo")
            except RuntimeError:
                os._exit(7)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        return good(None, tools)

    assert driven(agent)["passed"]


def test_keys_that_a_judge_is_given_are_masked(server):
    key = "sk-0f9e8d7c6b5a"

    def agent(tools):
        raise ValueError("bad key " + key)

    model = tj.Judge("vllm:m", base_url=server().url, api_key=key)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tj.drive("trips.toml", agents={"own": agent, "model": model}, output="out.jsonl")
    text = open("out.jsonl").read()
    assert "bad key" in text and key not in text


def test_keys_are_masked(monkeypatch):
    monkeypatch.setenv("MY_AGENT_KEY", "sk-4f1d9c02aa77")

    def agent(tools):
        tools["weather"](city="sk-4f1d9c02aa77")
        raise ValueError("sk-4f1d9c02aa77 is not valid")

    assert "sk-4f1d9c02aa77" not in json.dumps(driven(agent))
    assert "sk-4f1d9c02aa77" not in json.dumps(driven(lambda question: "sk-4f1d9c02aa77"))


# The end of the run itself.


def test_an_agent_can_stop_the_run():
    for agent in (raises(KeyboardInterrupt()), raises_in_coroutine):
        with pytest.raises(KeyboardInterrupt):
            driven(agent, repeats=50)


async def raises_in_coroutine(tools):
    raise KeyboardInterrupt


def test_an_interrupt_does_not_wait_for_functions():
    began = threading.Event()
    go_on = threading.Event()

    def agent(tools):
        began.set()
        go_on.wait(PATIENCE)
        return "snow"

    def press():
        began.wait(PATIENCE)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press, daemon=True).start()
    began_at = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            driven(agent)
        assert time.monotonic() - began_at < PATIENCE
    finally:
        go_on.set()


def test_it_runs_within_asynchronous_programs():
    async def agent(tools):
        await asyncio.sleep(0)
        return good(None, tools)

    async def main():
        return await tj.aio.drive("trips.toml", agent=agent)

    assert asyncio.run(main())["passed"]


# Versions.


def test_without_a_version_it_is_driven_anew_and_with_one_it_is_not():
    calls = []

    def agent(tools):
        calls.append(1)
        return good(None, tools)

    for version, expected in [(None, 1), (None, 2), ("1", 3), ("1", 3), ("2", 4), (None, 5)]:
        assert driven(agent, agent_version=version)["passed"]
        assert len(calls) == expected, version
    # What failed is driven again.
    for expected in (1, 2):

        def fails(tools):
            calls.append(1)
            raise ValueError("x")

        assert driven(fails, agent_version="1")["ended"] == "agent_error" and len(calls) == 5 + expected


# Several agents.


def test_agents_are_compared_in_pairs():
    agents = {"good": type_with_26, "mute": lambda question: ""}
    found = tj.drive("langchain:typewriter-26", agents=agents, allow_failures=True)
    assert [agent["agent"] for agent in found["agents"]] == ["good", "mute"] and found["output"] is None
    (pair,) = found["comparison"]["comparisons"]
    assert found["comparison"]["agents"] == ["good", "mute"] and (pair["a"], pair["b"]) == (0, 1)
    (difference,) = pair["differences"]
    assert (difference["a"], difference["b"]) == (1, 0)
    assert difference["difference"]["low"] <= -1 <= difference["difference"]["high"] < 0
    found = tj.drive("langchain:typewriter-26", agents={**agents, "other": type_with_26}, allow_failures=True)
    pairs = [(pair["a"], pair["b"], pair["verdict"]) for pair in found["comparison"]["comparisons"]]
    assert pairs == [(0, 1, "worse"), (0, 2, "undecided"), (1, 2, "better")]
    # Beside others, under names of their own.
    rows = episodes([good, lambda question: "snow", "exec:true"])
    assert [row["agent"] for row in rows] == ["good", "lambda", "exec:true"]


@pytest.mark.parametrize(
    "options, words",
    [
        ({"agent": good, "agents": {"a": good}}, "agent or agents, not both"),
        ({"agents": {}}, "give names and agents"),
        ({"agents": {"a": 7}}, "a is a int"),
        ({"agents": {"a": "exec:true"}}, "exec: has a name of its own"),
        ({"agents": good}, "agents: give a dict"),
        ({"agents": {"a": tj.Judge(print)}}, "a is a Judge"),
        ({"agent": [lambda question: "a", lambda question: "b"]}, "two agents are named `lambda`"),
        ({"agent": lambda prompt: "a"}, "agent: lambda takes `prompt`, and an agent is called with those of its parameters"),
        ({"agent": tj.Judge(print)}, "the function print answers prompts"),
        ({"agent": type}, "type takes|nobody can see what type takes"),
        ({"agent": good, "compat": "article"}, "good has a loop of its own"),
    ],
)
def test_slips_are_told_before_anything_runs(options, words):
    with pytest.raises(tj.ToolJudgeError, match=words):
        tj.drive("trips.toml", **options)


# Tasks and their environments.


def test_tasks_show_and_filter_themselves():
    assert len(tj.tasks) == 4 and [len(task) for task in tj.tasks] == [20, 20, 24, 20]
    assert tj.tasks["Multiverse Math"].name == "langchain:multiverse" == tj.tasks["langchain:multiverse"].name == tj.tasks[3].name
    assert [task.name for task in tj.tasks.filter("typewriter")] == ["langchain:typewriter-1", "langchain:typewriter-26"]
    assert len(tj.tasks.filter("langchain:*")) == 4 and len(tj.tasks[1:3]) == 2 and not tj.tasks.filter("weather")
    assert "langchain:relational" in repr(tj.tasks) and "<table>" in tj.tasks._repr_html_()
    with pytest.raises(KeyError, match="there is no task 'langchain:none'; there are: langchain:typewriter-1"):
        tj.tasks["langchain:none"]


def test_an_environment_is_played_with_by_hand():
    env, other = (tj.tasks["langchain:typewriter-26"].environment() for _ in range(2))
    for letter in "cat":
        assert env.tools[letter]() == "OK"
    assert env.read_state() == "cat" and other.read_state() == ""
    assert env.tools.call("A").is_error and "not a valid tool" in env.tools.call("A")
    multiverse = tj.tasks["langchain:multiverse"].environment()
    assert multiverse.tools["add"](a=1, b=2).value == pytest.approx(4.2) and multiverse.read_state() is None
    wrong = multiverse.tools["add"](a="x")
    assert wrong.is_error and "validation error" in wrong and isinstance(wrong.value, str)


# LangChain's view, with LangChain itself where it is installed.


def test_tools_of_langchain_need_langchain(monkeypatch):
    monkeypatch.setitem(sys.modules, "langchain_core.tools", None)
    with pytest.raises(ImportError, match="pip install langchain-core"):
        tj.tasks[0].environment().tools.as_langchain()


def test_tools_are_made_for_langchain(monkeypatch):
    class StructuredTool(types.SimpleNamespace):
        pass

    module = types.ModuleType("langchain_core.tools")
    module.StructuredTool, module.ToolException = StructuredTool, type("ToolException", (Exception,), {})
    monkeypatch.setitem(sys.modules, "langchain_core", types.ModuleType("langchain_core"))
    monkeypatch.setitem(sys.modules, "langchain_core.tools", module)
    env = tj.tasks["langchain:typewriter-1"].environment()
    (tool,) = env.tools.as_langchain()
    assert (tool.name, tool.args_schema["required"]) == ("type_letter", ["letter"]) and tool.func(letter="a") == "OK"
    with pytest.raises(module.ToolException, match="field required"):
        tool.func()
    assert env.read_state() == "a"


def test_tools_of_the_agents_sdk_need_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "agents", None)
    with pytest.raises(ImportError, match="pip install openai-agents"):
        tj.tasks[0].environment().tools.as_openai_agents()


def test_tools_are_made_for_the_agents_sdk(monkeypatch):
    module = types.ModuleType("agents")
    module.FunctionTool = types.SimpleNamespace
    monkeypatch.setitem(sys.modules, "agents", module)
    env = tj.tasks["langchain:typewriter-1"].environment()
    (tool,) = env.tools.as_openai_agents()
    assert (tool.name, tool.params_json_schema["required"], tool.strict_json_schema) == ("type_letter", ["letter"], False)
    # A model's own text, be it JSON or not.
    told = [asyncio.run(tool.on_invoke_tool(None, text)) for text in ('{"letter": "a"}', "{}", "{letter")]
    assert told[0] == "OK" and "field required" in told[1] and told[2] not in ("OK", "") and env.read_state() == "a"


def test_messages_as_openai_has_them():
    seen = []

    def agent(messages, tools):
        seen.append(messages)
        return tools["weather"](city="Oslo") if len(seen) == 1 else "You are welcome."

    assert driven(agent, suite="turns.toml")["passed"]
    assert isinstance(seen[1], tj.Messages) and seen[0].as_openai() == seen[0]
    (call,) = seen[1].as_openai()[2]["tool_calls"]
    assert call == {"id": seen[1][3]["tool_call_id"], "type": "function", "function": {"name": "weather", "arguments": '{"city": "Oslo"}'}}
    assert [one for one in seen[1].as_openai() if not one.get("tool_calls")] == [one for one in seen[1] if not one.get("tool_calls")]
    # What a model wrote that is no JSON, and a call without arguments.
    odd = tj.Messages([{"role": "assistant", "content": "", "tool_calls": [{"name": "a", "arguments": "{x"}, {"name": "b", "arguments": None}]}])
    assert [one["function"]["arguments"] for one in odd.as_openai()[0]["tool_calls"]] == ["{x", "{}"]


def test_parameters_that_langchain_keeps_for_itself_are_refused():
    from tooljudge._tools import Tools

    tools = Tools([{"name": "set", "description": "", "parameters": {"type": "object", "properties": {"config": {}}}}], lambda *_: None)
    with pytest.raises((ValueError, ImportError), match="`config`|langchain-core"):
        tools.as_langchain()


def test_langchain_itself_takes_the_tools():
    pytest.importorskip("langchain_core")
    env = tj.tasks["langchain:typewriter-1"].environment()
    (tool,) = env.tools.as_langchain()
    assert tool.invoke({"letter": "a"}) == "OK" and "field required" in tool.invoke({})
    assert env.read_state() == "a"
