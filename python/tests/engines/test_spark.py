"""What only Spark has: tasks that run twice at once, and executors on several machines, here two addresses of one."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import psutil
import pyarrow as pa
import pytest
from conftest import PATIENCE, numbered, wait_until
from postgres import database  # noqa: F401

import tooljudge as tj

# Three programs of Java start first.
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(600)]
PARTS, ROWS, IN_FLIGHT = 3, 30, 4


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    """A master, and two workers with one core each, on addresses of their own: Spark runs no task twice at one address."""
    import pyspark
    from pyspark.sql import SparkSession

    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        master = one.getsockname()[1]
    folder, started = tmp_path_factory.mktemp("spark"), []

    def start(name, address, *words):
        more = {"SPARK_LOCAL_IP": address, "SPARK_DAEMON_MEMORY": "256m", "SPARK_WORKER_DIR": str(folder / address)}
        words = [Path(pyspark.__file__).parent / "bin/spark-class", f"org.apache.spark.deploy.{name}", "--host", address, *words]
        log = (folder / f"{address}.log").open("a")
        # In the group of the tests, with which they end if the tests are killed.
        started.append(subprocess.Popen(words, env=os.environ | more, cwd=folder, stdout=log, stderr=log))

    start("master.Master", "127.0.0.1", "--port", str(master), "--webui-port", "0")
    for address in ("127.0.0.2", "127.0.0.3"):
        start("worker.Worker", address, "--cores", "1", "--memory", "768m", "--webui-port", "0", f"spark://127.0.0.1:{master}")
    os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    here = SparkSession.builder.master(f"spark://127.0.0.1:{master}")
    settings = {
        "spark.driver.memory": "1g",
        "spark.driver.host": "127.0.0.1",
        "spark.executor.memory": "512m",
        "spark.ui.enabled": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.executorEnv.PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        "spark.speculation": "true",
        "spark.speculation.interval": "100ms",
        "spark.speculation.quantile": "0.5",
        "spark.speculation.multiplier": "1.1",
        "spark.speculation.minTaskRuntime": "100ms",
        "spark.scheduler.minRegisteredResourcesRatio": "1.0",
        "spark.cores.max": "2",
    }
    for name, value in settings.items():
        here = here.config(name, value)
    made = here.getOrCreate()
    made.sparkContext.setLogLevel("OFF")
    # Both are there.
    assert made.sparkContext.parallelize(range(2), 2).count() == 2
    yield made
    made.stop()
    for one in reversed(started):
        one.terminate()
        one.wait(PATIENCE)


@pytest.fixture
def kept(database, request):
    return database.url(re.sub(r"\W", "_", request.node.name)[-40:])


def frame(session):
    table = pa.Table.from_pylist([{"at": at, **row} for at, row in enumerate(numbered(ROWS))])
    return session.createDataFrame(table).repartitionByRange(PARTS, "at").sortWithinPartitions("at")


def started(session, made, into):
    """Labels on another thread."""
    job = threading.Thread(target=lambda: into.append(made.toArrow().to_pylist()), daemon=True)
    job.start()
    return job


def held_after(rows):
    """A function that answers, and for later rows waits for what comes beside it."""
    go = threading.Event()

    def answer(sent):
        if int(re.search(r"Say (\d+)", sent)[1]) >= rows:
            go.wait(PATIENCE)
        return "correct"

    return answer, go


def test_a_file_is_refused_for_two_machines(session, server):
    one = server()
    with pytest.raises(tj.StoreError, match="the workers are on 2 machines.*postgres://"):
        tj.spark.label(frame(session), **one.judge())
    assert one.requests == 0
    assert tj.spark.label(frame(session)).count() == ROWS


def test_a_task_that_runs_twice_at_once_pays_once(session, server, kept):
    # The last task waits, and the others do not.
    answer, go = held_after(ROWS * 2 // 3)
    one, out = server(label=answer), []
    made = tj.spark.label(frame(session), **one.judge(), store=kept, concurrency=IN_FLIGHT)
    job, tracker = started(session, made, out), session.sparkContext.statusTracker()

    def twice():
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        seen = [(stage.numTasks, stage.numCompletedTasks, stage.numActiveTasks) for stage in stages if stage]
        return (PARTS, PARTS - 1, 2) in seen

    wait_until(lambda: twice() or out)
    assert not out
    go.set()
    job.join(PATIENCE)
    assert [(row["at"], row["label"]) for row in out[0]] == [(at, "correct") for at in range(ROWS)]
    assert one.requests == ROWS


def test_an_executor_that_dies_costs_at_most_what_was_in_flight(session, server, kept):
    answer, go = held_after(5)
    one, out = server(label=answer), []
    made = tj.spark.label(frame(session), **one.judge(), store=kept, concurrency=IN_FLIGHT)
    job = started(session, made, out)
    wait_until(lambda: one.requests > 5 and executors(one))
    os.kill(executors(one).pop(), signal.SIGKILL)
    go.set()
    job.join(PATIENCE)
    assert [(row["at"], row["label"]) for row in out[0]] == [(at, "correct") for at in range(ROWS)]
    assert ROWS <= one.requests <= ROWS + IN_FLIGHT


def executors(server):
    """The programs of Java whose workers hold a connection to the server."""
    port = server.http.server_port
    held = {
        one.pid for one in psutil.net_connections("tcp") if one.raddr and one.raddr.port == port and one.status == "ESTABLISHED"
    }
    found = set()
    for pid in held - {os.getpid(), None}:
        try:
            parents = psutil.Process(pid).parents()
        except psutil.NoSuchProcess:
            continue
        found |= {one.pid for one in parents if "CoarseGrainedExecutorBackend" in " ".join(one.cmdline())}
    return found
