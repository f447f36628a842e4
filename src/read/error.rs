//! Why an input cannot be read, and what to do about it.

use std::io;
use std::path::{Path, PathBuf};

use super::text::ROW_BYTES;
use crate::domain::did_you_mean;
use crate::table::Format;

/// An input that cannot be read as a whole. A row that cannot be read is data instead.
///
/// Paths are inputs, as they were named; `line` is counted from 1 and `number` too, `name` is a column's, and `why` is the cause in
/// words.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "fields are explained once for all variants")]
pub enum ReadError {
    /// A path or pattern that no file fits; `near` offers a file of nearly that name.
    #[error("no file matches `{pattern}`{near}")]
    NoMatch { pattern: String, near: String },
    /// A glob that is not one.
    #[error("`{pattern}` is not a valid pattern: {why}")]
    Pattern { pattern: String, why: String },
    /// A folder without files of a known kind.
    #[error("the folder {} holds no data files: {} (names that begin with `.` or `_` do not count)", .0.display(), Format::NAMES)]
    EmptyFolder(PathBuf),
    /// The standard input was named twice.
    #[error("the standard input can be read only once; name it once")]
    StdinTwice,
    /// The system refuses to read.
    #[error("cannot read {}: {why}", path.display())]
    Io { path: PathBuf, why: String },
    /// Neither the name nor the contents tell what the file is, and no format was set.
    #[error("{}: unknown file format; the known extensions are .csv, .tsv, .ssv, .jsonl, .ndjson, .json (these also with .gz or .zst), \
             .parquet, .arrow, .feather and .ipc; or name its format with --from", .0.display())]
    UnknownFormat(PathBuf),
    /// The contents are not of the format that the name or the settings say.
    #[error("{} is not {expected} but {what}", path.display())]
    Foreign { path: PathBuf, expected: &'static str, what: &'static str },
    /// Inputs of formats that do not make one table.
    #[error("{} is {}, but {} is {}; label them in separate runs", first.display(), first_format,
            other.display(), other_format)]
    MixedFormats { first: PathBuf, first_format: &'static str, other: PathBuf, other_format: &'static str },
    /// A file without a byte, or without a row where there must be one.
    #[error("{} is empty", .0.display())]
    Empty(PathBuf),
    /// Compressed data that ends in the middle.
    #[error("{} is cut short: its compressed data ends in the middle; copy or download it again", .0.display())]
    CutShort(PathBuf),
    /// Two columns of one name.
    #[error("{} has two columns named `{name}`; rename one of them", path.display())]
    DuplicateColumn { path: PathBuf, name: String },
    /// Two columns of one name, which the format's reader does not tell.
    #[error("{} has two columns of the same name; rename one of them", .0.display())]
    DuplicateColumns(PathBuf),
    /// A heading that is not UTF-8.
    #[error("{}: the name of column {number} is not UTF-8; save the file as UTF-8", path.display())]
    HeaderNotUtf8 { path: PathBuf, number: usize },
    /// A header with NUL bytes.
    #[error("{}: the header holds NUL bytes, as text in UTF-16 or a binary file does; save it as UTF-8 text", .0.display())]
    HeaderWithNul(PathBuf),
    /// A header that another delimiter seems to divide; `remedy` says what to do.
    #[error("{}: the header is one column, `{header}`, but seems to be divided by {divider}; {remedy}", path.display())]
    Delimiter { path: PathBuf, header: String, divider: &'static str, remedy: &'static str },
    /// A row with more or fewer fields than the header, in fields.
    #[error("{}, line {line}: {found} fields where the header has {expected}; a field that holds a comma or a line break \
             needs double quotes around it", path.display())]
    UnevenRow { path: PathBuf, line: u64, found: u64, expected: u64 },
    /// A quotation mark that nothing closes.
    #[error("{}, line {line}: a quote is opened and never closed", path.display())]
    OpenQuote { path: PathBuf, line: u64 },
    /// A row beyond the reader's limit on bytes.
    #[error("{}, line {line}: the row that begins here takes more than {} MB; is a quote or bracket never closed? Shorten or \
             remove the row", path.display(), ROW_BYTES >> 20)]
    RowTooLong { path: PathBuf, line: u64 },
    /// Contents that break the rules of their format.
    #[error("{}: {why}", path.display())]
    Malformed { path: PathBuf, why: String },
    /// A column of a type that has no JSON.
    #[error("{}: column `{name}` has the type {kind}, which cannot be read; leave it out or convert it", path.display())]
    UnknownType { path: PathBuf, name: String, kind: String },
    /// A column of one type in one file, and of another in `path`.
    #[error("column `{name}` is {first} in one file and {other} in {}; make them one type first", path.display())]
    TypeConflict { path: PathBuf, name: String, first: String, other: String },
    /// The temporary file of a stream cannot be written or read; the cause.
    #[error("a temporary file cannot be written or read: {0}")]
    Spool(String),
    /// Rows cannot be turned into another kind of table.
    #[error(transparent)]
    Table(#[from] crate::table::TableError),
    /// A log and a table among the inputs.
    #[error("{} is a log and {} is a table; read them in separate runs, or name the format of both with --from",
            log.display(), table.display())]
    LogAndTable { log: PathBuf, table: PathBuf },
    /// Chats that nobody answered, and nothing else; `others` is the number of further files.
    #[error("{}{}: nobody answers in these chats, so there is nothing to judge; write what the assistant said and called among \
             `messages`, or name the column that holds the calls with --column tool_call=COLUMN",
            path.display(), match others { 0 => String::new(), others => format!(" and {others} more") })]
    Unanswered { path: PathBuf, others: usize },
    /// No row of a file of JSON is an object; `why` is what is wrong with the first one.
    #[error("{}: no row is a JSON object with keys, so there are no columns; the first one: {why}", path.display())]
    NoObjects { path: PathBuf, why: String },
    /// A filter names a column that is not there; `there` lists those that are.
    #[error("--where: there is no column `{name}`; there are {there}{}", did_you_mean(name, there.split(", ").map(|own| own.trim_matches('`'))))]
    UnknownWhere { name: String, there: String },
}

impl ReadError {
    pub(super) fn io(path: &Path, error: &io::Error) -> ReadError {
        let path = path.to_owned();
        match error.kind() {
            // Only unpacking meets an end that it did not expect.
            io::ErrorKind::UnexpectedEof => ReadError::CutShort(path),
            // Nor does the system have anything to say about what is unpacked.
            _ if error.raw_os_error().is_none() => {
                ReadError::Malformed { path, why: format!("the compressed data is damaged ({error})") }
            }
            _ => ReadError::Io { path, why: error.to_string() },
        }
    }

    pub(super) fn malformed(path: &Path, why: impl ToString) -> ReadError {
        ReadError::Malformed { path: path.to_owned(), why: why.to_string() }
    }
}
