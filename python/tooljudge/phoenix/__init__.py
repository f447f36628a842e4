"""`llm_classify` of Phoenix 2, which Phoenix 3 removed: change one import, and the notebook runs.

>>> import pandas as pd
>>> from tooljudge.phoenix import TOOL_CALLING_PROMPT_TEMPLATE, OpenAIModel, llm_classify
>>> TOOL_CALLING_PROMPT_TEMPLATE.variables
['tool_definitions', 'question', 'tool_call']

What differs from Phoenix is in docs/from-phoenix.md. Needs pandas.
"""

from __future__ import annotations

from . import _absent
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


TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    TOOL_CALLING_PROMPT_TEMPLATE: ClassificationTemplate
    TOOL_PARAMETER_EXTRACTION_PROMPT_TEMPLATE: ClassificationTemplate
    TOOL_SELECTION_PROMPT_TEMPLATE: ClassificationTemplate


def __getattr__(name: str) -> Any:
    if name in TASKS:
        return template(TASKS[name])
    if name in _absent.ON_USE:
        return globals().setdefault(name, _absent.stand_in(name))
    advice = None if name.startswith("_") else _absent.advice(name)
    if advice is not None:
        # An AttributeError would lose its text: `from ... import` has one of its own.
        raise ImportError(f"tooljudge.phoenix has no {name}: {advice}")
    raise AttributeError(
        f"module {__name__!r} has no attribute {name!r}: of Phoenix 2 it has llm_classify with its models, and the "
        "templates about tool calls; for other questions pass a text of your own"
    )
