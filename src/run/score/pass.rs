//! The scoring pass: every case of a table, in order, with its score.

use std::borrow::Cow;

use rayon::prelude::*;

use super::asking::Answers;
use super::definitions;
use super::page::ScorePage;
use super::row::{CALLED, EXPECTED, called, case, is_case, name, records};
use super::tally::Tally;
use super::texts::Texts;
use super::transcripts::{self, Transcript};
use crate::domain::{Cell, Json, Object, RawRow, Slot, ToolCall};
use crate::normalize::Normalizer;
use crate::read::Table;
use crate::run::input::says_nothing;
use crate::run::{Progress, RunError};
use crate::score::{Score, ScoreError, Scored, Scorer, bfcl};
use crate::table::{Batch, Schema};
use crate::write::{Finished, Output, ScoreColumns, Sink};

/// Keys of cases that no scorer reads.
const UNREAD: [&str; 4] = ["metadata", "meta", "extra", "tags"];

/// Cases, and who scores them.
pub(super) struct Scoring<'a> {
    pub table: &'a Table,
    pub scorer: &'static Scorer,
    /// The scorer with its settings.
    pub ready: Box<dyn Score>,
    /// Whether it gives a peer's exact numbers.
    pub as_peer: bool,
    /// Reads the calls of rows that are no case of the scorer's own.
    pub normalizer: Normalizer,
    /// Columns that the user named for what the row has under other names.
    pub columns: Vec<(Slot, String)>,
    /// What a judge said of cases.
    pub answers: Answers,
    /// Whether the tally keeps all names.
    pub listing: bool,
    /// Numbers that the table may have turned into texts.
    pub texts: Texts,
}

/// Where the scored table goes.
pub(super) struct ScoredTable<'a> {
    pub output: &'a Output,
    pub columns: ScoreColumns,
    /// Input columns that ours take the place of.
    pub replaced: Vec<String>,
}

/// A row with its name, if it has one.
struct Row {
    name: Option<String>,
    case: Result<Object, ScoreError>,
}

/// What a row comes to, with its name.
struct Outcome {
    name: Option<String>,
    /// `None` for a turn that is scored with the last one of its transcript.
    scored: Option<Result<Scored, ScoreError>>,
}

