//! Parquet out, zstd-compressed, in row groups of bounded size.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use polars::io::parquet::write::BatchedWriter;
use polars::prelude::*;

use super::WriteError;
use crate::table::{self, Batch, Kind};

/// A row group is written once it has this many rows…
const GROUP_ROWS: usize = 16_384;
/// …or its columns take this many bytes.
const GROUP_BYTES: usize = 8 << 20;

pub(super) struct ParquetSink {
    path: PathBuf,
    writer: BatchedWriter<BufWriter<File>>,
    group: Option<DataFrame>,
}

impl ParquetSink {
    pub(super) fn create(
        path: &Path,
        writer: BufWriter<File>,
        schema: &table::Schema,
    ) -> Result<ParquetSink, WriteError> {
        let fields =
            schema.columns.iter().map(|column| Field::new(column.name.as_str().into(), dtype(&column.kind)));
        let writer = ParquetWriter::new(writer)
            .with_compression(ParquetCompression::Zstd(None))
            .batched(&fields.collect())
            .map_err(|error| explain(path, &error))?;
        Ok(ParquetSink { path: path.to_owned(), writer, group: None })
    }

    pub(super) fn write(&mut self, batch: Batch) -> Result<(), WriteError> {
        let frame = batch.into_frame().map_err(|error| WriteError::table(&self.path, error))?;
        let group = match self.group.take() {
            Some(mut group) => {
                group.vstack_mut(&frame).map_err(|error| explain(&self.path, &error))?;
                group
            }
            None => frame,
        };
        if group.height() >= GROUP_ROWS || group.estimated_size() >= GROUP_BYTES {
            self.put(group)
        } else {
            self.group = Some(group);
            Ok(())
        }
    }

    pub(super) fn finish(mut self) -> Result<(), WriteError> {
        if let Some(group) = self.group.take() {
            self.put(group)?;
        }
        // Writes the footer and flushes.
        self.writer.finish().map(drop).map_err(|error| explain(&self.path, &error))
    }

    fn put(&mut self, mut group: DataFrame) -> Result<(), WriteError> {
        group.rechunk_mut();
        self.writer.write_batch(&group).map_err(|error| explain(&self.path, &error))
    }
}

fn dtype(kind: &Kind) -> DataType {
    match kind {
        Kind::Bool => DataType::Boolean,
        Kind::Int => DataType::Int64,
        Kind::Float => DataType::Float64,
        Kind::Text | Kind::Json => DataType::String,
        Kind::Typed(dtype) => dtype.clone(),
    }
}

fn explain(path: &Path, error: &PolarsError) -> WriteError {
    match error {
        PolarsError::IO { error, .. } => WriteError::io(path, error),
        error => WriteError::table(path, error),
    }
}
