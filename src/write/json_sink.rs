//! Writes JSON, one object per line or an array: a row's keys with their original values, then ours.

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::WriteError;
use super::encoder::Encoder;
use crate::domain::{Json, Object};
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
        let schema = Arc::clone(&batch.schema);
        let keys: Vec<String> = schema.names().map(quoted).collect();
        let others = schema.other_keys().map(|at| (at, schema.names().collect::<HashSet<&str>>()));
        let records = batch.into_records().map_err(|error| WriteError::table(&self.path, error))?;
        for record in records {
            self.object(&keys, record.cells, others.as_ref())
                .map_err(|error| WriteError::io(&self.path, &error))?;
        }
        Ok(())
    }

    /// Writes the object of a row; `others` is the place of the keys that have no columns, and the names of the columns.
    fn object(
        &mut self,
        keys: &[String],
        cells: Vec<Option<Json>>,
        others: Option<&(usize, HashSet<&str>)>,
    ) -> io::Result<()> {
        self.encoder.write_all(match (self.array, self.begun) {
            (false, _) => b"",
            (true, false) => b"[\n",
            (true, true) => b",\n",
        })?;
        self.begun = true;
        let mut before = '{';
        let mut member = |key: &str, value: &Json| {
            let written = write!(self.encoder, "{before}{key}:{value}");
            before = ',';
            written
        };
        for (at, (key, cell)) in keys.iter().zip(cells).enumerate() {
            match (cell, others) {
                (None, _) => {}
                (Some(Json::Object(own)), Some((place, names))) if *place == at => {
                    let (beside, within) = parted(own, names);
                    beside.iter().try_for_each(|(key, value)| member(&quoted(key), value))?;
                    if !within.is_empty() {
                        member(key, &Json::Object(within))?;
                    }
                }
                (Some(value), _) => member(key, &value)?,
            }
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

fn quoted(key: &str) -> String {
    Json::from(key).to_string()
}

/// The keys without columns that can stand beside the others, where their row had them, and those that cannot: a column, such as one of
/// ours, has the same name.
fn parted(own: Object, names: &HashSet<&str>) -> (Object, Object) {
    let (within, beside): (Vec<_>, Vec<_>) =
        own.into_iter().partition(|(name, _)| names.contains(name.as_str()));
    (beside.into_iter().collect(), within.into_iter().collect())
}
