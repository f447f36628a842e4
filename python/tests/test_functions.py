"""Functions that check values: what they are asked, what comes of what they say, and that none of it is ever taken for another's."""

import json
import logging
import subprocess
import sys

import pytest
from conftest import PATIENCE

import tooljudge as tj

SUITE = """
name = "numbers"
[[tools]]
name = "say"
parameters = { type = "object", properties = { n = {} } }
[[cases]]
id = "one"
user_message = "Say an even number."
expected_tool_calls = [{ tool_name = "say", param_validators = { n = { kind = "function", name = "even" } } }]
"""


@pytest.fixture(autouse=True)
def suite(own_folder, tmp_path):
    (tmp_path / "numbers.toml").write_text(SUITE)


def even(value):
    return value % 2 == 0


def case(validator, value=4, **more):
    """A case whose only call has this value."""
    test = {"expected_tool_calls": [{"tool_name": "say", "param_validators": {"n": validator}}], "threshold": 1}
    return {"test": test, "tool_calls": [{"name": "say", "input": {"n": value}}], **more}


def scored(*rows, **options):
    """What became of each: whether it passed, or the error."""
    return [
        row["passed"] if row["error"] is None else row["error"] for row in tj.score(list(rows), allow_failures=True, **options)
    ]


NAMED = {"kind": "function", "name": "even"}


def test_a_validator_is_a_function():
    assert scored(case(even), case(even, 3), case(lambda v: v in ("celsius", "kelvin"), "kelvin")) == [True, False, True]
    assert scored(case(NAMED), case(NAMED, 3), functions={"even": even}) == [True, False]
    assert scored(case(tj.Function(even, version=1)), compat="article") == [True]
    # A parameter that is not there is not checked, and nobody is asked.
    missing = case(even)
    missing["tool_calls"][0]["input"] = {}
    assert scored(missing) == [True]


@pytest.mark.parametrize("value", [4, 4.5, "4", None, True, [1, {"a": [None]}], {"größe": "x"}, 10**400, 1e-300, "\u2028 \x00"])
def test_a_function_is_given_the_value_as_it_is(value):
    seen = []

    def check(given):
        seen.append((type(given), given))
        return True

    assert scored(case(check, value)) == [True]
    assert seen == [(type(value), value)]


def test_what_a_function_does_to_its_value_changes_nothing():
    def spoil(value):
        value.clear()
        return True

    (row,) = tj.score([case(spoil, [1, 2])])
    assert row["passed"] and row["tool_calls"] == [{"name": "say", "input": {"n": [1, 2]}}]


class Odd(Exception):
    def __str__(self):
        raise RuntimeError


def raises(error):
    def check(value):
        raise error

    return check


async def later(value):
    return True


@pytest.mark.parametrize(
    "function, words",
    [
        (raises(ValueError("no number")), "the function check raised ValueError: no number"),
        (raises(SystemExit(0)), "raised SystemExit: 0"),
        (raises(Odd()), "raised Odd: which has no words"),
        (raises(AssertionError()), "raised AssertionError"),
        (lambda value: None, "returned None; a function that checks returns True or False"),
        (lambda value: 1, "returned an object of the type int"),
        (lambda value: "yes", "returned an object of the type str"),
        (later, "returned an object of the type coroutine"),
        (lambda: True, "raised TypeError"),
    ],
)
def test_what_says_neither_yes_nor_no_is_an_error_of_its_case(function, words, caplog):
    rows, summary = tj.score([case(function), case(even)], allow_failures=True, return_summary=True)
    assert [row["passed"] for row in rows] == [None, True] and rows[0]["score"] is None
    assert rows[0]["error"].startswith("FunctionError") and words in rows[0]["error"].replace("`", "")
    assert (summary["passed"], summary["errors"]) == (1, {"FunctionError": 1}) or summary["errors"]["FunctionError"]
    # It fails the run as a failure does.
    assert tj.score([case(function), case(even)], return_summary=True)[1]["passed"] is False


def test_the_first_failure_is_told_with_its_traceback(caplog):
    with caplog.at_level(logging.WARNING, "tooljudge"):
        assert len(scored(*[case(NAMED, n) for n in range(9)], functions={"even": raises(ValueError("no"))})) == 9
    (told,) = [one for one in caplog.records if one.levelno == logging.WARNING]
    assert "the function even failed" in told.getMessage() and "ValueError: no" in caplog.text


def test_numpy_says_yes_and_no():
    numpy = pytest.importorskip("numpy")
    assert scored(case(lambda value: numpy.bool_(value > 3)), case(lambda value: numpy.bool_(value > 4))) == [True, False]


def test_an_interrupt_ends_the_run():
    with pytest.raises(KeyboardInterrupt):
        tj.score([case(raises(KeyboardInterrupt()))])


