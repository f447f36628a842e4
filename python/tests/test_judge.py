"""Judges that are functions: under the same store, reading of answers and figures as any model."""

import asyncio
import os
import signal
import threading
import time

import pandas as pd
import pytest
from conftest import numbered, rows

import tooljudge as tj


class Model:
    """Answers `label`, and counts."""

    def __init__(self, label="correct", temperature=0.0):
        self.label, self.temperature = label, temperature
        self.batches = []
        self.calls = 0

    def __call__(self, prompts):
        self.calls += 1
        self.batches.append(len(prompts))
        return [self.label] * len(prompts)


def test_a_function_labels_and_is_asked_once():
    model = Model()
    judge = tj.Judge(model, version=1)
    out, summary = tj.label(pd.DataFrame(numbered(40)), judge=judge, concurrency=10, return_summary=True)
    assert list(out["label"]) == ["correct"] * 40 and set(out["judge"]) == {"Model"}
    assert sum(model.batches) == 40 and max(model.batches) == 10 and model.calls <= 8
    # The same version again is in the store, another one is asked.
    tj.label(numbered(40), judge=judge)
    assert sum(model.batches) == 40
    assert tj.resnap(numbered(40), judge=judge)[0]["label"] == "correct"
    other = Model("incorrect")
    assert {row["label"] for row in tj.label(numbered(40), judge=tj.Judge(other, version=2))} == {"incorrect"}
    assert summary["panel"][0]["summary"]["labels"] == {"correct": 40}


def test_it_sees_the_prompt_and_its_words_are_read_as_any_models():
    seen = []

    def judge(prompts):
        seen.extend(prompts)
        return ["I thought about it.\nLABEL: incorrect", "correct"]

    out = tj.label(rows()[:2], judge=judge, explain=True, votes=1)
    assert "Book a table in Oslo for 4" in seen[0] + seen[1]
    assert {row["status"] for row in out} <= {"judged", "unparseable"}
    out = tj.label(rows()[:2], judge=lambda prompts: ["no idea", "both correct and incorrect"])
    assert [row["label"] for row in out] == [None, None]


def test_what_fails_is_an_error_of_its_rows():
    def judge(prompts):
        return [None if "Oslo" in one else ValueError("too long") if "Bergen" in one else "incorrect" for one in prompts]

    out = tj.label(rows()[:3], judge=judge, allow_unjudged=1)
    assert [row["label"] for row in out] == [None, None, "incorrect"]
    assert "no answer" in out[0]["error"] and "ValueError: too long" in out[1]["error"]
    # They are asked again, and only they.
    asked = set()

    def raises(prompts):
        # However the prompts come together: each fails the first time.
        known = asked.issuperset(prompts)
        asked.update(prompts)
        if not known:
            raise RuntimeError("out of memory")
        return ["correct"] * len(prompts)

    out = tj.label(rows()[:3], judge=raises, allow_unjudged=1)
    assert [row["label"] for row in out] == [None] * 3 and "RuntimeError: out of memory" in out[0]["error"]
    assert [row["label"] for row in tj.label(rows()[:3], judge=raises)] == ["correct"] * 3


@pytest.mark.parametrize(
    "answer, words",
    [
        (lambda prompts: "correct", "returned a str, not a list"),
        (lambda prompts: ["correct"], "returned 1 texts for 3 prompts"),
        (lambda prompts: {"correct", "incorrect"}, "returned a set"),
        (lambda prompts: dict.fromkeys(prompts, "correct"), "returned a dict"),
    ],
)
def test_what_is_no_answer_stops_the_run(answer, words):
    with pytest.raises(tj.JudgeError, match=f"the function lambda: it {words}"):
        tj.label(rows()[:3], judge=answer)


def test_a_function_that_always_fails_stops_the_run(caplog):
    def broken(prompts):
        raise KeyError("weights")

    with pytest.raises(tj.JudgeError, match="all the same error.*KeyError: 'weights'"):
        tj.label(numbered(100), judge=broken)
    tracebacks = [record for record in caplog.records if record.exc_info]
    assert len(tracebacks) == 1 and "broken" in tracebacks[0].getMessage()


def test_without_a_version_nothing_is_taken_from_the_store():
    """Nobody can see whether a function still is what it was: what it calls may have changed."""
    says = ["correct"]

    def judge(prompts):
        return says * len(prompts)

    assert tj.label(rows()[:1], judge=judge)[0]["label"] == "correct"
    says[0] = "incorrect"
    assert tj.label(rows()[:1], judge=judge)[0]["label"] == "incorrect"
    named = tj.Judge(judge, name="mine")
    assert tj.label(rows()[:1], judge=named)[0]["label"] == "incorrect"
    says[0] = "correct"
    assert tj.label(rows()[:1], judge=named)[0]["label"] == "correct"
    with pytest.raises(tj.SettingsError, match="version"):
        tj.resnap(rows()[:1], judge=named)


def test_one_strange_answer_costs_one_row():
    answers = iter(["correct", 5, "\ud800", "incorrect"])
    out = tj.label(numbered(4), judge=lambda prompts: (next(answers) for _ in prompts), allow_unjudged=1)
    assert sorted(str(row["label"]) for row in out) == ["None", "None", "correct", "incorrect"]
    errors = [row["error"] for row in out if row["error"]]
    assert any("returned a int" in error for error in errors) and any("not Unicode" in error for error in errors)


