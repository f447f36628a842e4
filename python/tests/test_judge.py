"""Judges that are functions: under the same store, reading of answers and figures as any model."""

import asyncio
import os
import signal
import threading

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
    out, summary = tj.label(pd.DataFrame(numbered(40)), judge=model, concurrency=10, return_summary=True)
    assert list(out["label"]) == ["correct"] * 40 and set(out["judge"]) == {"Model"}
    assert sum(model.batches) == 40 and max(model.batches) == 10 and model.calls <= 8
    # The same again is in the store; a model that says something else is another one.
    tj.label(numbered(40), judge=model)
    assert sum(model.batches) == 40
    other = Model("incorrect")
    assert {row["label"] for row in tj.label(numbered(40), judge=other)} == {"incorrect"}
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
    asked = []

    def raises(prompts):
        asked.append(len(prompts))
        if len(asked) == 1:
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
        (lambda prompts: [1, 2, 3], "returned a int in the place of a text"),
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


def version(function):
    return tj.Judge(function).version


def test_versions_tell_functions_apart():
    def make(word, often=1):
        return lambda prompts, extra=often: [word] * len(prompts)

    assert version(make("correct")) == version(make("correct"))
    assert len({version(make("correct")), version(make("incorrect")), version(make("correct", 2))}) == 3
    assert version(Model()) == version(Model()) != version(Model(temperature=1.0))
    used = Model()
    used(["x"])
    assert version(used) == version(Model()), "what it counts is no setting"
    assert version(Model("a").__call__) != version(Model("b").__call__)
    assert tj.Judge(Model(), name="mine", version=3).version == "3"


def test_several_judges_and_the_name_of_each():
    out = tj.label(rows()[:2], judge=["builtin", tj.Judge(Model("incorrect"), name="no"), tj.Judge(Model(), name="yes")])
    assert out[0]["no_tool_calling_label"] == "incorrect" and out[0]["yes_tool_calling_label"] == "correct"
    gold = [{**row, "gold": "correct"} for row in rows()[:3]]
    report = tj.bench(gold, judges=["builtin", Model()])
    assert [judge["judge"] for judge in report.record["entrants"] if not judge["baseline"]] == ["builtin", "Model"]
    assert tj.score([], judge=Model()) == []


def test_coroutines_and_loops():
    async def judge(prompts):
        await asyncio.sleep(0.001)
        return ["correct"] * len(prompts)

    async def main():
        return tj.label(numbered(3), judge=judge), await tj.aio.label(numbered(5), judge=judge)

    here, apart = asyncio.run(main())
    assert [row["label"] for row in [*here, *apart]] == ["correct"] * 8


def test_it_is_called_on_the_callers_thread_and_an_interrupt_keeps_what_came():
    threads, batches = set(), []

    def judge(prompts):
        threads.add(threading.get_ident())
        batches.append(len(prompts))
        if len(batches) == 3:
            os.kill(os.getpid(), signal.SIGINT)
        return ["correct"] * len(prompts)

    with pytest.raises(KeyboardInterrupt):
        tj.label(numbered(200), judge=tj.Judge(judge, version=1), concurrency=10)
    assert threads == {threading.get_ident()}
    asked = sum(batches)
    assert asked < 200
    assert len(tj.label(numbered(200), judge=tj.Judge(judge, version=1))) == 200
    assert 200 <= sum(batches) <= 210, "only what was under way when it was interrupted is asked again"
