//! What ends a run.

use super::settings::SettingsError;
use super::{AuditError, BenchError, CompareError, GoldError, ScoringError};
use crate::normalize::columns::ColumnError;
use crate::read::ReadError;
use crate::render::TemplateError;
use crate::store::StoreError;
use crate::table::TableError;
use crate::write::WriteError;

/// A run that cannot go on. Whatever was paid for is in the store.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error(transparent)]
    Bench(#[from] BenchError),
    #[error(transparent)]
    Audit(#[from] AuditError),
    #[error(transparent)]
    Gold(#[from] GoldError),
    #[error(transparent)]
    Score(#[from] ScoringError),
    #[error(transparent)]
    Compare(#[from] CompareError),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error("template: {0}")]
    Template(#[from] TemplateError),
    #[error(transparent)]
    Table(#[from] TableError),
    #[error(transparent)]
    Columns(#[from] ColumnError),
    #[error(
        "{table}: row {row} has `{text}` in the column `{column}`, which is not {words}; say with --positive which label means right"
    )]
    StrangeLabel { table: String, row: u64, column: String, text: String, words: String },
    #[error("{message}")]
    Judge { code: String, message: String },
    #[error("interrupted")]
    Interrupted,
    /// A job that ended before its time, and what is left of it.
    #[error("{why}{apart}{kept}", apart = if why.is_interruption() { "; " } else { "\n" })]
    Unfinished { why: Box<RunError>, kept: String },
    #[error("a worker thread of the run failed: {0}")]
    Worker(String),
}

impl RunError {
    /// Whether somebody stopped the run.
    pub fn is_interruption(&self) -> bool {
        match self {
            RunError::Interrupted => true,
            RunError::Unfinished { why, .. } => why.is_interruption(),
            _ => false,
        }
    }

    /// The same error of a job of which so much is `kept`.
    pub(super) fn unfinished(self, kept: &str) -> RunError {
        RunError::Unfinished { why: Box::new(self), kept: kept.to_owned() }
    }

    /// [`RunError::Unfinished`] if somebody stopped the run; other errors as they are.
    pub(super) fn if_interrupted(self, kept: &str) -> RunError {
        if matches!(self, RunError::Interrupted) { self.unfinished(kept) } else { self }
    }

    /// [`RunError::Unfinished`] if somebody stopped the run, or no question will have an answer; other errors as they are.
    pub(super) fn if_stopped(self, kept: &str) -> RunError {
        match self {
            RunError::Interrupted | RunError::Judge { .. } => self.unfinished(kept),
            error => error,
        }
    }
}
