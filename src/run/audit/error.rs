//! Why an audit cannot be run, and what to do about it.

use std::path::PathBuf;

/// An audit that cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    #[error("there is no readable row to audit")]
    NoRows,
    #[error("--{flag}: there is no column `{column}`; the columns are {columns}")]
    NoColumn { flag: &'static str, column: String, columns: String },
    #[error(
        "`{0}` means right in one template and wrong in another, so the gold is ambiguous; audit the templates one by one"
    )]
    AmbiguousLabel(String),
    #[error(
        "--report {}: a report of an audit ends in .md or .json, or as a table of figures in .parquet, .csv and so on",
        .0.display()
    )]
    ReportEnding(PathBuf),
}
