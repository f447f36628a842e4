"""Phoenix's llm_classify, which version 3 dropped. It reads labels out of text, since the server calls no functions."""

import pandas
from phoenix.evals import OpenAIModel, llm_classify
from rows import IN_FLIGHT, START_RATE, URL, rows, template, write

answers = llm_classify(
    data=pandas.DataFrame(rows()),
    model=OpenAIModel(model="m", base_url=URL, **({"initial_rate_limit": START_RATE} if START_RATE else {})),
    template=template(),
    rails=["correct", "incorrect"],
    use_function_calling_if_available=False,
    concurrency=IN_FLIGHT,
    exit_on_error=False,
)
write(answers["label"].fillna(""))
