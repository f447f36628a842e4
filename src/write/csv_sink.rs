//! Writes CSV, TSV and similar files: texts unchanged, nested values as compact JSON, null as an empty cell.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use csv::{QuoteStyle, Writer, WriterBuilder};

use super::encoder::Encoder;
use super::{Formulas, WriteError};
use crate::domain::Json;
use crate::table::{Batch, Kind, Schema};

pub(super) struct CsvSink {
    path: PathBuf,
    writer: Writer<Encoder>,
    /// Whose texts a column holds.
    texts: Vec<Texts>,
}

/// Whose texts they are, and so what becomes of those that a spreadsheet would take for formulas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Texts {
    /// The input's: they stay as they are.
    Kept,
    /// Words of strangers.
    Escaped,
    /// The input's, and it was asked for: only what is a number stays.
    EscapedButNumbers,
}

impl CsvSink {
    pub(super) fn create(
        path: &Path,
        encoder: Encoder,
        schema: &Schema,
        (delimiter, formulas): (u8, Formulas),
    ) -> Result<CsvSink, WriteError> {
        let (of_input, quotes) = match formulas {
            Formulas::Kept => (Texts::Kept, QuoteStyle::Necessary),
            // A spreadsheet may take another sign for the delimiter than we do.
            Formulas::Escaped => (Texts::EscapedButNumbers, QuoteStyle::NonNumeric),
        };
        let mut writer = WriterBuilder::new().delimiter(delimiter).quote_style(quotes).from_writer(encoder);
        let names: Vec<Cow<'_, str>> = schema.names().map(|name| of_input.written(name)).collect();
        writer
            .write_record(names.iter().map(|name| name.as_bytes()))
            .map_err(|error| explain(path, error))?;
        let texts = schema.columns.iter().map(|column| match column.kind {
            Kind::Words => Texts::Escaped,
            _ => of_input,
        });
        Ok(CsvSink { path: path.to_owned(), writer, texts: texts.collect() })
    }

    pub(super) fn write(&mut self, batch: Batch) -> Result<(), WriteError> {
        let words = batch.non_finite_words();
        let records = batch.into_records().map_err(|error| WriteError::table(&self.path, error))?;
        let explain = |error| explain(&self.path, error);
        for (row, record) in records.into_iter().enumerate() {
            for (at, (cell, texts)) in record.cells.iter().zip(&self.texts).enumerate() {
                let word =
                    || words.iter().find(|(column, _)| *column == at).and_then(|(_, words)| words[row]);
                match cell {
                    None | Some(Json::Null) => {
                        self.writer.write_field(&*texts.written(word().unwrap_or_default()))
                    }
                    Some(Json::String(text)) => self.writer.write_field(&*texts.written(text)),
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

impl Texts {
    /// What is written for `text`: an apostrophe before it keeps it from becoming a formula where the table is opened in a
    /// spreadsheet.
    fn written(self, text: &str) -> Cow<'_, str> {
        let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']);
        let stays = match self {
            Texts::Kept => true,
            Texts::Escaped => false,
            Texts::EscapedButNumbers => is_number(text),
        };
        if is_formula && !stays { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) }
    }
}

/// `-5`, `+1.5e3`: digits with a sign, not `-inf`.
fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte)) && text.parse::<f64>().is_ok()
}

fn explain(path: &Path, error: csv::Error) -> WriteError {
    match error.kind() {
        csv::ErrorKind::Io(error) => WriteError::io(path, error),
        _ => WriteError::table(path, error),
    }
}
