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
SPAN_ID = "context.span_id"
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
        _refuse_json_as_text(data)
        return Stream(data)
    raise InputError(f"{type(data).__name__} is no table: give {_KINDS}")


def _refuse_json_as_text(relation):
    """Raises where a relation of DuckDB holds JSON inside other types: unless told otherwise, DuckDB passes it on as any text."""
    if type(relation).__name__ != "DuckDBPyRelation":
        return
    for name, kind in zip(relation.columns, map(str, relation.types), strict=True):
        if "JSON" not in kind or kind == "JSON":
            continue
        setting = relation.query("tooljudge_relation", "select current_setting('arrow_lossless_conversion')")
        if not setting.fetchall()[0][0]:
            raise InputError(
                f"column `{name}` holds JSON inside {kind}, which DuckDB passes on as text: run "
                "`set arrow_lossless_conversion = true` on its connection first, or give the path of the file"
            )
        return


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
            if None in rows:
                raise InputError(
                    f"row {rows.index(None) + 1} of those chosen cannot be read, so that it is not known which one it is: it holds half a "
                    "character or is nested too deeply; mend it, or judge all rows"
                )
        return self.join(kept, made, ours, rows)


class Dicts(Held):
    def __init__(self, rows, selects):
        self.rows, self.selects = rows, selects
        self.columns = list(dict.fromkeys(str(name) for row in rows for name in row))
        lines = []
        for at, row in enumerate(rows):
            cells = {str(name): _json.missing(cell) for name, cell in row.items()}
            lines.append(_json.row({**cells, ROW: at} if selects else cells))
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
        joined = (self.frame if rows is None else _taken(self.frame, rows)).select(kept)
        labels = self.whole(made)
        for name in ours:
            joined = joined.append_column(labels.schema.field(name), labels[name])
        return joined

    def whole(self, made):
        import pyarrow

        return pyarrow.table(made)


def _taken(frame, rows):
    """These rows; pyarrow takes none of views of text."""
    import pyarrow

    stored = {pyarrow.string_view(): pyarrow.large_string(), pyarrow.binary_view(): pyarrow.large_binary()}
    schema = pyarrow.schema([field.with_type(stored.get(field.type, field.type)) for field in frame.schema])
    return frame.cast(schema).take(rows).cast(frame.schema)


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
        if frame.index.name == SPAN_ID and any(str(name).startswith("attributes.") for name in frame.columns):
            # As Phoenix exports spans: rows of turns take their names from it.
            frame = frame.reset_index()
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
                lines.append(_json.row({**row, ROW: at} if selects else row))
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
        whole = pandas.concat([joined, labels], axis=1)
        whole.attrs, whole.columns.name = self.frame.attrs, self.frame.columns.name
        return whole

    def whole(self, made, first=0):
        """All columns, or those from the one at `first` on."""
        import pandas

        try:
            import pyarrow
        except ImportError:
            return pandas.DataFrame(_rows(made, first), columns=made.columns[first:])
        arrow = any(isinstance(dtype, pandas.ArrowDtype) for dtype in self.frame.dtypes)
        return _pandas(pyarrow.table(made).select(made.columns[first:]), pandas.ArrowDtype if arrow else None)


def _pandas(table, types=None):
    """A frame of pandas. Where whole numbers beside nulls are too large for the floats that pandas makes of them, they stay whole."""
    import pandas
    import pyarrow

    frame = table.to_pandas(types_mapper=types)
    for name, column in zip(table.column_names, table.columns, strict=True):
        if types is None and column.null_count and pyarrow.types.is_integer(column.type):
            cells = column.to_pylist()
            if any(cell is not None and abs(cell) > 2**53 for cell in cells):
                frame[name] = pandas.array(cells, dtype="UInt64" if pyarrow.types.is_unsigned_integer(column.type) else "Int64")
    return frame


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


class _Restored:
    """A table that came from another process, as `Frame` knows it."""

    def __init__(self, table):
        self._table, self.columns = table, table.column_names

    def __len__(self):
        return len(self._table)

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)

    def json_lines(self, first=0):
        rows = self._table.select(self.columns[first:]).to_pylist()
        return "\n".join(_json.row(row) for row in rows)


def _restored(table):
    return Frame(_Restored(table))


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

    def __reduce__(self):
        import pyarrow

        return _restored, (pyarrow.table(self),)

    def to_dicts(self):
        """The rows as dicts."""
        return _rows(self._made)

    def to_pandas(self):
        """The table as a frame of pandas (needs pyarrow)."""
        import pyarrow

        return _pandas(pyarrow.table(self))

    def to_polars(self):
        """The table as a frame of polars."""
        import polars

        return polars.DataFrame(self)

    def to_arrow(self):
        """The table as one of pyarrow."""
        import pyarrow

        return pyarrow.table(self)
