"""Converts frames of any library to our tables, and labels back to the original kind of frame."""

import os
import sys
from collections.abc import Mapping

from . import _json, _not_tables, _padding
from ._errors import InputError
from ._made import Frame, rows_of, to_pandas, to_pandas_by_rows

# ROW numbers the rows of a frame of which not all are wanted, so that they are found again.
from ._native import ROW, Table

SPAN_ID = "context.span_id"


def source(data, selects, usual=()):
    """What knows how to read `data`, and how to give it back. `selects` says whether rows may be left out; a list without a row, which has
    no columns of its own, is read as a table with the `usual` ones."""
    if isinstance(data, (str, os.PathLike)):
        return Paths([os.fspath(data)])
    if isinstance(data, (list, tuple)):
        if data and all(isinstance(one, (str, os.PathLike)) for one in data):
            return Paths([os.fspath(one) for one in data])
        rows = [_json.record(one) for one in data]
        if None in rows:
            _not_tables.refuse_list(data)
        return Dicts(rows, selects, usual)
    if isinstance(data, Mapping):
        _not_tables.refuse_other_than_columns(data)
        return Columns(data, selects, usual)
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
    if is_dataset(data):
        return Dataset(data, selects)
    _not_tables.refuse_column(data)
    if hasattr(data, "__arrow_c_stream__"):
        _not_tables.refuse_json_as_text(data)
        return Stream(data)
    _not_tables.refuse(data)


def is_dataset(data):
    """Whether it is a dataset of Hugging Face's, or of the same kind, with all rows at hand."""
    return hasattr(data, "with_format") and hasattr(data, "column_names") and hasattr(data, "__len__")


def table(frame, padded=()):
    """Of anything that speaks Arrow's interface. Fields without a value in the columns `padded` may be such as only other rows have, and
    no row's meaning may depend on the others."""
    try:
        return Table.of_stream(frame, list(padded))
    except (TypeError, ValueError) as error:
        _not_tables.refuse_type(frame, error)
        raise InputError(str(error)) from error


class Whole:
    """What is read by the job alone: all columns come back out of it."""

    is_nothing = False

    def give(self, made, first):
        return self.whole(made, made.columns[made.columns.index(first) :])


class Paths(Whole):
    """Files."""

    tables = ()

    def __init__(self, paths):
        self.inputs = paths

    def whole(self, made, ours=()):
        return Frame(made, ours)


class Held:
    """A table in memory of a known kind of frame: its own columns are given back as they are."""

    inputs = ()
    # Whether it has no rows, and so no columns that a job could know.
    is_nothing = False

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
            rows = [row[ROW] for row in rows_of(made, at - 1)]
            if None in rows:
                raise InputError(
                    f"row {rows.index(None) + 1} of those chosen cannot be read, so that it is not known which one it is: it holds half a "
                    "character or is nested too deeply; mend it, or judge all rows"
                )
        return self.join(kept, made, ours, rows)


class Dicts(Held):
    def __init__(self, rows, selects, usual):
        self.rows, self.selects, self.is_nothing = rows, selects, not rows
        if self.is_nothing and usual:
            self.columns, self.tables = list(usual), [_without_rows(usual, selects)]
            return
        self.columns = list(dict.fromkeys(str(name) for row in rows for name in row))
        self.tables = [_of_rows([{str(name): _json.missing(cell) for name, cell in row.items()} for row in rows], selects)]

    def nothing(self):
        return []

    def join(self, kept, made, ours, rows):
        labels = rows_of(made, len(made.columns) - len(ours))
        taken = self.rows if rows is None else [self.rows[row] for row in rows]
        gone = set(self.columns) - set(kept)
        if gone:
            taken = [{name: cell for name, cell in row.items() if str(name) not in gone} for row in taken]
        return [{**row, **label} for row, label in zip(taken, labels, strict=True)]

    def whole(self, made):
        return rows_of(made)


def _without_rows(names, selects):
    return Table.empty([*names, ROW] if selects else list(names))


def _of_rows(rows, selects, padded=False):
    lines = [_json.row({**row, ROW: at} if selects else row) for at, row in enumerate(rows)]
    # A table without a row has no columns either; an empty object would be a row.
    return Table.of_lines("\n".join(lines).encode(), padded)


class Columns(Held):
    """A dict of columns, such as libraries of datasets pass on batch by batch. Dicts in it are read as in frames."""

    def __init__(self, given, selects, usual):
        self.given, self.selects, self.columns = given, selects, [str(name) for name in given]
        self.is_nothing = not any(map(len, given.values()))
        if self.is_nothing and (given or usual):
            self.columns = self.columns or list(usual)
            self.tables = [_without_rows(self.columns, selects)]
            return
        columns = _padding.texts(dict(zip(self.columns, map(_json.cells, given.values()), strict=True)))
        cells = zip(*columns.values(), strict=True)
        self.tables = [_of_rows([dict(zip(self.columns, row, strict=True)) for row in cells], selects, padded=True)]

    def nothing(self):
        return dict(self.given)

    def join(self, kept, made, ours, rows):
        own = {name: cells for name, cells in self.given.items() if str(name) in kept}
        if rows is not None:
            own = {
                name: cells.take(rows) if hasattr(cells, "take") else [cells[row] for row in rows] for name, cells in own.items()
            }
        return {**own, **_by_column(made, len(made.columns) - len(ours))}

    def whole(self, made):
        return _by_column(made)


