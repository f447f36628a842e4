"""Labels datasets of Ray: `tooljudge.ray.label(dataset, judge=...)`."""

from __future__ import annotations

from . import _json
from ._cluster import Job
from ._flags import ClusterOptions
from ._options import takes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar, Unpack

    Dataset = TypeVar("Dataset")

__all__ = ["label"]


@takes(ClusterOptions, forks=False)
def label(
    dataset: Dataset,
    *,
    workers: int | None = None,
    batch_size: int = 1000,
    num_cpus: float | None = None,
    **options: Unpack[ClusterOptions],
) -> Dataset:
    """Labels every tool call of a dataset of Ray as correct or incorrect, when the dataset is used.

    Args:
        dataset: A `ray.data.Dataset`, whose columns are those that `tooljudge.label` takes.
        workers: The most tasks that label at once; by default as many as there is room for.
        batch_size: Rows that a task labels at a time.
        num_cpus: Cores of a task, 1 by default. A task that asks a model mostly waits, and a fraction lets more of them run at once.

    The other options are those of `tooljudge.label`, without those that are of a whole run.

    Returns:
        A dataset with the same rows in the same order, and the columns `label`, `status` and more beside its own.
    """
    import pyarrow
    import ray

    if not ray.is_initialized():
        ray.init()
    job = Job(options)
    if job.store is not None:
        job.store.needs(machines())
    source: Any = dataset
    known = source.schema(fetch_if_missing=False)
    if known is not None:
        # Mistakes in options are told now; the columns themselves Ray finds by itself. Objects of Python are texts until they are read.
        kinds = [kind if isinstance(kind, pyarrow.DataType) else pyarrow.string() for kind in known.types]
        job.label_none(pyarrow.schema(list(zip(known.names, kinds, strict=True))).empty_table())

    def tooljudge(batch: Any) -> Any:
        readable, objects = _readable(batch)
        made = job.label(readable)
        for name in set(objects) & set(made.column_names):
            made = made.set_column(made.column_names.index(name), batch.schema.field(name), batch[name])
        return made

    made = source.map_batches(
        tooljudge,
        batch_size=batch_size,
        batch_format="pyarrow",
        compute=ray.data.TaskPoolStrategy(size=workers),
        num_cpus=num_cpus,
        udf_modifying_row_count=False,
    )
    # Otherwise blocks come as they are ready.
    made.context.execution_options.preserve_order = True
    return made


def machines() -> int:
    """How many machines the cluster has that this process is connected to."""
    import ray

    return len({node["NodeManagerAddress"] for node in ray.nodes() if node["Alive"]})


def _readable(batch: Any) -> tuple[Any, list[str]]:
    """The table with JSON in the place of objects of Python, which Ray makes of cells that have no type of Arrow in common; their names."""
    import pyarrow

    objects = [
        field.name for field in batch.schema if getattr(field.type, "extension_name", None) == "ray.data.arrow_pickled_object"
    ]
    for name in objects:
        texts = _json.loose(batch[name].to_pylist())
        batch = batch.set_column(batch.column_names.index(name), name, pyarrow.array(texts, pyarrow.large_string()))
    return batch, objects
