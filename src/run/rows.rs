//! Where samples come from: an input table, or a list of the caller's.

use std::sync::Arc;

use rayon::prelude::*;

use super::RunError;
use crate::domain::{Cell, Item, RawRow};
use crate::normalize::Normalizer;
use crate::normalize::columns::Columns;
use crate::read::{Batches, Table};
use crate::table::{Batch, TableError};

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
    pub normalizer: Arc<Normalizer>,
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
    let item = |(at, row)| match batch.item(at) {
        Some(item) => item.clone(),
        None => normalizer.sample(row),
    };
    Ok(rows.into_par_iter().enumerate().map(item).collect())
}

fn raw_rows(batch: &Batch, columns: &Columns) -> Result<Vec<RawRow>, TableError> {
    let questions = batch.column(&columns.question)?;
    let calls = batch.column(&columns.tool_call)?;
    let definitions = match &columns.tool_definitions {
        Some(name) => batch.column(name)?,
        None => vec![None; batch.len()],
    };
    let cell = |value: Option<_>| value.map_or(Cell::Missing, Cell::from);
    let rows = questions.into_iter().zip(calls).zip(definitions);
    let row = |((question, call), definitions)| RawRow {
        question: cell(question),
        tool_call: cell(call),
        tool_definitions: cell(definitions),
    };
    Ok(rows.map(row).collect())
}
