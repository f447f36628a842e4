"""The same jobs for asynchronous programs.

>>> import asyncio, tooljudge as tj
>>> rows = [{"question": "Say 1", "tool_call": "say(n=1)", "tool_definitions": "say: Says a number"}]
>>> len(asyncio.run(tj.aio.label(rows)))
1

A cancelled task asks nothing new, waits for the requests in flight, keeps what was paid for, and is then cancelled; cancelled once more
meanwhile, it waits for nothing.
"""

import asyncio

from . import _jobs
from ._native import Stop

__all__ = ["bench", "label", "resnap", "score"]


async def label(data, **options):
    """`tooljudge.label` on a thread of its own, with the same arguments."""
    return await _apart(_jobs.label, data, options)


async def resnap(data, **options):
    """`tooljudge.resnap` on a thread of its own, with the same arguments."""
    return await _apart(_jobs.resnap, data, options)


async def bench(data, **options):
    """`tooljudge.bench` on a thread of its own, with the same arguments."""
    return await _apart(_jobs.bench, data, options)


async def score(data, **options):
    """`tooljudge.score` on a thread of its own, with the same arguments."""
    return await _apart(_jobs.score, data, options)


async def _apart(job, data, options):
    stop = Stop()
    work = asyncio.ensure_future(asyncio.to_thread(_with_stop, job, data, options, stop))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        while not work.done():
            stop.stop()
            try:
                await asyncio.wait([work])
            except asyncio.CancelledError:
                continue
        # What it came to is of no interest any more.
        work.exception()
        raise


def _with_stop(job, data, options, stop):
    token = _jobs.STOP.set(stop)
    try:
        return job(data, **options)
    finally:
        _jobs.STOP.reset(token)
