"""Signals, cancellation, loops, threads, forks: nothing that was paid for is lost."""

import asyncio
import logging
import os
import signal
import subprocess
import sys
import threading
import time
import warnings

import pandas as pd
import pytest
from conftest import PATIENCE, numbered, rows, wait_until

import tooljudge as tj


def when(condition, then):
    def wait():
        wait_until(condition)
        then()

    threading.Thread(target=wait, daemon=True).start()


def interrupt():
    os.kill(os.getpid(), signal.SIGINT)


@pytest.fixture
def when_stopping():
    """Calls what it is given as soon as a run says that it stops."""

    class Heard(logging.Handler):
        def emit(self, record):
            if "stopping" in record.getMessage():
                [act() for act in acts]

    acts, log, heard = [], logging.getLogger("tooljudge"), Heard()
    level = log.level
    log.addHandler(heard)
    log.setLevel(logging.INFO)
    yield acts.append
    log.removeHandler(heard)
    log.setLevel(level)


def test_the_first_interrupt_keeps_what_was_paid(server, when_stopping):
    one = server(free=20)
    when(lambda: one.requests >= 25, interrupt)
    when_stopping(one.let_go)
    with pytest.raises(KeyboardInterrupt, match="every reply that came is kept"):
        tj.label(numbered(200), concurrency=10, **one.judge())
    paid = one.requests
    # What was in flight when it stopped, and no more.
    assert 25 <= paid <= 30
    out, summary = tj.label(numbered(200), concurrency=10, return_summary=True, **one.judge())
    # Nothing is billed twice.
    assert one.requests == 200 and summary["panel"][0]["summary"]["cached"] == paid
    assert [row["label"] for row in out] == ["correct"] * 200


def test_a_stop_promises_only_what_was_kept(server, when_stopping):
    one = server(free=5)
    when(lambda: one.requests >= 8, interrupt)
    when_stopping(one.let_go)
    with pytest.raises(KeyboardInterrupt, match="no reply is kept") as stopped:
        tj.label(numbered(50), concurrency=3, store=False, **one.judge())
    assert "go on from there" not in str(stopped.value)


def test_the_second_interrupt_waits_for_nothing(server, when_stopping):
    one = server(free=0)
    when(lambda: one.requests >= 5, interrupt)
    when_stopping(interrupt)
    # No answer ever comes, and the request's own time limit is longer than this test's.
    with pytest.raises(KeyboardInterrupt):
        tj.label(numbered(50), concurrency=5, timeout=600, **one.judge())
    assert one.requests == 5


def test_a_running_loop_and_its_tasks(server):
    one = server(free=0)

    async def main():
        beats = 0

        async def beat():
            nonlocal beats
            while True:
                await asyncio.sleep(0.01)
                beats += 1
                # Without a loop that goes on beside the call, no answer ever comes.
                if beats > 5 and one.requests:
                    one.let_go()

        heart = asyncio.ensure_future(beat())
        # A plain call works within a loop; it only holds it up.
        assert len(tj.label(rows()[:2])) == 2
        beats = 0
        out = await tj.aio.label(pd.DataFrame(numbered(40)), concurrency=4, **one.judge())
        heart.cancel()
        return beats, list(out["label"])

    beats, labels = asyncio.run(main())
    assert beats > 5 and labels == ["correct"] * 40


def test_a_cancelled_task_keeps_what_was_paid(server):
    one = server(free=20)

    async def main():
        job = asyncio.ensure_future(tj.aio.label(numbered(200), concurrency=10, **one.judge()))
        await asyncio.to_thread(wait_until, lambda: one.requests >= 25)
        job.cancel()
        # It takes the cancellation in, and then waits for what is in flight.
        asyncio.get_running_loop().call_later(0.3, one.let_go)
        with pytest.raises(asyncio.CancelledError, match="every reply that came is kept"):
            await job

    asyncio.run(main())
    paid = one.requests
    assert 25 <= paid < 200
    tj.label(numbered(200), **one.judge())
    assert one.requests == 200