def test_a_function_that_is_not_there_is_an_error():
    (why,) = scored(case({"kind": "function", "name": "odd"}), functions={"even": even})
    assert "there is no function `odd`; there are: `even`" in why
    (why,) = scored(case(NAMED))
    assert "functions come from Python only" in why
    # Where it stands in a frame, nobody can see it.
    pandas = pytest.importorskip("pandas")
    frame = tj.score(pandas.DataFrame([case(even)]), scorer="tool_evaluator", allow_failures=True)
    assert frame["passed"].isna().all() and "param_validators.n" in frame["error"][0]


def test_each_function_has_a_name_of_its_own():
    rows = tj.score(
        [case(lambda value: True), case(lambda value: False), case(even), case(tj.Function(even, version=2))], allow_failures=True
    )
    assert [row["passed"] for row in rows] == [True, False, True, True]
    assert [row["metadata"]["functions"] for row in rows] == [
        {"lambda": None},
        {"lambda_2": None},
        {"even": None},
        {"even_2": "2"},
    ]
    assert rows[3]["test"]["expected_tool_calls"][0]["param_validators"]["n"] == {"kind": "function", "name": "even_2"}
    assert "functions" not in tj.score([case({"kind": "in", "values": [4]})])[0]["metadata"]


CALLS = {"expectedTools": [{"name": "say", "arguments": {"n": 1}}], "toolCalls": [{"name": "say", "arguments": {"n": 2, "m": 3}}]}


@pytest.mark.parametrize("compat", [None, "vitest-evals", "vitest-evals@0.4", "vitest-evals@0.16"])
def test_a_comparison_is_a_function(compat):
    seen = []

    def wider(expected, called):
        seen.append((expected, called))
        return len(called) > len(expected)

    options = {} if compat is None else {"compat": compat}
    (row,) = tj.score([CALLS], params=wider, **options)
    assert row["passed"] and row["metadata"]["functions"] == {"wider": None} and seen[0] == ({"n": 1}, {"n": 2, "m": 3})
    assert scored({**CALLS, "config": {"params": lambda expected, called: expected == called}}, **options) == [False]
    assert scored({**CALLS, "config": {"params": {"function": "wider"}}}, functions={"wider": wider}, **options) == [True]
    assert "FunctionError" in scored(CALLS, params=raises(ValueError()), **options)[0]


def test_calls_of_a_trajectory_are_compared_by_a_function():
    def side(n):
        return [{"role": "assistant", "content": "", "tool_calls": [{"name": "say", "args": {"n": n}}]}]

    def near(called, expected):
        return 0 <= called["n"] - expected["n"] <= 1

    rows = [{"outputs": side(called), "reference_outputs": side(4)} for called in (4, 5, 3)]
    for options in ({}, {"compat": "agentevals"}):
        assert scored(*rows, set={"tool_args_match_overrides": {"say": near}}, **options) == [True, True, False]
        assert scored(*rows, set={"tool_args_match_overrides": {"other": near}}, **options) == [True, False, False]
    with pytest.raises(tj.SettingsError, match="there is no function `far`; there are: `near`"):
        tj.score(rows, set={"tool_args_match_overrides": {"say": {"function": "far"}}}, functions={"near": near})


@pytest.mark.parametrize(
    "options, words",
    [
        ({"functions": [even]}, "functions: give a dict"),
        ({"functions": {"even": 1}}, "functions: even is an int, and no function"),
        ({"functions": {" ": even}}, "functions: ' ' is no name"),
        ({"params": even, "set": {"params": "fuzzy"}}, "not both"),
        ({"params": {"function": "even"}}, "it takes no dict"),
        ({"set": {"params": {"function": "even"}}, "scorer": "tool_call"}, "functions come from Python only"),
    ],
)
def test_slips_are_told(options, words):
    with pytest.raises(tj.ToolJudgeError, match=words):
        tj.score([CALLS], **options)


# In suites.


class Agent:
    """Says a number, and counts how often it was asked to."""

    def __init__(self, number=4):
        self.number, self.asked = number, 0

    def __call__(self, question, tools):
        self.asked += 1
        return tools["say"](n=self.number)


def driven(agent, functions, **options):
    """The only episode, and the record."""
    options = {"allow_failures": True, "allow_unscored": 1, "output": "episodes.jsonl", "force": True, **options}
    record = tj.drive("numbers.toml", agent=agent, functions=functions, **options)
    with open(options["output"], encoding="utf-8") as file:
        (row,) = map(json.loads, file)
    return row, record


def test_a_suite_names_functions():
    assert driven(Agent(4), {"even": even})[0]["passed"] is True
    row, _ = driven(Agent(3), {"even": even})
    assert row["passed"] is False and "`/n` of `say` is not valid" in row["reason"]


