//! Reads from a table's columns how its rows were drawn.

use crate::bench::columns;
use crate::domain::Json;
use crate::run::input::text;
use crate::table::{Batch, TableError};
use tooljudge_core::sampling::{Draw, Queue};

/// The columns of a batch that say how its rows were drawn.
pub(in crate::run) struct Draws {
    cells: [Vec<Option<Json>>; 5],
    /// Whether the column of probabilities is among them.
    is_whole: bool,
}

/// A cell that does not say how its row was drawn.
#[derive(Debug)]
pub(in crate::run) struct NotADraw {
    pub column: &'static str,
    /// What it says; `None` where the whole column is missing.
    pub text: Option<String>,
}

impl Draws {
    /// `None` of a table that does not speak of draws.
    pub(in crate::run) fn of(rows: &Batch) -> Result<Option<Draws>, TableError> {
        let [queue, round, drawn, from, probability] = columns::DRAW;
        if !columns::has_draws(rows.schema.names()) {
            return Ok(None);
        }
        let column = |name| rows.column(name);
        let cells = [column(queue)?, column(round)?, column(drawn)?, column(from)?, column(probability)?];
        let is_whole = rows.schema.position(probability).is_some();
        Ok(Some(Draws { cells, is_whole }))
    }

    /// How the row at a place was drawn; `None` if it was not.
    pub(in crate::run) fn at(&self, row: usize) -> Result<Option<Draw>, NotADraw> {
        let cell = |at: usize| text(self.cells[at][row].as_ref());
        // Rows that were drawn must not pass for chosen ones because their list lost a cell, or the column.
        let Some(probability) = cell(4) else {
            let text = self.is_whole.then(String::new);
            let was_drawn = cell(1).is_some();
            return if was_drawn { Err(NotADraw { column: columns::DRAW[4], text }) } else { Ok(None) };
        };
        let wrong =
            |at: usize| NotADraw { column: columns::DRAW[at], text: Some(cell(at).unwrap_or_default()) };
        // Spreadsheets may write whole numbers with places.
        let number = |at: usize| {
            let found = cell(at).and_then(|text| text.trim().parse::<f64>().ok());
            found.filter(|number| *number >= 1.0 && number.fract() == 0.0).map(|number| number as u64)
        };
        let named = |name: String| Queue::ALL.into_iter().find(|queue| queue.as_str() == name.trim());
        let queue = cell(0).and_then(named).filter(|queue| queue.is_drawn()).ok_or_else(|| wrong(0))?;
        let round = number(1).ok_or_else(|| wrong(1))?;
        let drawn = number(2).ok_or_else(|| wrong(2))?;
        let drawn_from = number(3).ok_or_else(|| wrong(3))?;
        let probability = probability.trim().parse::<f64>().ok();
        let probability = probability.filter(|p| *p > 0.0 && *p <= 1.0).ok_or_else(|| wrong(4))?;
        Ok(Some(Draw { queue, round, drawn, drawn_from, probability }))
    }
}

impl NotADraw {
    /// What is wrong with it.
    pub(in crate::run) fn why(&self) -> String {
        let NotADraw { column, text } = self;
        let Some(text) = text else {
            return format!(
                "it was drawn, and there is no column `{column}`; keep the columns of the list as `tooljudge next` wrote them"
            );
        };
        let what = match *column {
            "draw_queue" => "the name of a queue that draws: random, stratified or active",
            "inclusion_probability" => "a probability above 0 and up to 1",
            _ => "a whole number from 1 on",
        };
        format!(
            "`{text}` in the column `{column}` is not {what}; keep the cells of drawn rows as `tooljudge next` wrote them"
        )
    }
}
