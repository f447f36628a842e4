"""The table that a job returns if no frame library is used, and its conversion to pandas."""

from __future__ import annotations

import importlib
import json

from . import _json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, overload

    import pandas
    import polars
    import pyarrow

# Columns of ours that hold numbers, whatever stands before their names: without pyarrow, only the name says so where all are missing.
_NUMBERS = (
    *("score", "confidence", "p_correct", "prompt_tokens", "completion_tokens", "cost_usd", "latency_ms", "attempts"),
    *("calls_judged", "calls_correct"),
)
# Floats hold whole numbers up to here.
_EXACT = 2**53


class Frame:
    """A table that no library holds yet: rows are dicts, `frame["label"]` is a column's cells, and `head(5)` shows the first rows.
    Anything that reads `__arrow_c_stream__` takes it: `pandas.DataFrame.from_arrow(frame)`, `polars.DataFrame(frame)`,
    `pyarrow.table(frame)`, `duckdb.sql("from frame")`."""

    def __init__(self, made: Any, ours: Any = ()) -> None:
        """`ours` are the columns that the job added."""
        self._made, self._ours = made, tuple(ours)

    @property
    def columns(self) -> list[str]:
        """The names of its columns."""
        return self._made.columns

    def __len__(self) -> int:
        return len(self._made)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.to_dicts())

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, key: str) -> list[Any]: ...
        @overload
        def __getitem__(self, key: list[str]) -> Frame: ...
        @overload
        def __getitem__(self, key: int) -> dict[str, Any]: ...
        @overload
        def __getitem__(self, key: slice) -> list[dict[str, Any]]: ...

    def __getitem__(self, key: Any) -> Any:
        """The cells of a column, a frame of the columns in a list, a row by its number, or the rows of a slice."""
        if isinstance(key, str):
            self._known(key)
            return [row[key] for row in rows_of(self._made, self.columns.index(key))]
        if isinstance(key, list):
            for name in key:
                self._known(name)
            return Frame(_Part(self._made, key, len(self)), [name for name in self._ours if name in key])
        return self.to_dicts()[key]

    def _known(self, name):
        if name not in self.columns:
            raise KeyError(f"no column `{name}`; the columns are {', '.join(self.columns)}")

    def head(self, n: int = 5) -> Frame:
        """The first `n` rows."""
        return Frame(_Part(self._made, self.columns, min(n, len(self)) if n >= 0 else max(len(self) + n, 0)), self._ours)

    def __repr__(self) -> str:
        return f"<tooljudge.Frame of {len(self)} rows: {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        from . import _page

        return _page.html(rows_of(self._made, 0, _page.MOST_ROWS), self.columns, self._ours, len(self))

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._made.__arrow_c_stream__(requested_schema)

    def __reduce__(self):
        import pyarrow

        # Nested cells are texts in the table.
        return _restored, (pyarrow.table(self), self._made.json_lines(0), self._ours)

    def to_dicts(self) -> list[dict[str, Any]]:
        """The rows as dicts."""
        return rows_of(self._made)

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a frame of pandas. Without pyarrow, points in time are texts in it, and tables in cells are lists."""
        _needed("pandas", "to_pandas")
        try:
            import pyarrow
        except ImportError:
            return to_pandas_by_rows(self._made)
        return to_pandas(pyarrow.table(self))

    def to_polars(self) -> polars.DataFrame:
        """The table as a frame of polars."""
        polars = _needed("polars", "to_polars")
        return polars.DataFrame(self)

    def to_arrow(self) -> pyarrow.Table:
        """The table as one of pyarrow."""
        pyarrow = _needed("pyarrow", "to_arrow")
        return pyarrow.table(self)


def _needed(library, method):
    """A library that a method needs; if it is not installed, an error that says what to do. One that is broken says so itself."""
    try:
        return importlib.import_module(library)
    except ModuleNotFoundError as error:
        if error.name != library:
            raise
        why = f"`{method}` needs {library}, which is not installed: pip install {library} (`to_dicts` needs nothing)"
        raise ModuleNotFoundError(why, name=library) from None


class _Part:
    """Some columns and the first rows of a table, as `Frame` knows it."""

    def __init__(self, made, columns, count):
        self._made, self.columns, self._count = made, list(columns), count

    def __len__(self):
        return self._count

    def __arrow_c_stream__(self, requested_schema=None):
        try:
            import pyarrow
        except ImportError:
            import polars

            part = polars.DataFrame(self._made).select(self.columns).head(self._count)
        else:
            part = pyarrow.table(self._made).select(self.columns).slice(0, self._count)
        return part.__arrow_c_stream__(requested_schema)

    def json_lines(self, first=0):
        names = self.columns[first:]
        return _lines(rows_of(self._made, 0, self._count), names)


class Listed:
    """A table of rows of Python, as `Frame` knows it. `kinds` are those of columns that may hold nothing."""

    def __init__(self, rows, columns, kinds):
        self.columns, self._rows, self._default = columns, rows, kinds

    def __len__(self):
        return len(self._rows)

    def __iter__(self):
        return iter(self._rows)

    def __arrow_c_stream__(self, requested_schema=None):
        try:
            return self.to_arrow().__arrow_c_stream__(requested_schema)
        except ImportError:
            return self.to_polars().__arrow_c_stream__(requested_schema)

    def to_arrow(self):
        import pyarrow

        types = {int: pyarrow.int64(), float: pyarrow.float64(), bool: pyarrow.bool_(), str: pyarrow.string()}
        return pyarrow.table({name: pyarrow.array(cells, types[kind]) for name, cells, kind in self._typed()})

    def to_polars(self):
        import polars

        types = {int: polars.Int64, float: polars.Float64, bool: polars.Boolean, str: polars.String}
        return polars.DataFrame([polars.Series(name, cells, types[kind]) for name, cells, kind in self._typed()])

    def _typed(self):
        for name in self.columns:
            cells = [row[name] for row in self._rows]
            kinds = {type(cell) for cell in cells if cell is not None} or {self._default.get(name, str)}
            if len(kinds) > 1 or not kinds <= {int, float, bool, str}:
                cells, kinds = _json.loose(cells), {str}
            yield name, cells, kinds.pop()

    def json_lines(self, first=0):
        names = self.columns[first:]
        return _lines(self._rows, names)


class _Restored:
    """A table that came from another process, as `Frame` knows it."""

    def __init__(self, table, lines):
        self._table, self._lines, self.columns = table, lines, table.column_names

    def __len__(self):
        return len(self._table)

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)

    def json_lines(self, first=0):
        if first == 0:
            return self._lines
        names = self.columns[first:]
        return _lines(rows_of(self), names)


def _restored(table, lines, ours):
    return Frame(_Restored(table, lines), ours)


def rows_of(made: Any, first: int = 0, most: int | None = None) -> list[dict[str, Any]]:
    """The rows as dicts, with the columns from the one at `first` on; `most` of them where it is given."""
    lines = [line for line in made.json_lines(first).split("\n") if line]
    return [json.loads(line) for line in lines[:most]]


def to_pandas(table, types=None):
    """A frame of pandas. Where whole numbers beside nulls are too large for the floats that pandas makes of them, they stay whole."""
    import pandas
    import pyarrow

    frame = table.to_pandas(types_mapper=types)
    for name, column in zip(table.column_names, table.columns, strict=True):
        if types is None and column.null_count and pyarrow.types.is_integer(column.type):
            cells = column.to_pylist()
            if any(cell is not None and abs(cell) > _EXACT for cell in cells):
                frame[name] = pandas.array(cells, dtype="UInt64" if pyarrow.types.is_unsigned_integer(column.type) else "Int64")
    return frame


def to_pandas_by_rows(made, first=0):
    """The same without pyarrow, of the columns from the one at `first` on."""
    import pandas

    names, found = made.columns[first:], rows_of(made, first)
    columns = {name: _series([row[name] for row in found], name) for name in names}
    return pandas.DataFrame(columns, index=range(len(found)), columns=names)


def _series(cells, name):
    import pandas

    present = [cell for cell in cells if cell is not None]
    if not present:
        return pandas.Series(cells, dtype="float64" if name.endswith(_NUMBERS) else object)
    if len(present) < len(cells) and all(type(cell) is int for cell in present) and max(map(abs, present)) > _EXACT:
        return pandas.Series(pandas.array(cells, dtype="UInt64" if max(present) >= 2**63 else "Int64"))
    return pandas.Series(cells)


def _lines(rows, names):
    """These columns of the rows, in JSON Lines."""
    return "\n".join(_json.row({name: row[name] for name in names}) for row in rows)