def test_an_episode_whose_function_fails_has_no_score():
    row, record = driven(Agent("x"), {"even": even}, allow_failures=None)
    assert (
        row["passed"] is None and row["score"] is None and "FunctionError: the function `even` raised TypeError" in row["error"]
    )
    # Nor does it count as anything but a failure.
    assert record["passed"] is False and record["agents"][0]["scores"]["passed"] == 0
    assert driven(Agent("x"), {"even": even}, min_pass_rate=0.1, allow_failures=None)[1]["passed"] is False


def test_a_function_that_is_not_there_is_told_before_the_agent_is_asked():
    agent = Agent()
    for functions, words in (
        ({"odd": even}, "there is no function `even`; there are: `odd`"),
        (None, "functions come from Python only"),
    ):
        with pytest.raises(tj.ToolJudgeError, match=words):
            driven(agent, functions)
    with pytest.raises(tj.ToolJudgeError, match="there is no function `same`"):
        driven(agent, {"even": even}, scorer="tool_call", set={"params": {"function": "same"}})
    assert agent.asked == 0
    words = [sys.executable, "-m", "tooljudge", "drive", "numbers.toml", "--agent", "exec:false"]
    ran = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE)
    assert (
        ran.returncode == 2
        and "the case `one` of numbers: `even` is a function, and functions come from Python only" in ran.stderr
    )


def test_what_a_function_said_is_never_replayed():
    agent = Agent(4)
    assert driven(agent, {"even": even}, agent_version="1")[0]["passed"] is True
    assert driven(agent, {"even": lambda value: False}, agent_version="1")[0]["passed"] is False
    assert driven(agent, {"even": tj.Function(lambda value: True, version=1)}, agent_version="1")[0]["passed"] is True
    assert driven(agent, {"even": tj.Function(raises(ValueError()), version=1)}, agent_version="1")[0]["passed"] is None
    # The agent is the same, and so is what it called.
    assert agent.asked == 1


def test_an_episode_names_the_version_of_its_functions():
    def validator(functions):
        row, _ = driven(Agent(), functions)
        return row["test"]["expected_tool_calls"][0]["param_validators"]["n"]

    assert validator({"even": tj.Function(even, version=2)}) == {**NAMED, "version": "2"}
    first, second = validator({"even": even}), validator({"even": even})
    assert first.keys() == {*NAMED, "run"} and first["run"] != second["run"]


@pytest.mark.parametrize(
    "then, now, compared",
    [
        (tj.Function(even, version=1), tj.Function(even, version=1), True),
        (tj.Function(even, version=1), tj.Function(even, version=2), False),
        (tj.Function(even, version=1), even, False),
        # Nobody knows whether it is what it was.
        (even, even, False),
    ],
)
def test_runs_are_compared_where_the_functions_are_known_to_be_the_same(then, now, compared):
    driven(Agent(4), {"even": then}, output="then.jsonl")
    if not compared:
        with pytest.raises(tj.InputError, match="its cases expected something else"):
            driven(Agent(3), {"even": now}, baseline="then.jsonl")
        return
    _, record = driven(Agent(3), {"even": now}, baseline="then.jsonl")
    (baseline,) = record["baseline"]
    assert (baseline["episodes"], baseline["changed"], baseline["broken"]) == (1, 0, 1)


def test_functions_are_asked_of_many_episodes_at_once():
    cases = "".join(SUITE.partition("[[cases]]")[2].replace('"one"', f'"{n}"').join(["[[cases]]", ""]) for n in range(40))
    with open("many.toml", "w", encoding="utf-8") as file:
        file.write(SUITE.partition("[[cases]]")[0] + cases)

    def agent(case_id, tools):
        return tools["say"](n=int(case_id.partition("#")[0]))

    found = tj.drive("many.toml", agent=agent, functions={"even": even}, allow_failures=True, concurrency=8)
    assert found["agents"][0]["scores"]["passed"] == 20


def test_the_scorer_of_a_suite_compares_by_a_function():
    with open("numbers.toml", "w", encoding="utf-8") as file:
        file.write(
            SUITE.replace('param_validators = { n = { kind = "function", name = "even" } }', "required_params = { n = 2 }")
        )
    row, _ = driven(Agent(4), None, scorer="tool_call", set={"params": lambda expected, called: called["n"] % expected["n"] == 0})
    assert row["passed"] is True and row["metadata"]["functions"] == {"lambda": None}


def test_what_a_function_would_say_is_not_foreseen():
    mocked = '[[mocks]]\ntool = "say"\nwhen = { n = 4 }\nresult = 4\n[[cases]]'
    with open("numbers.toml", "w", encoding="utf-8") as file:
        file.write(SUITE.replace("[[cases]]", mocked).replace('id = "one"', 'id = "one"\nunmatched = "stop"'))
    # The case is lost only if the function says no, and nobody has asked it.
    row, _ = driven(Agent(3), {"even": lambda value: True})
    assert (row["ended"], row["passed"], row["score"]) == ("off_script", None, None)
