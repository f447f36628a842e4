"""Converts Python cells to JSON."""

import json
import math
from collections.abc import Collection, Mapping

from ._errors import InputError


def is_missing(cell):
    """Whether a cell says that there is nothing: None, NaN, NaT, pandas.NA."""
    if cell is None:
        return True
    if isinstance(cell, float):
        return math.isnan(cell)
    return type(cell).__name__ in ("NAType", "NaTType")


def missing(cell):
    """The cell, or None where it is missing."""
    return None if is_missing(cell) else cell


def record(thing):
    """The fields of a row: a dict, a dataclass, a pydantic model, a named tuple, a class of attrs; None where it is none of them."""
    if isinstance(thing, Mapping):
        return thing
    kind = type(thing)
    if hasattr(thing, "model_dump") and kind is not type:
        return thing.model_dump()
    if hasattr(kind, "__dataclass_fields__") or hasattr(kind, "__attrs_attrs__"):
        return _fields(thing)
    return thing._asdict() if isinstance(thing, tuple) and hasattr(thing, "_asdict") else None


def _fields(thing):
    kind = type(thing)
    names = getattr(kind, "__dataclass_fields__", None) or [one.name for one in kind.__attrs_attrs__]
    return {name: getattr(thing, name) for name in names}


def cells(series):
    """The cells of a column, None where they are missing."""
    return [missing(cell) for cell in series]


def present(cell):
    """The cell without the fields that have no value."""
    if hasattr(cell, "tolist") and not isinstance(cell, (str, int, float)):
        cell = cell.tolist()
    if isinstance(cell, dict):
        return {name: present(value) for name, value in cell.items() if value is not None}
    if isinstance(cell, (list, tuple)):
        return [present(one) for one in cell]
    return cell


def texts(cells):
    """JSON of each cell, None of a missing one."""
    return [None if cell is None else text(cell) for cell in cells]


def plain(cells):
    """The same as we write JSON ourselves, for a judge to see as it is."""
    return [None if cell is None else _plain(cell) for cell in cells]


def _plain(cell):
    made = _encoded(_COMPACT, cell)
    try:
        made.encode()
    except UnicodeEncodeError:
        return text(cell)
    return made


def loose(cells):
    """Texts as they are, and JSON of whatever else a cell holds, for columns that cannot be marked as JSON."""
    return [cell if cell is None or isinstance(cell, str) else text(present(cell)) for cell in map(missing, cells)]


def text(cell):
    """JSON of a cell. A number that JSON has no word for stays one, and nobody reads the text as JSON."""
    return _encoded(_ENCODER, cell)


def row(cells):
    """JSON of a row. A cell with a number that JSON has no word for becomes a text, as no reader of JSON takes it."""
    try:
        return _encoded(_STRICT, cells)
    except ValueError:
        return _encoded(_STRICT, {name: _readable(cell) for name, cell in cells.items()})


def strict(cell):
    """JSON of a value of one's own, in Unicode. A number or a text that JSON has no word for is a ValueError."""
    text = _encoded(_UNICODE, cell)
    text.encode()
    return text


def _readable(cell):
    try:
        _encoded(_STRICT, cell)
        return cell
    except ValueError:
        return text(cell)


def _encoded(encoder, cell):
    try:
        return encoder.encode(cell)
    except (TypeError, RecursionError) as error:
        raise InputError(f"a cell has no JSON: {error}") from error
    except ValueError as error:
        if "Circular" in str(error):
            raise InputError("a cell has no JSON: it holds itself") from error
        raise


def _other(cell):
    """What stands for a thing that JSON has no word for."""
    if is_missing(cell):
        return None
    kind = type(cell)
    if kind is type or isinstance(cell, type):
        return str(cell)
    for method in ("tolist", "to_list", "isoformat", "model_dump", "as_py"):
        if hasattr(cell, method):
            return getattr(cell, method)()
    if hasattr(kind, "__dataclass_fields__") or hasattr(kind, "__attrs_attrs__"):
        return _fields(cell)
    if kind.__name__ == "Decimal":
        return int(cell) if cell == cell.to_integral_value() else float(cell)
    if hasattr(kind, "__members__"):
        # An enumeration.
        return cell.value
    if isinstance(cell, Mapping):
        return dict(cell)
    if isinstance(cell, (bytes, bytearray, memoryview)):
        try:
            return bytes(cell).decode()
        except UnicodeDecodeError:
            return "\\x" + bytes(cell).hex()
    if isinstance(cell, Collection):
        return list(cell)
    if kind is complex or kind.__module__ in _SPOKEN or kind.__module__.startswith("pandas"):
        return str(cell)
    # Its text would say nothing of what it holds, and would be judged.
    return f"<{kind.__module__}.{kind.__qualname__}, which has no JSON>"


# Modules of things whose texts say all of them.
_SPOKEN = {"uuid", "pathlib", "datetime", "ipaddress", "fractions", "zoneinfo"}
# The `json` module keeps one only for its default settings.
_ENCODER = json.JSONEncoder(default=_other)
_COMPACT = json.JSONEncoder(default=_other, separators=(",", ":"), ensure_ascii=False)
_STRICT = json.JSONEncoder(default=_other, allow_nan=False)
_UNICODE = json.JSONEncoder(default=_other, allow_nan=False, ensure_ascii=False)
