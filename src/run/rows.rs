//! Where samples come from: an input table, or a list of the caller's.

use rayon::prelude::*;

use super::RunError;
use crate::domain::{Cell, RawRow, RowError, Sample};
use crate::normalize::Normalizer;
use crate::normalize::columns::Columns;
use crate::read::{Batches, Table};
use crate::table::{Batch, TableError};

/// A row's sample, or why there is none.
pub type Item = Result<Sample, RowError>;

/// Items that can be gone through as often as needed, in batches and always in the same order.
pub trait Samples: Send + Sync {
    /// All items, from the first.
    fn batches(&self) -> Box<dyn Iterator<Item = Result<Vec<Item>, RunError>> + '_>;
}

/// Samples of a list in one batch: small enough that a batch of prompts fits in memory.
const CHUNK: usize = 512;

impl Samples for Vec<Item> {
    fn batches(&self) -> Box<dyn Iterator<Item = Result<Vec<Item>, RunError>> + '_> {
        Box::new(self.chunks(CHUNK).map(|chunk| Ok(chunk.to_vec())))
    }
}

/// An input table and how its rows are to be understood.
pub struct Source {
    pub table: Table,
    pub columns: Columns,
    pub normalizer: Normalizer,
}

impl Samples for Source {
    fn batches(&self) -> Box<dyn Iterator<Item = Result<Vec<Item>, RunError>> + '_> {
        Box::new(self.judged_columns().map(|batch| Ok(self.items(&batch?)?)))
    }
}

impl Source {
    /// The rows with the columns that judging needs.
    fn judged_columns(&self) -> Batches {
        let Columns { question, tool_call, tool_definitions } = &self.columns;
        let mut names = vec![question.clone(), tool_call.clone()];
        names.extend(tool_definitions.clone());
        self.table.batches(Some(&names))
    }

    /// Every row's sample.
    pub fn items(&self, batch: &Batch) -> Result<Vec<Item>, TableError> {
        items(batch, &self.columns, &self.normalizer)
    }
}

/// Every row's sample, read in parallel.
pub fn items(batch: &Batch, columns: &Columns, normalizer: &Normalizer) -> Result<Vec<Item>, TableError> {
    let rows = raw_rows(batch, columns)?;
    Ok(rows.into_par_iter().map(|row| row.and_then(|row| normalizer.sample(row))).collect())
}

fn raw_rows(batch: &Batch, columns: &Columns) -> Result<Vec<Result<RawRow, RowError>>, TableError> {
    let questions = batch.column(&columns.question)?;
    let calls = batch.column(&columns.tool_call)?;
    let definitions = match &columns.tool_definitions {
        Some(name) => batch.column(name)?,
        None => vec![None; batch.len()],
    };
    let cell = |value: Option<_>| value.map_or(Cell::Missing, Cell::from);
    let rows = questions.into_iter().zip(calls).zip(definitions).enumerate();
    let row = |(at, ((question, call), definitions))| match batch.problem(at) {
        Some(problem) => Err(problem.clone()),
        None => Ok(RawRow {
            question: cell(question),
            tool_call: cell(call),
            tool_definitions: cell(definitions),
        }),
    };
    Ok(rows.map(row).collect())
}