impl Scoring<'_> {
    /// Scores every case, writes the table if there is one to write, and returns what it came to.
    ///
    /// # Errors
    /// When the input cannot be read or the output not be written; nothing appears there then.
    pub fn run(
        &self,
        destination: Option<&ScoredTable<'_>>,
        mut page: Option<&mut ScorePage>,
        progress: &Progress,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<(Tally, Option<Finished>), RunError> {
        let mut tally = if self.listing { Tally::listing() } else { Tally::default() };
        let mut sink = match destination {
            None => None,
            Some(destination) => {
                let schema = destination.schema(self.table.schema());
                Some(Sink::open(destination.output, &schema)?)
            }
        };
        let mut transcript = Transcript::of(self.table)?;
        let mut batches = self.table.batches(None);
        let mut ahead = batches.next().transpose()?;
        let mut number = 0;
        while let Some(batch) = ahead {
            if stop() {
                return Err(RunError::Interrupted);
            }
            // Whether a turn is the last one, the row after it tells.
            ahead = batches.next().transpose()?;
            let is_of_transcripts =
                |batch: &&Batch| batch.schema.names().any(|name| name == transcripts::TRANSCRIPT);
            let first = ahead.as_ref().filter(is_of_transcripts).map(|batch| batch.clone().head(1));
            let next = number + batch.len() as u64;
            let after = first.map(|first| self.rows(&first, next)).transpose()?;
            let after = after.and_then(|rows| rows.into_iter().next());
            let rows = self.rows(&batch, number)?;
            let cases =
                page.is_some().then(|| rows.iter().map(|row| row.case.as_ref().ok().cloned()).collect());
            let scored = self.batch(rows, after, &mut transcript, stop)?;
            number = next;
            if let (Some(page), Some(cases)) = (page.as_deref_mut(), cases) {
                let said = scored.iter().map(|row| (row.name.clone(), row.scored.clone()));
                page.add(&batch, cases, said, &self.normalizer)?;
            }
            for Outcome { name, scored } in &scored {
                if let Some(scored) = scored {
                    tally.add(name.as_deref(), scored);
                }
            }
            progress.asks_done(scored.len() as u64);
            if let (Some(sink), Some(destination)) = (&mut sink, destination) {
                let columns = &destination.columns;
                let records = scored.iter().map(|row| columns.record(row.scored.as_ref())).collect();
                let replaced: Vec<&str> = destination.replaced.iter().map(String::as_str).collect();
                sink.write(batch.without(&replaced).append(columns.schema(), records)?)?;
            }
        }
        Ok((tally, sink.map(Sink::finish).transpose()?))
    }

    /// The rows of a batch whose first has this number, counted from 0.
    fn rows(&self, batch: &Batch, first: u64) -> Result<Vec<Row>, RunError> {
        let records = records(batch.clone(), &self.columns, &self.normalizer)?;
        let row = |(at, record): (usize, crate::table::Record)| match record.item {
            Some(Err(error)) => Row { name: None, case: Err(ScoreError::invalid(error.to_string())) },
            _ => {
                let case = case(self.table, &batch.schema, record.cells, &self.columns);
                self.texts.look(&case, &self.normalizer);
                let named = name(&case);
                let inquiry = self.scorer.inquiry.as_ref();
                Row { name: named, case: self.answers.fill(inquiry, first + at as u64, case) }
            }
        };
        Ok(records.into_par_iter().enumerate().map(row).collect())
    }

    /// The scores of all rows; `after` is the row that follows on them.
    fn batch(
        &self,
        rows: Vec<Row>,
        after: Option<Row>,
        transcript: &mut Transcript,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Outcome>, RunError> {
        let going_on = || if stop() { Err(RunError::Interrupted) } else { Ok(()) };
        if !rows.iter().any(|row| row.case.as_ref().is_ok_and(|case| self.is_turn(case))) {
            let score = |Row { name, case }: Row| {
                going_on()?;
                Ok(Outcome { name, scored: Some(case.and_then(|case| self.case(&case))) })
            };
            return rows.into_par_iter().map(score).collect();
        }
        let id = |row: &Row| row.case.as_ref().ok().and_then(transcripts::of_row);
        let following: Vec<Option<String>> =
            rows.iter().skip(1).map(id).chain([after.as_ref().and_then(id)]).collect();
        let score = |(Row { name, case }, following): (Row, Option<String>)| {
            going_on()?;
            Ok(match case {
                Ok(case) if self.is_turn(&case) => self.turn(name, &case, following.as_deref(), transcript),
                case => Outcome { name, scored: Some(case.and_then(|case| self.case(&case))) },
            })
        };
        rows.into_iter().zip(following).map(score).collect()
    }

    /// Whether a row is scored with other turns of its transcript.
    fn is_turn(&self, case: &Object) -> bool {
        let is_table = !(self.scorer.matches)(case) && called(case).is_some();
        let expects_in_all = || !case.contains_key(EXPECTED) && transcripts::expects(case);
        is_table
            && transcripts::of_row(case).is_some()
            && (self.scorer.across_turns || self.scorer.expects && expects_in_all())
    }

    /// A turn: with the turns before it, or with the last one of its transcript.
    fn turn(
        &self,
        name: Option<String>,
        case: &Object,
        following: Option<&str>,
        transcript: &mut Transcript,
    ) -> Outcome {
        let id = transcripts::of_row(case).unwrap_or_default();
        let entered = transcript.enter(&id);
        let calls = self.calls(case, called(case).unwrap_or(CALLED[0]));
        if self.scorer.across_turns {
            let score = |calls| {
                let calls = transcript.with_repeated(calls);
                self.own(case, &calls, &[])
            };
            return Outcome { name, scored: Some(entered.and(calls).and_then(score)) };
        }
        transcript.add(calls);
        if following == Some(&id) {
            return Outcome { name, scored: None };
        }
        let scored = transcript.all().and_then(|called| {
            let expected = self.calls(case, transcripts::EXPECTED_IN_ALL)?;
            self.own(case, &called, &expected)
        });
        Outcome { name: Some(id), scored: Some(scored) }
    }

    fn case(&self, case: &Object) -> Result<Scored, ScoreError> {
        let is_peers = (self.scorer.matches)(case) && self.columns.is_empty();
        let is_read =
            |key: &str| is_peers && !UNREAD.contains(&key) || CALLED.contains(&key) || key == EXPECTED;
        let repeats = |(key, value): &(&str, &Json)| is_read(key) && value.repeats_a_key();
        if let Some((key, _)) = case.iter().find(repeats).filter(|_| !self.as_peer) {
            return Err(ScoreError::invalid(format!(
                "`{key}` holds an object with a key twice: keep the one that counts"
            )));
        }
        if !is_peers && is_case(self.scorer, case) {
            let called = self.called(case)?;
            let expected = if self.scorer.expects { self.expected(case)? } else { Vec::new() };
            return self.own(case, &called, &expected);
        }
        let Some(functions) = case.get("functions").filter(|_| self.scorer.defines) else {
            return self.ready.score(case);
        };
        if self.as_peer && definitions::are_plain(functions) {
            return self.ready.score(case);
        }
        let expected = case.get("possible_answer").and_then(Json::as_array).unwrap_or_default();
        let wanted: Vec<&str> = expected.iter().filter_map(|call| call.as_object()?.keys().next()).collect();
        match definitions::read("functions", functions, &wanted)? {
            Cow::Borrowed(_) => self.ready.score(case),
            Cow::Owned(read) => {
                let mut case = case.clone();
                case.insert("functions", read);
                self.ready.score(&case)
            }
        }
    }

    /// The score of a row that is no case of the scorer's own.
    fn own(&self, row: &Object, called: &[ToolCall], expected: &[ToolCall]) -> Result<Scored, ScoreError> {
        if !self.scorer.defines {
            let case = (self.scorer.case)(called, expected, row);
            let why = |wanted: &ToolCall| {
                unfit(wanted, row, called).filter(|_| self.ready.compares_values(&case, &wanted.name))
            };
            return match expected.iter().find_map(why) {
                None => self.ready.score(&case),
                Some(why) => Err(ScoreError::invalid(why)),
            };
        }
        let mut row = row.clone();
        if let Some(column) = definitions::column(&row) {
            let wanted: Vec<&str> = expected.iter().map(|call| call.name.as_str()).collect();
            let read = definitions::read(column, row.get(column).unwrap_or(&Json::Null), &wanted)?;
            let read = read.into_owned();
            row.insert(definitions::USUAL, read);
        }
        let functions = row.get(definitions::USUAL);
        if let Some(wrong) = expected.iter().find(|wanted| bfcl::is_in_doubt(wanted, functions, called)) {
            return Err(ScoreError::invalid(format!(
                "`{EXPECTED}`: `{}` has a list where its definition wants none, or where it says nothing and the calls have none: if these \
                 are accepted values, declare the types of the parameters, and write such a list for each (for an array a list of arrays, \
                 like [[\"a\", \"b\"]]); else write the values themselves",
                wrong.name
            )));
        }
        self.ready.score(&(self.scorer.case)(called, expected, &row))
    }

    /// What was called. Two columns of it must not say different things.
    fn called(&self, case: &Object) -> Result<Vec<ToolCall>, ScoreError> {
        let found = self.calls(case, called(case).unwrap_or(CALLED[0]))?;
        // A column of that name may also hold something else, such as how many there were.
        if CALLED.iter().all(|column| case.get(column).is_some_and(|cell| !says_nothing(cell)))
            && let Ok(other) = self.calls(case, CALLED[1])
        {
            let is_same = |(one, other): (&ToolCall, &ToolCall)| one.is_equivalent(other);
            if found.len() != other.len() || !found.iter().zip(&other).all(is_same) {
                return Err(ScoreError::invalid(format!(
                    "`{}` and `{}` say different calls: keep one",
                    CALLED[0], CALLED[1]
                )));
            }
        }
        Ok(found)
    }

    /// What should have been called. A cell that says nothing is not the same as one that says "nothing".
    fn expected(&self, case: &Object) -> Result<Vec<ToolCall>, ScoreError> {
        let cell = case.get(EXPECTED).unwrap_or(&Json::Null);
        if says_nothing(cell) {
            let said = match cell {
                Json::String(text) if !text.trim().is_empty() => format!("`{}`", text.trim()),
                Json::Object(_) => "{}".to_owned(),
                _ => "empty".to_owned(),
            };
            return Err(ScoreError::invalid(format!(
                "`{EXPECTED}` is {said}: write [] where nothing should be called"
            )));
        }
        self.calls(case, EXPECTED)
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
            tool_definitions: definitions::column(case).map_or(Cell::Missing, cell),
            ..RawRow::default()
        };
        let calls = self.normalizer.calls(row).map_err(|error| ScoreError::invalid(error.to_string()))?;
        match calls {
            crate::domain::Calls::Parsed(calls) => match calls.iter().find(|call| repeats(call)) {
                None => Ok(calls),
                Some(call) => Err(ScoreError::invalid(format!(
                    "`{column}`: `{}` has an argument twice: keep the one that counts",
                    call.name
                ))),
            },
            crate::domain::Calls::Unparsed => {
                Err(ScoreError::invalid(format!("{column}: no call can be read from the text")))
            }
        }
    }
}

