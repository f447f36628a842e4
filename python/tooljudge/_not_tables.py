"""Errors for inputs that are not tables, or not yet, with the remedy."""

from collections.abc import Iterator, Mapping

from ._errors import InputError

KINDS = (
    "a pandas or polars frame, a pyarrow table, a Hugging Face dataset, a list of dicts, a dict of columns, anything with "
    "__arrow_c_stream__, or paths"
)
# What makes a table of the frames of other libraries, by the library.
_REMEDIES = {
    "dask": "give it to tooljudge.dask.label, or call .compute() on it first",
    "daft": "give it to tooljudge.daft.label, or call .to_arrow() on it first",
    "datasets": "give its pieces to label_batches: .with_format('arrow').iter(batch_size=1000)",
    "pyspark": "give it to tooljudge.spark.label, or call .toPandas() on it first",
    "ray": "give it to tooljudge.ray.label, or call .to_pandas() on it first",
}


def refuse(data):
    """Raises, and says what would be a table."""
    library, name = type(data).__module__.partition(".")[0].partition("_")[0], type(data).__name__
    if library in _REMEDIES:
        raise InputError(f"a {name} of {library} is no table yet: {_REMEDIES[library]}")
    if isinstance(data, Iterator):
        raise InputError(f"a {name} can be read once only: give list(...) of its rows, or give its tables to label_batches")
    raise InputError(f"{name} is no table: give {KINDS}")


def refuse_column(data):
    """Raises for a column, which speaks Arrow's interface as tables do."""
    if type(data).__name__.endswith(("Series", "Array")):
        raise InputError(
            f"a {type(data).__name__} is a column, not a table: give the frame that it is of; if each of its cells is a row (a dict), "
            "give list(...) of it"
        )


def refuse_list(data):
    """The same of a list of other things than rows or paths."""
    names = " and ".join(sorted({type(one).__name__ for one in data}))
    raise InputError(f"a list of {names} is no table: give {KINDS}")


def refuse_other_than_columns(data):
    """Raises unless the dict holds columns. One row as a dict looks alike, and would be read as rows that nobody has."""
    one_row = "; if it is one row, give it in a list: [row]"
    for name, cells in data.items():
        if hasattr(cells, "columns") or hasattr(cells, "column_names"):
            raise InputError(f"a dict of tables is no table: give one of them, such as data[{name!r}]")
        if isinstance(cells, (str, bytes, Mapping)) or not (hasattr(cells, "__len__") and hasattr(cells, "__iter__")):
            raise InputError(f"`{name}` holds a {type(cells).__name__}, and a dict is a table of columns{one_row}")
    lengths = {name: len(cells) for name, cells in data.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"`{name}` {length}" for name, length in lengths.items())
        raise InputError(f"the columns of a table have the same length, and these have {listed}{one_row}")
    firsts = [next(iter(cells), None) for cells in data.values()]
    is_message = any(isinstance(first, Mapping) and "role" in first for first in firsts)
    if is_message or firsts and all(isinstance(first, Mapping) for first in firsts):
        raise InputError(f"each cell of `{next(iter(data))}` would be a row of its own{one_row}")


def refuse_json_as_text(relation):
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


# Arrow's types that are not read, and what makes another type of them.
_UNREAD = {
    "list_view": "cast it to a list first, as `column.cast(pyarrow.list_(pyarrow.string()))` does",
    "run_end_encoded": "decode it first with `pyarrow.compute.run_end_decode`",
}


def refuse_type(frame, error):
    """Raises if `error` says that a column is of a type that is not read; names the column where the frame does."""
    if "not supported" not in str(error):
        return
    for field in getattr(frame, "schema", ()):
        kind = str(getattr(field, "type", ""))
        for unread, remedy in _UNREAD.items():
            if unread in kind:
                raise InputError(f"column `{field.name}` has the type {kind}, which cannot be read: {remedy}") from error
    raise InputError(
        f"a column has a type that cannot be read, such as a view of lists or runs of equal values ({error}): cast it first"
    ) from error
