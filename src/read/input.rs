//! Which files are meant, and of what format each is.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::ReadError;

/// How a file holds its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Csv,
    Tsv,
    /// One JSON object a line.
    Jsonl,
    /// One array of objects, or JSON Lines under this name.
    Json,
    Parquet,
}

impl Format {
    pub fn as_str(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::Tsv => "tsv",
            Format::Jsonl => "jsonl",
            Format::Json => "json",
            Format::Parquet => "parquet",
        }
    }

    /// By a file's ending.
    pub fn of(path: &Path) -> Option<Format> {
        path.extension()?.to_str()?.parse().ok()
    }

    /// Whether two files of these formats can make one table.
    fn mixes_with(self, other: Format) -> bool {
        let family = |format| match format {
            Format::Csv | Format::Tsv => 0,
            Format::Jsonl | Format::Json => 1,
            Format::Parquet => 2,
        };
        family(self) == family(other)
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Format, String> {
        match text.to_ascii_lowercase().as_str() {
            "csv" => Ok(Format::Csv),
            "tsv" => Ok(Format::Tsv),
            "jsonl" | "ndjson" => Ok(Format::Jsonl),
            "json" => Ok(Format::Json),
            "parquet" | "pq" => Ok(Format::Parquet),
            _ => Err(format!("`{text}` is no format: use csv, tsv, jsonl, json or parquet")),
        }
    }
}

/// One file to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    pub path: PathBuf,
    pub format: Format,
}

/// The files that `patterns` name, in the order given, each glob sorted by name. `format` overrides their endings.
pub(super) fn expand(patterns: &[String], format: Option<Format>) -> Result<Vec<Input>, ReadError> {
    let mut inputs = Vec::new();
    for pattern in patterns {
        let paths =
            if Path::new(pattern).exists() { vec![PathBuf::from(pattern)] } else { matches(pattern)? };
        for path in paths {
            if path.is_dir() {
                return Err(ReadError::Folder(path));
            }
            let format =
                format.or_else(|| Format::of(&path)).ok_or_else(|| ReadError::UnknownFormat(path.clone()))?;
            inputs.push(Input { path, format });
        }
    }
    if let Some((first, rest)) = inputs.split_first()
        && let Some(other) = rest.iter().find(|other| !other.format.mixes_with(first.format))
    {
        return Err(ReadError::MixedFormats {
            first: first.path.clone(),
            first_format: first.format.as_str(),
            other: other.path.clone(),
            other_format: other.format.as_str(),
        });
    }
    Ok(inputs)
}

fn matches(pattern: &str) -> Result<Vec<PathBuf>, ReadError> {
    let invalid = |why: String| ReadError::Pattern { pattern: pattern.to_owned(), why };
    let paths = glob::glob(pattern)
        .map_err(|error| invalid(error.to_string()))?
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| invalid(error.to_string()))?;
    if paths.is_empty() { Err(ReadError::NoMatch(pattern.to_owned())) } else { Ok(paths) }
}