fn repeats(call: &ToolCall) -> bool {
    call.parsed().is_some_and(Object::repeats_a_key)
}

/// Why no call could be equal to an expected one: it has lists where its tool takes none, by the row's definition and the calls that
/// were made.
fn unfit(expected: &ToolCall, row: &Object, called: &[ToolCall]) -> Option<String> {
    // Most rows have none, and reading definitions takes long.
    if !bfcl::has_lists(expected) {
        return None;
    }
    let read = definitions::column(row).and_then(|column| {
        definitions::read(column, row.get(column).unwrap_or(&Json::Null), &[&expected.name]).ok()
    });
    let tools = read.as_deref().and_then(Json::as_array).unwrap_or_default();
    let tool =
        tools.iter().find(|tool| tool.get("name").and_then(Json::as_str) == Some(expected.name.as_str()));
    let schema = tool.and_then(|tool| tool.get("parameters"));
    let name = &expected.name;
    let (what, each) = match bfcl::unfit_list(expected, schema, called) {
        _ if bfcl::has_accepted_values(expected, schema, called) => {
            (format!("the arguments of `{name}` are lists of accepted values, as BFCL has them"), "")
        }
        Some(parameter) => {
            let what = format!("`{parameter}` of `{name}` is a list, and its definition takes none");
            (what, " with a list of accepted values for each parameter")
        }
        None => return None,
    };
    Some(format!(
        "`{EXPECTED}`: {what}: use --scorer {}{each}, or write the values themselves; if lists are meant, the parameters must be arrays \
         in a column of tool definitions",
        bfcl::SCORER.name
    ))
}

impl ScoredTable<'_> {
    fn schema(&self, input: &Schema) -> Schema {
        let kept = input.columns.iter().filter(|column| !self.replaced.contains(&column.name));
        input.with(kept.chain(&self.columns.schema().columns).cloned().collect())
    }
}
