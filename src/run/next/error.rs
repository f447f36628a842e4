//! Why no rows can be drawn, and what to do about it.

use std::path::PathBuf;

use tooljudge_core::sampling::RoundsError;

/// Rows that cannot be picked; nothing was written.
///
/// `column` names a column, `columns` lists those that there are; rows are counted from 1.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "fields are explained once for all variants")]
pub enum NextError {
    /// No output was named.
    #[error("name a file for the list with -o")]
    NoOutput,
    /// No row is wanted.
    #[error("--rows 0 picks nothing; give a number of rows")]
    NoRows,
    /// A setting names a column that is not there.
    #[error("--{flag}: there is no column `{column}`; the columns are {columns}")]
    NoColumn { flag: &'static str, column: String, columns: String },
    /// No column names rows.
    #[error(
        "no column names the rows, so marks could not be brought back to them: there is no `id`, `row_id` or `source_id`. Name the \
         column with --id, or give the log one before it is labeled"
    )]
    NoNames,
    /// A row without a name.
    #[error(
        "row {row} has no `{column}`, by which its mark would find it again; name another column with --id"
    )]
    NoName { row: u64, column: String },
    /// Two rows of one name.
    #[error(
        "row {row} has the `{column}` `{name}`, as an earlier row has; name a column that tells rows apart with --id"
    )]
    SameName { row: u64, column: String, name: String },
    /// A queue that goes by labels, of a table without labels.
    #[error(
        "--queue {queue} needs the labels of `tooljudge label`, and there is no column `label` with a column `status`; the columns are {columns}"
    )]
    NoLabels { queue: &'static str, columns: String },
    /// A queue that goes by how sure labels are, where no judge says so.
    #[error(
        "--queue {0}: no row says how sure its label is (`p_correct`, `confidence`); take --queue random"
    )]
    NoConfidence(&'static str),
    /// Judges cannot contradict each other where there is one for each task.
    #[error(
        "--queue disagreement needs the labels of several judges for the same task, and there is one; label with several --judge"
    )]
    OneJudge,
    /// A table of marks that cannot be used, and why.
    #[error("--gold {}: {why}", path.display())]
    Gold { path: PathBuf, why: String },
    /// A mark that is no label.
    #[error("the row with the `{id}` `{name}` is marked `{text}`, which is not {words}; correct the mark")]
    NotAMark { id: String, name: String, text: String, words: String },
    /// A cell that should say how its row was drawn, and what is wrong with it.
    #[error("row {row}: {why}")]
    NotADraw { row: u64, why: String },
    /// What was drawn so far is not whole.
    #[error(transparent)]
    Rounds(#[from] RoundsError),
    /// Fewer rows are wanted than there are values of the column.
    #[error(
        "--queue stratified:{column}: the column has {values} values among the rows that are left, and each needs a row: take --rows {values} or \
         more, or a column with fewer values"
    )]
    TooManyValues { column: String, values: usize },
    /// Every row was drawn or marked already.
    #[error("no row is left to mark: {0}")]
    NothingLeft(&'static str),
}
