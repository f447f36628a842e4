//! JSON Lines out: the keys a row had, with their values as they were written, and ours.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use super::WriteError;
use crate::domain::Json;
use crate::table::Batch;

pub(super) struct JsonSink {
    path: PathBuf,
    writer: BufWriter<File>,
}

impl JsonSink {
    pub(super) fn new(path: &Path, writer: BufWriter<File>) -> JsonSink {
        JsonSink { path: path.to_owned(), writer }
    }

    pub(super) fn write(&mut self, batch: Batch) -> Result<(), WriteError> {
        let keys: Vec<String> = batch.schema.names().map(|name| Json::from(name).to_string()).collect();
        let records = batch.into_records().map_err(|error| WriteError::table(&self.path, error))?;
        for record in records {
            let cells = keys.iter().zip(&record.cells).filter_map(|(key, cell)| Some((key, cell.as_ref()?)));
            self.line(cells).map_err(|error| WriteError::io(&self.path, &error))?;
        }
        Ok(())
    }

    fn line<'a>(&mut self, cells: impl Iterator<Item = (&'a String, &'a Json)>) -> std::io::Result<()> {
        let mut before = '{';
        for (key, value) in cells {
            write!(self.writer, "{before}{key}:{value}")?;
            before = ',';
        }
        self.writer.write_all(if before == '{' { b"{}\n" } else { b"}\n" })
    }

    pub(super) fn finish(mut self) -> Result<(), WriteError> {
        self.writer.flush().map_err(|error| WriteError::io(&self.path, &error))
    }
}