def test_several_judges_and_the_name_of_each():
    out = tj.label(rows()[:2], judge=["builtin", tj.Judge(Model("incorrect"), name="no"), tj.Judge(Model(), name="yes")])
    assert out[0]["no_tool_calling_label"] == "incorrect" and out[0]["yes_tool_calling_label"] == "correct"
    gold = [{**row, "gold": "correct"} for row in rows()[:3]]
    report = tj.bench(gold, judges=["builtin", Model()])
    assert [judge["judge"] for judge in report.record["entrants"] if not judge["baseline"]] == ["builtin", "Model"]
    with pytest.raises(tj.SettingsError, match="columns of the same names"):
        tj.label(rows()[:1], judge=[tj.Judge(Model(), name="a b"), tj.Judge(Model(), name="a_b")])
    with pytest.raises(tj.SettingsError, match="the list is empty"):
        tj.label(rows()[:1], judge=[])
    with pytest.warns(tj.ToolJudgeWarning, match="a function does not use `temperature`, `timeout`"):
        tj.label(rows()[:1], judge=Model(), temperature=0.5, timeout=3)


def test_coroutines_and_loops():
    lock = asyncio.Semaphore(1)

    async def judge(prompts):
        # As clients do, it stays with the loop that it first met.
        async with lock:
            await asyncio.sleep(0.001)
        return ["correct"] * len(prompts)

    async def main():
        return tj.label(numbered(3), judge=judge), await tj.aio.label(numbered(50), judge=judge)

    here, apart = asyncio.run(main())
    assert [row["label"] for row in [*here, *apart]] == ["correct"] * 53


@pytest.mark.parametrize("is_async", [False, True])
def test_it_is_called_on_the_callers_thread_and_an_interrupt_waits_for_its_answers(is_async):
    threads, batches = set(), []

    def judge(prompts):
        threads.add(threading.get_ident())
        batches.append(len(prompts))
        if len(batches) == 3:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.05)
        return ["correct"] * len(prompts)

    async def later(prompts):
        return judge(prompts)

    one = tj.Judge(later if is_async else judge, name="one", version=1)
    with pytest.raises(KeyboardInterrupt):
        tj.label(numbered(200), judge=one, concurrency=10)
    asked = sum(batches)
    assert asked < 200 and (is_async or threads == {threading.get_ident()})
    out, summary = tj.label(numbered(200), judge=one, return_summary=True)
    # What was under way when it was interrupted is not asked again, and nothing else counts as failed.
    assert sum(batches) == 200 and summary["panel"][0]["summary"]["cached"] == asked
    assert [row["label"] for row in out] == ["correct"] * 200


def test_what_an_interrupt_leaves_out_was_not_asked():
    def judge(prompts):
        raise KeyboardInterrupt

    with pytest.warns(tj.ToolJudgeWarning, match="stopped"):
        out = tj.label(numbered(50), judge=judge, partial=True)
    assert {row["status"] for row in out} == {"not_asked"}


def test_a_model_with_settings_of_its_own(server, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "the usual one")
    here = server()
    judge = tj.Judge(
        "openai:gpt-5-mini", base_url=here.url, api_key="sk-own", price=(1.0, 2.0), headers={"X-Team": "evals"}, max_tokens=16, name="mini"
    )
    out, summary = tj.label(rows()[:2], judge=judge, max_cost=1, store=False, return_summary=True)
    assert {row["judge"] for row in out} == {"mini"} and summary["panel"][0]["summary"]["cost_usd"] > 0
    assert here.keys == {"Bearer sk-own"} and "sk-own" not in str(summary) and repr(judge).startswith("<tooljudge.Judge mini")
    for price, kind in [((1.0,), "price"), ({"input": "much"}, "price"), ({"input": -1, "output": 1}, "price")]:
        with pytest.raises((tj.SettingsError, ValueError), match=kind):
            tj.label(rows()[:1], judge=tj.Judge("openai:m", base_url=here.url, price=price))
    with pytest.raises(tj.SettingsError, match="unknown field `colour`"):
        tj.label(rows()[:1], judge=tj.Judge("openai:m", colour="red"))
    with pytest.raises(tj.SettingsError, match="the judge `m`: `timeout`"):
        tj.label(rows()[:1], judge=tj.Judge("openai:m", timeout=-1))
    with pytest.raises(tj.SettingsError, match="another name|stands for|cannot take"):
        tj.label(rows()[:1], judge=tj.Judge("openai:m", name="builtin"))


def test_prices_and_templates_need_no_file(server, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    here = server()
    options = {"judge": "vllm:m", "base_url": here.url, "max_tokens": 8, "store": False}
    with pytest.raises(tj.ToolJudgeError, match="price"):
        tj.label(rows()[:1], max_cost=1, **options)
    out = tj.label(
        rows()[:1],
        max_cost=1,
        prices={"vllm:m": (1.0, 2.0)},
        template="Is {tool_call} right for {question} with {tool_definitions}?",
        rails=["correct", "incorrect"],
        **options,
    )
    assert out[0]["label"] == "correct" and out[0]["cost_usd"] > 0
    assert not list(tmp_path.iterdir())
