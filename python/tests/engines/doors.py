"""The engines that labels are made on, each with two workers and little memory: how one starts, takes rows, labels, fails and gives them
back."""

import contextlib
import os
import sys
import tempfile

import pyarrow as pa

import tooljudge as tj

WORKERS = 2


def failing_once(marker):
    """What lets through all it is given, but fails the first time that any worker calls it."""

    # Within another function, so that engines send its code.
    def through(given):
        try:
            os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return given
        raise RuntimeError("the first time")

    return through


class Ray:
    """Tasks of Ray, in processes of their own."""

    in_processes = True

    def start(self, workers=WORKERS):
        os.environ.update(RAY_USAGE_STATS_ENABLED="0", RAY_TMPDIR=tempfile.mkdtemp(prefix="r", dir="/tmp"))
        import ray

        # Its workers look for modules in the folder where it starts, and in ours is the package without its native module.
        with contextlib.chdir(os.environ["RAY_TMPDIR"]):
            ray.init(
                num_cpus=workers,
                include_dashboard=False,
                object_store_memory=200 << 20,
                _node_ip_address="127.0.0.1",
                log_to_driver=False,
            )
        ray.data.DataContext.get_current().enable_progress_bars = False

    def frame(self, table, parts):
        import ray

        return ray.data.from_arrow(slices(table, parts))

    def label(self, frame, **options):
        # By default so few rows are the work of one task.
        return tj.ray.label(frame, **{"batch_size": 15, **options})

    def table(self, frame):
        import ray

        return pa.concat_tables(ray.get(frame.to_arrow_refs()))

    def after_a_failure(self, frame, marker):
        # Of its own accord it tries only tasks again whose process has died.
        made = frame.map_batches(failing_once(marker), batch_format="pyarrow", retry_exceptions=True)
        return self.table(made)

    def through_files(self, source, sink, **options):
        import ray

        tj.ray.label(ray.data.read_parquet(source), **options).write_parquet(sink)

    def stop(self):
        import ray

        ray.shutdown()


class Spark:
    """Two executors of Spark, processes of their own, each with one core; a task may fail three times."""

    in_processes = True

    def start(self, workers=WORKERS):
        os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
        from pyspark.sql import SparkSession

        here = SparkSession.builder.master(f"local-cluster[{workers},1,1024]")
        settings = {
            "spark.driver.memory": "1g",
            "spark.ui.enabled": "false",
            "spark.sql.session.timeZone": "UTC",
            "spark.executorEnv.PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        }
        for name, value in settings.items():
            here = here.config(name, value)
        self.session = here.getOrCreate()
        self.session.sparkContext.setLogLevel("OFF")

    def frame(self, table, parts):
        # Its rows have no order but that of their partitions.
        return self.session.createDataFrame(table).repartitionByRange(parts, "at").sortWithinPartitions("at")

    def label(self, frame, **options):
        return tj.spark.label(frame, **options)

    def table(self, frame):
        return frame.toArrow()

    def after_a_failure(self, frame, marker):
        through = failing_once(marker)
        return self.table(frame.mapInArrow(lambda batches: map(through, batches), frame.schema))

    def through_files(self, source, sink, **options):
        tj.spark.label(self.session.read.parquet(source), **options).write.parquet(sink)

    def stop(self):
        self.session.stop()


class Dask:
    """Two workers of Dask, processes of their own."""

    in_processes = True

    def start(self, workers=WORKERS):
        from distributed import Client, LocalCluster

        self.cluster = LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, memory_limit="1GB", dashboard_address=None, host="127.0.0.1"
        )
        self.client = Client(self.cluster)

    def frame(self, table, parts):
        import dask
        import dask.dataframe as dd

        # Otherwise nested cells become what Python prints of them.
        dask.config.set({"dataframe.convert-string": False})
        return dd.from_pandas(table.to_pandas(), npartitions=parts, sort=False)

    def label(self, frame, **options):
        return tj.dask.label(frame, **options)

    def table(self, frame):
        return pa.Table.from_pandas(frame.compute(), preserve_index=False)

    def after_a_failure(self, frame, marker):
        made = frame.map_partitions(failing_once(marker), meta=frame._meta)
        return pa.Table.from_pandas(made.compute(retries=2), preserve_index=False)

    def through_files(self, source, sink, **options):
        import dask.dataframe as dd

        tj.dask.label(dd.read_parquet(source), **options).to_parquet(sink)

    def stop(self):
        self.client.close()
        self.cluster.close()


class Daft:
    """The engine of Daft that runs in this process."""

    in_processes = False

    def start(self, workers=WORKERS):
        import daft

        daft.set_runner_native(num_threads=workers)

    def frame(self, table, parts):
        import daft

        # Of a slice of nested cells it panics.
        return daft.from_arrow([pa.Table.from_pylist(part.to_pylist(), part.schema) for part in slices(table, parts)])

    def label(self, frame, **options):
        return tj.daft.label(frame, **{"batch_size": 15, **options})

    def table(self, frame):
        return frame.to_arrow()

    def after_a_failure(self, frame, marker):
        import daft
        import pytest

        through = daft.func.batch(return_dtype=daft.DataType.int64())(failing_once(marker))
        made = frame.with_column("at", through(daft.col("at")))
        # It tries nothing again by itself.
        with pytest.raises(Exception, match="the first time"):
            self.table(made)
        return self.table(made)

    def through_files(self, source, sink, **options):
        import daft

        tj.daft.label(daft.read_parquet(source), **options).write_parquet(sink)

    def stop(self):
        pass


DOORS = {"ray": Ray, "spark": Spark, "dask": Dask, "daft": Daft}


def slices(table, parts):
    size = -(-len(table) // parts)
    return [table.slice(start, size) for start in range(0, len(table), size)]
