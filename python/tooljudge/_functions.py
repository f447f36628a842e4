"""Functions that check values: validators of parameters, and comparisons of arguments."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping

from ._errors import SettingsError
from ._judge import name_of, said

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class Function:
    """A function that checks values, with a version.

    Where a function can be given, it need not be wrapped in this. Without a version, though, results of different runs are of different
    functions, because nobody can see whether a function still is what it was: `baseline` and `compare` do not compare their cases.

    Args:
        function: Returns True or False: of a validator, for the value of a parameter; of a comparison, for the arguments of two calls.
        version: Tells it from what it was. Give another one whenever it changes, or what it calls.

    Example:
        >>> import tooljudge as tj
        >>> def even(value):
        ...     return value % 2 == 0
        >>> test = {"expected_tool_calls": [{"tool_name": "say", "param_validators": {"n": tj.Function(even, version=1)}}]}
        >>> [row["passed"] for row in tj.score([{"test": test, "tool_calls": [{"name": "say", "input": {"n": 4}}]}])]
        [True]
    """

    def __init__(self, function: Callable[..., Any], *, version: str | int | float | None = None) -> None:
        if not callable(function):
            raise TypeError(f"{type(function).__name__} is no function: it cannot be called")
        self.function = function
        self.version = None if version is None else str(version)

    def __repr__(self) -> str:
        return f"<tooljudge.Function {name_of(self.function)}{'' if self.version is None else f' ({self.version})'}>"


class Named:
    """A function under the name that cases and settings have for it."""

    def __init__(self, name: str, given: Any) -> None:
        own = given if isinstance(given, Function) else Function(given)
        self.name, self.given = name, given
        self._function, self._version = own.function, own.version
        # The first failure is told with its traceback; rows tell of all of them.
        self._failed = False

    def identity(self) -> tuple[str, bool, str]:
        """The name, whether the version is its own, and the version."""
        return self.name, self._version is not None, os.urandom(8).hex() if self._version is None else self._version

    def says(self, values: str) -> tuple[bool | None, str]:
        """Whether it says yes to a list of values, as JSON; None, and why, where it says neither yes nor no."""
        import json

        from ._options import scalar

        try:
            given = json.loads(values, parse_float=_number)
        except (ValueError, RecursionError) as error:
            return None, f"cannot be given the values: {said(error)}"
        try:
            holds = scalar(self._function(*given))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            import logging

            level = logging.DEBUG if self._failed else logging.WARNING
            self._failed = True
            logging.getLogger("tooljudge").log(level, "the function %s failed", self.name, exc_info=True)
            return None, f"raised {said(error)}"
        if isinstance(holds, bool):
            return holds, ""
        if hasattr(holds, "close") and hasattr(holds, "__await__"):
            # Nobody waits for it.
            holds.close()
        returned = "None" if holds is None else f"an object of the type {type(holds).__name__}"
        return None, f"returned {returned}; a function that checks returns True or False"


def _number(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text} is beyond the numbers of Python")
    return number


def collected(options: dict[str, Any]) -> tuple[dict[str, Any], list[Named]]:
    """The options with the names of functions in their places, and these functions."""
    if not {"functions", "params", "set"} & options.keys():
        return options, []
    options = dict(options)
    found = Found(options.pop("functions", None))
    params = options.get("params")
    settings = options.get("set")
    if is_function(params):
        if isinstance(settings, Mapping) and "params" in settings:
            raise SettingsError("params: give it as params=, or in set=, not both")
        del options["params"]
        settings = {**_mapping(settings), "params": params}
    if isinstance(settings, Mapping):
        options["set"] = {name: found.replaced(value, setting) for name, value in settings.items()}
    elif settings is not None:
        options["set"] = settings
    return options, found.functions


def _mapping(settings: Any) -> Mapping[str, Any]:
    if settings is None:
        return {}
    if not isinstance(settings, Mapping):
        raise SettingsError("set: give a dict beside a function, such as set={'ordered': True}")
    return settings


def is_function(value: Any) -> bool:
    """Whether it is a function that checks."""
    return isinstance(value, Function) or callable(value) and not isinstance(value, type)


def setting(name: str) -> dict[str, str]:
    """A function as a setting of a scorer names it."""
    return {"function": name}


def validator(name: str) -> dict[str, str]:
    """A function as a validator names it."""
    return {"kind": "function", "name": name}


class Found:
    """Functions by names that differ."""

    def __init__(self, given: Any = None) -> None:
        if given is not None and not isinstance(given, Mapping):
            raise SettingsError("functions: give a dict of names and functions, such as functions={'even': is_even}")
        self.functions: list[Named] = []
        for name, one in (given or {}).items():
            if not isinstance(name, str) or not name.strip():
                raise SettingsError(f"functions: {name!r} is no name")
            if not is_function(one):
                raise SettingsError(f"functions: {name} is {_a(one)}, and no function")
            self.functions.append(Named(name, one))

    def name(self, given: Any) -> str:
        """The name of a function, which it gets here if it has none yet."""
        for one in self.functions:
            if one.given is given:
                return one.name
        usual = name_of(given.function if isinstance(given, Function) else given)
        taken = {one.name for one in self.functions}
        name, number = usual, 1
        while name in taken:
            number += 1
            name = f"{usual}_{number}"
        self.functions.append(Named(name, given))
        return name

    def replaced(self, value: Any, words: Callable[[str], dict[str, str]]) -> Any:
        """The same with names in the places of functions, which `words` writes."""
        if is_function(value):
            return words(self.name(value))
        if isinstance(value, Mapping):
            return {key: self.replaced(one, words) for key, one in value.items()}
        return [self.replaced(one, words) for one in value] if isinstance(value, (list, tuple)) else value

    def in_row(self, row: Any) -> Any:
        """A row with names in the places of the functions of its test and its settings."""
        if not isinstance(row, Mapping):
            return row
        made = {name: self.replaced(row[name], words) for name, words in _PLACES.items() if _holds_function(row.get(name))}
        return {**row, **made} if made else row


# Where functions can stand in a row.
_PLACES: dict[str, Callable[[str], dict[str, str]]] = {"test": validator, "config": setting}


def _holds_function(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(map(_holds_function, value.values()))
    return any(map(_holds_function, value)) if isinstance(value, (list, tuple)) else is_function(value)


def _a(value: Any) -> str:
    kind = type(value).__name__
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def in_rows(data: Any, options: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Rows and options with the functions that stand in the rows among the options."""
    if not isinstance(data, (list, tuple)):
        return data, options
    found = Found(options.get("functions"))
    before = len(found.functions)
    try:
        rows = [found.in_row(row) for row in data]
    except RecursionError:
        # What holds itself is told of where it is read.
        return data, options
    if len(found.functions) == before and all(one is other for one, other in zip(rows, data)):
        return data, options
    return rows, {**options, "functions": {one.name: one.given for one in found.functions}}
