"""The names of `phoenix.evals.llm` of Phoenix 3: what to use instead."""

from . import __getattr__  # noqa: F401

__all__: list[str] = []
