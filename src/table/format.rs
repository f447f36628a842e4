//! The table file formats, and their file extensions.

use std::path::Path;
use std::str::FromStr;

/// How a file holds its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Comma-separated text.
    Csv,
    /// Tab-separated text.
    Tsv,
    /// CSV with semicolons, as spreadsheets write it where the comma is the decimal sign.
    Ssv,
    /// One JSON object a line.
    Jsonl,
    /// One array of objects, an export's list of them, or an archive of them (`.eval`); JSON Lines under this name are
    /// read too.
    Json,
    /// Apache Parquet.
    Parquet,
    /// Arrow IPC (Feather 2): files, and streams where a file holds one.
    Arrow,
}

/// What a whole file is packed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Compression {
    /// RFC 1952, ending `.gz`.
    Gzip,
    /// RFC 8878, ending `.zst`.
    Zstd,
}

impl Format {
    /// All names that are understood, for messages.
    pub(crate) const NAMES: &str = "csv, tsv, ssv (semicolons), jsonl, json, parquet or arrow";

    /// Its name, which is also the usual ending of such files.
    pub fn as_str(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::Tsv => "tsv",
            Format::Ssv => "ssv",
            Format::Jsonl => "jsonl",
            Format::Json => "json",
            Format::Parquet => "parquet",
            Format::Arrow => "arrow",
        }
    }

    /// By a file's ending; `.gz` and `.zst` after it do not count.
    pub(crate) fn of(path: &Path) -> Option<Format> {
        of_name(path.file_name()?.to_str()?).map(|(format, _)| format)
    }

    /// What stands between the fields of a row, if anything does.
    pub(crate) fn delimiter(self) -> Option<u8> {
        match self {
            Format::Csv => Some(b','),
            Format::Tsv => Some(b'\t'),
            Format::Ssv => Some(b';'),
            _ => None,
        }
    }

    /// Whether its columns have types of their own. Such files are packed within, never as a whole.
    pub(crate) fn is_typed(self) -> bool {
        matches!(self, Format::Parquet | Format::Arrow)
    }

    /// Whether files of these formats can make one table.
    pub(crate) fn mixes_with(self, other: Format) -> bool {
        self.is_typed() == other.is_typed() && self.delimiter().is_some() == other.delimiter().is_some()
    }
}

/// A name that is no format's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a format: use {names}", names = Format::NAMES)]
pub struct UnknownFormat(pub String);

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Format, UnknownFormat> {
        match text.to_ascii_lowercase().as_str() {
            "csv" => Ok(Format::Csv),
            "tsv" => Ok(Format::Tsv),
            "ssv" => Ok(Format::Ssv),
            "jsonl" | "ndjson" => Ok(Format::Jsonl),
            "json" | "eval" => Ok(Format::Json),
            "parquet" | "pq" => Ok(Format::Parquet),
            "arrow" | "feather" | "ipc" => Ok(Format::Arrow),
            _ => Err(UnknownFormat(text.to_owned())),
        }
    }
}

impl Compression {
    /// By the last part of a name.
    fn of_ending(ending: &str) -> Option<Compression> {
        match ending.to_ascii_lowercase().as_str() {
            "gz" => Some(Compression::Gzip),
            "zst" | "zstd" => Some(Compression::Zstd),
            _ => None,
        }
    }

    pub(crate) fn ending(self) -> &'static str {
        match self {
            Compression::Gzip => "gz",
            Compression::Zstd => "zst",
        }
    }
}

/// Format and compression of a file called `name`: `calls.csv.gz` is gzipped CSV.
pub fn of_name(name: &str) -> Option<(Format, Option<Compression>)> {
    let (stem, ending) = name.rsplit_once('.')?;
    match Compression::of_ending(ending) {
        Some(compression) => {
            let (_, ending) = stem.rsplit_once('.')?;
            Some((ending.parse().ok()?, Some(compression)))
        }
        None => Some((ending.parse().ok()?, None)),
    }
}

/// `name` without the endings that tell format and compression.
pub fn stem(name: &str) -> &str {
    let without = |name: &str, known: &dyn Fn(&str) -> bool| match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() && known(ending) => stem.len(),
        _ => name.len(),
    };
    let unpacked = &name[..without(name, &|ending| Compression::of_ending(ending).is_some())];
    &unpacked[..without(unpacked, &|_| true)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_format_and_compression() {
        let gz = Some(Compression::Gzip);
        let zst = Some(Compression::Zstd);
        for (name, kind, stem) in [
            ("calls.csv", Some((Format::Csv, None)), "calls"),
            ("calls.CSV.GZ", Some((Format::Csv, gz)), "calls"),
            ("a.b.ndjson.zstd", Some((Format::Jsonl, zst)), "a.b"),
            ("x.pq", Some((Format::Parquet, None)), "x"),
            ("x.feather", Some((Format::Arrow, None)), "x"),
            ("x.ssv", Some((Format::Ssv, None)), "x"),
            ("calls.log", None, "calls"),
            ("calls.gz", None, "calls"),
            ("calls", None, "calls"),
            (".csv", Some((Format::Csv, None)), ".csv"),
        ] {
            assert_eq!(of_name(name), kind, "{name}");
            assert_eq!(super::stem(name), stem, "{name}");
        }
    }

    #[test]
    fn formats_have_names() {
        for name in ["csv", "tsv", "ssv", "jsonl", "json", "parquet", "arrow"] {
            assert_eq!(name.parse::<Format>().map(Format::as_str), Ok(name));
            assert!(Format::NAMES.contains(name));
        }
    }
}
