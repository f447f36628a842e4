//! JSON out, one object a line or in an array: the keys a row had, with their values as they were written, and ours.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::WriteError;
use super::encoder::Encoder;
use crate::domain::Json;
use crate::table::Batch;

pub(super) struct JsonSink {
    path: PathBuf,
    encoder: Encoder,
    array: bool,
    /// Whether something was written.
    begun: bool,
}

impl JsonSink {
    /// Writes one `array` of all rows, or a line for each.
    pub(super) fn new(path: &Path, encoder: Encoder, array: bool) -> JsonSink {
        JsonSink { path: path.to_owned(), encoder, array, begun: false }
    }

    pub(super) fn write(&mut self, batch: Batch) -> Result<(), WriteError> {
        let keys: Vec<String> = batch.schema.names().map(|name| Json::from(name).to_string()).collect();
        let records = batch.into_records().map_err(|error| WriteError::table(&self.path, error))?;
        for record in records {
            let cells = keys.iter().zip(&record.cells).filter_map(|(key, cell)| Some((key, cell.as_ref()?)));
            self.object(cells).map_err(|error| WriteError::io(&self.path, &error))?;
        }
        Ok(())
    }

    fn object<'a>(&mut self, cells: impl Iterator<Item = (&'a String, &'a Json)>) -> io::Result<()> {
        self.encoder.write_all(match (self.array, self.begun) {
            (false, _) => b"",
            (true, false) => b"[\n",
            (true, true) => b",\n",
        })?;
        self.begun = true;
        let mut before = '{';
        for (key, value) in cells {
            write!(self.encoder, "{before}{key}:{value}")?;
            before = ',';
        }
        self.encoder.write_all(if before == '{' { b"{}" } else { b"}" })?;
        self.encoder.write_all(if self.array { b"" } else { b"\n" })
    }

    pub(super) fn finish(mut self) -> Result<(), WriteError> {
        let end: &[u8] = match (self.array, self.begun) {
            (false, _) => b"",
            (true, false) => b"[]\n",
            (true, true) => b"\n]\n",
        };
        let done = self.encoder.write_all(end).and_then(|()| self.encoder.finish());
        done.map_err(|error| WriteError::io(&self.path, &error))
    }
}
