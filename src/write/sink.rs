//! An output that is being written.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::arrow_sink::ArrowSink;
use super::csv_sink::CsvSink;
use super::encoder::{Count, Encoder, Outlet};
use super::json_sink::JsonSink;
use super::manifest_file::{announce, is_known_empty};
use super::memory_sink::MemorySink;
use super::output::{is_stdout, is_stream};
use super::parquet_sink::ParquetSink;
use super::whole_file::{self, WholeFile};
use super::{InPlace, Output, OutputFormat, WhenEmpty, WriteError};
use crate::table::{Batch, Format, Schema};

/// Takes batches in order; a file appears when it is finished, and never if it is dropped before.
pub struct Sink {
    path: PathBuf,
    /// None of a stream.
    file: Option<WholeFile>,
    format: FormatSink,
    when_empty: WhenEmpty,
    rows: u64,
    count: Count,
}

enum FormatSink {
    Csv(Box<CsvSink>),
    Json(Box<JsonSink>),
    Parquet(Box<ParquetSink>),
    Arrow(Box<ArrowSink>),
    Memory(Box<MemorySink>),
}

/// A finished output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Finished {
    /// How many.
    pub rows: u64,
    /// Of the file, as compressed as it is.
    pub bytes: u64,
}

impl Sink {
    /// An output with the columns of `schema`, wherever it is to be.
    pub fn open(output: &Output, schema: &Schema) -> Result<Sink, WriteError> {
        let Some(to) = &output.collected else {
            return Sink::create(&output.path, output.format, schema);
        };
        let (path, when_empty) = (output.path.clone(), output.format.when_empty);
        let format = FormatSink::Memory(Box::new(MemorySink::create(to, schema)?));
        Ok(Sink { path, file: None, format, when_empty, rows: 0, count: Count::default() })
    }

    /// An output at `path` with the columns of `schema`. Devices, pipes and `-`, the standard output, are written to as
    /// rows come.
    pub fn create(path: &Path, format: OutputFormat, schema: &Schema) -> Result<Sink, WriteError> {
        let io = |error: std::io::Error| WriteError::io(path, &error);
        let file = if is_stream(path) {
            None
        } else {
            whole_file::sweep(path);
            Some(WholeFile::create(path)?)
        };
        let outlet = match &file {
            Some(file) => Outlet::File(file.writer()?),
            None if is_stdout(path) => Outlet::Stdout(std::io::stdout()),
            None => Outlet::File(File::options().write(true).open(path).map_err(io)?),
        };
        let count = Count::default();
        let encoder = Encoder::new(outlet, format.compression, count.clone()).map_err(io)?;
        let OutputFormat { formulas, when_empty, .. } = format;
        let format = match format.format {
            Format::Csv | Format::Tsv | Format::Ssv => {
                let delimiter = format.format.delimiter().unwrap_or(b',');
                FormatSink::Csv(Box::new(CsvSink::create(path, encoder, schema, (delimiter, formulas))?))
            }
            Format::Jsonl => FormatSink::Json(Box::new(JsonSink::new(path, encoder, false))),
            Format::Json => FormatSink::Json(Box::new(JsonSink::new(path, encoder, true))),
            Format::Parquet => FormatSink::Parquet(Box::new(ParquetSink::create(path, encoder, schema)?)),
            Format::Arrow => FormatSink::Arrow(Box::new(ArrowSink::create(path, encoder, schema)?)),
        };
        Ok(Sink { path: path.to_owned(), file, format, when_empty, rows: 0, count })
    }

    /// Appends rows. Those of a stream may be read before the end.
    pub fn write(&mut self, batch: Batch) -> Result<(), WriteError> {
        self.rows += batch.len() as u64;
        let written = match &mut self.format {
            FormatSink::Csv(sink) => sink.write(batch),
            FormatSink::Json(sink) => sink.write(batch),
            FormatSink::Parquet(sink) => sink.write(batch),
            FormatSink::Arrow(sink) => sink.write(batch),
            FormatSink::Memory(sink) => sink.write(batch),
        };
        written.map_err(|error| told_full(error, &self.count, &self.path))
    }

    /// Puts the file in its place; nothing appears there before.
    pub fn finish(self) -> Result<Finished, WriteError> {
        self.finish_over(None)
    }

    /// As [`Sink::finish`], unless another run has put a table there since `in_place` was found.
    pub fn finish_over(self, in_place: Option<&InPlace>) -> Result<Finished, WriteError> {
        let replaces = self.file.is_some() && self.path.exists();
        let keeps = self.when_empty == WhenEmpty::Keep;
        if self.rows == 0 && replaces && keeps && !is_known_empty(&self.path) {
            return Err(WriteError::NothingToWrite(self.path));
        }
        let finished = match self.format {
            FormatSink::Csv(sink) => sink.finish(),
            FormatSink::Json(sink) => sink.finish(),
            FormatSink::Parquet(sink) => sink.finish(),
            FormatSink::Arrow(sink) => sink.finish(),
            FormatSink::Memory(sink) => return Ok(Finished { rows: self.rows, bytes: sink.finish() }),
        };
        finished.map_err(|error| told_full(error, &self.count, &self.path))?;
        let bytes = match self.file {
            Some(file) => file.commit_after(|bytes| {
                in_place.map_or(Ok(()), InPlace::check)?;
                announce(&self.path, bytes, in_place.map(InPlace::replacement))
            })?,
            None => self.count.bytes(),
        };
        Ok(Finished { rows: self.rows, bytes })
    }
}

/// `error`, or that the disk is full where it does not say so.
fn told_full(error: WriteError, count: &Count, path: &Path) -> WriteError {
    if count.is_full() { WriteError::Full(path.to_owned()) } else { error }
}
