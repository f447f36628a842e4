//! CSV (RFC 4180), TSV and semicolon-separated files: every column is text.

use std::collections::HashSet;
use std::io::BufRead;
use std::path::PathBuf;
use std::sync::Arc;

use csv::{ByteRecord, ErrorKind, Position, Reader, ReaderBuilder};

use super::text::{self, Rationed};
use super::{Input, ReadError, SLICE_BYTES, Slices, slice_rows};
use crate::domain::{Json, RowError, RowErrorCode};
use crate::table::{Batch, Column, Kind, Record, Rows, Schema};

/// The rows of one file, one after another.
struct CsvRows {
    input: Input,
    reader: Reader<Rationed>,
}

impl CsvRows {
    fn open(input: &Input) -> Result<CsvRows, ReadError> {
        let text = Rationed::new(text::open(input)?);
        let reader =
            ReaderBuilder::new().delimiter(delimiter(input)).buffer_capacity(1 << 16).from_reader(text);
        Ok(CsvRows { input: input.clone(), reader })
    }

    fn schema(&mut self) -> Result<Schema, ReadError> {
        let header = match self.reader.byte_headers() {
            Ok(header) => header.clone(),
            Err(error) => return Err(self.explain(&error, 0)),
        };
        schema(&self.input, &header)
    }

    /// Whether there was another row.
    fn read(&mut self, row: &mut ByteRecord) -> Result<bool, ReadError> {
        self.reader.get_mut().next_row();
        let read = self.reader.read_byte_record(row);
        read.map_err(|error| self.explain(&error, row.position().map_or(0, Position::byte)))
    }

    /// What went wrong in the row that begins at byte `start`.
    fn explain(&self, error: &csv::Error, start: u64) -> ReadError {
        let path = self.input.name();
        match error.kind() {
            ErrorKind::UnequalLengths { expected_len, len, .. } => {
                let (line, open_quote) = match (line(&self.input, start), open_quote(&self.input, start)) {
                    (Ok(line), Ok(open_quote)) => (line, open_quote),
                    (Err(error), _) | (_, Err(error)) => return error,
                };
                // A quote that is never closed swallows the rest of the file into one field.
                if len < expected_len && open_quote {
                    ReadError::OpenQuote { path, line }
                } else {
                    ReadError::UnevenRow { path, line, found: *len, expected: *expected_len }
                }
            }
            ErrorKind::Io(error) if text::is_row_too_long(error) => match line(&self.input, start) {
                Ok(line) => ReadError::RowTooLong { path, line },
                Err(error) => error,
            },
            ErrorKind::Io(error) => ReadError::io(&path, error),
            _ => ReadError::malformed(&path, error),
        }
    }
}

fn delimiter(input: &Input) -> u8 {
    input.format.delimiter().unwrap_or(b',')
}

fn schema(input: &Input, header: &ByteRecord) -> Result<Schema, ReadError> {
    let path = input.name();
    if header.is_empty() {
        return Err(ReadError::Empty(path));
    }
    if header.as_slice().contains(&0) {
        return Err(ReadError::HeaderWithNul(path));
    }
    let mut schema = Schema::default();
    let mut names = HashSet::with_capacity(header.len());
    for (at, name) in header.iter().enumerate() {
        let Ok(name) = std::str::from_utf8(name) else {
            return Err(ReadError::HeaderNotUtf8 { path, number: at + 1 });
        };
        if !names.insert(name) {
            return Err(ReadError::DuplicateColumn { path, name: name.to_owned() });
        }
        schema.columns.push(Column { name: name.to_owned(), kind: Kind::Text });
    }
    match schema.columns.as_slice() {
        [only] => check_delimiter(path, only).map(|()| schema),
        _ => Ok(schema),
    }
}

/// A single column is never enough, so something else must divide the columns if anything in its name can.
fn check_delimiter(path: PathBuf, only: &Column) -> Result<(), ReadError> {
    let dividers = [
        (';', "semicolons", "read it with --from ssv"),
        ('\t', "tabs", "read it with --from tsv"),
        (',', "commas", "read it with --from csv"),
        ('|', "vertical bars", "write it as CSV first"),
    ];
    match dividers.iter().find(|(divider, ..)| only.name.contains(*divider)) {
        Some((_, divider, remedy)) => {
            Err(ReadError::Delimiter { path, header: RowError::excerpt(&only.name), divider, remedy })
        }
        None => Ok(()),
    }
}

