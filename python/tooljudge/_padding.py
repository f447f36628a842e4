"""Tells dicts that a library of frames has given the fields of all rows from dicts that are as somebody made them."""

from . import _json, _run


def padded(columns):
    """Of columns by their names, those in whose dicts a field without a value may be one that the row does not have."""
    return [name for name, cells in columns.items() if _may_be(name, cells)]


def texts(columns):
    """The columns, those whose dicts nobody has padded as texts of JSON: fields without a value are told by the others."""
    kept = padded(columns)
    return {name: cells if name in kept or not _has_dicts(cells) else _json.plain(cells) for name, cells in columns.items()}


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
    gaps = list(_gaps(look.top, ()))
    if any(not _ARGUMENTS.isdisjoint(path) for path in gaps):
        _run.warn(
            f"column `{name}`: its dicts have different keys, and some hold None where others have a value: such a field is read as absent, "
            "since a frame may be put together of others whose rows have the fields of each other; if the agent passed null, give a list of dicts"
        )
    return bool(gaps)


# Where calls have what was passed.
_ARGUMENTS = {"arguments", "args", "input", "kwargs", "parameters", "tool_args", "tool_input"}


class _Place:
    """What is known of the dicts at one place of a column: their keys, and the places within."""

    __slots__ = ("gaps", "keys", "valued", "within")

    def __init__(self):
        self.keys, self.within, self.valued, self.gaps = None, {}, set(), set()


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
            for name, value in cell.items():
                if value is None:
                    place.gaps.add(name)
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


_PLAIN = {str, int, float, bool}


def _gaps(place, path):
    """The fields that some dicts have a value for and some none."""
    yield from ((*path, name) for name in place.gaps & place.valued)
    for name, within in place.within.items():
        yield from _gaps(within, (*path, name))
