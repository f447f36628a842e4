"""The same jobs for asynchronous programs.

>>> import asyncio, tooljudge as tj
>>> rows = [{"question": "Say 1", "tool_call": "say(n=1)", "tool_definitions": "say: Says a number"}]
>>> len(asyncio.run(tj.aio.label(rows)))
1

A cancelled task asks nothing new, waits for the requests in flight, keeps what was paid for, and is then cancelled; cancelled once more
meanwhile, it waits for nothing. With `partial=True` it gives the rows that have a label so far instead of being cancelled.
"""

import asyncio
import functools
import inspect
import sys
import warnings
from collections.abc import Callable, Coroutine
from types import FrameType
from typing import Any, ParamSpec, TypeVar

from . import _jobs, _next, _records, _reports, _run
from ._errors import ToolJudgeWarning
from ._native import Stop

__all__ = ["audit", "bench", "compare", "convert", "drive", "gold", "label", "merge", "next", "resnap", "score", "suite_from_log", "train"]

# A notebook's kernel cancels the cell without waking its loop, so the loop wakes by itself, so many seconds apart.
_SLICE = 0.1
_Given = ParamSpec("_Given")
_Made = TypeVar("_Made")


def _apart(job: Callable[_Given, _Made]) -> Callable[_Given, Coroutine[Any, Any, _Made]]:
    """`job` on a thread of its own."""

    @functools.wraps(job)
    def apart(*data: _Given.args, **options: _Given.kwargs) -> Coroutine[Any, Any, _Made]:
        # Whoever awaits it may be another, and a loop calls its tasks.
        return _awaited(job, data, options, _warner(sys._getframe(1)))

    apart.__doc__ = f"`tooljudge.{job.__name__}` on a thread of its own, with the same arguments."
    if hasattr(inspect, "markcoroutinefunction"):
        inspect.markcoroutinefunction(apart)
    return apart


async def _awaited(job: Callable[..., _Made], data: Any, options: Any, warn: Callable[[str], None]) -> _Made:
    stop = Stop()
    work = asyncio.ensure_future(asyncio.to_thread(_with_stop, job, data, options, stop, warn))
    try:
        await _end_of(work)
    except asyncio.CancelledError:
        cancelled = 1
        while not work.done():
            stop.stop()
            try:
                await _end_of(work)
            except asyncio.CancelledError:
                cancelled += 1
        if _is_partial(options) and work.exception() is None:
            # The task goes on, and is told so.
            for task in (asyncio.current_task(),) * cancelled:
                if task is not None:
                    task.uncancel()
            return work.result()
        # Only what it says of the replies that came is of interest.
        said = getattr(work.exception(), "args", ())
        raise asyncio.CancelledError(*said) from None
    return work.result()


def _is_partial(options: Any) -> bool:
    """Whether the rows so far are wanted of a job that is stopped: by the call, else by a settings file."""
    given = options.get("partial")
    return bool(_jobs.told("partial", options) if given is None else given)


def _warner(caller: FrameType) -> Callable[[str], None]:
    """Warns as `warnings.warn` does at the place of the `caller`, from any thread."""
    place = caller.f_code.co_filename, caller.f_lineno, caller.f_globals.get("__name__")
    # It holds a module's variables, and no frame's.
    seen = caller.f_globals.setdefault("__warningregistry__", {})
    return lambda text: warnings.warn_explicit(text, ToolJudgeWarning, *place, registry=seen)


async def _end_of(work: asyncio.Future[Any]) -> None:
    while not work.done():
        await asyncio.wait([work], timeout=_SLICE)


def _with_stop(job: Callable[..., Any], data: Any, options: Any, stop: Stop, warn: Callable[[str], None]) -> Any:
    # The context is a copy for this thread.
    _jobs.STOP.set(stop)
    _run.HEARS_WARNINGS.set(warn)
    return job(*data, **options)


audit = _apart(_reports.audit)
bench = _apart(_reports.bench)
compare = _apart(_reports.compare)
convert = _apart(_jobs.convert)
gold = _apart(_jobs.gold)
label = _apart(_jobs.label)
drive = _apart(_records.drive)
merge = _apart(_records.merge)
next = _apart(_next.next)
resnap = _apart(_jobs.resnap)
score = _apart(_jobs.score)
suite_from_log = _apart(_records.suite_from_log)
train = _apart(_records.train)