@pytest.mark.parametrize("partial", [{"partial": True}, {}], ids=["given", "of a file"])
def test_a_cancelled_task_gives_a_part_where_it_is_asked_for(server, tmp_path, partial):
    (tmp_path / "tooljudge.toml").write_text("" if partial else "[label]\npartial = true\n")
    one = server(free=20)

    async def main():
        job = asyncio.ensure_future(tj.aio.label(pd.DataFrame(numbered(200)), concurrency=10, **partial, **one.judge()))
        await asyncio.to_thread(wait_until, lambda: one.requests >= 25)
        job.cancel()
        asyncio.get_running_loop().call_later(0.3, one.let_go)
        return await job, job.cancelling()

    with pytest.warns(tj.ToolJudgeWarning, match="stopped") as warned:
        out, cancelling = asyncio.run(main())
    assert (out["label"] == "correct").sum() == one.requests < 200 and set(out["status"]) == {"judged", "not_asked"}
    # Python may find what other tests left open at any moment.
    ours = [one for one in warned if issubclass(one.category, tj.ToolJudgeWarning)]
    assert ours[0].filename == __file__ and cancelling == 0


def test_warnings_of_tasks_point_at_the_call():
    async def main():
        first = asyncio.create_task(tj.aio.label(rows()[:1], explain=True))
        await asyncio.gather(first, tj.aio.label(rows()[:1], explain=True))

    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        asyncio.run(main())
    begins = main.__code__.co_firstlineno
    assert sorted((one.filename, one.lineno - begins) for one in warned) == [(__file__, 1), (__file__, 2)]


def test_a_suite_is_given_up_when_it_is_told_to_stop(tmp_path):
    async def main():
        job = asyncio.ensure_future(tj.aio.suite_from_log(log, output=tmp_path / "suite.jsonl"))
        await asyncio.sleep(0)
        job.cancel()
        with pytest.raises(asyncio.CancelledError, match="nothing was written"):
            await job

    log = [{**row, "label": "correct"} for row in numbered(20_000)]
    asyncio.run(main())
    assert not (tmp_path / "suite.jsonl").exists()


CELL = """
import sys, tooljudge as tj
sys.path.insert(0, %r)
from conftest import numbered
await tj.aio.label(numbered(200), concurrency=10, judge="vllm:m", base_url=%r)
"""


def test_an_interrupted_cell_sends_nothing_more(server, kernel):
    one, (manager, client) = server(free=20), kernel
    asked = client.execute(CELL % (os.path.dirname(__file__), one.url))
    wait_until(lambda: one.requests >= 25)
    manager.interrupt_kernel()
    # Long enough for the loop to hear of it; a kernel does not wake its loop for that.
    time.sleep(1)
    one.let_go()
    reply = client.get_shell_msg(timeout=PATIENCE)
    while reply["parent_header"]["msg_id"] != asked:
        reply = client.get_shell_msg(timeout=PATIENCE)
    assert reply["content"]["status"] == "error" and reply["content"]["ename"] in ("CancelledError", "KeyboardInterrupt")
    assert 25 <= one.requests <= 30


def test_threads_work_side_by_side(server):
    one, found = server(delay=0.02), {}

    def work(n):
        found[n] = [row["label"] for row in tj.label(numbered(20), store=f"{n}.sqlite", **one.judge())]

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert found == {n: ["correct"] * 20 for n in range(4)} and one.requests == 80


