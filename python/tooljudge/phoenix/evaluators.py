"""The names of `phoenix.evals.evaluators` of Phoenix 2 and 3: what to use instead."""

from . import __getattr__  # noqa: F401

__all__: list[str] = []
