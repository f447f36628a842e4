"""The jobs that return a record instead of a table."""

from __future__ import annotations

from . import _run, _words
from ._errors import InputError, SettingsError, ToolJudgeError
from ._flags import DriveOptions, MergeOptions, PruneOptions, SuiteOptions, TrainOptions
from ._jobs import STOP, record, rehearses, with_files
from ._options import takes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Unpack

    from ._flags import Path
    from ._kinds import Data
    from ._tasks import Task, Tasks


@takes(TrainOptions)
def train(data: Data, **options: Unpack[TrainOptions]) -> dict[str, Any]:
    """Trains the built-in judge on your own labels, and measures what that gains.

    Args:
        data: As for `label`, with a column of gold labels.
        output: The model's file, for `judge="builtin:FILE"`. It is written only if the gain is beyond chance.
        gold: The column with the gold labels; `gold` by default.
        dry_run: Measures only.

    The other options are those of `tooljudge train --help`, with underscores.

    Returns:
        The record: what was learned, the gain with its interval; `passed` says whether a model was written (or, in a dry run, would be).
    """
    return _record("train", data, options, False)


@takes(DriveOptions)
def drive(suite: Path | Task | Tasks | Sequence[Path | Task], **options: Unpack[DriveOptions]) -> dict[str, Any]:
    """Drives agents through the cases of a suite with mocked tools, and scores what they call.

    Args:
        suite: The path of a suite, or several; or a task of LangChain Benchmarks such as `langchain:multiverse` (`langchain:*` for all
            of them), or tasks out of `tooljudge.tasks`.
        agent: `PROVIDER:MODEL`, a name out of tooljudge.toml, a `Judge` with a model, or `script:FILE` for replies that are written down;
            a function that is an agent; `exec:COMMAND` or an address; or a list. A function is called with those of its parameters that
            are named `question`, `messages`, `tools` and `case_id`, and returns its answer: a text, a list of messages, or a dict with
            `output` or `messages`. It may be a coroutine function.
        agents: Instead of `agent`, a dict of names and agents (functions or models). The record then has a `comparison` of every two
            of them.
        agent_version: Names the agents' code. Without it, functions are driven anew in each run.
        agent_timeout: The time that a function has for a case, in seconds, 300 by default.
        concurrency: Of functions: cases at once, each on a thread of its own, 4 by default.
        output, turns: Files for the episodes with their scores, and for the agents' turns.
        functions: Functions that the suite names as validators, `{ kind = "function", name = "even" }`: `{"even": is_even}`. Each is called
            with the value of a parameter, and returns True or False. `Function` gives one a version, without which `baseline` cannot
            compare its cases.
        repeats: Drives every case so many times.
        dry_run: Asks nobody, and gives what each agent would be asked first, and what the run would take.

    The other options are those of `tooljudge drive --help`, with underscores.

    Returns:
        The record: pass rates with their intervals, costs, failures for each agent; `passed` says whether all gates were passed, or
        without a gate and without `allow_failures`, all cases.
    """
    from ._tasks import names

    agents = options.pop("agents", None)
    if agents is None:
        return _record("drive", names(suite), options, options.get("progress"))
    if options.get("agent") is not None:
        raise SettingsError("give agent or agents, not both")
    return _compared(names(suite), {**options, "agent": _named(agents)})


def _named(agents):
    """Agents under the names that they are given."""
    from ._agent import Agent
    from ._judge import Judge

    if not agents:
        raise SettingsError("agents: give names and agents, such as agents={'mine': my_agent}")
    named = []
    for name, one in agents.items():
        if not isinstance(name, str) or not name.strip():
            raise SettingsError(f"agents: {name!r} is no name")
        if isinstance(one, Judge) and one.model:
            named.append(Judge(one.model, name=name, **one.settings, **({} if one.api_key is None else {"api_key": one.api_key})))
        elif isinstance(one, str):
            if one.startswith(("script:", "exec:", "http:", "https:")):
                raise SettingsError(f"agents: {one.split(':')[0]}: has a name of its own; give it as agent=[...], beside others")
            named.append(Judge(one, name=name))
        elif callable(one) and not isinstance(one, Judge):
            named.append(Agent(one, name))
        else:
            raise SettingsError(f"agents: {name} is a {type(one).__name__}; give a function or a model, such as 'openai:gpt-5-mini'")
    return named