/// Its columns, by the header alone.
pub(super) fn columns(input: &Input) -> Result<Schema, ReadError> {
    CsvRows::open(input)?.schema()
}

/// Reads the whole file once: its columns, its number of rows, and whatever is wrong with it, before anything is judged.
pub(super) fn survey(input: &Input) -> Result<(Schema, u64), ReadError> {
    let mut file = CsvRows::open(input)?;
    let schema = file.schema()?;
    let mut row = ByteRecord::new();
    let mut rows = 0;
    let mut last = None;
    while file.read(&mut row)? {
        rows += 1;
        last = row.position().map(Position::byte);
    }
    if let Some(last) = last
        && open_quote(input, last)?
    {
        return Err(ReadError::OpenQuote { path: input.name(), line: line(input, last)? });
    }
    Ok((schema, rows))
}

/// The file's rows, under the columns of `schema`: those that the file lacks are absent.
pub(super) fn slices(input: &Input, schema: &Arc<Schema>) -> Result<Slices, ReadError> {
    let mut rows = CsvRows::open(input)?;
    let own = rows.schema()?;
    let own = own.places();
    let places = schema.names().map(|name| own.get(name).copied()).collect();
    Ok(Box::new(CsvSlices { rows, schema: Arc::clone(schema), places, done: false }))
}

struct CsvSlices {
    rows: CsvRows,
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
        let most = slice_rows(self.schema.columns.len());
        while !self.done && records.len() < most && bytes < SLICE_BYTES {
            match self.rows.read(&mut row) {
                Ok(true) => {
                    bytes += row.as_slice().len();
                    records.push(record(&row, &self.places));
                }
                Ok(false) => self.done = true,
                Err(error) => {
                    self.done = true;
                    return Some(Err(error));
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
    let cells = cells.collect();
    Record { cells, item: problem.map(Err) }
}

/// Whether the file ends within a quoted field, by its text from byte `start` of a row: the reader takes the end of the file
/// for the end of the field.
fn open_quote(input: &Input, start: u64) -> Result<bool, ReadError> {
    let delimiter = delimiter(input);
    let mut text = text::open_at(input, start)?;
    let mut place = Place::FieldStart;
    loop {
        let buffer = text.fill_buf().map_err(|error| ReadError::io(&input.name(), &error))?;
        if buffer.is_empty() {
            return Ok(place == Place::Quoted);
        }
        for &byte in buffer {
            place = place.after(byte, delimiter);
        }
        let used = buffer.len();
        text.consume(used);
    }
}

/// In which line, counted from 1, the row begins that is at byte `start` or after the line breaks there: the reader counts no
/// line break that it has not come to yet.
fn line(input: &Input, start: u64) -> Result<u64, ReadError> {
    let mut text = text::open(input)?;
    let (mut line, mut left) = (1, start);
    loop {
        let buffer = text.fill_buf().map_err(|error| ReadError::io(&input.name(), &error))?;
        let breaks = buffer.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        let used =
            if left > 0 { buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX)) } else { breaks };
        if used == 0 {
            return Ok(line);
        }
        line += buffer[..used].iter().filter(|byte| **byte == b'\n').count() as u64;
        left = left.saturating_sub(used as u64);
        text.consume(used);
    }
}

/// Where in a row a byte stands. Follows the reader, which takes quotes within an unquoted field as they are.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    FieldStart,
    Field,
    Quoted,
    /// After a quote within a quoted field: its end, or the first of two.
    Quote,
}

impl Place {
    fn after(self, byte: u8, delimiter: u8) -> Place {
        match (self, byte) {
            (Place::FieldStart | Place::Quote, b'"') => Place::Quoted,
            (Place::Quoted, b'"') => Place::Quote,
            (Place::Quoted, _) => Place::Quoted,
            (_, byte) if byte == delimiter || byte == b'\n' || byte == b'\r' => Place::FieldStart,
            _ => Place::Field,
        }
    }
}