def _by_column(made, first=0):
    rows = rows_of(made, first)
    return {name: [row[name] for row in rows] for name in made.columns[first:]}


class Polars(Held):
    def __init__(self, frame, selects):
        self.frame, self.selects, self.columns = frame, selects, list(frame.columns)
        import polars

        given = frame
        objects = [name for name, dtype in frame.schema.items() if dtype == polars.Object]
        if objects:
            cells = {name: _json.cells(frame[name].to_list()) for name in objects}
            # Cells other than dicts are marked as JSON: a text is told from a number, and is no JSON itself.
            objects = _padding.marked(cells)
            texts = {name: _json.texts(column) if name in objects else _json.plain(column) for name, column in cells.items()}
            given = frame.with_columns(polars.Series(name, column, polars.String) for name, column in texts.items())
        self.tables = [table(given.with_row_index(ROW).select([*frame.columns, ROW]) if selects else given, objects)]

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
        import pyarrow

        joined = (self.frame if rows is None else _taken(self.frame, rows)).select(kept)
        labels = pyarrow.table(made)
        for name in ours:
            joined = joined.append_column(labels.schema.field(name), labels[name])
        return joined

    def whole(self, made):
        import pyarrow

        return pyarrow.table(made)


class Dataset(Arrow):
    """A dataset of Hugging Face's, which holds a table of pyarrow."""

    def __init__(self, data, selects):
        self.kind = type(data)
        super().__init__(data.with_format("arrow")[:], selects)

    def join(self, kept, made, ours, rows):
        return self.kind(super().join(kept, made, ours, rows))

    def whole(self, made):
        return self.kind(super().whole(made))


def _taken(frame, rows):
    """These rows; pyarrow takes none of views of text."""
    import pyarrow

    stored = {pyarrow.string_view(): pyarrow.large_string(), pyarrow.binary_view(): pyarrow.large_binary()}
    schema = pyarrow.schema([field.with_type(stored.get(field.type, field.type)) for field in frame.schema])
    # Of an empty list pyarrow does not know the type.
    return frame.cast(schema).take(pyarrow.array(rows, pyarrow.int64())).cast(frame.schema)


class Stream(Whole):
    """What can be read once only."""

    inputs = ()

    def __init__(self, frame):
        self.tables = [table(frame)]

    def whole(self, made, ours=()):
        try:
            import pyarrow
        except ImportError:
            return Frame(made, ours)
        return pyarrow.table(made)


class Pandas(Held):
    def __init__(self, frame, selects):
        # As Phoenix exports spans: rows of turns take their names from the index, and get it back.
        self.spans = frame.index.name == SPAN_ID and any(str(name).startswith("attributes.") for name in frame.columns)
        if self.spans:
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
            cells = {name: _json.cells(series) for name, (_, series) in zip(self.columns, frame.items(), strict=True)}
            cells = _padding.texts(cells)
            rows = [{name: column[at] for name, column in cells.items()} for at in range(len(frame))]
            self.tables = [_of_rows(rows, selects, padded=True)]
            return
        fields, arrays, nested = [], [], []
        for name, (_, series) in zip(self.columns, frame.items(), strict=True):
            try:
                array, is_json = _array(series, pyarrow)
            except UnicodeEncodeError as error:
                raise InputError(
                    f"column `{name}` holds a text that is not Unicode ({error.reason}); "
                    "replace such characters, as `text.encode('utf-8', 'replace').decode()` does"
                ) from error
            is_padded = is_json and bool(_padding.padded({name: _json.cells(series)}))
            if is_padded:
                nested.append(name)
            fields.append(pyarrow.field(name, array.type, metadata=_JSON if is_json and not is_padded else None))
            arrays.append(array)
        if selects:
            fields.append(pyarrow.field(ROW, pyarrow.int64()))
            arrays.append(pyarrow.array(range(len(frame)), pyarrow.int64()))
        given = pyarrow.Table.from_arrays(arrays, schema=pyarrow.schema(fields))
        self.tables = [table(_plain(given), nested)]

    def join(self, kept, made, ours, rows):
        import pandas

        joined = self.frame if rows is None else self.frame.iloc[rows]
        if len(kept) < len(self.columns):
            keep = set(kept)
            joined = joined.iloc[:, [at for at, name in enumerate(self.columns) if name in keep]]
        labels = self._columns(made, len(made.columns) - len(ours))
        labels.index = joined.index
        whole = pandas.concat([joined, labels], axis=1)
        whole.attrs, whole.columns.name = self.frame.attrs, self.frame.columns.name
        return whole.set_index(SPAN_ID) if self.spans and SPAN_ID in whole else whole

    def whole(self, made):
        import pandas

        whole = self._columns(made)
        if self.spans and "source_id" in whole:
            whole.index = pandas.Index(whole["source_id"], name=SPAN_ID)
        return whole

    def _columns(self, made, first=0):
        """All columns, or those from the one at `first` on."""
        import pandas

        try:
            import pyarrow
        except ImportError:
            return to_pandas_by_rows(made, first)
        arrow = any(isinstance(dtype, pandas.ArrowDtype) for dtype in self.frame.dtypes)
        return to_pandas(pyarrow.table(made).select(made.columns[first:]), pandas.ArrowDtype if arrow else None)


# How Arrow marks texts that are JSON.
_JSON = {"ARROW:extension:name": "arrow.json", "ARROW:extension:metadata": ""}


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
