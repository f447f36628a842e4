"""The names of `phoenix.evals.templates` of Phoenix 2, as far as they are here."""

from . import (  # noqa: F401
    ClassificationTemplate,
    PhoenixTemplateMappingError,
    PromptPartContentType,
    PromptPartTemplate,
    PromptTemplate,
    __getattr__,
)

__all__ = [
    "ClassificationTemplate",
    "PhoenixTemplateMappingError",
    "PromptPartContentType",
    "PromptPartTemplate",
    "PromptTemplate",
]
