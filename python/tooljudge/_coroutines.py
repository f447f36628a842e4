"""Coroutines of users' functions, on loops of their own: clients stay with the loop that they first met, and on the caller's thread
another may be running."""

import os
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from concurrent.futures import Future
    from typing import Any

# How long a loop may take to look up before nothing more is given to it, in seconds.
_PATIENCE = 1.0


class Loop:
    """A loop on a thread, begun when it is first needed."""

    def __init__(self) -> None:
        # The loop, and the process that its thread runs in.
        self._begun: "tuple[int, asyncio.AbstractEventLoop] | None" = None
        self._lock = threading.Lock()

    def submit(self, coroutine: "Any") -> "Future[Any]":
        """What a coroutine will come to."""
        import asyncio

        async def run() -> "Any":
            return await coroutine

        return asyncio.run_coroutine_threadsafe(run(), self._running())

    def replace_if_stuck(self) -> None:
        """Leaves a loop to itself that a coroutine does not let go of: those to come have another."""
        loop, looked_up = self._running(), threading.Event()
        loop.call_soon_threadsafe(looked_up.set)
        if not looked_up.wait(_PATIENCE):
            with self._lock:
                if self._begun is not None and self._begun[1] is loop:
                    self._begun = None

    def _running(self) -> "asyncio.AbstractEventLoop":
        import asyncio

        with self._lock:
            if self._begun is None or self._begun[0] != os.getpid():
                self._begun = os.getpid(), asyncio.new_event_loop()
                threading.Thread(target=_run, args=(self._begun[1],), name="tooljudge coroutines", daemon=True).start()
            return self._begun[1]


# That of all judges: nobody's agent can hold it up.
_judges = Loop()


def awaited(coroutine: "Any") -> "Any":
    """What the coroutine of a judge comes to."""
    return _judges.submit(coroutine).result()


def _run(loop: "asyncio.AbstractEventLoop") -> None:
    while True:
        try:
            loop.run_forever()
            return
        except (SystemExit, KeyboardInterrupt):
            # Of a task, which has it as its own exception; the others go on.
            continue
