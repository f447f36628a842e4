"""Requests per second of one worker and of two, where the judge is the bottleneck: a server that answers after 200 ms.

`python benches/engines.py ray` (or spark, dask, daft), in the environment of `python/test-engines`.
"""

import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pyarrow as pa

sys.path[:0] = [str(Path(__file__).parents[1] / "tests"), str(Path(__file__).parents[1] / "tests/engines")]
from conftest import Server, numbered
from doors import DOORS

ROWS, PARTS, DELAY, IN_FLIGHT = 2400, 8, 0.2, 8


def rate(name, workers):
    """Requests per second from the first request to the last."""
    server, door = Server(delay=DELAY), DOORS[name]()
    door.start(workers)
    seen = []

    def watch():
        while not seen or seen[-1][1] < ROWS:
            if server.requests and (not seen or server.requests > seen[-1][1]):
                seen.append((time.monotonic(), server.requests))
            time.sleep(0.005)

    threading.Thread(target=watch, daemon=True).start()
    table = pa.Table.from_pylist([{"at": at, **row} for at, row in enumerate(numbered(ROWS))])
    more = {"batch_size": ROWS // PARTS} if name in ("ray", "daft") else {}
    options = {**server.judge(), "concurrency": IN_FLIGHT, "store": "replies.sqlite"}
    made = door.table(door.label(door.frame(table, PARTS), **options, **more))
    assert len(made) == ROWS == server.requests and made["at"].to_pylist() == list(range(ROWS))
    assert set(made["label"].to_pylist()) == {"correct"}
    while not seen or seen[-1][1] < ROWS:
        time.sleep(0.01)
    door.stop()
    return (ROWS - seen[0][1]) / (seen[-1][0] - seen[0][0])


def main(name):
    found = []
    for workers in (1, 2):
        # An engine starts once in a process.
        words = [sys.executable, __file__, name, str(workers)]
        with tempfile.TemporaryDirectory() as folder:
            ran = subprocess.run(words, cwd=folder, env=os.environ, stdout=subprocess.PIPE, text=True, timeout=240, check=True)
        found.append(float(ran.stdout.split()[-1]))
        print(f"{name}, {workers} workers: {found[-1]:.1f} requests/s", flush=True)
    print(f"{name}: {found[1] / found[0]:.2f} times as many")


if __name__ == "__main__":
    if len(sys.argv) > 2:
        print(rate(sys.argv[1], int(sys.argv[2])))
    else:
        main(sys.argv[1])
