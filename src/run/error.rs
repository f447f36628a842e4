//! Errors that end a run.

use super::settings::SettingsError;
use super::{
    AuditError, BenchError, CompareError, DriveError, GoldError, MergeError, NextError, ReviewError,
    ScoringError, SuiteError, TrainError, TrendError,
};
use crate::normalize::columns::ColumnError;
use crate::read::ReadError;
use crate::render::TemplateError;
use crate::store::{MarksError, StoreError};
use crate::table::TableError;
use crate::write::WriteError;

/// A run that cannot go on. Whatever was paid for is in the store.
///
/// `table`, `row` (counted from 1) and `column` say where; `code` is a short name of the failure, as columns spell it.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "fields are explained once for all variants")]
pub enum RunError {
    /// Invalid settings; nothing was read, sent or written.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The rows cannot be benchmarked.
    #[error(transparent)]
    Bench(#[from] BenchError),
    /// The rows cannot be audited.
    #[error(transparent)]
    Audit(#[from] AuditError),
    /// No table of gold can be made.
    #[error(transparent)]
    Gold(#[from] GoldError),
    /// The cases cannot be scored.
    #[error(transparent)]
    Score(#[from] ScoringError),
    /// The agents cannot be driven.
    #[error(transparent)]
    Drive(#[from] DriveError),
    /// No suite can be made of the log.
    #[error(transparent)]
    Suite(#[from] SuiteError),
    /// The built-in judge cannot be trained.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// The judges cannot be compared.
    #[error(transparent)]
    Compare(#[from] CompareError),
    /// The runs of agents cannot be shown.
    #[error(transparent)]
    Trend(#[from] TrendError),
    /// Parts of a run cannot be joined.
    #[error(transparent)]
    Merge(#[from] MergeError),
    /// No rows to mark can be picked.
    #[error(transparent)]
    Next(#[from] NextError),
    /// Labels cannot be shown, or their marks not be written out.
    #[error(transparent)]
    Review(#[from] ReviewError),
    /// Marks cannot be kept or read.
    #[error(transparent)]
    Marks(#[from] MarksError),
    /// An input cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The reply store cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An output cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A template cannot be used for a row.
    #[error("template: {0}")]
    Template(#[from] TemplateError),
    /// Rows cannot be turned into another kind of table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The columns of question, call and definitions cannot be determined.
    #[error(transparent)]
    Columns(#[from] ColumnError),
    /// A cell of a judge's labels holds none of its labels.
    #[error(
        "{table}: row {row} has `{text}` in the column `{column}`, which is not {words}; say with --positive which label means right"
    )]
    StrangeLabel { table: String, row: u64, column: String, text: String, words: String },
    /// No question will have an answer, such as for a wrong key or an unknown model.
    #[error("{message}")]
    Judge { code: String, message: String },
    /// Somebody stopped the run.
    #[error("interrupted")]
    Interrupted,
    /// A job that ended before its time, and what is left of it.
    #[error("{why}{apart}{kept}", apart = if why.is_interruption() { "; " } else { "\n" })]
    Unfinished { why: Box<RunError>, kept: String },
    /// A thread of the run panicked or could not be started; the cause.
    #[error("a worker thread of the run failed: {0}")]
    Worker(String),
}

impl RunError {
    /// Whether the run was stopped.
    pub fn is_interruption(&self) -> bool {
        match self {
            RunError::Interrupted => true,
            RunError::Unfinished { why, .. } => why.is_interruption(),
            _ => false,
        }
    }

    /// The same error, for a job that has `kept` this much.
    pub(super) fn unfinished(self, kept: &str) -> RunError {
        RunError::Unfinished { why: Box::new(self), kept: kept.to_owned() }
    }

    /// [`RunError::Unfinished`] if the run was stopped; other errors unchanged.
    pub(super) fn if_interrupted(self, kept: &str) -> RunError {
        if matches!(self, RunError::Interrupted) { self.unfinished(kept) } else { self }
    }

    /// [`RunError::Unfinished`] if the run was stopped, or no question will get an answer; other errors unchanged.
    pub(super) fn if_stopped(self, kept: &str) -> RunError {
        match self {
            RunError::Interrupted | RunError::Judge { .. } => self.unfinished(kept),
            error => error,
        }
    }
}
