"""Writes phoenix_recorded.json: what `llm_classify` of Phoenix makes of phoenix_cases.py.

Run it where arize-phoenix-evals 2.13.0 and openai are installed.
"""

import json
import sys
from pathlib import Path

import phoenix.evals
import phoenix_cases
from phoenix.evals.legacy.templates import PromptPartContentType, PromptPartTemplate

HERE = Path(__file__).parent


class evals:
    """Phoenix's names, wherever it has them."""

    PromptPartContentType, PromptPartTemplate = PromptPartContentType, PromptPartTemplate
    OpenAIModel, ClassificationTemplate, PromptTemplate = (
        phoenix.evals.OpenAIModel,
        phoenix.evals.ClassificationTemplate,
        phoenix.evals.PromptTemplate,
    )


def main():
    server, recorded = phoenix_cases.Server(), {}
    for name, arguments in phoenix_cases.cases(evals, server.url).items():
        server.bodies.clear()
        made = phoenix.evals.llm_classify(**arguments)
        recorded[name] = {
            "columns": {column: str(dtype) for column, dtype in made.dtypes.items()},
            "index": [str(one) for one in made.index],
            "rows": json.loads(made.drop(columns="execution_seconds").to_json(orient="records", default_handler=str)),
            "sent": sorted(server.prompts),
        }
    (HERE / "phoenix_recorded.json").write_text(json.dumps(recorded, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    sys.exit(main())
