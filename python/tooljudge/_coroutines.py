"""Coroutines of users' functions, on one loop for all of the process: clients stay with the loop that they first met, and on the caller's
thread another may be running."""

import os
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Coroutine
    from concurrent.futures import Future
    from typing import Any

# The loop, and the process that its thread runs in.
_loop: "tuple[int, asyncio.AbstractEventLoop] | None" = None
_lock = threading.Lock()
# How long a loop may take to look up before nothing more is given to it, in seconds.
_PATIENCE = 1.0


def awaited(coroutine: "Any") -> "Any":
    """What a coroutine comes to."""
    return submit(coroutine).result()


def submit(coroutine: "Any") -> "Future[Any]":
    """What a coroutine will come to."""
    import asyncio

    async def run() -> "Any":
        return await coroutine

    return asyncio.run_coroutine_threadsafe(run(), _running())


def replace_if_stuck() -> None:
    """Leaves a loop to itself that a coroutine does not let go of: those to come have another."""
    global _loop
    loop, looked_up = _running(), threading.Event()
    loop.call_soon_threadsafe(looked_up.set)
    if not looked_up.wait(_PATIENCE):
        with _lock:
            if _loop is not None and _loop[1] is loop:
                _loop = None


def _running() -> "asyncio.AbstractEventLoop":
    import asyncio

    global _loop
    with _lock:
        if _loop is None or _loop[0] != os.getpid():
            _loop = os.getpid(), asyncio.new_event_loop()
            threading.Thread(target=_run, args=(_loop[1],), name="tooljudge coroutines", daemon=True).start()
        return _loop[1]


def _run(loop: "asyncio.AbstractEventLoop") -> None:
    while True:
        try:
            loop.run_forever()
            return
        except (SystemExit, KeyboardInterrupt):
            # Of a task, which has it as its own exception; the others go on.
            continue
