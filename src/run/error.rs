//! What ends a run.

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
    #[error("a worker of the run is gone: {0}")]
    Worker(String),
}