def _compared(suite, options):
    """Drives agents and compares every two of them."""
    import tempfile

    from ._reports import compare

    if rehearses(options) or len(options["agent"]) < 2:
        return _record("drive", suite, options, options.get("progress"))
    with tempfile.TemporaryDirectory(prefix="tooljudge-") as folder:
        own = options.get("output") in (None, False)
        episodes = f"{folder}/episodes.jsonl" if own else options["output"]
        with _words.files({episodes: "a file of this run"} if own else {}):
            found = _record("drive", suite, {**options, "output": episodes}, options.get("progress"))
        if own:
            found["output"] = None
        try:
            found["comparison"] = {name: one for name, one in compare(episodes, all_pairs=True).record.items() if name != "tables"}
        except ToolJudgeError as why:
            # The run is done and paid for: an agent without a score takes nothing of it away.
            found["comparison"] = None
            _run.warn(f"the agents are not compared: {why}")
    return found


@takes(SuiteOptions)
def suite_from_log(data: Data, **options: Unpack[SuiteOptions]) -> dict[str, Any]:
    """Turns reviewed calls of a log into regression cases for `drive`.

    Args:
        data: As for `label`, above all its labelled tables.
        output: The suite's file, which ends with `.jsonl`.
        mode: `turn` (default) or `episode`.

    The other options are those of `tooljudge suite from-log --help`, with underscores.

    Returns:
        The record: how many rows were read, how many became cases, why the others did not.
    """
    return _record("suite from-log", data, options, False)


@takes(MergeOptions)
def merge(parts: Path | list[Path], **options: Unpack[MergeOptions]) -> dict[str, Any]:
    """Joins the tables that `label(..., shard="0/2", output=...)` and the other shards wrote to that of a single run.

    Args:
        parts: Their paths, or a glob.
        output: The file for the table, in the format of the parts.

    Returns:
        The record: its rows, and the parts in the order of their shards.
    """
    if isinstance(parts, (list, tuple)) and not parts:
        raise InputError("there are no parts: give their paths, or a glob")
    return _record("merge", parts, options, False)


def store_stat(store: Path | None = None) -> dict[str, Any]:
    """What a store of replies holds: counts, models, costs; `.tooljudge/replies.sqlite` by default."""
    return _of_store("stat", [], {"store": store})


@takes(PruneOptions)
def store_prune(**options: Unpack[PruneOptions]) -> dict[str, Any]:
    """Deletes replies from a store, and frees their space.

    Args:
        store: Its file, `.tooljudge/replies.sqlite` by default.
        older_than: An age such as `30d`.
        model, run, kind: Only replies of these.
        dry_run: Only counts.

    The other options are those of `tooljudge store prune --help`, with underscores.
    """
    return _of_store("prune", [], options)


def store_merge(*sources: Path, store: Path | None = None) -> list[dict[str, Any]]:
    """Copies the replies of other stores into this one; on a conflict, this one's reply stays unless it is damaged.

    Per source, the numbers of replies that were `added`, `known` here, `damaged` there (left behind) and `mended` here.
    """
    return _of_store("merge", sources, {"store": store})


def _of_store(command, inputs, options):
    if isinstance(options.get("store"), bool):
        raise SettingsError("store: give the path of a store")
    texts, _, _ = _run.run(f"store {command}", {**options, "json": True}, inputs, [], False, STOP.get(), False)
    return record(texts[-1])


def _record(command, data, options, progress):
    """Runs a command that gives a record and no table."""
    from . import _frames

    options = {**options, "json": True}
    options.pop("progress", None)
    given = _frames.source(data, False)
    with with_files(options) as options:
        texts, _, passed = _run.run(command, options, given.inputs, given.tables, False, STOP.get(), progress)
    found = record(texts[-1])
    _run.log_outcome(command, found)
    if isinstance(found, dict):
        found["passed"] = passed
    return found
