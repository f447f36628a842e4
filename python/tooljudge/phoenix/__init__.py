"""`llm_classify` of Phoenix 2, which Phoenix 3 removed: change one import, and the notebook runs.

>>> import pandas as pd
>>> from tooljudge.phoenix import TOOL_CALLING_PROMPT_TEMPLATE, OpenAIModel, llm_classify
>>> TOOL_CALLING_PROMPT_TEMPLATE.variables
['tool_definitions', 'question', 'tool_call']

What differs from Phoenix is in docs/from-phoenix.md. Needs pandas.
"""

from ._classify import llm_classify
from ._models import AnthropicModel, GeminiModel, GoogleGenAIModel, LiteLLMModel, MistralAIModel, OpenAIModel
from ._templates import (
    ClassificationTemplate,
    PhoenixTemplateMappingError,
    PromptPartContentType,
    PromptPartTemplate,
    PromptTemplate,
)
from ._wordings import (
    NOT_PARSABLE,
    TASKS,
    TOOL_CALLING_PROMPT_RAILS_MAP,
    TOOL_PARAMETER_EXTRACTION_PROMPT_RAILS_MAP,
    TOOL_SELECTION_PROMPT_RAILS_MAP,
    template,
)

__all__ = [
    "NOT_PARSABLE",
    "TOOL_CALLING_PROMPT_RAILS_MAP",
    "TOOL_CALLING_PROMPT_TEMPLATE",
    "TOOL_PARAMETER_EXTRACTION_PROMPT_RAILS_MAP",
    "TOOL_PARAMETER_EXTRACTION_PROMPT_TEMPLATE",
    "TOOL_SELECTION_PROMPT_RAILS_MAP",
    "TOOL_SELECTION_PROMPT_TEMPLATE",
    "AnthropicModel",
    "ClassificationTemplate",
    "GeminiModel",
    "GoogleGenAIModel",
    "LiteLLMModel",
    "MistralAIModel",
    "OpenAIModel",
    "PhoenixTemplateMappingError",
    "PromptPartContentType",
    "PromptPartTemplate",
    "PromptTemplate",
    "llm_classify",
]

_GATEWAY = "use a gateway that speaks OpenAI's API, such as LiteLLM's proxy: OpenAIModel(model=..., base_url=..., api_key=...)"
_ABSENT = {
    "BedrockModel": f"Bedrock is not asked directly; {_GATEWAY}",
    "VertexAIModel": f"Vertex AI is not asked directly; use GeminiModel(model=...) with a key of the Gemini API, or {_GATEWAY}",
    "TOOL_CALLING_SPAN_PROMPT_TEMPLATE": "convert the spans to rows first, as tooljudge.label does with a frame of spans",
    "LLM": "Phoenix 2's llm_classify does not take it either; use OpenAIModel(model=...), AnthropicModel(model=...) or such",
    "llm_generate": "tooljudge only labels",
    "run_evals": "call llm_classify once for each template",
    "snap_to_rail": 'llm_classify(..., snap="legacy") reads replies by its rules',
}


def __getattr__(name):
    if name in TASKS:
        return template(TASKS[name])
    if name in _ABSENT:
        raise ImportError(f"tooljudge.phoenix has no {name}: {_ABSENT[name]}")
    raise AttributeError(
        f"module {__name__!r} has no attribute {name!r}: of Phoenix 2 it has llm_classify with its models, and the "
        "templates about tool calls; for other questions pass a text of your own"
    )
