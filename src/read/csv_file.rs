//! CSV (RFC 4180) and TSV: every column is text.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use csv::{ByteRecord, ErrorKind, Reader, ReaderBuilder};

use super::{Format, Input, ReadError, SLICE_BYTES, SLICE_ROWS, Slices};
use crate::domain::{Json, RowError, RowErrorCode};
use crate::table::{Batch, Column, Kind, Record, Rows, Schema};

fn open(input: &Input) -> Result<Reader<File>, ReadError> {
    let file = File::open(&input.path).map_err(|error| ReadError::io(&input.path, &error))?;
    let delimiter = if input.format == Format::Tsv { b'\t' } else { b',' };
    Ok(ReaderBuilder::new().delimiter(delimiter).buffer_capacity(1 << 16).from_reader(file))
}

fn schema(input: &Input) -> Result<Schema, ReadError> {
    let mut reader = open(input)?;
    let header = reader.byte_headers().map_err(|error| explain(&input.path, &error))?;
    if header.is_empty() {
        return Err(ReadError::Empty(input.path.clone()));
    }
    let mut schema = Schema::default();
    for name in header {
        let name = String::from_utf8_lossy(name).into_owned();
        if schema.position(&name).is_some() {
            return Err(ReadError::DuplicateColumn { path: input.path.clone(), name });
        }
        schema.columns.push(Column { name, kind: Kind::Text });
    }
    Ok(schema)
}

/// Reads the whole file once: its columns, its number of rows, and whatever is wrong with it, before anything is judged.
pub(super) fn survey(input: &Input) -> Result<(Schema, u64), ReadError> {
    let schema = schema(input)?;
    let mut reader = open(input)?;
    let mut row = ByteRecord::new();
    let mut rows = 0;
    while reader.read_byte_record(&mut row).map_err(|error| explain(&input.path, &error))? {
        rows += 1;
    }
    Ok((schema, rows))
}

/// The file's rows, under the columns of `schema`: those that the file lacks are absent.
pub(super) fn slices(input: &Input, schema: &Arc<Schema>) -> Result<Slices, ReadError> {
    let own = self::schema(input)?;
    let places = schema.names().map(|name| own.position(name)).collect();
    Ok(Box::new(CsvSlices {
        reader: open(input)?,
        path: input.path.clone(),
        schema: Arc::clone(schema),
        places,
        done: false,
    }))
}

struct CsvSlices {
    reader: Reader<File>,
    path: PathBuf,
    schema: Arc<Schema>,
    /// For each column of the schema, the file's field.
    places: Vec<Option<usize>>,
    done: bool,
}

impl Iterator for CsvSlices {
    type Item = Result<Batch, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut records = Vec::new();
        let mut bytes = 0;
        let mut row = ByteRecord::new();
        while !self.done && records.len() < SLICE_ROWS && bytes < SLICE_BYTES {
            match self.reader.read_byte_record(&mut row) {
                Ok(true) => {
                    bytes += row.as_slice().len();
                    records.push(record(&row, &self.places));
                }
                Ok(false) => self.done = true,
                Err(error) => {
                    self.done = true;
                    return Some(Err(explain(&self.path, &error)));
                }
            }
        }
        let batch = Batch { schema: Arc::clone(&self.schema), rows: Rows::Records(records) };
        (!batch.is_empty()).then_some(Ok(batch))
    }
}

fn record(row: &ByteRecord, places: &[Option<usize>]) -> Record {
    let mut problem = None;
    let cells = places.iter().map(|place| {
        let field = row.get((*place)?)?;
        Some(Json::String(match std::str::from_utf8(field) {
            Ok(text) => text.to_owned(),
            Err(error) => {
                let why =
                    format!("field {} is not UTF-8 (byte {})", place.unwrap_or(0) + 1, error.valid_up_to());
                problem.get_or_insert(RowError::new(RowErrorCode::InvalidUtf8, why));
                String::from_utf8_lossy(field).into_owned()
            }
        }))
    });
    Record { cells: cells.collect(), problem }
}

fn explain(path: &Path, error: &csv::Error) -> ReadError {
    let path = path.to_owned();
    match error.kind() {
        ErrorKind::UnequalLengths { pos, expected_len, len } => {
            let line = pos.as_ref().map_or(0, csv::Position::line);
            // A quote that is never closed swallows the rest of the file into one field.
            if len < expected_len && ends_inside_quotes(&path, pos.as_ref().map_or(0, csv::Position::byte)) {
                return ReadError::OpenQuote { path, line };
            }
            ReadError::UnevenRow { path, line, found: *len, expected: *expected_len }
        }
        ErrorKind::Io(error) => ReadError::io(&path, error),
        _ => ReadError::malformed(&path, error),
    }
}

/// Whether the file, read from `start`, ends within a quoted field.
fn ends_inside_quotes(path: &Path, start: u64) -> bool {
    use std::io::{BufReader, Read, Seek, SeekFrom};
    let Ok(mut file) = File::open(path) else { return false };
    if file.seek(SeekFrom::Start(start)).is_err() {
        return false;
    }
    // Doubled quotes change nothing about whether their number is odd.
    BufReader::new(file).bytes().map_while(Result::ok).filter(|byte| *byte == b'"').count() % 2 == 1
}
