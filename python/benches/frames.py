"""Times the built-in judge on frames beside the command line on the same rows, and one row by itself.

    python frames.py [ROWS]

Needs pandas, polars and pyarrow, and `tooljudge` on the PATH. Build both with `--release`.
"""

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import polars as pl

import tooljudge as tj

CITIES = ["Oslo", "Bergen", "Paris", "Lyon", "Porto", "Zurich"]
TOOLS = [
    {
        "name": "book_table",
        "description": "Books a table in a restaurant",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "guests": {"type": "integer"}, "terrace": {"type": "boolean"}},
            "required": ["city", "guests"],
        },
    }
]


def rows(count):
    for n in range(count):
        city, guests = CITIES[n % len(CITIES)], n % 9 + 1
        arguments = {"city": city if n % 3 else "Rome", "guests": guests}
        yield {
            "id": n,
            "question": f"Book a table for {guests} in {city} tomorrow, order {n}",
            "tool_call": json.dumps({"name": "book_table", "arguments": arguments}),
            "tool_definitions": json.dumps(TOOLS),
        }


def timed(work):
    own, others = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    made = work()
    clock = time.perf_counter() - began
    after, later = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = sum(b.ru_utime + b.ru_stime - a.ru_utime - a.ru_stime for a, b in ((own, after), (others, later)))
    return clock, cpu, made


def main(count):
    os.chdir(tempfile.mkdtemp(prefix="tooljudge-bench-"))
    frame = pl.DataFrame(list(rows(count)))
    frame.write_parquet("rows.parquet")
    words = ["tooljudge", "label", "rows.parquet", "-o", "out.parquet", "--quiet", "--force"]
    clock, cpu, _ = timed(lambda: subprocess.run(words, check=True))
    print(f"{count} rows\n{'command line, Parquet':24}{clock:8.2f} s {cpu:8.2f} CPU s")
    expected = pl.read_parquet("out.parquet")["label"].to_list()
    kinds = {"polars": frame, "pandas": frame.to_pandas(), "pyarrow": frame.to_arrow()}
    if count <= 200_000:
        kinds["list of dicts"] = frame.to_dicts()
    whole = clock
    for name, data in kinds.items():
        clock, cpu, made = timed(lambda data=data: tj.label(data, progress=False))
        labels = [row["label"] for row in made] if isinstance(made, list) else pl.Series(made["label"]).to_list()
        assert labels == expected, name
        print(f"{name:24}{clock:8.2f} s {cpu:8.2f} CPU s {clock / whole:8.2f} times the command line")
    one = frame.head(1)
    for name, data in {
        "polars": one,
        "pandas": one.to_pandas(),
        "pyarrow": one.to_arrow(),
        "list of dicts": one.to_dicts(),
    }.items():
        times = [timed(lambda data=data: tj.label(data))[0] for _ in range(100)]
        print(f"one row, {name:15}{1000 * statistics.median(times):8.2f} ms")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
