"""What workers of a cluster are given, without an engine: checked before anything is sent, the same on each, and told once."""

import os
import pickle
import time
import types

import pyarrow as pa
import pytest
from conftest import by_program, labels, numbered, rows

import tooljudge as tj
from tooljudge import _shared_store
from tooljudge._cluster import Job

pytestmark = pytest.mark.filterwarnings("error::tooljudge.ToolJudgeWarning")


def batches(rows, size):
    return pa.Table.from_pylist(rows).to_batches(size)


def elsewhere(job):
    """The job as a worker gets it."""
    return pickle.loads(pickle.dumps(job))


@pytest.mark.parametrize("size", [1, 2, 5])
def test_batches_are_labelled_as_by_the_command_line(size, tmp_path):
    job = elsewhere(Job({"decide": "always"}))
    given = batches(rows(), size)
    out = list(job(iter(given)))
    assert [len(batch) for batch in out] == [len(batch) for batch in given]
    assert labels(pa.Table.from_batches(out).to_pylist()) == labels(by_program(rows(), tmp_path, "--decide=always"))
    assert {batch.schema for batch in out} == {job.label_none(given[0].schema.empty_table())[0].schema}
    own = pa.Table.from_batches(out).select(given[0].schema.names)
    assert own.equals(pa.Table.from_batches(given))


def test_all_types_are_known_beforehand_and_common():
    options = {"judge": [tj.Judge(lambda prompts: ["correct"] * len(prompts), name="mine"), "builtin"], "findings": True}
    job, (batch,) = Job({**options, "explain": True}), batches(numbered(3), 3)
    made, ours = job.label_none(batch.schema.empty_table())
    schema = made.schema
    assert [*batch.schema.names, *ours] == schema.names
    assert next(job(iter([batch]))).schema == schema and "mine_tool_calling_label" in schema.names
    odd = [field for field in schema if pa.types.is_unsigned_integer(field.type) or "view" in str(field.type)]
    assert odd == []
    assert list(job(iter([batch.slice(0, 0)]))) == []


def test_a_bad_row_is_a_status_whatever_is_beside_it():
    junk = [
        {"question": None, "tool_call": None, "tool_definitions": None},
        {"question": "[{", "tool_call": "{" * 500, "tool_definitions": "nothing"},
        {"question": "\x00", "tool_call": "\ufffd", "tool_definitions": "[[[[" * 200},
        {"question": '[{"role": "user"}]', "tool_call": '{"name": 5}', "tool_definitions": "{}"},
        # Beside each other, they look like records of a log.
        {"question": "{}", "tool_call": '{"messages": [{"role": "user", "content": "x"}]}', "tool_definitions": "[]"},
    ]
    schema = pa.schema([(name, pa.string()) for name in junk[0]])
    together = Job({}).label(pa.Table.from_pylist(junk, schema))
    assert len(together) == len(junk) and None not in together["status"].to_pylist()
    alone = [Job({}).label(pa.Table.from_pylist([row], schema)) for row in junk]
    assert labels(pa.concat_tables(alone).to_pylist()) == labels(together.to_pylist())


def test_a_table_with_the_keys_of_a_log_stays_a_table():
    table = pa.Table.from_pylist([{**row, "type": "GENERATION", "traceId": "1", "input": "x"} for row in numbered(2)])
    assert Job({}).label(table).column_names[: len(table.column_names)] == table.column_names
    with pytest.raises(tj.InputError, match="tool_call"):
        Job({}).label_none(pa.table({"messages": pa.array([], pa.string())}))


@pytest.mark.parametrize(
    "options, words",
    [
        ({"judge": ["builtin", tj.Judge("vllm:m")], "store": False}, "store=False.*twice.*postgres://"),
        ({"judge": {"vllm:m"}, "store": False}, "store=False.*twice"),
        ({"judge": "vllm:m", "store": "postgre://u:secret@h/db"}, "looks like an address"),
        ({"judge": "vllm:m", "store": "x/no/such"}, None),
    ],
)
def test_what_cannot_hold_is_refused_before_anything_is_sent(options, words):
    if words is None:
        # A folder that is not there yet is made.
        assert os.path.isdir(os.path.dirname(Job(options).store.name))
        return
    with pytest.raises(tj.SettingsError, match=words):
        Job(options)


