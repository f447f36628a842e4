//! Parquet out, zstd-compressed, in row groups of bounded size.

use std::path::{Path, PathBuf};

use polars::io::parquet::write::BatchedWriter;
use polars::prelude::*;

use super::WriteError;
use super::encoder::Encoder;
use super::group::Group;
use crate::table::{self, Batch};

pub(super) struct ParquetSink {
    path: PathBuf,
    writer: BatchedWriter<Encoder>,
    group: Group,
}

impl ParquetSink {
    pub(super) fn create(
        path: &Path,
        encoder: Encoder,
        schema: &table::Schema,
    ) -> Result<ParquetSink, WriteError> {
        let writer = ParquetWriter::new(encoder)
            .with_compression(ParquetCompression::Zstd(None))
            .batched(&schema.frame_schema())
            .map_err(|error| explain(path, &error))?;
        Ok(ParquetSink { path: path.to_owned(), writer, group: Group::default() })
    }

    pub(super) fn write(&mut self, batch: Batch) -> Result<(), WriteError> {
        let frame = batch.into_frame().map_err(|error| WriteError::table(&self.path, error))?;
        let full = self.group.add(frame).map_err(|error| explain(&self.path, &error))?;
        self.put(full)
    }

    pub(super) fn finish(mut self) -> Result<(), WriteError> {
        let rest = self.group.take();
        self.put(rest)?;
        // Writes the footer and flushes.
        self.writer.finish().map(drop).map_err(|error| explain(&self.path, &error))
    }

    fn put(&mut self, group: Option<DataFrame>) -> Result<(), WriteError> {
        let Some(group) = group else { return Ok(()) };
        self.writer.write_batch(&group).map_err(|error| explain(&self.path, &error))
    }
}

pub(super) fn explain(path: &Path, error: &PolarsError) -> WriteError {
    match error {
        PolarsError::IO { error, .. } => WriteError::io(path, error),
        error => WriteError::table(path, error),
    }
}
