//! An output under construction.

use std::path::Path;

use super::csv_sink::CsvSink;
use super::json_sink::JsonSink;
use super::parquet_sink::ParquetSink;
use super::whole_file::WholeFile;
use super::{OutputFormat, WriteError};
use crate::table::{Batch, Schema};

/// Takes batches in order; the file appears when it is finished, and never if it is dropped before.
pub struct Sink {
    file: WholeFile,
    format: FormatSink,
    rows: u64,
}

enum FormatSink {
    Csv(Box<CsvSink>),
    Json(JsonSink),
    Parquet(Box<ParquetSink>),
}

/// A finished output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finished {
    pub rows: u64,
    pub bytes: u64,
}

impl Sink {
    /// An output at `path` with the columns of `schema`.
    pub fn create(path: &Path, format: OutputFormat, schema: &Schema) -> Result<Sink, WriteError> {
        let file = WholeFile::create(path)?;
        let writer = file.writer()?;
        let format = match format {
            OutputFormat::Csv => FormatSink::Csv(Box::new(CsvSink::create(path, writer, schema, b',')?)),
            OutputFormat::Tsv => FormatSink::Csv(Box::new(CsvSink::create(path, writer, schema, b'\t')?)),
            OutputFormat::Jsonl => FormatSink::Json(JsonSink::new(path, writer)),
            OutputFormat::Parquet => {
                FormatSink::Parquet(Box::new(ParquetSink::create(path, writer, schema)?))
            }
        };
        Ok(Sink { file, format, rows: 0 })
    }

    pub fn write(&mut self, batch: Batch) -> Result<(), WriteError> {
        self.rows += batch.len() as u64;
        match &mut self.format {
            FormatSink::Csv(sink) => sink.write(batch),
            FormatSink::Json(sink) => sink.write(batch),
            FormatSink::Parquet(sink) => sink.write(batch),
        }
    }

    pub fn finish(self) -> Result<Finished, WriteError> {
        match self.format {
            FormatSink::Csv(sink) => sink.finish()?,
            FormatSink::Json(sink) => sink.finish()?,
            FormatSink::Parquet(sink) => sink.finish()?,
        }
        Ok(Finished { rows: self.rows, bytes: self.file.commit()? })
    }
}