def test_a_file_is_no_store_for_several_machines(monkeypatch, server):
    one = server()
    job = Job({**one.judge(), "store": "replies.sqlite"})
    with pytest.raises(tj.StoreError, match="2 machines.*postgres://"):
        job.store.needs(2)
    job.store.needs(1)
    (batch,) = batches(numbered(1), 1)
    assert next(elsewhere(job)(iter([batch])))["label"].to_pylist() == ["correct"]
    # Another machine has another folder of that name.
    monkeypatch.setattr(_shared_store, "_place", lambda folder: ("other", 1, 2))
    with pytest.raises(tj.StoreError, match="not all workers share: give a database.*postgres://"):
        next(elsewhere(job)(iter([batch])))
    assert one.requests == 1
    shared = Job({"judge": "vllm:m", "store": "postgresql://me@db/labels"}).store
    shared.needs(9)
    shared.check()
    # The built-in judge and functions need none.
    assert Job({"judge": [len, "builtin"]}).store is None and Job({"store": "replies.sqlite"}).store is None


@pytest.mark.parametrize(
    "hosts, machines",
    [
        (["driver"], 0),
        (["driver", "a"], 1),
        (["driver", "a", "a"], 1),
        (["a", "driver", "driver", "b"], 3),
        # As in a session of Spark Connect, which does not tell.
        (None, 1),
    ],
)
def test_machines_of_executors_are_counted_without_the_driver(hosts, machines):
    class Session:
        @property
        def sparkContext(self):
            if hosts is None:
                raise AttributeError("not in Spark Connect")
            executors = [types.SimpleNamespace(host=lambda host=host: host) for host in hosts]
            tracker = types.SimpleNamespace(getExecutorInfos=lambda: executors)
            scala = types.SimpleNamespace(statusTracker=lambda: tracker)
            java = types.SimpleNamespace(sc=lambda: scala)
            return types.SimpleNamespace(_jsc=java, getConf=lambda: {"spark.driver.host": "driver"})

    assert tj.spark._machines(types.SimpleNamespace(sparkSession=Session())) == machines


def test_workers_have_the_settings_and_files_of_the_first_process(tmp_path, monkeypatch):
    (tmp_path / "tooljudge.toml").write_text('[label]\nprefix = "p_"\ntemplate = "mine.jinja"\n[judges.m]\njudge = "builtin"\n')
    (tmp_path / "mine.jinja").write_text("Right? Say correct or incorrect. {{ question }} {{ tool_call }} {{ tool_definitions }}")
    seen = []

    def judge(prompts):
        seen.extend(prompts)
        return ["correct"] * len(prompts)

    job = Job({"judge": judge})
    monkeypatch.chdir(tmp_path.joinpath("other").mkdir() or "other")
    (tmp_path / "other/tooljudge.toml").write_text("[label]\nlimit = 1\n")
    (batch,) = batches(numbered(2), 2)
    (out,) = job(iter([batch]))
    assert out["p_label"].to_pylist() == ["correct"] * 2 and {text[:6] for text in seen} == {"Right?"}
    assert set(out["p_template"].to_pylist()) == {"mine"}
    with pytest.raises(tj.SettingsError, match=r"tooljudge.toml: \[label\] sets `limit`, which is of a whole run"):
        Job({})
    os.remove("tooljudge.toml")
    (tmp_path / "other/empty.toml").write_text("")
    assert Job({"config": "empty.toml"}).label_none(batch.schema.empty_table())[1][0] == "label"
    plain = Job({})
    (tmp_path / "other/tooljudge.toml").write_text("[label]\nlimit = 1\n")
    assert len(next(plain(iter([batch])))) == 2


