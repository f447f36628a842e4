//! Any input as a series of JSON records.

use std::sync::Arc;

use super::texts::{Text, Texts};
use super::{Input, ReadError, Slices, arrow_file, csv_file, parquet_file, passed};
use crate::domain::{Json, Object, RowError};
use crate::normalize::Normalizer;
use crate::table::{Format, Record, Schema};

/// One record, not taken apart yet where that is work.
pub(super) enum Raw {
    Text {
        text: Text,
        /// Tells which fields it had, where its null ones may be such as only other rows have.
        padded: Option<Arc<Normalizer>>,
    },
    Row {
        schema: Arc<Schema>,
        record: Box<Record>,
    },
}

impl Raw {
    /// The record as an object; a row's keys are its columns.
    pub(super) fn object(self) -> Result<Object, RowError> {
        match self {
            Raw::Text { text, padded: None } => text.object(),
            Raw::Text { text, padded: Some(normalizer) } => Ok(passed::object(text.object()?, &normalizer)),
            Raw::Row { schema, record } => {
                if let Some(Err(error)) = record.item {
                    return Err(error);
                }
                let blank = |cell: &Json| cell.as_str().is_some_and(|text| text.trim().is_empty());
                let cells = record.cells.into_iter().map(|cell| match cell {
                    Some(cell) if !blank(&cell) => cell,
                    _ => Json::Null,
                });
                Ok(schema.names().map(str::to_owned).zip(cells).collect())
            }
        }
    }

    /// How many bytes its text takes, roughly.
    pub(super) fn size(&self) -> usize {
        match self {
            Raw::Text { text, .. } => text.bytes.len(),
            Raw::Row { record, .. } => {
                record.cells.iter().flatten().filter_map(Json::as_str).map(str::len).sum::<usize>() + 256
            }
        }
    }
}

/// The records of one file.
pub(super) struct Records {
    source: Source,
    normalizer: Arc<Normalizer>,
}

enum Source {
    Texts { texts: Texts, padded: bool },
    Table { slices: Slices, schema: Arc<Schema>, ready: std::vec::IntoIter<Record> },
}

impl Records {
    pub(super) fn open(input: &Input, normalizer: &Arc<Normalizer>) -> Result<Records, ReadError> {
        Ok(Records { source: Source::open(input)?, normalizer: Arc::clone(normalizer) })
    }

    pub(super) fn next_record(&mut self) -> Result<Option<Raw>, ReadError> {
        match &mut self.source {
            Source::Texts { texts, padded } => {
                let padded = padded.then(|| Arc::clone(&self.normalizer));
                Ok(texts.next_text()?.map(|text| Raw::Text { text, padded }))
            }
            Source::Table { slices, schema, ready } => loop {
                if let Some(record) = ready.next() {
                    return Ok(Some(Raw::Row { schema: Arc::clone(schema), record: Box::new(record) }));
                }
                match slices.next().transpose()? {
                    None => return Ok(None),
                    Some(batch) => *ready = passed::records(batch, None, &self.normalizer)?.into_iter(),
                }
            },
        }
    }

    /// Blank lines so far, which are no records.
    pub(super) fn blank_lines(&self) -> u64 {
        match &self.source {
            Source::Texts { texts, .. } => texts.blank_lines(),
            Source::Table { .. } => 0,
        }
    }
}

impl Source {
    fn open(input: &Input) -> Result<Source, ReadError> {
        let (slices, schema) = match input.format {
            Format::Jsonl | Format::Json => {
                return Ok(Source::Texts { texts: Texts::open(input)?, padded: input.padded });
            }
            Format::Csv | Format::Tsv | Format::Ssv => {
                let schema = Arc::new(csv_file::columns(input)?);
                (csv_file::slices(input, &schema)?, schema)
            }
            Format::Parquet => {
                let schema = Arc::new(parquet_file::survey(input)?.0);
                (parquet_file::slices(input, &schema)?, schema)
            }
            Format::Arrow => {
                let schema = Arc::new(arrow_file::survey(input)?.0);
                (arrow_file::slices(input, &schema)?, schema)
            }
        };
        Ok(Source::Table { slices, schema, ready: Vec::new().into_iter() })
    }
}
