//! Why an input cannot be read, and what to do about it.

use std::path::{Path, PathBuf};

/// An input that cannot be read as a whole. A row that cannot be read is data instead.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("no file matches `{0}`")]
    NoMatch(String),
    #[error("`{pattern}` is no valid pattern: {why}")]
    Pattern { pattern: String, why: String },
    #[error("{} is a folder; name its files, for example '{}/*.parquet'", .0.display(), .0.display())]
    Folder(PathBuf),
    #[error("cannot read {}: {why}", path.display())]
    Io { path: PathBuf, why: String },
    #[error("{}: unknown kind of file; use .csv, .tsv, .jsonl, .ndjson, .json or .parquet, or say which with --from",
            .0.display())]
    UnknownFormat(PathBuf),
    #[error("{} is {}, but {} is {}; label them in runs of their own", first.display(), first_format,
            other.display(), other_format)]
    MixedFormats { first: PathBuf, first_format: &'static str, other: PathBuf, other_format: &'static str },
    #[error("{} is empty", .0.display())]
    Empty(PathBuf),
    #[error("{} has two columns named `{name}`; rename one of them", path.display())]
    DuplicateColumn { path: PathBuf, name: String },
    #[error("{}, line {line}: {found} fields where the header has {expected}; a field that holds a comma or a line break \
             needs double quotes around it", path.display())]
    UnevenRow { path: PathBuf, line: u64, found: u64, expected: u64 },
    #[error("{}, line {line}: a quote is opened and never closed", path.display())]
    OpenQuote { path: PathBuf, line: u64 },
    #[error("{}: {why}", path.display())]
    Malformed { path: PathBuf, why: String },
    #[error("column `{name}` is {first} in one file and {other} in {}; make them one type first", path.display())]
    TypeConflict { path: PathBuf, name: String, first: String, other: String },
    #[error("--where: there is no column `{name}`; there are {there}")]
    UnknownWhere { name: String, there: String },
}

impl ReadError {
    pub(super) fn io(path: &Path, error: &std::io::Error) -> ReadError {
        ReadError::Io { path: path.to_owned(), why: error.to_string() }
    }

    pub(super) fn malformed(path: &Path, why: impl ToString) -> ReadError {
        ReadError::Malformed { path: path.to_owned(), why: why.to_string() }
    }
}
