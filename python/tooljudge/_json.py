"""Cells of Python as JSON."""

import json
import math


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


def cells(series):
    """The cells of a column of pandas, None where they are missing. Fields that only other rows have are absent."""
    found = [missing(cell) for cell in series]
    return unpadded(found)


def texts(cells):
    """JSON of each cell, None of a missing one."""
    return [None if cell is None else text(cell) for cell in cells]


def loose(cells):
    """Texts as they are, and JSON of whatever else a cell holds, for columns that cannot be marked as JSON."""
    return [cell if cell is None or isinstance(cell, str) else text(cell) for cell in unpadded([missing(cell) for cell in cells])]


def text(cell):
    """JSON of a cell. A number that JSON has no word for stays one: the row is then reported as unreadable."""
    return _ENCODER.encode(cell)


def _other(cell):
    if is_missing(cell):
        return None
    for method in ("tolist", "isoformat", "model_dump", "as_py"):
        if hasattr(cell, method):
            return getattr(cell, method)()
    if isinstance(cell, (set, frozenset, tuple)):
        return list(cell)
    if isinstance(cell, bytes):
        try:
            return cell.decode()
        except UnicodeDecodeError:
            return "\\x" + cell.hex()
    return str(cell)


def unpadded(cells):
    """The cells without the fields that a library of frames gave them because other rows have these.

    Structs have the fields of all rows, and come as dicts that all have the same keys, None where the row has no such field. A None is
    taken for that where all dicts at its place have the same keys, as a Parquet file of the frame would. Where keys differ, no library
    made the dicts, and None is JSON's null.
    """
    if not any(isinstance(cell, (dict, list)) or hasattr(cell, "tolist") for cell in cells):
        return cells
    if all(cell is None or isinstance(cell, str) or "null" not in text(cell) for cell in cells):
        return cells
    places = {}
    for cell in cells:
        _survey(cell, (), places)
    padded = {place: keys for place, (keys, is_struct) in places.items() if is_struct}
    return [_without(cell, (), padded) for cell in cells]


def _plain(cell):
    return cell.tolist() if hasattr(cell, "tolist") and not isinstance(cell, (str, int, float)) else cell


def _survey(cell, place, places):
    """Notes, of each place, the keys of its dicts, and whether all have the same."""
    cell = _plain(cell)
    if isinstance(cell, dict):
        known = places.get(place)
        if known is None:
            known = places[place] = [set(cell), True]
        known[1] = known[1] and known[0] == cell.keys()
        for key, value in cell.items():
            _survey(value, (*place, key), places)
    elif isinstance(cell, (list, tuple)):
        for one in cell:
            _survey(one, (*place, None), places)


def _without(cell, place, padded):
    cell = _plain(cell)
    if isinstance(cell, dict):
        absent = padded.get(place, ())
        return {
            key: _without(value, (*place, key), padded) for key, value in cell.items() if not (key in absent and value is None)
        }
    if isinstance(cell, (list, tuple)):
        return [_without(one, (*place, None), padded) for one in cell]
    return cell


# The `json` module keeps one only for its default settings.
_ENCODER = json.JSONEncoder(default=_other)
