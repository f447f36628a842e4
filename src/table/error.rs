//! A conversion between columns and records that failed.

use polars::prelude::PolarsError;

/// Columns that do not fit together. Says so in the words of the frame library.
#[derive(Debug, thiserror::Error)]
#[error("a table cannot be converted: {0}")]
pub struct TableError(#[from] PolarsError);
