"""Labels, costs and failures on the engines themselves, one at a time: `python/test-engines` runs this with each."""

import json
import os
import signal
import threading

import psutil
import pyarrow as pa
import pytest
from conftest import LABELS, PATIENCE, ROOT, by_program, numbered, rows, wait_until
from doors import DOORS, WORKERS

import tooljudge as tj

pytestmark = pytest.mark.filterwarnings("ignore")
ROWS = 60


@pytest.fixture(scope="module", params=DOORS)
def door(request):
    made = DOORS[request.param]()
    made.start()
    yield made
    made.stop()


def table(rows):
    return pa.Table.from_pylist([{"at": at, **row} for at, row in enumerate(rows)])


def labelled(door, rows, parts=WORKERS, **options):
    return door.table(door.label(door.frame(table(rows), parts), **options)).to_pylist()


def as_told(rows, names=LABELS):
    """What tells a row's label, with numbers as JSON has them."""
    return [[row["at"], *(row[name] for name in names)] for row in rows]


def texts(rows):
    """The rows with nested cells as JSON."""
    names = ("question", "tool_call", "tool_definitions")
    return [{name: row[name] if isinstance(row[name], str) else json.dumps(row[name]) for name in names} for row in rows]


def test_labels_order_and_types_are_those_of_the_command_line(door, tmp_path):
    given = [{"at": at, **row} for at, row in enumerate(rows() * 5)]
    expected = by_program(given, tmp_path)
    out = door.table(door.label(door.frame(pa.Table.from_pylist(given), 3)))
    assert as_told(out.to_pylist()) == as_told(expected)
    assert out.column_names == list(expected[0])
    plain = tj.label(pa.Table.from_pylist(given))
    kinds = [{name: family(one.schema.field(name).type) for name in out.column_names} for one in (out, plain)]
    assert kinds[0] == kinds[1]


def family(kind):
    """A type without what engines store differently."""
    return str(kind).partition("<")[0].removeprefix("large_")


def test_many_rows_lose_nothing(door, tmp_path):
    lines = (ROOT / "datasets/benchmark.jsonl").read_text().splitlines()
    given = [{"at": at, **row} for at, row in enumerate(texts(list(map(json.loads, lines))))]
    expected = by_program(given, tmp_path)
    out = door.table(door.label(door.frame(pa.Table.from_pylist(given), 4))).to_pylist()
    assert as_told(out) == as_told(expected)


def test_a_bad_row_is_a_status(door):
    junk = [{"question": "[{", "tool_call": "{" * 300, "tool_definitions": None}] * 3
    out = labelled(door, texts(numbered(2)) + junk)
    assert len(out) == 5 and None not in [row["status"] for row in out]


def test_nobody_is_asked_before_the_frame_is_used_and_nothing_is_paid_for_twice(door, server):
    one = server()
    frame = door.label(door.frame(table(numbered(ROWS)), WORKERS), **one.judge())
    repr(frame)
    assert one.requests == 0
    first = door.table(frame).to_pylist()
    assert [row["label"] for row in first] == ["correct"] * ROWS and one.requests == ROWS
    assert as_told(door.table(frame).to_pylist()) == as_told(first) and one.requests == ROWS


def test_the_same_rows_in_two_jobs_at_once_are_paid_for_once(door, server):
    one, made = server(delay=0.02), []
    frames = [door.label(door.frame(table(numbered(ROWS)), WORKERS), **one.judge()) for _ in range(2)]
    threads = [threading.Thread(target=lambda frame=frame: made.append(door.table(frame).to_pylist())) for frame in frames]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert [len(out) for out in made] == [ROWS] * 2 and one.requests == ROWS


def askers(server):
    """The processes that hold a connection to the server, other than this one."""
    port = server.http.server_port
    found = {
        one.pid for one in psutil.net_connections("tcp") if one.raddr and one.raddr.port == port and one.status == "ESTABLISHED"
    }
    return found - {os.getpid(), None}


def test_a_worker_that_dies_costs_at_most_what_was_in_flight(door, server):
    if not door.in_processes:
        pytest.skip("its workers are threads of this process")
    in_flight = 4
    one = server(delay=0.1, free=ROWS // 2)
    frame = door.label(door.frame(table(numbered(ROWS)), 4), **one.judge(), concurrency=in_flight)
    made = []
    job = threading.Thread(target=lambda: made.append(door.table(frame).to_pylist()))
    job.start()
    wait_until(lambda: one.requests > ROWS // 2 and askers(one))
    os.kill(askers(one).pop(), signal.SIGKILL)
    one.let_go()
    job.join(PATIENCE)
    assert [row["label"] for row in made[0]] == ["correct"] * ROWS
    assert ROWS <= one.requests <= ROWS + in_flight


def test_a_dead_judge_ends_the_job_with_one_message(door, server):
    one = server(code=401)
    frame = door.label(door.frame(table(numbered(ROWS)), 4), **one.judge(), api_key="a-secret", concurrency=1)
    with pytest.raises(Exception, match="the key is wrong") as ended:
        door.table(frame)
    assert one.requests <= WORKERS
    assert "a-secret" not in str(ended.value) + repr(frame)


def test_a_function_judges(door):
    def lenient(prompts):
        return ["correct"] * len(prompts)

    out = labelled(door, numbered(ROWS), judge=lenient)
    assert [(row["label"], row["judge"]) for row in out] == [("correct", "lenient")] * ROWS


def test_columns_are_renamed_dropped_and_more(door):
    out = labelled(door, numbered(4), prefix="p_", drop=["tool_definitions"], findings=True, judge=["builtin"])
    assert list(out[0])[:4] == ["at", "question", "tool_call", "p_label"]
    out = labelled(door, [{**row, "label": 5, "a.b": "x"} for row in numbered(4)], overwrite=True)
    assert {row["label"] for row in out} == {None} and out[0]["a.b"] == "x"


def test_what_cannot_hold_is_refused_at_once(door):
    frame = door.frame(table(numbered(2)), 1)
    with pytest.raises(tj.SettingsError, match="max_cost"):
        door.label(frame, judge="vllm:m", max_cost=1)
    with pytest.raises(tj.InputError, match="column `x`, which is not there"):
        door.label(frame, column={"question": "x"})
