//! Why an output cannot be written, and what to do about it.

use std::io;
use std::path::{Path, PathBuf};

/// An output that cannot be written. Nothing half-written is left behind, but for what went into a stream.
///
/// Paths are the output's; `-` is the standard output. `why` is the cause in words.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "fields are explained once for all variants")]
pub enum WriteError {
    /// The system refuses to write.
    #[error("cannot write {}: {why}", path.display())]
    Io { path: PathBuf, why: String },
    /// There is no space left on the disk.
    #[error("cannot write {}: no space left on its disk; free some and run the same command again; replies that were paid for are kept",
            .0.display())]
    Full(PathBuf),
    /// Whoever read the stream has what they wanted.
    #[error("the reader of {} closed the pipe", .0.display())]
    ReaderGone(PathBuf),
    /// The folder of the output does not exist.
    #[error("the folder {} does not exist; create it or choose another place", .0.display())]
    NoFolder(PathBuf),
    /// The output is a folder.
    #[error("{} is a folder; name a file in it with -o", .0.display())]
    IsFolder(PathBuf),
    /// The file's ending names no output format, and no format was set.
    #[error("{}: unknown output format; the known extensions are .csv, .tsv, .ssv, .jsonl, .json (these also with .gz or .zst), \
             .parquet and .arrow; or name the format with --to", .0.display())]
    UnknownFormat(PathBuf),
    /// A file that this program did not write, or that was changed since, stands in the place.
    #[error("{} exists and was not written by a run of tooljudge as it is now; choose another place, or replace it \
             with --force", .0.display())]
    NotOurs(PathBuf),
    /// Another run has put its table there since this one began.
    #[error(
        "while this run went on, another one has put its table at {}, labeled {what}; it stays as it is. Run the same command again \
         with another -o, or replace it with --force; replies that were paid for are kept",
        path.display()
    )]
    TakenMeanwhile { path: PathBuf, what: String },
    /// There is no row, and a table stands in the place.
    #[error("the input has no rows, or --where and --limit leave no row, so {} stays as it is; replace it with an empty table with --force", .0.display())]
    NothingToWrite(PathBuf),
    /// The output is an input of the same run.
    #[error("{} is an input of this run; choose another output file", .0.display())]
    IsInput(PathBuf),
    /// The output lies in an input `folder`, where the next run would read it.
    #[error("{} lies in the input folder {}, where the next run would read it as data; choose another place",
            path.display(), folder.display())]
    InsideInput { path: PathBuf, folder: PathBuf },
    /// A binary format, by its name, would go to a terminal.
    #[error(
        "{0} is binary and cannot be shown in a terminal; name a file with -o, or choose another format with --to csv"
    )]
    Terminal(&'static str),
    /// The standard output is closed.
    #[error("the standard output is closed: the table would be lost; name a file with -o")]
    Closed,
    /// A table in memory gives no name for an output.
    #[error("a table in memory needs an output: name a file, or a place in memory")]
    NoPlace,
    /// The rows cannot be turned into a table in memory.
    #[error("the rows cannot be turned into a table in memory: {why}")]
    Rows { why: String },
    /// Several inputs give no name for an output.
    #[error("the table of several inputs needs an output file: give -o FILE")]
    NoDefault,
    /// The input has a column of the name of one that would be added.
    #[error(
        "the input has a column `{name}` already; put ours beside it with --prefix judge_, or replace it with \
             --overwrite"
    )]
    Clash { name: String },
    /// The rows cannot be turned into what the format holds.
    #[error("cannot write {}: {why}", path.display())]
    Table { path: PathBuf, why: String },
}

impl WriteError {
    pub(crate) fn io(path: &Path, error: &io::Error) -> WriteError {
        let path = path.to_owned();
        match error.kind() {
            io::ErrorKind::StorageFull => WriteError::Full(path),
            io::ErrorKind::BrokenPipe => WriteError::ReaderGone(path),
            _ => WriteError::Io { path, why: error.to_string() },
        }
    }

    pub(super) fn table(path: &Path, error: impl ToString) -> WriteError {
        WriteError::Table { path: path.to_owned(), why: error.to_string() }
    }
}