FORK = """
import json, os, sys, tooljudge as tj
rows = [{"question": "Say 1", "tool_call": "say(n=1)", "tool_definitions": "say: Says a number"}] * 3
if sys.argv[1] == "used":
    tj.label(rows)
child = os.fork()
if child == 0:
    try:
        open("rows.jsonl", "w").write("".join(json.dumps(row) + "\\n" for row in rows))
        frame = tj.label("rows.jsonl")
        (batch,) = tj.label_batches(iter([rows]))
        same = len(batch) == len(frame.to_dicts()) == len(frame.to_polars()) == 3
        print(len(tj.label(rows)) if same else "other", flush=True)
        os._exit(0)
    except BaseException as error:
        print(type(error).__name__, error, flush=True)
        os._exit(1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.parametrize("before", ["used", "fresh"])
def test_a_fork_works(before):
    ran = subprocess.run([sys.executable, "-c", FORK, before], capture_output=True, text=True, timeout=PATIENCE)
    assert ran.stdout.split() == ["3", "0"], (ran.stdout, ran.stderr)


def test_a_ceiling_holds_over_batches(server):
    one = server(tokens=1000)
    settings = '[judges.m]\njudge = "vllm:m"\nbase_url = "%s"\nmax_tokens = 1\nprice = { input = 1000.0, output = 1000.0 }\n'
    open("tooljudge.toml", "w").write(settings % one.url)
    batches = [numbered(20)[at : at + 5] for at in range(0, 20, 5)]
    with pytest.warns(tj.ToolJudgeWarning, match="max_cost"):
        made = list(tj.label_batches(iter(batches), judge="m", max_cost=6.0))
    judged = [row["status"] for batch in made for row in batch].count("judged")
    assert 0 < judged < 20 and one.requests == judged


def test_a_ceiling_of_the_settings_file_holds_over_batches(server):
    one = server(tokens=1000)
    entry = '[judges.m]\njudge = "vllm:m"\nbase_url = "%s"\nmax_tokens = 1\nprice = { input = 1000.0, output = 1000.0 }\n' % one.url
    open("tooljudge.toml", "w").write("[label]\nmax_cost = 6.0\n" + entry)
    batches = [[], *(numbered(20)[at : at + 5] for at in range(0, 20, 5))]
    with pytest.warns(tj.ToolJudgeWarning, match="max_cost"):
        made = list(tj.label_batches(iter(batches), judge="m"))
    judged = [row["status"] for batch in made for row in batch].count("judged")
    assert 0 < judged < 20 and one.requests == judged
    # What is turned off in the call holds no longer.
    assert len([row for batch in tj.label_batches(iter(batches), judge="m", max_cost=False) for row in batch if row["status"] == "judged"]) == 20


@pytest.mark.parametrize("partial", [{"partial": True}, {}], ids=["given", "of a file"])
def test_a_part_of_the_table_where_it_is_asked_for(server, when_stopping, tmp_path, partial):
    (tmp_path / "tooljudge.toml").write_text("" if partial else "[label]\npartial = true\n")
    one = server(free=20)
    when(lambda: one.requests >= 25, interrupt)
    when_stopping(one.let_go)
    frame = pd.DataFrame(numbered(200), index=range(1000, 1200))
    with pytest.warns(tj.ToolJudgeWarning, match="stopped"):
        out = tj.label(frame, concurrency=10, **partial, **one.judge())
    labelled = (out["label"] == "correct").sum()
    assert labelled == one.requests < 200 and list(out.index) == list(frame.index)
    assert set(out["status"]) == {"judged", "not_asked"}


PROCESS = """
import sys, json, tooljudge as tj
sys.path.insert(0, sys.argv[2])
from conftest import numbered
out = tj.label(numbered(100), judge="vllm:m", base_url=sys.argv[1], concurrency=5, store="one.sqlite")
print([row["label"] for row in out].count("correct"))
"""


def process(server):
    words = [sys.executable, "-c", PROCESS, server.url, os.path.dirname(__file__)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_processes_on_one_store_pay_once(server):
    one = server(delay=0.02)
    both = [process(one), process(one)]
    assert [each.communicate(timeout=PATIENCE)[0] for each in both] == ["100\n"] * 2
    assert one.requests == 100


def test_a_killed_process_loses_what_was_in_flight_only(server):
    one = server(free=30)
    first = process(one)
    wait_until(lambda: one.requests >= 33)
    first.kill()
    first.communicate(timeout=PATIENCE)
    paid = one.requests
    one.let_go()
    # A process that was killed leaves claims behind, which lapse.
    out = tj.label(numbered(100), concurrency=5, store="one.sqlite", **one.judge())
    assert [row["label"] for row in out] == ["correct"] * 100
    assert 100 <= one.requests <= 100 + 5 and paid < 100
