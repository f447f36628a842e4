//! Why a benchmark cannot be run, and what to do about it.

use std::path::PathBuf;

use super::plan::list;
use crate::report::counted;

/// A benchmark that cannot be run.
///
/// `column` names a column, `columns` lists those that there are, and `words` are the labels that count as gold.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "fields are explained once for all variants")]
pub enum BenchError {
    /// A label that is right for one judge of the panel and wrong for another.
    #[error(
        "`{0}` means right in one template and wrong in another, so the gold is ambiguous; bench the templates one by one"
    )]
    AmbiguousLabel(String),
    /// A cell that should say what is wrong with a row, and is no list of findings.
    #[error(
        "row {row}: the column `{column}` is not a list of findings; each has a `kind`, and where it applies `call` and `argument`. Rename the column if it means something else"
    )]
    NotFindings { column: String, row: u64 },
    /// A column of gold whose first `rows` rows hold no label, but such a `text`.
    #[error(
        "the column `{column}` has no label in its first {rows} rows, but texts like `{text}`: gold is {words}"
    )]
    NoLabels { column: String, rows: usize, text: String, words: String },
    /// No column of gold was named, and none has a usual name; the columns that there are.
    #[error("no column says what the labels should be: name it with --gold COLUMN; the columns are {0}")]
    NoGoldColumn(String),
    /// A setting names a column that the input does not have.
    #[error("--{flag}: there is no column `{column}`; the columns are {columns}")]
    NoColumn { flag: &'static str, column: String, columns: String },
    /// Corrections go by rows' names, and no column holds them.
    #[error("--errata goes by the names of rows: say which column has them with --id")]
    ErrataWithoutNames,
    /// A table of corrections that cannot be used, and why.
    #[error("--errata {}: {why}", path.display())]
    Errata { path: PathBuf, why: String },
    /// A correction of a name that several rows have.
    #[error(
        "--errata corrects the row `{0}`, but several rows have that name; name a column that tells them apart with --id"
    )]
    AmbiguousErratum(String),
    /// A cell that should say how its row was drawn, and what is wrong with it.
    #[error("row {row}: {why}")]
    NotADraw { row: u64, why: String },
    /// Doubtful gold is listed by rows' names, and no column holds them.
    #[error("--audit is for correcting gold by the names of rows: say which column has them with --id")]
    AuditWithoutNames,
    /// The column of rows' names has the name of a column of the list of doubtful gold.
    #[error("--audit: `{0}` is a column of the audit itself, and cannot name rows; choose another with --id")]
    AuditColumn(String),
    /// Doubtful gold can be listed for one column of gold only; the columns there are.
    #[error("--audit is of one gold, and there are {0}: choose one --task, or name a --gold")]
    AuditOfSeveral(String),
    /// A report whose file name does not say what kind of report it is.
    #[error(
        "--report {}: a report ends in .html, .md or .json, or as a table of figures in .parquet, .csv and so on",
        .0.display()
    )]
    ReportEnding(PathBuf),
    /// No row has a gold that is a label; the warning about the first one.
    #[error("no row has a gold that is a label: {0}")]
    NoGoldIsALabel(String),
    /// Equal rows say opposite things, wherever there is gold.
    #[error("no row has a gold: all rows that --dedup takes for the same have opposite gold")]
    AllDisputed,
    /// The input has no rows, or the filters leave none.
    #[error("the input has no rows, or --where and --limit exclude all of them")]
    NoRows,
    /// The column of gold is empty in all of so many `rows`.
    #[error("no row has a gold: the column `{column}` is empty in all of {}", counted(*rows, "row"))]
    EmptyGold { column: String, rows: u64 },
}

impl BenchError {
    pub(super) fn no_column(flag: &'static str, column: &str, columns: &[&str]) -> BenchError {
        BenchError::NoColumn { flag, column: column.to_owned(), columns: list(columns) }
    }
}
