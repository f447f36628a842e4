//! CSV and TSV out: texts as they are, nested values as compact JSON, null as nothing.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use csv::{Writer, WriterBuilder};

use super::WriteError;
use crate::domain::Json;
use crate::table::{Batch, Schema};

pub(super) struct CsvSink {
    path: PathBuf,
    writer: Writer<BufWriter<File>>,
}

impl CsvSink {
    pub(super) fn create(
        path: &Path,
        writer: BufWriter<File>,
        schema: &Schema,
        delimiter: u8,
    ) -> Result<CsvSink, WriteError> {
        let mut writer = WriterBuilder::new().delimiter(delimiter).from_writer(writer);
        writer.write_record(schema.names()).map_err(|error| explain(path, error))?;
        Ok(CsvSink { path: path.to_owned(), writer })
    }

    pub(super) fn write(&mut self, batch: Batch) -> Result<(), WriteError> {
        let records = batch.into_records().map_err(|error| WriteError::table(&self.path, error))?;
        let explain = |error| explain(&self.path, error);
        for record in records {
            for cell in record.cells {
                match cell {
                    None | Some(Json::Null) => self.writer.write_field(""),
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
        let io = |error: std::io::Error| WriteError::io(&self.path, &error);
        let mut writer =
            self.writer.into_inner().map_err(|error| WriteError::io(&self.path, error.error()))?;
        writer.flush().map_err(io)
    }
}

fn explain(path: &Path, error: csv::Error) -> WriteError {
    match error.kind() {
        csv::ErrorKind::Io(error) => WriteError::io(path, error),
        _ => WriteError::table(path, error),
    }
}
