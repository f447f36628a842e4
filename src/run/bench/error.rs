//! Why a benchmark cannot be run, and what to do about it.

use std::path::PathBuf;

use super::plan::list;
use crate::report::counted;

/// A benchmark that cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    #[error(
        "`{0}` means right in one template and wrong in another, so the gold is ambiguous; bench the templates one by one"
    )]
    AmbiguousLabel(String),
    #[error(
        "the column `{column}` has no label in its first {rows} rows, but texts like `{text}`: gold is {words}"
    )]
    NoLabels { column: String, rows: usize, text: String, words: String },
    #[error("no column says what the labels should be: name it with --gold COLUMN; the columns are {0}")]
    NoGoldColumn(String),
    #[error("--{flag}: there is no column `{column}`; the columns are {columns}")]
    NoColumn { flag: &'static str, column: String, columns: String },
    #[error("--errata goes by the names of rows: say which column has them with --id")]
    ErrataWithoutNames,
    #[error("--errata {}: {why}", path.display())]
    Errata { path: PathBuf, why: String },
    #[error(
        "--errata corrects the row `{0}`, but several rows have that name; name a column that tells them apart with --id"
    )]
    AmbiguousErratum(String),
    #[error("--audit is for correcting gold by the names of rows: say which column has them with --id")]
    AuditWithoutNames,
    #[error("--audit: `{0}` is a column of the audit itself, and cannot name rows; choose another with --id")]
    AuditColumn(String),
    #[error("--audit is of one gold, and there are {0}: choose one --task, or name a --gold")]
    AuditOfSeveral(String),
    #[error(
        "--report {}: a report ends in .html, .md or .json, or as a table of figures in .parquet, .csv and so on",
        .0.display()
    )]
    ReportEnding(PathBuf),
    #[error("no row has a gold that is a label: {0}")]
    NoGoldIsALabel(String),
    #[error("no row has a gold: all rows that --dedup takes for the same have opposite gold")]
    AllDisputed,
    #[error("the input has no rows, or --where and --limit exclude all of them")]
    NoRows,
    #[error("no row has a gold: the column `{column}` is empty in all of {}", counted(*rows, "row"))]
    EmptyGold { column: String, rows: u64 },
}

impl BenchError {
    pub(super) fn no_column(flag: &'static str, column: &str, columns: &[&str]) -> BenchError {
        BenchError::NoColumn { flag, column: column.to_owned(), columns: list(columns) }
    }
}
