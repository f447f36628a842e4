//! Why nothing can be trained, and what to do about it.

use std::path::PathBuf;

use super::RowCounts;
use tooljudge_core::train::UnusableMaterial;

/// A training that cannot be carried out.
///
/// `column` names a column, and `columns` lists those that there are.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "fields are explained once for all variants")]
pub enum TrainError {
    /// A task that the built-in judge judges by rules alone.
    #[error(
        "--task {0}: there is nothing to train; the tasks that can be trained are tool_calling, tool_selection and \
         parameter_extraction"
    )]
    Task(&'static str),
    /// No column of gold was named, and none has a usual name; the columns that there are.
    #[error("no column says what the labels should be: name it with --gold COLUMN; the columns are {0}")]
    NoGoldColumn(String),
    /// A setting names a column that the input does not have.
    #[error("--{flag}: there is no column `{column}`; the columns are {columns}")]
    NoColumn { flag: &'static str, column: String, columns: String },
    /// A weight that is none.
    #[error("--weight {column}: row {row} has `{text}`, which is not a number above 0 and at most 1000000")]
    Weight { column: String, row: u64, text: String },
    /// Corrections go by rows' names, and no column holds them.
    #[error("--errata goes by the names of rows: say which column has them with --id")]
    ErrataWithoutNames,
    /// Too few rows, or labels of one kind only.
    #[error("{why}.\nOf the input: {counts}")]
    Unusable { why: UnusableMaterial, counts: Box<RowCounts> },
    /// A model goes into a file.
    #[error("-o {}: a model is written to a file, not to a stream", .0.display())]
    Stream(PathBuf),
    /// A model for other tasks too lies in the place, and would be gone.
    #[error("{} is also a model for {others}; keep that with --add, or replace the file with --force", path.display())]
    OtherTasks { path: PathBuf, others: String },
    /// The stage that was chosen could not be fitted to all rows; the cause.
    #[error("the stage could not be fitted to all rows: {0}")]
    Fit(String),
}
