"""Runs coroutines of users' functions on separate event loops: clients are tied to their first loop, and the caller's thread may be running another."""

from __future__ import annotations

import os
import threading
import weakref

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from concurrent.futures import Future
    from typing import Any

# How long a loop may take to look up before nothing more is given to it, in seconds.
_PATIENCE = 1.0


class Loop:
    """A loop on a thread, begun when it is first needed, and ended when nobody has this any more."""

    def __init__(self) -> None:
        # The loop, and the process that its thread runs in.
        self._begun: tuple[int, asyncio.AbstractEventLoop] | None = None
        self._lock = threading.Lock()

    def submit(self, coroutine: Any) -> tuple[Future[Any], asyncio.AbstractEventLoop]:
        """What a coroutine will come to, and the loop that it is on."""
        import asyncio

        async def run() -> Any:
            return await coroutine

        loop = self._running()
        return asyncio.run_coroutine_threadsafe(run(), loop), loop

    def replace_if_stuck(self, loop: asyncio.AbstractEventLoop) -> None:
        """Leaves a `loop` to itself that a coroutine does not let go of: those to come have another."""
        looked_up = threading.Event()
        loop.call_soon_threadsafe(looked_up.set)
        if not looked_up.wait(_PATIENCE):
            with self._lock:
                if self._begun is not None and self._begun[1] is loop:
                    self._begun = None

    def _running(self) -> asyncio.AbstractEventLoop:
        import asyncio

        with self._lock:
            if self._begun is None or self._begun[0] != os.getpid():
                loop = asyncio.new_event_loop()
                self._begun = os.getpid(), loop
                threading.Thread(target=_run, args=(loop,), name="tooljudge coroutines", daemon=True).start()
                weakref.finalize(self, _end, loop, os.getpid()).atexit = False
            return self._begun[1]


# That of all judges: nobody's agent can hold it up.
_judges = Loop()


def awaited(coroutine: Any) -> Any:
    """What the coroutine of a judge comes to."""
    return _judges.submit(coroutine)[0].result()


def _run(loop: asyncio.AbstractEventLoop) -> None:
    while True:
        try:
            loop.run_forever()
            loop.close()
            return
        except (SystemExit, KeyboardInterrupt):
            # Of a task, which has it as its own exception; the others go on.
            continue


def _end(loop: asyncio.AbstractEventLoop, process: int) -> None:
    # In a process that was forked from it, no thread runs the loop.
    if os.getpid() == process and not loop.is_closed():
        loop.call_soon_threadsafe(loop.stop)
