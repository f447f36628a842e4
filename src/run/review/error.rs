//! Why rows cannot be shown or marks not exported, and what to do about it.

use std::path::PathBuf;

/// A table that cannot be reviewed; nothing was written.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "fields are explained once for all variants")]
pub enum ReviewError {
    /// A name for a reviewer that cannot be shown.
    #[error(
        "--reviewer: a name has 1 to 100 characters, and none of them is a line break, a control character or invisible"
    )]
    Reviewer,
    /// Disagreements are to be decided blindly.
    #[error("--queue disagreement shows what others say, which --blind hides: leave one of them out")]
    BlindQueue,
    /// A table that no judge has labelled.
    #[error(
        "{table} has no labels: there is no column `label` with the columns `status` and `template` or `judge`. Label it first, and review the \
         table that comes out"
    )]
    NoLabels { table: String },
    /// A row with a status that no judge gives.
    #[error(
        "row {row}: `{column}` is `{status}`, which this tooljudge does not know: label the table again, or use the tooljudge that wrote it"
    )]
    Status { row: usize, column: String, status: String },
    /// A label of which no row says what it is worth.
    #[error(
        "no row with the label `{label}` has a number in `{column}`, so nothing says whether such calls pass: keep the column `{column}` of the \
         table that `label` wrote"
    )]
    NoScore { column: String, label: String },
    /// A table without rows.
    #[error("{table} has no rows to review")]
    NoRows { table: String },
    /// A setting names a column that is not there.
    #[error("--id: there is no column `{column}`; the columns are {columns}")]
    NoColumn { column: String, columns: String },
    /// A stream or several files, and no place for their marks.
    #[error("the table is a stream or several files: name a file for its marks with --marks FILE")]
    NoPlace,
    /// The port cannot be had.
    #[error(
        "cannot listen on 127.0.0.1:{port}: {why}; name another one with --port, or none to take any that is free"
    )]
    Port { port: u16, why: String },
    /// The server failed.
    #[error("the server failed: {0}")]
    Server(String),
    /// Marks of other rows.
    #[error(
        "{} holds marks on {rows} rows, and none of them is a row of this table: its rows are others, or have changed. Name the marks of this \
         table with --marks, or a new file", path.display()
    )]
    OtherTable { path: PathBuf, rows: usize },
    /// An adjudicator who has marked nothing.
    #[error("--adjudicator: there are no marks of `{name}`; the reviewers are {known}")]
    NoAdjudicator { name: String, known: String },
    /// No output was named.
    #[error("name a file for the marked rows with -o")]
    NoOutput,
    /// No marks to write.
    #[error(
        "{} holds no marks on rows of this table; make some with `tooljudge review`, or name another file with --marks",
        path.display()
    )]
    NothingMarked { path: PathBuf },
}
