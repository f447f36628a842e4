//! Batches to samples: the same rows, read the same way, in both passes.

use rayon::prelude::*;

use crate::domain::{Cell, RawRow, RowError, Sample};
use crate::normalize::Normalizer;
use crate::normalize::columns::Columns;
use crate::read::{Batches, Table};
use crate::table::{Batch, TableError};

/// An input table and how its rows are to be understood.
pub struct Source {
    pub table: Table,
    pub columns: Columns,
    pub normalizer: Normalizer,
}

impl Source {
    /// The rows with the columns that judging needs.
    pub fn judged_columns(&self) -> Batches {
        let Columns { question, tool_call, tool_definitions } = &self.columns;
        let mut names = vec![question.clone(), tool_call.clone()];
        names.extend(tool_definitions.clone());
        self.table.batches(Some(&names))
    }

    /// Maps every row's sample, in parallel, keeping their order.
    pub fn map<T: Send>(
        &self,
        batch: &Batch,
        map: impl Fn(Result<Sample, RowError>) -> T + Sync,
    ) -> Result<Vec<T>, TableError> {
        let rows = self.raw_rows(batch)?;
        Ok(rows.into_par_iter().map(|row| map(row.and_then(|row| self.normalizer.sample(row)))).collect())
    }

    fn raw_rows(&self, batch: &Batch) -> Result<Vec<Result<RawRow, RowError>>, TableError> {
        let column = |name: &str| batch.column(name);
        let questions = column(&self.columns.question)?;
        let calls = column(&self.columns.tool_call)?;
        let definitions = match &self.columns.tool_definitions {
            Some(name) => column(name)?,
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
}
