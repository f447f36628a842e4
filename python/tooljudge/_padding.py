"""Tells dicts that a library of frames has given the fields of all rows from dicts that are as somebody made them."""

from . import _json, _run


def padded(columns):
    """Of columns by their names, those in whose dicts a field without a value may be one that the row does not have."""
    return [name for name, cells in columns.items() if _may_be(name, cells)]


def marked(columns):
    """Those, and those with other cells than dicts."""
    kept = padded(columns)
    return [name for name, cells in columns.items() if name in kept or not _has_dicts(cells)]


def texts(columns):
    """The columns, those whose dicts nobody has padded as texts of JSON: fields without a value are told by the others."""
    kept = marked(columns)
    return {name: cells if name in kept else _json.plain(cells) for name, cells in columns.items()}


def _has_dicts(cells):
    """Whether there is nothing but them, and lists."""
    return all(cell is None or isinstance(cell, (dict, list, tuple)) for cell in cells)


def _may_be(name, cells):
    look = _Look()
    try:
        for cell in cells:
            look.at(cell, look.top)
    except RecursionError:
        # Nobody reads it: whoever writes it as JSON says why.
        return True
    if look.top.keys is None:
        return look.has_arrays
    if not look.differs or look.has_arrays:
        return True
    # Frames are joined and edited, so that different keys alone say little. But what no row has was given to none.
    if not _has_gaps(look.top):
        return False
    # A column is read in one way: then no None of it is null.
    if look.has_none_passed():
        _run.warn(
            f"column `{name}`: its dicts have different keys, and some hold None where others have a value: a field with None is read as absent, "
            "since a frame may be put together of others whose rows have the fields of each other; if the agent passed null, give a list of dicts"
        )
    return True


# Where calls have what was passed.
_ARGUMENTS = {"arguments", "args", "input", "kwargs", "parameters", "tool_args", "tool_input"}


class _Place:
    """What is known of the dicts at one place of a column: their keys, and the places within."""

    __slots__ = ("is_call", "keys", "none", "valued", "within")

    def __init__(self):
        self.keys, self.within, self.valued, self.none = None, {}, set(), set()
        # Whether a dict has nothing but a name and what was passed to it: `{"get_weather": {"city": "Oslo"}}`.
        self.is_call = False


class _Look:
    """What dicts of a column have in common. In a struct of Arrow, all have the same keys at the same place."""

    def __init__(self):
        self.top = _Place()
        self.differs = self.has_arrays = False

    def at(self, cell, place):
        kind = type(cell)
        if kind is dict:
            if place.keys is None:
                place.keys = set(cell)
            elif place.keys != cell.keys():
                self.differs = True
            place.is_call |= len(cell) == 1
            for name, value in cell.items():
                if value is None:
                    place.none.add(name)
                    continue
                place.valued.add(name)
                if type(value) not in _PLAIN:
                    within = place.within.get(name)
                    if within is None:
                        within = place.within[name] = _Place()
                    self.at(value, within)
        elif kind in (list, tuple):
            for one in cell:
                self.at(one, place)
        elif hasattr(cell, "tolist") and getattr(cell, "ndim", 0):
            # Out of Arrow lists come as arrays.
            self.has_arrays = True

    def has_none_passed(self):
        """Whether None stands among what was passed to a tool."""
        named = self.top.within.values() if self.top.is_call else ()
        return any(_has_none(within) for within in named if not within.valued & _CALL) or _passes_none(self.top)


_PLAIN = {str, int, float, bool}
# What dicts have that are calls, or hold them or definitions, and no arguments.
_CALL = _ARGUMENTS | {"function", "name"}


def _has_gaps(place):
    """Whether some dicts have a value for a field, and some none."""
    return bool(place.none & place.valued) or any(map(_has_gaps, place.within.values()))


def _has_none(place):
    return bool(place.none) or any(map(_has_none, place.within.values()))


def _passes_none(place):
    """Whether None stands below a word for arguments."""
    for name, within in place.within.items():
        # The schema of some is none.
        is_schema = "properties" in within.within and "type" in within.valued
        if not is_schema and (_passes_none(within) or (name in _ARGUMENTS and _has_none(within))):
            return True
    return False
