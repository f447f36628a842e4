//! The texts of a file's JSON records, one after another, in any layout.

use super::archive::Archive;
use super::stream::Stream;
use super::{Input, ReadError};
use crate::domain::{Json, Object, RowError, RowErrorCode};

/// A record may take this many bytes; a larger one is reported and not read.
pub(super) const RECORD_BYTES: usize = 64 << 20;

/// The text of one record, and where it stands.
#[derive(Debug)]
pub(super) struct Text {
    /// Empty when it is too large.
    pub(super) bytes: Vec<u8>,
    pub(super) too_large: bool,
    pub(super) place: Place,
}

/// Where a text begins.
#[derive(Debug, Clone)]
pub(super) enum Place {
    /// Counted from 1.
    Line(u64),
    /// A file in an archive.
    Member(String),
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Line(line) => write!(f, "line {line}"),
            Place::Member(name) => f.write_str(name),
        }
    }
}

impl Text {
    pub(super) fn new(bytes: Vec<u8>, place: Place) -> Text {
        Text { bytes, too_large: false, place }
    }

    pub(super) fn object(&self) -> Result<Object, RowError> {
        if self.too_large {
            return Err(too_large(&self.place));
        }
        let text = std::str::from_utf8(&self.bytes).map_err(|error| {
            let why = format!("{} is not UTF-8 (byte {})", self.place, error.valid_up_to());
            RowError::new(RowErrorCode::InvalidUtf8, why)
        })?;
        match Json::parse(text) {
            Ok(Json::Object(object)) => Ok(object),
            Ok(other) => {
                let why = format!("{} holds a JSON {}, not an object", self.place, other.type_name());
                Err(RowError::new(RowErrorCode::RowNotObject, why))
            }
            Err(mut error) => {
                let code = if error.is_too_deep() {
                    RowErrorCode::NestingTooDeep
                } else {
                    RowErrorCode::InvalidJson
                };
                let why = match &self.place {
                    Place::Line(line) => {
                        // The row's text begins somewhere in the file.
                        error.line += usize::try_from(*line).unwrap_or(usize::MAX) - 1;
                        error.to_string()
                    }
                    Place::Member(name) => format!("{name}: {error}"),
                };
                Err(RowError::new(code, why))
            }
        }
    }
}

/// What is said of a record that is not read for its size.
pub(super) fn too_large(place: &Place) -> RowError {
    let limit = RECORD_BYTES >> 20;
    let why = format!("{place}: a record of more than {limit} MB is not read; shorten or split it");
    RowError::new(RowErrorCode::RowTooLarge, why)
}

/// The texts of one file.
pub(super) enum Texts {
    Stream(Box<Stream>),
    Archive(Box<Archive>),
}

impl Texts {
    pub(super) fn open(input: &Input) -> Result<Texts, ReadError> {
        match Archive::open(input)? {
            Some(archive) => Ok(Texts::Archive(Box::new(archive))),
            None => Ok(Texts::Stream(Box::new(Stream::open(input)?))),
        }
    }

    pub(super) fn next_text(&mut self) -> Result<Option<Text>, ReadError> {
        match self {
            Texts::Stream(stream) => stream.next_text(),
            Texts::Archive(archive) => archive.next_text(),
        }
    }

    /// Blank lines between the records so far.
    pub(super) fn blank_lines(&self) -> u64 {
        match self {
            Texts::Stream(stream) => stream.blank_lines(),
            Texts::Archive(_) => 0,
        }
    }
}
