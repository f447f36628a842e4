//! Laws for any file, checked by property tests and the fuzz targets of `fuzz/`.

#![allow(clippy::unwrap_used, reason = "a broken law is a panic")]

use std::cell::RefCell;
use std::fmt::Debug;
use std::io::{Seek, Write};
use std::sync::Arc;

use csv::{QuoteStyle, WriterBuilder};
use flate2::Compression;
use flate2::write::GzEncoder;
use tempfile::NamedTempFile;

use super::texts::{Place, Texts};
use super::{Input, ReadError, csv_file, input};
use crate::domain::{Json, Object, RowError};
use crate::table::{Format, Record, Rows, Schema};

type Table = (Schema, Vec<Record>);
type Objects = Vec<Result<Object, RowError>>;

/// A table has as many rows as were counted and every row as many cells as there are columns; packed or written anew, it is
/// the same one. What is wrong is said shortly.
pub fn table(choice: usize, bytes: &[u8]) {
    let format = [Format::Csv, Format::Tsv, Format::Ssv][choice % 3];
    let found = with_file(bytes, format, read_table);
    check_packed(bytes, format, &found, read_table);
    let (schema, records) = match found {
        Ok(table) => table,
        Err(error) => return check_error(&error),
    };
    let cells = |record: &Record| -> Vec<String> {
        record.cells.iter().map(|cell| cell.as_ref().and_then(Json::as_str).unwrap().to_owned()).collect()
    };
    assert!(records.iter().all(|record| record.cells.len() == schema.columns.len()));
    if !is_packed(bytes) {
        let size: usize = records.iter().flat_map(cells).map(|cell| cell.len()).sum();
        assert!(size <= 3 * bytes.len(), "{size} bytes out of {}", bytes.len());
    }
    let mut writer = WriterBuilder::new();
    writer.delimiter(format.delimiter().unwrap()).quote_style(QuoteStyle::Always);
    let mut writer = writer.from_writer(Vec::new());
    writer.write_record(schema.names()).unwrap();
    records.iter().for_each(|record| writer.write_record(cells(record)).unwrap());
    let (again, rows) = with_file(&writer.into_inner().unwrap(), format, read_table).unwrap();
    assert_eq!(again, schema);
    assert_eq!(rows.iter().map(cells).collect::<Vec<_>>(), records.iter().map(cells).collect::<Vec<_>>());
}

fn read_table(input: &Input) -> Result<Table, ReadError> {
    let (schema, rows) = csv_file::survey(input)?;
    assert_eq!(csv_file::columns(input).unwrap(), schema);
    let schema = Arc::new(schema);
    let mut records = Vec::new();
    for batch in csv_file::slices(input, &schema)? {
        // Whatever is wrong was found before.
        let Rows::Records(more) = batch.unwrap().rows else { panic!("a text has no typed columns") };
        records.extend(more);
    }
    assert_eq!(records.len() as u64, rows);
    Ok((Schema::clone(&schema), records))
}

/// The texts of records come in order and come to an end; packed, a line each or in one array they are the same records.
pub fn records(choice: usize, bytes: &[u8]) {
    let format = [Format::Json, Format::Jsonl][choice % 2];
    let found = with_file(bytes, format, read_records);
    check_packed(bytes, format, &found, read_records);
    let found = match found {
        Ok(found) => found,
        Err(error) => return check_error(&error),
    };
    assert!(is_packed(bytes) || found.len() <= bytes.len() + 1, "{} records", found.len());
    let mut objects = Vec::new();
    for record in found {
        match record {
            Ok(object) => objects.push(object),
            Err(error) => return assert!(error.message.chars().count() < 500, "{error}"),
        }
    }
    let written: Vec<String> =
        objects.iter().map(|object| Json::Object(object.clone()).to_string()).collect();
    let lines = written.iter().map(|text| format!("{text}\n")).collect::<String>();
    let array = format!("[{}]", written.join(", \n"));
    let expected: Objects = objects.into_iter().map(Ok).collect();
    if !expected.is_empty() {
        let [lines, array] = [(lines, Format::Jsonl), (array, Format::Json)]
            .map(|(text, format)| with_file(text.as_bytes(), format, read_records).unwrap());
        assert!(lines == expected && array == expected, "{lines:?}, {array:?}, {expected:?}");
    }
}

