//! Writes Parquet, zstd-compressed, in row groups of bounded size.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use polars::io::parquet::write::get_encodings;
use polars::prelude::{ArrowSchema, DataFrame, PolarsError, PolarsResult};
use polars_parquet::write::{
    CompressionOptions, FileWriter, StatisticsOptions, Version, WriteOptions, row_group_iter, to_parquet_type,
};

use super::WriteError;
use super::encoder::Encoder;
use super::group::Group;
use super::parquet_types;
use crate::table::{self, Batch};

pub(super) struct ParquetSink {
    path: PathBuf,
    /// What readers are told of the columns.
    told: ArrowSchema,
    /// What pandas is.
    pandas: Option<String>,
    /// What the columns are in memory.
    schema: Arc<ArrowSchema>,
    writer: FileWriter<Encoder>,
    group: Group,
}

impl ParquetSink {
    pub(super) fn create(
        path: &Path,
        encoder: Encoder,
        schema: &table::Schema,
    ) -> Result<ParquetSink, WriteError> {
        let told = parquet_types::told(&schema.arrow());
        let pandas = schema.pandas.as_ref().and_then(|pandas| pandas.note(schema));
        let schema = Arc::new(parquet_types::in_memory(&told));
        let options = WriteOptions {
            statistics: StatisticsOptions::default(),
            version: Version::V1,
            compression: CompressionOptions::Zstd(None),
            data_page_size: None,
        };
        let descriptor = parquet_types::descriptor(&told, &schema).map_err(|error| explain(path, &error))?;
        let writer = FileWriter::new_with_parquet_schema(encoder, (*schema).clone(), descriptor, options);
        Ok(ParquetSink { path: path.to_owned(), told, pandas, schema, writer, group: Group::default() })
    }

    pub(super) fn write(&mut self, batch: Batch) -> Result<(), WriteError> {
        let frame = batch.into_frame().map_err(|error| WriteError::table(&self.path, error))?;
        let full = self.group.add(frame).map_err(|error| explain(&self.path, &error))?;
        self.put(full)
    }

    pub(super) fn finish(mut self) -> Result<(), WriteError> {
        let rest = self.group.take();
        self.put(rest)?;
        let notes = parquet_types::notes(&self.told, self.pandas);
        self.writer.end(Some(notes)).map_err(|error| explain(&self.path, &error))?;
        self.writer.into_inner().finish().map_err(|error| WriteError::io(&self.path, &error))
    }

    fn put(&mut self, group: Option<DataFrame>) -> Result<(), WriteError> {
        let Some(group) = group.filter(|group| group.height() > 0) else { return Ok(()) };
        self.encode(&group).map_err(|error| explain(&self.path, &error))
    }

    fn encode(&mut self, group: &DataFrame) -> PolarsResult<()> {
        let batch = table::arrow::record_batch(group, &self.schema)?;
        let fields = self.schema.iter_values().map(to_parquet_type).collect::<PolarsResult<_>>()?;
        let columns = row_group_iter(batch, get_encodings(&self.schema), fields, self.writer.options());
        self.writer.write(group.height() as u64, columns)
    }
}

pub(super) fn explain(path: &Path, error: &PolarsError) -> WriteError {
    match error {
        PolarsError::IO { error, .. } => WriteError::io(path, error),
        error => WriteError::table(path, error),
    }
}
