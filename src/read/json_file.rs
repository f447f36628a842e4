//! JSON Lines, and arrays of objects.

use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::text::{self, ROW_BYTES};
use super::{Input, ReadError, SLICE_BYTES, SLICE_ROWS, Slices};
use crate::domain::{Json, Object, RowError, RowErrorCode};
use crate::table::{Batch, Format, Record, Rows, Schema, SchemaBuilder};

/// Reads the whole file once, since any object may bring a new column.
pub(super) fn survey(input: &Input, builder: &mut SchemaBuilder) -> Result<u64, ReadError> {
    let mut texts = Texts::open(input)?;
    let mut rows = 0;
    while let Some(text) = texts.next_text()? {
        rows += 1;
        if let Ok(object) = text.object() {
            builder.add(&object);
        }
    }
    if rows == 0 {
        return Err(ReadError::Empty(input.name()));
    }
    Ok(rows)
}

pub(super) fn slices(input: &Input, schema: &Arc<Schema>) -> Result<Slices, ReadError> {
    let texts = Texts::open(input)?;
    Ok(Box::new(JsonSlices { texts, schema: Arc::clone(schema), done: false }))
}

struct JsonSlices {
    texts: Texts,
    schema: Arc<Schema>,
    done: bool,
}

impl Iterator for JsonSlices {
    type Item = Result<Batch, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut records = Vec::new();
        let mut bytes = 0;
        while !self.done && records.len() < SLICE_ROWS && bytes < SLICE_BYTES {
            match self.texts.next_text() {
                Ok(Some(text)) => {
                    bytes += text.bytes.len();
                    records.push(record(&text, &self.schema));
                }
                Ok(None) => self.done = true,
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

fn record(text: &Text, schema: &Schema) -> Record {
    match text.object() {
        Ok(mut object) => {
            let cells = schema
                .names()
                .map(|name| object.get_mut(name).map(|value| std::mem::replace(value, Json::Null)))
                .collect();
            Record { cells, problem: None }
        }
        Err(problem) => Record { cells: vec![None; schema.columns.len()], problem: Some(problem) },
    }
}

/// The text of one row, and where it stands.
struct Text {
    bytes: Vec<u8>,
    /// Of its first byte, counted from 1.
    line: u64,
}

impl Text {
    fn object(&self) -> Result<Object, RowError> {
        let text = std::str::from_utf8(&self.bytes).map_err(|error| {
            let why = format!("line {} is not UTF-8 (byte {})", self.line, error.valid_up_to());
            RowError::new(RowErrorCode::InvalidUtf8, why)
        })?;
        match Json::parse(text) {
            Ok(Json::Object(object)) => Ok(object),
            Ok(other) => {
                let why = format!("line {} holds a JSON {}, not an object", self.line, other.type_name());
                Err(RowError::new(RowErrorCode::RowNotObject, why))
            }
            Err(mut error) => {
                let code = if error.is_too_deep() {
                    RowErrorCode::NestingTooDeep
                } else {
                    RowErrorCode::InvalidJson
                };
                // The row's text begins somewhere in the file.
                error.line += usize::try_from(self.line).unwrap_or(usize::MAX) - 1;
                Err(RowError::new(code, error.to_string()))
            }
        }
    }
}

/// The texts of a file's rows, one after another.
struct Texts {
    reader: text::Text,
    path: PathBuf,
    line: u64,
    layout: Layout,
}

enum Layout {
    Lines,
    Array,
}

impl Texts {
    fn open(input: &Input) -> Result<Texts, ReadError> {
        let reader = text::open(input)?;
        let mut texts = Texts { reader, path: input.name(), line: 1, layout: Layout::Lines };
        if texts.skip_blank()? == Some(b'[') && input.format == Format::Json {
            texts.reader.consume(1);
            texts.layout = Layout::Array;
        }
        Ok(texts)
    }

    fn next_text(&mut self) -> Result<Option<Text>, ReadError> {
        match self.layout {
            Layout::Lines => self.next_line(),
            Layout::Array => self.next_element(),
        }
    }

    fn next_line(&mut self) -> Result<Option<Text>, ReadError> {
        loop {
            let mut bytes = Vec::new();
            let mut rest = self.reader.by_ref().take(ROW_BYTES);
            match rest.read_until(b'\n', &mut bytes).map_err(|error| self.io(&error))? {
                0 => return Ok(None),
                read if read as u64 == ROW_BYTES => return Err(self.too_long(self.line)),
                _ => {}
            }
            let line = self.line;
            self.line += 1;
            bytes.truncate(bytes.trim_ascii_end().len());
            if !bytes.is_empty() {
                return Ok(Some(Text { bytes, line }));
            }
        }
    }

    /// The next element of the array: up to the comma or bracket that stands outside of every string and nesting.
    fn next_element(&mut self) -> Result<Option<Text>, ReadError> {
        if matches!(self.skip_blank()?, Some(b']')) {
            self.reader.consume(1);
            self.layout = Layout::Lines;
            return match self.skip_blank()? {
                None => Ok(None),
                Some(_) => Err(ReadError::malformed(
                    &self.path,
                    format!(
                        "line {}: something follows the end of the array; rows there would be lost",
                        self.line
                    ),
                )),
            };
        }
        let line = self.line;
        let mut bytes = Vec::new();
        let (mut depth, mut in_string, mut escaped) = (0_u32, false, false);
        loop {
            if bytes.len() as u64 >= ROW_BYTES {
                return Err(self.too_long(line));
            }
            let buffer = self.reader.fill_buf().map_err(|error| ReadError::io(&self.path, &error))?;
            if buffer.is_empty() {
                return Err(cut_short(&self.path));
            }
            for (at, &byte) in buffer.iter().enumerate() {
                self.line += u64::from(byte == b'\n');
                if in_string {
                    (in_string, escaped) = (escaped || byte != b'"', !escaped && byte == b'\\');
                    continue;
                }
                match byte {
                    b'"' => in_string = true,
                    b'{' | b'[' => depth += 1,
                    b',' | b']' if depth == 0 => {
                        bytes.extend_from_slice(&buffer[..at]);
                        // The closing bracket stays, to be met again as the end.
                        let used = at + usize::from(byte == b',');
                        self.reader.consume(used);
                        return Ok(Some(Text { bytes, line }));
                    }
                    b'}' | b']' => depth = depth.saturating_sub(1),
                    _ => {}
                }
            }
            bytes.extend_from_slice(buffer);
            let used = buffer.len();
            self.reader.consume(used);
        }
    }

    fn io(&self, error: &io::Error) -> ReadError {
        ReadError::io(&self.path, error)
    }

    fn too_long(&self, line: u64) -> ReadError {
        ReadError::RowTooLong { path: self.path.clone(), line }
    }

    /// The next byte that is not white space, left in place.
    fn skip_blank(&mut self) -> Result<Option<u8>, ReadError> {
        loop {
            let buffer = self.reader.fill_buf().map_err(|error| ReadError::io(&self.path, &error))?;
            let Some(&byte) = buffer.first() else {
                return if matches!(self.layout, Layout::Array) {
                    Err(cut_short(&self.path))
                } else {
                    Ok(None)
                };
            };
            if !byte.is_ascii_whitespace() {
                return Ok(Some(byte));
            }
            self.line += u64::from(byte == b'\n');
            self.reader.consume(1);
        }
    }
}

fn cut_short(path: &Path) -> ReadError {
    ReadError::malformed(path, "the array is never closed; is the file cut short?")
}
