//! The scoring pass: every case of a table, in order, with its score.

use rayon::prelude::*;

use super::tally::Tally;
use crate::domain::{Cell, Json, Object, RawRow, ToolCall};
use crate::normalize::Normalizer;
use crate::read::Table;
use crate::run::{Progress, RunError};
use crate::score::{Score, ScoreError, Scored, Scorer};
use crate::table::{Batch, Format, Schema};
use crate::write::{Finished, Output, ScoreColumns, Sink};

/// Cases, and who scores them.
pub(super) struct Scoring<'a> {
    pub table: &'a Table,
    pub scorer: &'static Scorer,
    /// The scorer with its settings.
    pub ready: Box<dyn Score>,
    /// Reads the calls of rows that are no case of the scorer's own.
    pub normalizer: Normalizer,
    /// Whether the tally keeps all names.
    pub listing: bool,
}

/// Where the scored table goes.
pub(super) struct ScoredTable<'a> {
    pub output: &'a Output,
    pub columns: ScoreColumns,
    /// Input columns that ours take the place of.
    pub replaced: Vec<String>,
}

/// A case's name, if it has one, and its score.
type Named = (Option<String>, Result<Scored, ScoreError>);

/// The columns of tables that are no peer's cases: what was called (the second is the normal form's), and what should have been.
const CALLED: [&str; 2] = ["tool_call", "tool_calls"];
const EXPECTED: &str = "expected_tool_calls";
/// What a row is called by, itself or within what describes the case.
const NAMES: [&str; 8] = ["id", "case_id", "test_id", "row_id", "source_id", "uuid", "name", "question_id"];
const DESCRIBED: [&str; 6] = ["test", "case", "test_case", "example", "run", "metadata"];

impl Scoring<'_> {
    /// Scores every case, writes the table if there is one to write, and returns what it came to.
    ///
    /// # Errors
    /// When the input cannot be read or the output not be written; nothing appears there then.
    pub fn run(
        &self,
        destination: Option<&ScoredTable<'_>>,
        progress: &Progress,
        stop: &dyn Fn() -> bool,
    ) -> Result<(Tally, Option<Finished>), RunError> {
        let mut tally = if self.listing { Tally::listing() } else { Tally::default() };
        let mut sink = match destination {
            None => None,
            Some(destination) => {
                let schema = destination.schema(self.table.schema());
                Some(Sink::create(&destination.output.path, destination.output.format, &schema)?)
            }
        };
        for batch in self.table.batches(None) {
            if stop() {
                return Err(RunError::Interrupted);
            }
            let batch = batch?;
            let scored = self.batch(&batch)?;
            for (name, scored) in &scored {
                tally.add(name.as_deref(), scored);
            }
            progress.asks_done(scored.len() as u64);
            if let (Some(sink), Some(destination)) = (&mut sink, destination) {
                let columns = &destination.columns;
                let records = scored.iter().map(|(_, scored)| columns.record(scored)).collect();
                let replaced: Vec<&str> = destination.replaced.iter().map(String::as_str).collect();
                sink.write(batch.without(&replaced).append(columns.schema(), records)?)?;
            }
        }
        Ok((tally, sink.map(Sink::finish).transpose()?))
    }

    /// Every case's name and score.
    fn batch(&self, batch: &Batch) -> Result<Vec<Named>, RunError> {
        let records = batch.clone().into_records()?;
        let score = |record: crate::table::Record| match record.item {
            Some(Err(error)) => (None, Err(ScoreError::invalid(error.to_string()))),
            _ => {
                let case = case(self.table, &batch.schema, record.cells);
                (name(&case), self.case(&case))
            }
        };
        Ok(records.into_par_iter().map(score).collect())
    }

    fn case(&self, case: &Object) -> Result<Scored, ScoreError> {
        if !(self.scorer.matches)(case) && is_case(self.scorer, case) {
            let called = self.calls(case, called(case).unwrap_or(CALLED[0]))?;
            let expected = if self.scorer.expects { self.calls(case, EXPECTED)? } else { Vec::new() };
            return self.ready.score(&(self.scorer.case)(&called, &expected, case));
        }
        self.ready.score(case)
    }

    fn calls(&self, case: &Object, column: &str) -> Result<Vec<ToolCall>, ScoreError> {
        // The normal form has no calls where their text could not be read, but the text itself.
        let unread = || case.get("raw").filter(|_| column == CALLED[1])?.get(CALLED[0]);
        let cell = |key: &str| {
            let value = match case.get(key) {
                Some(Json::Null) if key == column => unread().or(Some(&Json::Null)),
                value => value,
            };
            value.cloned().map_or(Cell::Missing, Cell::from)
        };
        let row = RawRow {
            question: Cell::Text("-".to_owned()),
            tool_call: cell(column),
            tool_definitions: cell("tool_definitions"),
            ..RawRow::default()
        };
        let sample = self.normalizer.sample(row).map_err(|error| ScoreError::invalid(error.to_string()))?;
        match sample.calls {
            crate::domain::Calls::Parsed(calls) => Ok(calls),
            crate::domain::Calls::Unparsed => {
                Err(ScoreError::invalid(format!("{column}: no call can be read from the text")))
            }
        }
    }
}

impl ScoredTable<'_> {
    fn schema(&self, input: &Schema) -> Schema {
        let kept = input.columns.iter().filter(|column| !self.replaced.contains(&column.name));
        input.with(kept.chain(&self.columns.schema().columns).cloned().collect())
    }
}

/// Whether `case` is one that `scorer` can read: its peer's own, or a row of a table of calls.
pub(super) fn is_case(scorer: &Scorer, case: &Object) -> bool {
    (scorer.matches)(case) || called(case).is_some() && (case.contains_key(EXPECTED) || !scorer.expects)
}

/// A row as a scorer reads it: an object with a key for each of the columns that the row has.
pub(super) fn case(table: &Table, schema: &Schema, cells: Vec<Option<Json>>) -> Object {
    // Where values have types of their own, a text is a text.
    let typed = table.inputs().iter().all(|input| matches!(input.format, Format::Json | Format::Jsonl));
    let value = |cell| if typed { cell } else { structured(cell) };
    schema.names().zip(cells).filter_map(|(name, cell)| Some((name.to_owned(), value(cell?)))).collect()
}

/// Cells of tables hold structures as JSON.
fn structured(cell: Json) -> Json {
    match &cell {
        Json::String(text) if text.trim_start().starts_with(['{', '[']) => Json::parse(text).unwrap_or(cell),
        _ => cell,
    }
}

/// The column of what was called.
fn called(case: &Object) -> Option<&'static str> {
    CALLED.into_iter().find(|column| case.contains_key(column))
}

fn name(case: &Object) -> Option<String> {
    let text = |value: &Json| match value {
        Json::String(name) => Some(name.clone()).filter(|name| !name.trim().is_empty()),
        Json::Number(number) => Some(number.as_str().to_owned()),
        _ => None,
    };
    let own = || NAMES.iter().find_map(|key| text(case.get(key)?));
    let described = || {
        DESCRIBED.iter().find_map(|part| {
            // Tables have a column for each of its keys.
            let column = |key: &&str| text(case.get(&format!("{part}.{key}"))?);
            let within = || {
                let described = case.get(part)?.as_object()?;
                NAMES.iter().find_map(|key| text(described.get(key)?))
            };
            NAMES.iter().find_map(column).or_else(within)
        })
    };
    own().or_else(described)
}
