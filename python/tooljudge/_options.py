"""The options of the jobs, which are the flags of the command line: `max_cost=5` is `--max-cost=5`."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Iterable, Mapping, Sequence

from ._errors import SettingsError, ToolJudgeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ParamSpec, TypeVar

    Given = ParamSpec("Given")
    Made = TypeVar("Made")


def takes(options: Any, forks: bool = True) -> Callable[[Callable[Given, Made]], Callable[Given, Made]]:
    """Makes a job of a function whose last parameter is `**options`: with the signature that `options` spells out, which refuses any
    other; and, unless it `forks` by itself, with a way to work in a process that was forked from one that had worked."""
    names = options.names

    def decorate(work: Callable[Given, Made]) -> Callable[Given, Made]:
        @functools.wraps(work)
        def job(*data: Any, **given: Any) -> Any:
            from . import _run, _slips

            _check(job, given)
            given = {name: scalar(value) for name, value in given.items()}
            try:
                _slips.refuse(job, given)
                if forks and _run.is_orphaned():
                    from . import _spawned

                    return _spawned.call(job.__name__, data, given)
                return work(*data, **given)
            except ToolJudgeError as error:
                # The message says what is wrong; where in here it was found is of no use to who made the slip.
                raise error.with_traceback(None)  # noqa: B904

        own = inspect.signature(work)
        kept = [one for one in own.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
        added = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind) for name, kind in names.items()
        ]
        vars(job).update(__signature__=own.replace(parameters=[*kept, *added]), options=frozenset(names))
        return job

    return decorate


def _check(job, given):
    for name in given:
        if name not in job.__signature__.parameters:
            import difflib

            near = difflib.get_close_matches(name, job.options, 1)
            hint = f"; did you mean {near[0]!r}?" if near else f"; the options are {', '.join(sorted(job.options))}"
            raise TypeError(f"{job.__name__}() got an unexpected keyword argument {name!r}{hint}")


def scalar(value: Any) -> Any:
    """A number or truth value as Python has it, where numpy, pandas or a kindred library has made it."""
    if getattr(value, "ndim", None) != 0 or not hasattr(value, "item"):
        return value
    plain = value.item()
    # As it is written: 0.1 of 32 bits is not the nearest one of 64.
    return float(str(value)) if isinstance(plain, float) else plain if isinstance(plain, (bool, int)) else value


# A list of none of these is a slip, and not a wish for the default.
CHOICES = {"judge", "task", "template", "rails"}


def plain(options):
    """The options that are set, as texts, truth values, lists and dicts. `False` is set: it turns off what a settings file turns on."""
    return {name.rstrip("_"): _plain(name, value) for name, value in options.items() if value is not None}


def _plain(name, value):
    if isinstance(value, Mapping):
        return {str(key): _json(one) if name == "set" else _text(name, one) for key, one in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes, os.PathLike)):
        texts = [_text(name, one) for one in value]
        if not texts and name in CHOICES:
            raise SettingsError(f"{name}: the list is empty; leave {name} out for the default")
        return texts
    return value if isinstance(value, bool) else _text(name, value)


def _json(value):
    """A setting of a scorer. A text may be JSON already."""
    import json

    if isinstance(value, str):
        try:
            json.loads(value)
        except ValueError:
            return json.dumps(value)
        return value
    from ._json import text

    return text(scalar(value))


def setting(name, value):
    """A setting of a judge's own: as it is in a settings file."""
    value = scalar(value)
    if isinstance(value, Mapping):
        return {str(key): setting(name, one) for key, one in value.items()}
    if isinstance(value, os.PathLike):
        return str(os.fspath(value))
    if isinstance(value, (list, tuple)):
        return [setting(name, one) for one in value]
    if isinstance(value, (bool, str, int, float)):
        return value
    raise SettingsError(f"{name}: {type(value).__name__} cannot be a setting; give texts, numbers, lists and dicts")


def _text(name, value):
    value = scalar(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, os.PathLike)):
        return str(os.fspath(value))
    if isinstance(value, tuple) and len(value) == 2:
        return f"{value[0]}={value[1]}"
    if isinstance(value, (int, float)) or hasattr(value, "__float__") or hasattr(value, "__index__"):
        return str(value)
    raise SettingsError(f"{name}: {type(value).__name__} is neither a text nor a number")
