"""What users write, for a type checker: `test_types.py` asks it. It is not run."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, assert_type

import polars as pl

import tooljudge as tj
from tooljudge.phoenix import TOOL_CALLING_PROMPT_TEMPLATE, OpenAIModel, llm_classify

ROWS = [{"question": "Say 1", "tool_call": "say(n=1)", "tool_definitions": "say: Says a number"}]


@dataclass
class Call:
    """A row as an object."""

    question: str
    tool_call: str


class Asked:
    """A judge of one's own that can be called."""

    def __call__(self, prompts: list[str]) -> list[str | None]:
        return [None for _ in prompts]


def my_agent(question: str, tools: tj.Tools) -> str:
    return tools["say"](text=question)


def always_right(prompts: list[str]) -> list[str]:
    return ["correct" for _ in prompts]


async def at_length(prompts: list[str]) -> list[str | None]:
    return [None for _ in prompts]


def kinds(frame: pl.DataFrame, columns: dict[str, list[str]]) -> None:
    assert_type(tj.label(ROWS), list[dict[str, Any]])
    assert_type(tj.label([Call("Say 1", "say(n=1)")]), list[dict[str, Any]])
    assert_type(tj.label(columns), dict[str, Any])
    assert_type(tj.label(frame), pl.DataFrame)
    assert_type(tj.label("calls.jsonl"), tj.Frame)
    assert_type(tj.label([Path("a.jsonl"), Path("b.jsonl")]), tj.Frame)
    assert_type(tj.score(ROWS, scorer="tool_correctness"), list[dict[str, Any]])
    assert_type(tj.convert(Path("trace.json"), all=True), tj.Frame)
    assert_type(tj.gold(bfcl="data", seed=1), tj.Frame)
    assert_type(tj.resnap(frame, snap="legacy"), pl.DataFrame)
    assert_type(tj.label_batches(iter([ROWS])), Iterator[list[dict[str, Any]]])
    assert_type(tj.findings(tj.label(frame, findings=True)), pl.DataFrame)
    print(tj.label(frame.lazy()).height)


def summaries(frame: pl.DataFrame) -> None:
    made, run = tj.label(frame, judge="openai:gpt-5-mini", max_cost=5, max_tokens=400, return_summary=True)
    assert_type(made, pl.DataFrame)
    assert_type(run, dict[str, Any])
    assert_type(tj.label(frame, output="out.parquet", force=True), dict[str, Any])
    assert_type(tj.label(frame, dry_run=True), dict[str, Any])


def engines(frame: pl.DataFrame) -> None:
    # Of whatever kind the frame is.
    assert_type(tj.ray.label(frame, judge="openai:gpt-5-mini", workers=2, rpm=5000), pl.DataFrame)
    assert_type(tj.spark.label(frame, store="postgres://me@db/labels"), pl.DataFrame)
    assert_type(tj.dask.label(frame, findings=True), pl.DataFrame)
    assert_type(tj.daft.label(frame, batch_size=100), pl.DataFrame)


def is_even(value: int) -> bool:
    return value % 2 == 0


def judges() -> None:
    tj.label(ROWS, judge=["builtin", always_right, tj.Judge(Asked(), name="none", version=1)], store=False)
    tj.label(ROWS, judge=at_length, where={"question": "Say 1"}, concurrency="auto")
    tj.label(ROWS, judge=tj.Judge("openai:gpt-5-mini", base_url="http://localhost:1/v1", price=(0.25, 2.0)))
    tj.Judge("openai:m", price={"input": 1, "output": 2.5}, headers={"X-Team": "evals"}, body={"seed": 1}, rpm=500, concurrency="auto")
    tj.label(ROWS, prices={"openai:m": (1, 2.0), "openai:n": {"input": 1.0, "output": 2.0}})
    tj.score(ROWS, scorer="bfcl_ast")
    tj.score(ROWS, functions={"even": is_even, "odd": tj.Function(lambda value: value % 2 == 1, version=1)})
    tj.score(ROWS, params=lambda expected, called: bool(expected == called), set={"ordered": True})


def frames() -> None:
    frame = tj.label("calls.jsonl")
    assert_type(frame["label"], list[Any])
    assert_type(frame[["label", "score"]].head(3), tj.Frame)
    assert_type(frame.to_polars(), pl.DataFrame)
    for row in frame:
        assert_type(row, dict[str, Any])


def reports(frame: pl.DataFrame) -> None:
    report = tj.bench(frame, judges=["builtin", always_right], gold="gold", min_accuracy=0.9)
    assert_type(report, tj.BenchReport)
    assert_type(report.passed, bool)
    assert_type(tj.compare({"one": frame, "other": frame}, gold="gold"), tj.Comparison)
    assert_type(tj.compare("one.csv", "other.csv"), tj.Comparison)
    assert_type(tj.audit(ROWS, sample=10), tj.Audit)
    assert_type(tj.audit(ROWS, dry_run=True), list[dict[str, Any]])
    assert_type(tj.bench(ROWS, dry_run=True), list[dict[str, Any]])
    tj.drive("suite.jsonl", agent=tj.Judge("openai:gpt-5-mini"), grade="openai:gpt-5")
    tj.drive(["langchain:*"], agent=my_agent, agent_version="1", agent_timeout=5, concurrency=8)
    tj.drive("suite.jsonl", agent=my_agent, functions={"even": tj.Function(is_even, version="2")})
    tj.drive(tj.tasks.filter("typewriter"), agents={"mine": my_agent, "model": "openai:gpt-5-mini"})
    state: str | None = tj.tasks["langchain:typewriter-1"].environment().read_state()
    print(state)
    assert_type(tj.train(frame, output="own.json"), dict[str, Any])


async def later(frame: pl.DataFrame) -> None:
    assert_type(await tj.aio.label(frame), pl.DataFrame)
    made, run = await tj.aio.label(ROWS, return_summary=True)
    assert_type(made, list[dict[str, Any]])
    both = await asyncio.gather(tj.aio.label("a.jsonl"), tj.aio.label("b.jsonl"))
    assert_type(both, tuple[tj.Frame, tj.Frame])
    assert_type(await tj.aio.bench(frame), tj.BenchReport)


def others() -> None:
    assert_type(tj.templates.list(), dict[str, str])
    assert_type(tj.templates.show("tool_calling"), str)
    assert_type(TOOL_CALLING_PROMPT_TEMPLATE.variables, list[str])
    made = llm_classify(
        [["Say 1"]], OpenAIModel(model="gpt-5-mini"), "{question}", ["correct", "incorrect"], provide_explanation=True, store=False
    )
    print(made["label"])
    try:
        tj.label([])
    except tj.SettingsError as error:
        print(error)
