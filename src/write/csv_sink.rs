//! CSV and its kin out: texts as they are, nested values as compact JSON, null as nothing.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use csv::{Writer, WriterBuilder};

use super::WriteError;
use super::encoder::Encoder;
use crate::domain::Json;
use crate::table::{Batch, Kind, Schema};

pub(super) struct CsvSink {
    path: PathBuf,
    writer: Writer<Encoder>,
    /// Whether a column holds words of strangers.
    foreign: Vec<bool>,
}

impl CsvSink {
    pub(super) fn create(
        path: &Path,
        encoder: Encoder,
        schema: &Schema,
        delimiter: u8,
    ) -> Result<CsvSink, WriteError> {
        let mut writer = WriterBuilder::new().delimiter(delimiter).from_writer(encoder);
        writer.write_record(schema.names()).map_err(|error| explain(path, error))?;
        let foreign = schema.columns.iter().map(|column| column.kind == Kind::Words).collect();
        Ok(CsvSink { path: path.to_owned(), writer, foreign })
    }

    pub(super) fn write(&mut self, batch: Batch) -> Result<(), WriteError> {
        let records = batch.into_records().map_err(|error| WriteError::table(&self.path, error))?;
        let explain = |error| explain(&self.path, error);
        for record in records {
            for (cell, foreign) in record.cells.iter().zip(&self.foreign) {
                match cell {
                    None | Some(Json::Null) => self.writer.write_field(""),
                    Some(Json::String(text)) if *foreign => self.writer.write_field(&*no_formula(text)),
                    Some(Json::String(text)) => self.writer.write_field(text),
                    Some(value) => self.writer.write_field(value.to_string()),
                }
                .map_err(explain)?;
            }
            self.writer.write_record(None::<&[u8]>).map_err(explain)?;
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<(), WriteError> {
        let encoder = self.writer.into_inner().map_err(|error| WriteError::io(&self.path, error.error()))?;
        encoder.finish().map_err(|error| WriteError::io(&self.path, &error))
    }
}

/// What a model says must not become a formula where the table is opened in a spreadsheet: an apostrophe before it makes it
/// a text. The input's own cells are left alone.
fn no_formula(text: &str) -> Cow<'_, str> {
    match text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']) {
        true => Cow::Owned(format!("'{text}")),
        false => Cow::Borrowed(text),
    }
}

fn explain(path: &Path, error: csv::Error) -> WriteError {
    match error.kind() {
        csv::ErrorKind::Io(error) => WriteError::io(path, error),
        _ => WriteError::table(path, error),
    }
}
