"""Labels frames of Dask: `tooljudge.dask.label(frame, judge=...)`."""

from __future__ import annotations

from ._cluster import Job
from ._flags import ClusterOptions
from ._options import takes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar, Unpack

    DataFrame = TypeVar("DataFrame")

__all__ = ["label"]

# Types that hold gaps in the place of those that become others where there is one: all partitions have the same types.
_TYPES = {"int64": "Int64", "bool": "boolean", "object": "string"}


@takes(ClusterOptions, forks=False)
def label(frame: DataFrame, **options: Unpack[ClusterOptions]) -> DataFrame:
    """Labels every tool call of a frame of Dask as correct or incorrect, whenever the frame is computed.

    Args:
        frame: A `dask.dataframe.DataFrame`, whose columns are those that `tooljudge.label` takes. Each partition is labelled at once, so
            partitions of some thousands of rows serve best.

    The other options are those of `tooljudge.label`, without those that are of a whole run.

    Returns:
        A frame with the same rows, index and divisions, and the columns `label`, `status` and more beside its own. It is lazy: each
        `compute` labels again, which a store makes free of cost; `persist` labels once.
    """
    job = Job(options)
    if job.store is not None:
        job.store.needs(_machines())
    source: Any = frame
    meta, names = job.label_none(source._meta)
    ours = {name: _TYPES.get(str(meta.dtypes[name]), meta.dtypes[name]) for name in names}

    def tooljudge(part: Any) -> Any:
        return job.label(part).astype(ours)

    return source.map_partitions(tooljudge, meta=meta.astype(ours))


def _machines() -> int:
    """How many machines the workers are on. Without a client they are threads or processes of this one."""
    try:
        from distributed import get_client

        workers = get_client().scheduler_info(n_workers=-1)["workers"].values()
    except (ImportError, ValueError):
        return 1
    return len({worker["host"] for worker in workers})
