"""Frames of any library to tables of ours, and labels back to the kind of frame that came in."""

import json
import os
import sys
from collections.abc import Mapping

from . import _json
from ._errors import InputError
from ._native import Table

# Numbers the rows of a frame of which not all are wanted, so that they are found again.
ROW = "tooljudge row"
_KINDS = "a pandas or polars frame, a pyarrow table, a list of dicts, anything with __arrow_c_stream__, or paths"


def source(data, selects):
    """What knows how to read `data`, and how to give it back. `selects` says whether rows may be left out."""
    if isinstance(data, (str, os.PathLike)):
        return Paths([os.fspath(data)])
    if isinstance(data, (list, tuple)):
        if data and all(isinstance(one, (str, os.PathLike)) for one in data):
            return Paths([os.fspath(one) for one in data])
        if all(isinstance(one, Mapping) for one in data):
            return Dicts(data, selects)
        raise InputError(f"a list of {_names(data)} is no table: give {_KINDS}")
    pandas, polars, pyarrow = (sys.modules.get(name) for name in ("pandas", "polars", "pyarrow"))
    if pandas is not None and isinstance(data, pandas.DataFrame):
        return Pandas(data, selects)
    if polars is not None and isinstance(data, polars.LazyFrame):
        data = data.collect()
    if polars is not None and isinstance(data, polars.DataFrame):
        return Polars(data, selects)
    if pyarrow is not None and isinstance(data, pyarrow.RecordBatch):
        data = pyarrow.Table.from_batches([data])
    if pyarrow is not None and isinstance(data, pyarrow.Table):
        return Arrow(data, selects)
    if hasattr(data, "__arrow_c_stream__"):
        return Stream(data)
    raise InputError(f"{type(data).__name__} is no table: give {_KINDS}")


def _names(data):
    return " and ".join(sorted({type(one).__name__ for one in data}))


def table(frame):
    """Of anything that speaks Arrow's interface."""
    try:
        return Table.of_stream(frame)
    except (TypeError, ValueError) as error:
        raise InputError(str(error)) from error


class Whole:
    """What is read by the job alone: all columns come back out of it."""

    def give(self, made, _):
        return self.whole(made)


class Paths(Whole):
    """Files."""

    tables = ()

    def __init__(self, paths):
        self.inputs = paths

    def whole(self, made):
        return Frame(made)


class Held:
    """A table in memory of a known kind of frame: its own columns are given back as they are."""

    inputs = ()

    def give(self, made, first):
        """The frame with the columns of `made` from the one named `first` on; `made` itself where its rows are not the frame's."""
        at = made.columns.index(first)
        before, ours = made.columns[:at], made.columns[at:]
        there = set(before)
        kept = [name for name in self.columns if name in there]
        if before != kept + [ROW] * self.selects:
            # The frame is a log, whose rows are turns.
            return self.whole(made)
        rows = None
        if self.selects:
            # It stands before the first of ours.
            rows = [row[ROW] for row in _rows(made, at - 1)]
        return self.join(kept, made, ours, rows)


class Dicts(Held):
    def __init__(self, rows, selects):
        self.rows, self.selects = rows, selects
        self.columns = list(dict.fromkeys(str(name) for row in rows for name in row))
        lines = []
        for at, row in enumerate(rows):
            cells = {str(name): _json.missing(cell) for name, cell in row.items()}
            lines.append(_json.text({**cells, ROW: at} if selects else cells))
        # A table without a row has no columns either; an empty object would be a row.
        self.tables = [Table.of_lines("\n".join(lines).encode())]

    def join(self, kept, made, ours, rows):
        labels = _rows(made, len(made.columns) - len(ours))
        taken = self.rows if rows is None else [self.rows[row] for row in rows]
        gone = set(self.columns) - set(kept)
        if gone:
            taken = [{name: cell for name, cell in row.items() if str(name) not in gone} for row in taken]
        return [{**row, **label} for row, label in zip(taken, labels, strict=True)]

    def whole(self, made):
        return _rows(made)


class Polars(Held):
    def __init__(self, frame, selects):
        self.frame, self.selects, self.columns = frame, selects, list(frame.columns)
        import polars

        given = frame
        objects = [name for name, dtype in frame.schema.items() if dtype == polars.Object]
        if objects:
            given = frame.with_columns(polars.Series(name, _json.loose(frame[name].to_list())) for name in objects)
        self.tables = [table(given.with_row_index(ROW).select([*frame.columns, ROW]) if selects else given)]

    def join(self, kept, made, ours, rows):
        frame = self.frame if rows is None else self.frame[rows]
        return frame.select(kept).hstack(self.whole(made).select(ours))

    def whole(self, made):
        import polars

        return polars.DataFrame(made)


class Arrow(Held):
    def __init__(self, frame, selects):
        import pyarrow

        self.frame, self.selects, self.columns = frame, selects, list(frame.column_names)
        given = frame.append_column(ROW, pyarrow.array(range(len(frame)), pyarrow.int64())) if selects else frame
        self.tables = [table(_plain(given))]

    def join(self, kept, made, ours, rows):
        joined = (self.frame if rows is None else self.frame.take(rows)).select(kept)
        labels = self.whole(made)
        for name in ours:
            joined = joined.append_column(labels.schema.field(name), labels[name])
        return joined

    def whole(self, made):
        import pyarrow

        return pyarrow.table(made)


class Stream(Whole):
    """What can be read once only."""

    inputs = ()

    def __init__(self, frame):
        self.tables = [table(frame)]

    def whole(self, made):
        try:
            import pyarrow
        except ImportError:
            return Frame(made)
        return pyarrow.table(made)


