"""Mistakes that a type checker finds: `test_types.py` asks it about each line with `mistake`. It is not run."""

import polars as pl

import tooljudge as tj

ROWS = [{"question": "Say 1", "tool_call": "say(n=1)", "tool_definitions": "say: Says a number"}]


def count(prompts: list[str]) -> int:
    return len(prompts)


def mistakes(frame: pl.DataFrame) -> None:
    tj.label(ROWS, max_costs=5)  # mistake: the name of an option
    tj.label(ROWS, max_cost="five")  # mistake: the type of an option
    tj.label(ROWS, per="word")  # mistake: a word that is not one of the choices
    tj.label(frame).to_dicts().label  # mistake: what a list does not have
    tj.label(ROWS)["label"]  # mistake: rows are not columns
    tj.label("calls.jsonl").to_panda()  # mistake: a name of the frame
    tj.label(frame, return_summary=True).height  # mistake: a pair is no frame
    tj.label(5)  # mistake: no table
    tj.label(ROWS, judge=count)  # mistake: a judge gives a list
    tj.lable(ROWS)  # mistake: the name of the function
    tj.bench(ROWS).passes  # mistake: a name of the report
    tj.bench(ROWS, min_acuracy=1)  # mistake: an option of the report
    tj.convert(ROWS, judge="builtin")  # mistake: an option of another job
    tj.aio.label(ROWS, per="word")  # mistake: as without aio
    tj.spark.label(frame, limit=5)  # mistake: an option of a whole run
    tj.findings(5)  # mistake: no table
    tj.score(ROWS, scorer="nope")  # mistake: no scorer
    tj.score(ROWS, functions={"even": 2})  # mistake: no function
    tj.score(ROWS, params="loose")  # mistake: no way to compare
    tj.Judge("openai:m", price="cheap")  # mistake: a price is two numbers
    tj.Judge("openai:m", headers=3)  # mistake: the type of a setting
    tj.label(ROWS, judge=tj.Judge("openai:m", url="x"))  # mistake: the name of a setting
    tj.label(ROWS, prices={"openai:m": "cheap"})  # mistake: a price likewise
    tj.templates.show(1)  # mistake: no name
