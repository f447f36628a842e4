"""The names of `phoenix.evals.utils`, as far as they are here."""

from . import NOT_PARSABLE, __getattr__  # noqa: F401

__all__ = ["NOT_PARSABLE"]
