"""Labels frames of Spark: `tooljudge.spark.label(frame, judge=...)`."""

from __future__ import annotations

from ._cluster import Job
from ._flags import ClusterOptions
from ._options import takes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, TypeVar, Unpack

    DataFrame = TypeVar("DataFrame")

__all__ = ["label"]


@takes(ClusterOptions, forks=False)
def label(frame: DataFrame, **options: Unpack[ClusterOptions]) -> DataFrame:
    """Labels every tool call of a frame of Spark as correct or incorrect, whenever the frame is used.

    Args:
        frame: A `pyspark.sql.DataFrame`, whose columns are those that `tooljudge.label` takes. Each partition is the work of one task;
            `spark.sql.execution.arrow.maxRecordsPerBatch` rows are labelled at a time.

    The other options are those of `tooljudge.label`, without those that are of a whole run.

    Returns:
        A frame with the same rows, and the columns `label`, `status` and more beside its own. It is lazy: each action on it labels
        again, which a store makes free of cost.
    """
    import pyarrow
    from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
    from pyspark.sql.types import StructType

    job = Job(options)
    source: Any = frame
    if job.store is not None:
        job.store.needs(_machines(source))
    given = to_arrow_schema(source.schema)
    made, ours = job.label_none(given.empty_table())
    # What Spark knows more of its own columns than Arrow does stays as it is.
    kept = [source.schema[name] for name in made.column_names[: -len(ours)]]
    labels = from_arrow_schema(made.select(ours).schema)

    def tooljudge(batches: Iterable[Any]) -> Iterator[Any]:
        return job(pyarrow.RecordBatch.from_arrays(batch.columns, names=given.names) for batch in batches)

    # `mapInArrow` takes a dot in a name for the way to a field.
    plain = source.toDF(*(f"_{at}" for at in range(len(given))))
    return plain.mapInArrow(tooljudge, StructType([*kept, *labels]))


def _machines(frame: Any) -> int:
    """How many machines the executors are on that are there by now. What the session does not tell, each worker finds out by itself."""
    try:
        context = frame.sparkSession.sparkContext
        hosts = [one.host() for one in context._jsc.sc().statusTracker().getExecutorInfos()]
        # The driver is among them.
        hosts.remove(context.getConf().get("spark.driver.host"))
    except Exception:
        # A session of Spark Connect has no context.
        return 1
    return len(set(hosts))
