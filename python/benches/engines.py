"""What two workers do in the time of one, and how much memory they take.

`python benches/engines.py ray` (or spark, dask, daft), in the environment of `python/test-engines`: requests per second of one worker and of
two, where the judge is the bottleneck: a server that answers after half a second. `python benches/engines.py ray memory`: the most memory
that two workers take for files of 5,000 rows, and of five times as many.
"""

import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

sys.path[:0] = [str(Path(__file__).parents[1] / "tests"), str(Path(__file__).parents[1] / "tests/engines")]
from conftest import Server, numbered
from doors import DOORS

ROWS, PARTS, DELAY, IN_FLIGHT = 1200, 4, 0.5, 8
MANY, PART = (5_000, 25_000), 500


def rate(name, workers):
    """Requests per second from the first request to the last."""
    server, door = Server(delay=DELAY), DOORS[name]()
    door.start(workers)
    table = pa.Table.from_pylist([{"at": at, **row} for at, row in enumerate(numbered(ROWS))])
    more = {"batch_size": ROWS // PARTS} if name in ("ray", "daft") else {}
    options = {**server.judge(), "concurrency": IN_FLIGHT, "store": "replies.sqlite"}
    made = door.table(door.label(door.frame(table, PARTS), **options, **more))
    assert len(made) == ROWS == server.requests and made["at"].to_pylist() == list(range(ROWS))
    assert set(made["label"].to_pylist()) == {"correct"}
    door.stop()
    return (ROWS - 1) / (max(server.arrivals) - min(server.arrivals))


def memory(name, rows):
    """The most megabytes that processes of Python had for themselves while files were labelled to files. Java keeps what it once took."""
    door = DOORS[name]()
    os.mkdir("rows")
    for first in range(0, rows, PART):
        some = [{"at": first + at, **row} for at, row in enumerate(numbered(PART))]
        pq.write_table(pa.Table.from_pylist(some), f"rows/{first:07}.parquet")
    door.start()
    most, ended = 0, threading.Event()

    def watch():
        nonlocal most
        while not ended.wait(0.1):
            most = max(most, taken())

    watching = threading.Thread(target=watch)
    watching.start()
    more = {"batch_size": PART} if name in ("ray", "daft") else {}
    door.through_files("rows", "labelled", **more)
    ended.set()
    watching.join()
    door.stop()
    out = ds.dataset("labelled", format="parquet").to_table(columns=["at", "label", "status"])
    assert sorted(out["at"].to_pylist()) == list(range(rows)) and None not in out["status"].to_pylist()
    return most / 1e6


def taken():
    """Bytes that this process and its children share with nobody."""
    total, this = 0, psutil.Process()
    for one in [this, *this.children(recursive=True)]:
        try:
            if "java" not in one.name():
                total += one.memory_full_info().uss
        except psutil.Error:
            pass
    return total


def measured(*words):
    """What this program prints. An engine starts once in a process."""
    words = [sys.executable, __file__, *map(str, words)]
    with tempfile.TemporaryDirectory() as folder:
        ran = subprocess.run(words, cwd=folder, env=os.environ, stdout=subprocess.PIPE, text=True, timeout=400, check=True)
    return float(ran.stdout.split()[-1])


def main(name, what="rate"):
    found = []
    if what == "rate":
        for workers in (1, 2):
            found.append(measured(name, what, workers))
            print(f"{name}, {workers} workers: {found[-1]:.1f} requests/s", flush=True)
        print(f"{name}: {found[1] / found[0]:.2f} times as many")
        return
    for rows in MANY:
        found.append(measured(name, what, rows))
        print(f"{name}, {rows} rows: {found[-1]:.0f} MB", flush=True)
    print(f"{name}: {found[1] / found[0]:.2f} times as much memory for {MANY[1] / MANY[0]:.0f} times the rows")


if __name__ == "__main__":
    if len(sys.argv) > 3:
        print({"rate": rate, "memory": memory}[sys.argv[2]](sys.argv[1], int(sys.argv[3])))
    else:
        main(*sys.argv[1:])
