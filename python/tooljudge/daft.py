"""Labels frames of Daft: `tooljudge.daft.label(frame, judge=...)`."""

from __future__ import annotations

from ._cluster import Job
from ._flags import ClusterOptions
from ._options import takes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar, Unpack

    DataFrame = TypeVar("DataFrame")

__all__ = ["label"]


@takes(ClusterOptions, forks=False)
def label(frame: DataFrame, *, batch_size: int = 1000, **options: Unpack[ClusterOptions]) -> DataFrame:
    """Labels every tool call of a frame of Daft as correct or incorrect, when the frame is collected.

    Args:
        frame: A `daft.DataFrame`, whose columns are those that `tooljudge.label` takes.
        batch_size: The most rows that are labelled at a time.

    The other options are those of `tooljudge.label`, without those that are of a whole run.

    Returns:
        A frame with the same rows in the same order, and the columns `label`, `status` and more beside its own.
    """
    import daft
    import pyarrow

    job = Job(options)
    if job.store is not None:
        job.store.needs(_machines())
    source: Any = frame
    names = source.column_names
    made, ours = job.label_none(source.schema().to_pyarrow_schema().empty_table())
    kept, fields = made.column_names[: -len(ours)], list(made.select(ours).schema)

    def tooljudge(*columns: Any) -> Any:
        table = pyarrow.table([column.to_arrow() for column in columns], names=names)
        labels = job.label(table).select(ours).combine_chunks()
        return pyarrow.StructArray.from_arrays([column.combine_chunks() for column in labels.columns], fields=fields)

    function = daft.func.batch(
        return_dtype=daft.DataType.from_arrow_type(pyarrow.struct(fields)), unnest=True, batch_size=batch_size
    )
    return source.select(*kept, function(tooljudge)(*[daft.col(name) for name in names]))


def _machines() -> int:
    """How many machines the workers are on, as far as that is known by now: threads of this one, or a cluster of Ray's."""
    try:
        import ray
        from daft.runners import get_or_infer_runner_type
    except ImportError:
        return 1
    if get_or_infer_runner_type() != "ray" or not ray.is_initialized():
        return 1
    from .ray import machines

    return machines()
