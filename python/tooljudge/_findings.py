"""`findings`: what judges found wrong, as a separate table."""

from __future__ import annotations

import sys

from ._errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, overload

    from ._kinds import Columns, Held, Row, Rows, Stream
    from ._made import Frame

# What says which row a fault is in, as far as the table has it.
_NAMES = ("id", "source_id", "turn")
_FAULT = ("call", "tool", "argument", "kind", "quote", "supported")
_KINDS = {"row": int, "turn": int, "call": int, "supported": bool}


if TYPE_CHECKING:

    @overload
    def findings(data: Rows) -> list[Row]: ...
    @overload
    def findings(data: Columns) -> dict[str, Any]: ...
    @overload
    def findings(data: Frame) -> Frame: ...
    @overload
    def findings(data: Held) -> Held: ...
    @overload
    def findings(data: Stream) -> Any: ...


def findings(data: Any) -> Any:
    """The faults that judges found, one to a row.

    Args:
        data: What `label(..., findings=True)` gave, of whatever kind.

    Returns:
        A table of the same kind: `row` (the row's place in `data`, from 0), its `id`, `source_id` and `turn` where it has them, `judge`
        and `template`, and of each fault `call` (from 1), `tool`, `argument`, `kind`, `quote` and `supported`. A frame of pandas has
        the index of the rows. A row without faults, or without a list of them, is not in it.

    Raises:
        InputError: There is no column of findings.

    Example:
        >>> from tooljudge import label
        >>> rows = [{"question": "Weather in Oslo?", "tool_call": "weather(town='Oslo')",
        ...          "tool_definitions": '[{"name": "weather", "parameters": {"properties": {"city": {}}}}]'}]
        >>> [(fault["row"], fault["argument"], fault["kind"]) for fault in findings(label(rows, findings=True))]
        [(0, '/town', 'extra_parameter')]
    """
    from ._made import Listed

    names, column, make = _table(data)
    prefixes = [name.removesuffix("findings") for name in names if isinstance(name, str) and name.endswith("findings")]
    # A column of the user's, such as `gold_findings`, has no label and no status beside it.
    prefixes = [prefix for prefix in prefixes if {prefix + "label", prefix + "status"} <= set(names)]
    if not prefixes and names:
        raise InputError("there is no column of findings: give what label(..., findings=True) gave")
    kept = {name: column(name) for name in _NAMES if name in names}
    faults = [fault for prefix in prefixes for fault in _faults(names, column, prefix, kept)]
    faults.sort(key=lambda fault: fault["row"])
    columns = dict.fromkeys(["row", *kept, "judge", "template", *_FAULT])
    columns.update((name, None) for fault in faults for name in fault)
    return make(Listed([{**dict.fromkeys(columns), **fault} for fault in faults], list(columns), _KINDS))


def _faults(names, column, prefix, kept):
    judges, templates = (column(prefix + name) if prefix + name in names else None for name in ("judge", "template"))
    for at, cell in enumerate(column(prefix + "findings")):
        for fault in _list(cell):
            yield {
                "row": at,
                **{name: cells[at] for name, cells in kept.items()},
                "judge": judges and judges[at],
                "template": templates and templates[at],
                **fault,
            }


def _list(cell):
    """The faults in a cell, which is text in most kinds of frames."""
    if isinstance(cell, str):
        import json

        cell = json.loads(cell)
    elif hasattr(cell, "tolist"):
        cell = cell.tolist()
    return cell if isinstance(cell, (list, tuple)) else []


def _table(data):
    """The names of its columns, what gives the cells of one, and what makes a table of this kind."""
    from . import _frames
    from ._made import Frame

    pandas, polars = (sys.modules.get(name) for name in ("pandas", "polars"))
    if isinstance(data, Frame):
        return data.columns, data.__getitem__, Frame
    if isinstance(data, (list, tuple)) and all(isinstance(row, dict) for row in data):
        return list(dict.fromkeys(name for row in data for name in row)), lambda name: [row.get(name) for row in data], list
    if isinstance(data, dict):
        return list(data), data.__getitem__, lambda made: {name: [row[name] for row in made] for name in made.columns}
    if pandas is not None and isinstance(data, pandas.DataFrame):
        return list(data.columns), lambda name: data[name].tolist(), lambda made: _to_pandas(made, data.index)
    if polars is not None and isinstance(data, polars.DataFrame):
        return data.columns, lambda name: data[name].to_list(), lambda made: made.to_polars()
    if _frames.is_dataset(data):
        names, column, make = _table(data.with_format("arrow")[:])
        return names, column, lambda made: type(data)(make(made))
    if hasattr(data, "__arrow_c_stream__"):
        import pyarrow

        table = pyarrow.table(data)
        return table.column_names, lambda name: table[name].to_pylist(), lambda made: made.to_arrow()
    raise InputError(f"{type(data).__name__} holds no labels: give what label(..., findings=True) gave")


def _to_pandas(made, index):
    """A frame with the index of the rows that the faults are in."""
    import pandas

    rows = list(made)
    frame = pandas.DataFrame(rows, columns=made.columns, index=index.take([row["row"] for row in rows]))
    return frame.astype({"row": "int64", "call": "Int64"})