def test_files_of_judges_travel_and_templates_of_ours_stay(tmp_path, monkeypatch):
    (tmp_path / "tool_calling").write_text("not this one")
    (tmp_path / "certificates.pem").write_text("no certificate")
    (tmp_path / "tooljudge.toml").write_text('[judges.m]\njudge = "vllm:m"\nca_cert = "certificates.pem"\n')
    given = batches(numbered(1), 1)[0]
    for judge in ("m", tj.Judge("vllm:m", ca_cert="certificates.pem")):
        job = elsewhere(Job({"judge": judge, "store": str(tmp_path / "replies.sqlite")}))
        with monkeypatch.context() as at:
            at.chdir(tmp_path.joinpath(f"worker-{id(judge)}").mkdir() or f"worker-{id(judge)}")
            # They are read there, and are none.
            with pytest.raises(tj.ToolJudgeError, match="certificates.pem: no certificate in PEM form"):
                next(job(iter([given])))
    made, _ = Job({"template": "tool_calling", "config": os.devnull}).label_none(given.schema.empty_table())
    assert "label" in made.column_names
    assert Job({"template": "tool_calling", "config": os.devnull})._options["template"] == "tool_calling"


def test_a_settings_file_is_read_as_by_any_job(tmp_path):
    for text in ("[label]\njudge = 1\n[nonsense]\n", "[judges.builtin]\njudge = 'vllm:m'\n", "[label\n"):
        (tmp_path / "tooljudge.toml").write_text(text)
        said = []
        for call in (lambda: tj.label(numbered(1), config="tooljudge.toml"), lambda: Job({"config": "tooljudge.toml"})):
            with pytest.raises(tj.SettingsError) as raised:
                call()
            said.append(str(raised.value))
        assert said[0] == said[1]


def test_a_dead_judge_is_asked_once_and_tells_all(server, monkeypatch):
    one = server(code=401)
    job = Job({**one.judge(), "api_key": "secret-key", "concurrency": 1})
    said = set()
    for batch in batches(numbered(4), 1):
        with pytest.raises(tj.JudgeError) as refused:
            next(elsewhere(job)(iter([batch])))
        said.add(str(refused.value))
    assert one.requests == 1 and len(said) == 1
    assert "secret-key" not in said.pop() + repr(job) + str(job)
    # Somebody may have mended it.
    later = time.time() + 1000
    monkeypatch.setattr(time, "time", lambda: later)
    with pytest.raises(tj.JudgeError):
        next(elsewhere(job)(iter([batch])))
    assert one.requests == 2


def test_options_of_a_whole_run_are_no_options_here():
    for door in (tj.ray, tj.spark, tj.dask, tj.daft):
        with pytest.raises(TypeError, match="limit"):
            door.label(None, limit=5)
        with pytest.raises(TypeError, match="retry"):
            door.label(None, retry="unparseable")
        with pytest.raises(TypeError, match="did you mean 'judge'"):
            door.label(None, judgee="builtin")


def test_max_cost_is_one_limit_for_all_tasks_of_a_job(server):
    one = server(tokens=1000)
    settings = '[judges.m]\njudge = "vllm:m"\nbase_url = "%s"\nmax_tokens = 1\nprice = { input = 1000.0, output = 1000.0 }\n'
    with open("tooljudge.toml", "w", encoding="utf-8") as file:
        file.write(settings % one.url)
    job = Job({"judge": "m", "max_cost": 6.0, "store": "replies.sqlite"})
    # Engines first ask for the columns of no rows, with whatever options there are.
    told = {"fresh": True, "retry": "truncated", "keep_prompts": True}
    none = next(iter(batches(numbered(1), 1))).slice(0, 0)
    assert "label" in Job({"judge": "m", "max_cost": 6.0, "store": "replies.sqlite", **told}).label_none(none)[1]
    made = [next(elsewhere(job)(iter([batch]))) for batch in batches(numbered(20), 5)]
    statuses = [status for batch in made for status in batch["status"].to_pylist()]
    assert set(statuses) == {"judged", "skipped_budget"}
    # Each costs a dollar.
    assert 3 <= one.requests == statuses.count("judged") <= 6
    # Another job has a purse of its own.
    again = Job({"judge": "m", "max_cost": 6.0, "store": "replies.sqlite"})
    next(again(iter(batches(numbered(20), 20))))
    assert one.requests > statuses.count("judged")
