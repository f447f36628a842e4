"""The names of `phoenix.evals.classify` of Phoenix 2, as far as they are here."""

from . import __getattr__, llm_classify  # noqa: F401

__all__ = ["llm_classify"]
