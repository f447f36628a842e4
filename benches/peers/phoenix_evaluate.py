"""What Phoenix has now: a classifier, and async_evaluate_dataframe. Its labels are in a column of maps."""

import asyncio
import json

import pandas
from phoenix.evals import LLM, async_evaluate_dataframe, create_classifier
from rows import IN_FLIGHT, START_RATE, URL, rows, template, write

judge = create_classifier(
    name="judge",
    prompt_template=template(),
    llm=LLM(provider="openai", model="m", base_url=URL, initial_per_second_request_rate=START_RATE),
    choices={"correct": 1, "incorrect": 0},
)
answers = asyncio.run(
    async_evaluate_dataframe(
        dataframe=pandas.DataFrame(rows()), evaluators=[judge], concurrency=IN_FLIGHT, exit_on_error=False
    )
)


def label(score):
    score = json.loads(score) if isinstance(score, str) else score
    return score.get("label") or "" if isinstance(score, dict) else ""


write(answers["judge_score"].map(label))
