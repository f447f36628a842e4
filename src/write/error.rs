//! Why an output cannot be written, and what to do about it.

use std::path::{Path, PathBuf};

/// An output that cannot be written. Nothing half-written is left behind.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error("cannot write {}: {why}", path.display())]
    Io { path: PathBuf, why: String },
    #[error("cannot write {}: no space left on its disk; nothing was written, and what was paid for is kept", .0.display())]
    Full(PathBuf),
    #[error("the folder {} does not exist; create it or choose another output with -o", .0.display())]
    NoFolder(PathBuf),
    #[error("{}: unknown kind of output; use .csv, .jsonl or .parquet", .0.display())]
    UnknownFormat(PathBuf),
    #[error("{} exists and was not written by a run of tooljudge as it is now; choose another output with -o, or replace it \
             with --force", .0.display())]
    NotOurs(PathBuf),
    #[error("{} is an input of this run; choose another output with -o", .0.display())]
    IsInput(PathBuf),
    #[error("say where the table of several inputs goes, with -o FILE")]
    NoDefault,
    #[error(
        "the input has a column `{name}` already; put ours beside it with --prefix judge_, or replace it with \
             --overwrite"
    )]
    Clash { name: String },
    #[error("cannot write {}: {why}", path.display())]
    Table { path: PathBuf, why: String },
}

impl WriteError {
    pub(super) fn io(path: &Path, error: &std::io::Error) -> WriteError {
        match error.kind() {
            std::io::ErrorKind::StorageFull => WriteError::Full(path.to_owned()),
            _ => WriteError::Io { path: path.to_owned(), why: error.to_string() },
        }
    }

    pub(super) fn table(path: &Path, error: impl ToString) -> WriteError {
        WriteError::Table { path: path.to_owned(), why: error.to_string() }
    }
}
