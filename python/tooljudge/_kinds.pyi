"""The kinds of tables, for type checkers. No frame library is imported: a frame is what has the attributes of one."""

import os
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Protocol, TypeAlias, TypeVar

__all__ = ["Columns", "Data", "Held", "Lazy", "Paths", "Record", "Row", "Rows", "Stream"]

class _Columns(Protocol):
    """A frame of pandas or polars. A relation of DuckDB has any attribute, and none of them can be called."""

    @property
    def columns(self) -> Any: ...
    def to_dict(self, *_: Any, **__: Any) -> Any: ...
    def __len__(self) -> int: ...

class _Arrow(Protocol):
    """A table of pyarrow or a dataset of Hugging Face's, and no batch of records, which becomes a table."""

    @property
    def column_names(self) -> Any: ...
    def flatten(self, *_: Any, **__: Any) -> Any: ...
    def __len__(self) -> int: ...

class _Dataclass(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Any]]

class _Attrs(Protocol):
    __attrs_attrs__: ClassVar[Any]

class _Model(Protocol):
    """A model of pydantic."""

    @property
    def model_dump(self) -> Any: ...

class _NamedTuple(Protocol):
    @property
    def _asdict(self) -> Any: ...

class Stream(Protocol):
    """What is read by Arrow's interface."""

    @property
    def __arrow_c_stream__(self) -> Any: ...

class Lazy(Protocol):
    """A lazy frame of polars."""

    @property
    def collect_batches(self) -> Any: ...

# A frame that comes back as the same kind of frame.
Held = TypeVar("Held", bound=_Columns | _Arrow)
# With labels beside them, rows and columns hold more than they did.
Row: TypeAlias = dict[str, Any]
Rows: TypeAlias = Sequence[Mapping[Any, Any] | _Dataclass | _Attrs | _Model | _NamedTuple]
Columns: TypeAlias = Mapping[Any, Any]
Paths: TypeAlias = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
# The record of a run.
Record: TypeAlias = dict[str, Any]
Data: TypeAlias = Rows | Columns | Paths | _Columns | _Arrow | Stream | Lazy