fn read_records(input: &Input) -> Result<Objects, ReadError> {
    let mut texts = Texts::open(input)?;
    let mut objects = Vec::new();
    let mut last = 1;
    while let Some(text) = texts.next_text()? {
        if let Place::Line(line) = text.place {
            assert!(line >= last, "line {line} after line {last}");
            last = line;
        }
        objects.push(text.object());
    }
    Ok(objects)
}

thread_local! {
    static FILE: RefCell<NamedTempFile> = RefCell::new(NamedTempFile::new().unwrap());
}

/// What `read` makes of a file that holds `bytes`.
fn with_file<T>(bytes: &[u8], format: Format, read: impl Fn(&Input) -> T) -> T {
    FILE.with_borrow_mut(|file| {
        file.as_file().set_len(0).unwrap();
        file.rewind().unwrap();
        file.write_all(bytes).unwrap();
        let name = [file.path().to_str().unwrap().to_owned()];
        // What it is may also be told by what it holds.
        if let Err(error) = input::expand(&name, &[], None) {
            check_error(&error);
        }
        read(&input::expand(&name, &[], Some(format)).unwrap().files[0])
    })
}

fn check_packed<T: PartialEq + Debug>(
    bytes: &[u8],
    format: Format,
    found: &Result<T, ReadError>,
    read: fn(&Input) -> Result<T, ReadError>,
) {
    // An archive is packed within.
    if is_packed(bytes) || bytes.starts_with(b"PK") {
        return;
    }
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(bytes).unwrap();
    match (found, with_file(&packed.finish().unwrap(), format, read)) {
        (Ok(found), Ok(packed)) => assert_eq!(*found, packed),
        (Err(found), Err(packed)) => {
            assert_eq!(std::mem::discriminant(found), std::mem::discriminant(&packed), "{found}, {packed}");
        }
        (found, packed) => panic!("{found:?}, but packed {packed:?}"),
    }
}

fn is_packed(bytes: &[u8]) -> bool {
    let skippable = bytes.get(1..4) == Some(b"\x2a\x4d\x18".as_slice());
    skippable || bytes.starts_with(b"\x1f\x8b") || bytes.starts_with(b"\x28\xb5\x2f\xfd")
}

fn check_error(error: &ReadError) {
    let error = error.to_string();
    assert!(!error.is_empty() && error.chars().count() < 1000, "{error}");
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn any_text_can_be_offered_as_a_table(
            choice in 0..3_usize,
            text in "(\u{feff})?(\"|,|;|\t|\n|\r\n|\"\"|\0|[ab]|é|\\|){0,24}",
            broken in prop::collection::vec(prop_oneof![any::<u8>(), Just(b'"'), Just(b','), Just(b'\n')], 0..24),
        ) {
            super::table(choice, text.as_bytes());
            super::table(choice, &broken);
            super::table(choice, &[b"a,b\n".as_slice(), &broken].concat());
        }

        #[test]
        fn any_text_can_be_offered_as_records(
            choice in 0..2_usize,
            text in "(\\{|\\}|\\[|\\]|\"|,|:|\n|\"a\":|\"data\": ?\\[|\"resourceSpans\":|1|null| |\\\\){0,24}",
            rest in "(\\{\"a\": 1\\}|\\{\"data\": \\[|\\{\\}|,|\n|\\]|\\}){0,8}",
        ) {
            super::records(choice, text.as_bytes());
            for start in ["[", "{\n\"data\": [", "{\"a\":\n1}", ""] {
                super::records(choice, format!("{start}{rest}").as_bytes());
            }
        }
    }
}