class Pandas(Held):
    def __init__(self, frame, selects):
        self.frame, self.selects = frame, selects
        self.columns = [name if isinstance(name, str) else str(name) for name in frame.columns]
        twice = {name for name in self.columns if self.columns.count(name) > 1}
        if twice:
            raise InputError(f"the frame has two columns named `{min(twice)}`; rename one of them")
        try:
            import pyarrow
        except ImportError:
            pyarrow = None
        if pyarrow is None:
            columns = [_json.cells(series) for _, series in frame.items()]
            lines = []
            for at in range(len(frame)):
                row = {name: cells[at] for name, cells in zip(self.columns, columns, strict=True)}
                lines.append(_json.text({**row, ROW: at} if selects else row))
            self.tables = [Table.of_lines("\n".join(lines).encode())]
            return
        fields, arrays = [], []
        for name, (_, series) in zip(self.columns, frame.items(), strict=True):
            try:
                array, is_json = _array(series, pyarrow)
            except UnicodeEncodeError as error:
                raise InputError(
                    f"column `{name}` holds a text that is not Unicode ({error.reason}); "
                    "replace such characters, as `text.encode('utf-8', 'replace').decode()` does"
                ) from error
            mark = {"ARROW:extension:name": "arrow.json", "ARROW:extension:metadata": ""} if is_json else None
            fields.append(pyarrow.field(name, array.type, metadata=mark))
            arrays.append(array)
        if selects:
            fields.append(pyarrow.field(ROW, pyarrow.int64()))
            arrays.append(pyarrow.array(range(len(frame)), pyarrow.int64()))
        given = pyarrow.Table.from_arrays(arrays, schema=pyarrow.schema(fields))
        self.tables = [table(_plain(given))]

    def join(self, kept, made, ours, rows):
        import pandas

        joined = self.frame if rows is None else self.frame.iloc[rows]
        if len(kept) < len(self.columns):
            keep = set(kept)
            joined = joined.iloc[:, [at for at, name in enumerate(self.columns) if name in keep]]
        labels = self.whole(made, len(made.columns) - len(ours))
        labels.index = joined.index
        return pandas.concat([joined, labels], axis=1)

    def whole(self, made, first=0):
        """All columns, or those from the one at `first` on."""
        import pandas

        try:
            import pyarrow
        except ImportError:
            return pandas.DataFrame(_rows(made, first), columns=made.columns[first:])
        arrow = any(isinstance(dtype, pandas.ArrowDtype) for dtype in self.frame.dtypes)
        table = pyarrow.table(made).select(made.columns[first:])
        return table.to_pandas(types_mapper=pandas.ArrowDtype if arrow else None)


def _array(series, pyarrow):
    """A column for Arrow, and whether its texts are JSON."""
    if series.dtype == object:
        cells = _json.cells(series)
        if all(cell is None or isinstance(cell, str) for cell in cells):
            return pyarrow.array(cells, pyarrow.large_string()), False
        return pyarrow.array(_json.texts(cells), pyarrow.large_string()), True
    try:
        array = pyarrow.Array.from_pandas(series)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError, pyarrow.ArrowTypeError):
        # Such as complex numbers, which JSON has no word for either.
        return pyarrow.array([None if _json.is_missing(cell) else str(cell) for cell in series], pyarrow.large_string()), False
    return array, False


def _plain(given):
    """The table without types that only pyarrow knows, and with categories of texts only."""
    import pyarrow

    for at, field in enumerate(given.schema):
        column = given.column(at)
        if pyarrow.types.is_dictionary(field.type) and not (
            pyarrow.types.is_string(field.type.value_type) or pyarrow.types.is_large_string(field.type.value_type)
        ):
            column = column.cast(field.type.value_type)
        elif isinstance(field.type, pyarrow.ExtensionType) and field.type.extension_name != "arrow.json":
            column = pyarrow.chunked_array([chunk.storage for chunk in column.chunks], field.type.storage_type)
        else:
            continue
        given = given.set_column(at, pyarrow.field(field.name, column.type), column)
    return given


def _rows(made, first=0):
    """The rows as dicts, with the columns from the one at `first` on."""
    return [json.loads(line) for line in made.json_lines(first).split("\n") if line]


class Frame:
    """A table that no library holds yet. Anything that reads `__arrow_c_stream__` takes it: `pandas.DataFrame.from_arrow(frame)`,
    `polars.DataFrame(frame)`, `pyarrow.table(frame)`, `duckdb.sql("from frame")`."""

    def __init__(self, made):
        self._made = made

    @property
    def columns(self):
        """The names of its columns."""
        return self._made.columns

    def __len__(self):
        return len(self._made)

    def __repr__(self):
        return f"<tooljudge.Frame of {len(self)} rows: {', '.join(self.columns)}>"

    def _repr_html_(self):
        from html import escape

        shown = [row for _, row in zip(range(20), _rows(self._made), strict=False)]
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        cells = "".join(
            "<tr>" + "".join(f"<td>{escape(str(row[name]))[:200]}</td>" for name in self.columns) + "</tr>" for row in shown
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{cells}</tbody></table><p>{len(self)} rows</p>"

    def __arrow_c_stream__(self, requested_schema=None):
        return self._made.__arrow_c_stream__(requested_schema)

    def to_dicts(self):
        """The rows as dicts."""
        return _rows(self._made)

    def to_pandas(self):
        """The table as a frame of pandas (needs pyarrow)."""
        import pyarrow

        return pyarrow.table(self).to_pandas()

    def to_polars(self):
        """The table as a frame of polars."""
        import polars

        return polars.DataFrame(self)

    def to_arrow(self):
        """The table as one of pyarrow."""
        import pyarrow

        return pyarrow.table(self)
