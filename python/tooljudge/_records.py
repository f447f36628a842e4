"""The jobs that give a record and no table."""

from __future__ import annotations

from . import _run
from ._errors import SettingsError
from ._flags import DriveOptions, MergeOptions, PruneOptions, SuiteOptions, TrainOptions
from ._jobs import STOP, record, with_files
from ._options import takes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Unpack

    from ._flags import Path
    from ._kinds import Data


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
def drive(suite: Path | list[Path], **options: Unpack[DriveOptions]) -> dict[str, Any]:
    """Drives agents through the cases of a suite with mocked tools, and scores what they call.

    Args:
        suite: The path of a suite, or several; or a task of LangChain Benchmarks such as `langchain:multiverse`.
        agent: `PROVIDER:MODEL`, a name out of tooljudge.toml, a `Judge` with a model, or `script:FILE` for replies that are written down;
            or a list.
        output, turns: Files for the episodes with their scores, and for the agents' turns.
        repeats: Drives every case so many times.
        dry_run: Asks nobody, and gives what each agent would be asked first, and what the run would take.

    The other options are those of `tooljudge drive --help`, with underscores.

    Returns:
        The record: pass rates with their intervals, costs, failures for each agent; `passed` says whether all gates were passed, or
        without a gate and without `allow_failures`, all cases.
    """
    return _record("drive", suite, options, options.get("progress"))


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
    if isinstance(found, dict):
        found["passed"] = passed
    return found
