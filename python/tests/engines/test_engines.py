"""Labels, costs and failures on the engines themselves, one at a time: `python/test-engines` runs this with each."""

import json
import os
import re
import signal
import threading
import uuid

import psutil
import pyarrow as pa
import pytest
from conftest import LABELS, PATIENCE, ROOT, by_program, numbered, rows, wait_until
from doors import DOORS, WORKERS
from postgres import database  # noqa: F401

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


def every_second(sent):
    """Of the numbered rows, every second is incorrect."""
    return "incorrect" if int(re.search(r"Say (\d+)", sent)[1]) % 2 else "correct"


@pytest.fixture
def expected(server, tmp_path):
    """The labels that the command line gives to numbered rows."""
    one = server(label=every_second)
    given = table(numbered(ROWS)).to_pylist()
    words = ["--judge=vllm:m", f"--base-url={one.url}", f"--store={tmp_path / 'by_program.sqlite'}"]
    return as_told(by_program(given, tmp_path, *words))


@pytest.fixture
def kept(request, tmp_path):
    """A store: a file, or a database."""
    if request.param == "file":
        return str(tmp_path / "replies.sqlite")
    return request.getfixturevalue("database").url(f"s{uuid.uuid4().hex}")


EACH_STORE = pytest.mark.parametrize("kept", ["file", "database"], indirect=True)


@EACH_STORE
def test_a_worker_that_dies_costs_at_most_what_was_in_flight(door, server, kept, expected):
    if not door.in_processes:
        pytest.skip("its workers are threads of this process")
    in_flight = 4
    one = server(label=every_second, delay=0.1, free=ROWS // 2)
    frame = door.label(door.frame(table(numbered(ROWS)), 4), **one.judge(), concurrency=in_flight, store=kept)
    made = []
    job = threading.Thread(target=lambda: made.append(door.table(frame).to_pylist()))
    job.start()
    wait_until(lambda: one.requests > ROWS // 2 and askers(one))
    os.kill(askers(one).pop(), signal.SIGKILL)
    one.let_go()
    job.join(PATIENCE)
    assert as_told(made[0]) == expected
    assert ROWS <= one.requests <= ROWS + in_flight
    # What is there now is all that was asked.
    assert as_told(door.table(frame).to_pylist()) == expected and one.requests <= ROWS + in_flight


@EACH_STORE
def test_a_task_that_fails_is_made_again_and_pays_nothing_again(door, server, kept, expected, tmp_path):
    one, marker = server(label=every_second), tmp_path / "failed"
    frame = door.label(door.frame(table(numbered(ROWS)), 4), **one.judge(), store=kept)
    out = door.after_a_failure(frame, str(marker)).to_pylist()
    assert marker.exists() and as_told(out) == expected and one.requests == ROWS


@EACH_STORE
def test_all_workers_share_a_limit_of_requests_and_one_on_cost(door, server, kept, tmp_path, request):
    a_minute, in_flight = 900, 2
    one = server(label=every_second, tokens=1000)
    # Each request costs a dollar.
    (tmp_path / "tooljudge.toml").write_text(
        f'[judges.m]\njudge = "vllm:m"\nbase_url = "{one.url}"\nmax_tokens = 1\nprice = {{ input = 999.0, output = 1000.0 }}\n'
    )
    more = {"judge": "m", "rpm": a_minute, "max_cost": 40.0, "concurrency": in_flight, "store": kept}
    frame = door.label(door.frame(table(numbered(ROWS)), 4), **more)
    out = door.table(frame).to_pylist()
    assert [row["at"] for row in out] == list(range(ROWS))
    assert {row["status"] for row in out} == {"judged", "skipped_budget"}
    assert {row["label"] for row in out if row["status"] == "judged"} == {"correct", "incorrect"}
    assert 20 <= one.requests == sum(row["status"] == "judged" for row in out) <= 40
    # Two limits would let through twice as many in the same time.
    assert beyond(one.arrivals, a_minute) < 16
    # Another action on the frame has what is left of the purse, and no more.
    door.table(frame)
    assert one.requests <= 40 and beyond(one.arrivals, a_minute) < 16
    if kept.startswith("postgres"):
        schema = kept.rpartition("=")[2]
        server_of_all = request.getfixturevalue("database")
        purses = server_of_all.sql(schema, "SELECT count(DISTINCT purse), sum(spent) FROM purses").split("|")
        assert purses == ["1", str(one.requests * 10**12)]
        assert int(server_of_all.sql(schema, "SELECT count(DISTINCT run) FROM replies")) > 1


def beyond(arrivals, a_minute):
    """How many requests came at most, in any time, beyond those that the limit lets through in that time."""
    most, low = 0.0, float("inf")
    for count, at in enumerate(sorted(arrivals)):
        allowed = count - (at - min(arrivals)) * a_minute / 60
        low = min(low, allowed)
        most = max(most, allowed - low + 1)
    return most


@pytest.mark.parametrize("code", [401, 404])
def test_a_dead_judge_ends_the_job_with_one_message(door, server, code):
    one = server(code=code)
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
