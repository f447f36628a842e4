"""The names of `phoenix.evals.utils`, as far as they are here."""

from . import NOT_PARSABLE, __getattr__

__all__ = ["NOT_PARSABLE", "__getattr__"]
