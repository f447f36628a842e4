"""The same jobs for asynchronous programs.

>>> import asyncio, tooljudge as tj
>>> rows = [{"question": "Say 1", "tool_call": "say(n=1)", "tool_definitions": "say: Says a number"}]
>>> len(asyncio.run(tj.aio.label(rows)))
1

A cancelled task asks nothing new, waits for the requests in flight, keeps what was paid for, and is then cancelled; cancelled once more
meanwhile, it waits for nothing.
"""

import asyncio
import functools
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

from . import _jobs, _records, _reports
from ._native import Stop

__all__ = ["audit", "bench", "compare", "convert", "drive", "gold", "label", "merge", "resnap", "score", "suite_from_log", "train"]

# A notebook's kernel cancels the cell without waking its loop, so the loop wakes by itself, so many seconds apart.
_SLICE = 0.1
_Given = ParamSpec("_Given")
_Made = TypeVar("_Made")


def _apart(job: Callable[_Given, _Made]) -> Callable[_Given, Coroutine[Any, Any, _Made]]:
    """`job` on a thread of its own."""

    @functools.wraps(job)
    async def apart(*data: _Given.args, **options: _Given.kwargs) -> _Made:
        stop = Stop()
        work = asyncio.ensure_future(asyncio.to_thread(_with_stop, job, data, options, stop))
        try:
            await _end_of(work)
        except asyncio.CancelledError:
            while not work.done():
                stop.stop()
                try:
                    await _end_of(work)
                except asyncio.CancelledError:
                    continue
            # Only what it says of the replies that came is of interest.
            said = getattr(work.exception(), "args", ())
            raise asyncio.CancelledError(*said) from None
        return work.result()

    apart.__doc__ = f"`tooljudge.{job.__name__}` on a thread of its own, with the same arguments."
    return apart


async def _end_of(work: asyncio.Future[Any]) -> None:
    while not work.done():
        await asyncio.wait([work], timeout=_SLICE)


def _with_stop(job: Callable[..., Any], data: Any, options: Any, stop: Stop) -> Any:
    token = _jobs.STOP.set(stop)
    try:
        return job(*data, **options)
    finally:
        _jobs.STOP.reset(token)


audit = _apart(_reports.audit)
bench = _apart(_reports.bench)
compare = _apart(_reports.compare)
convert = _apart(_jobs.convert)
gold = _apart(_jobs.gold)
label = _apart(_jobs.label)
drive = _apart(_records.drive)
merge = _apart(_records.merge)
resnap = _apart(_jobs.resnap)
score = _apart(_jobs.score)
suite_from_log = _apart(_records.suite_from_log)
train = _apart(_records.train)
