//! Why no suite can be made from a log.

use tooljudge_core::drive::from_log::{BadPattern, BadPointer};

/// A suite that cannot be made.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "fields are explained once for all variants")]
pub enum SuiteError {
    /// An argument to ignore that is not named by a JSON pointer.
    #[error("--ignore: {0}")]
    Ignore(BadPointer),
    /// A pattern to redact that cannot be used.
    #[error("--redact: {0}")]
    Redact(BadPattern),
    /// The column of labels is not there; the columns that are.
    #[error("--label {column}: there is no such column; the columns are {columns}")]
    NoLabelColumn { column: String, columns: String },
    /// A suite is written as JSON Lines only.
    #[error("{}: a suite from a log is written as JSON Lines: end the name with .jsonl", .0.display())]
    NotJsonLines(std::path::PathBuf),
}
