//! What a table's columns say about its turns: labels, corrections and ids.

use super::SuiteError;
use crate::bench::Words;
use crate::domain::{Calls, Cell, Flag, Item, Json, RawRow, Sample};
use crate::normalize::Normalizer;
use crate::run::RunError;
use crate::run::input::says_nothing;
use crate::table::Batch;
use tooljudge_core::drive::from_log::{LoggedTurn, Review};

/// Columns of labels that are known without being named, the surest first: gold was checked by somebody.
const LABELS: [&str; 2] = ["gold", "label"];
const CORRECTED: &str = "corrected_tool_calls";
/// Labels of single calls, as `label --per call` writes them.
const CALL_LABELS: &str = "call_labels";
/// Columns that name a turn, the surest first.
const IDS: [&str; 2] = ["source_id", "id"];
/// Columns that name the conversation of a turn, likewise.
const GROUPS: [&str; 5] = ["transcript_id", "session_id", "conversation_id", "thread_id", "trace_id"];

/// Where the labels of a table are.
pub(super) struct Reviews {
    /// None where nothing was reviewed.
    pub labels: Vec<String>,
    words: Words,
}

impl Reviews {
    /// The labels in the column of that name, or in those that are usual.
    pub fn new(named: Option<&str>, columns: &[String]) -> Result<Reviews, SuiteError> {
        let is_there = |name: &str| columns.iter().any(|column| column == name);
        let labels = match named {
            Some(name) if !is_there(name) => {
                let columns = columns.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
                return Err(SuiteError::NoLabelColumn { column: name.to_owned(), columns });
            }
            Some(name) => vec![name.to_owned()],
            None => LABELS.into_iter().filter(|name| is_there(name)).map(str::to_owned).collect(),
        };
        Ok(Reviews { labels, words: Words::default() })
    }

    /// The turns of a batch with what is said of them; an error in words where a row holds none.
    pub fn turns(
        &self,
        batch: &Batch,
        items: Vec<Item>,
        normalizer: &Normalizer,
    ) -> Result<Vec<Result<LoggedTurn, String>>, RunError> {
        let cells = |names: &[&str]| -> Result<Vec<Vec<Option<Json>>>, RunError> {
            names.iter().map(|name| Ok(batch.column(name)?)).collect()
        };
        let labels =
            self.labels.iter().map(|name| Ok(batch.column(name)?)).collect::<Result<Vec<_>, RunError>>()?;
        let (ids, groups) = (cells(&IDS)?, cells(&GROUPS)?);
        let [corrected, call_labels, turns, flags, answers] =
            [CORRECTED, CALL_LABELS, "turn", "flags", "final_answer"].map(|name| batch.column(name));
        let (corrected, call_labels, turns) = (corrected?, call_labels?, turns?);
        let (flags, answers) = (flags?, answers?);
        let mut logged = Vec::with_capacity(items.len());
        for (at, item) in items.into_iter().enumerate() {
            let mut sample = match item {
                // A case begins with what a user says.
                Ok(sample) if sample.question.is_empty() => {
                    logged.push(Err("the log does not hold what the user asked".to_owned()));
                    continue;
                }
                Ok(sample) => sample,
                Err(error) => {
                    logged.push(Err(error.to_string()));
                    continue;
                }
            };
            // A converted table holds placeholders where there were images; only its flags tell.
            let flagged =
                text(flags[at].as_ref()).is_some_and(|text| text.contains(Flag::NonTextContent.as_str()));
            if flagged && !sample.flags.contains(&Flag::NonTextContent) {
                sample.flags.push(Flag::NonTextContent);
            }
            if sample.after.final_answer.is_none() {
                sample.after.final_answer = text(answers[at].as_ref()).map(Into::into);
            }
            let review = match self.right(&labels, at) {
                None if self.labels.is_empty() => Review::Unlabelled,
                None => Review::Missing,
                Some(Err(())) => Review::Unclear,
                Some(Ok(true)) => Review::Correct,
                Some(Ok(false)) => Review::Incorrect {
                    corrected: corrections(corrected[at].as_ref(), &sample, normalizer),
                    wrong: self.wrong(call_labels[at].as_ref()),
                },
            };
            let named = |cells: &[Vec<Option<Json>>]| cells.iter().find_map(|cells| text(cells[at].as_ref()));
            let place = sample.place.as_ref();
            let turn = text(turns[at].as_ref()).and_then(|turn| turn.parse().ok());
            logged.push(Ok(LoggedTurn {
                review,
                id: sample.origin.source_id.clone().or_else(|| named(&ids)),
                group: place
                    .and_then(|place| place.transcript_id.as_deref().map(str::to_owned))
                    .or_else(|| named(&groups)),
                turn: place.map(|place| place.turn.into()).or(turn),
                sample,
            }));
        }
        Ok(logged)
    }

    /// Whether the row is right: the first label that says something.
    fn right(&self, labels: &[Vec<Option<Json>>], at: usize) -> Option<Result<bool, ()>> {
        labels.iter().find_map(|cells| self.words.read(cells[at].as_ref()).map_err(drop).transpose())
    }

    /// Which of the calls are wrong, where each has a label.
    fn wrong(&self, cell: Option<&Json>) -> Option<Vec<bool>> {
        let parsed = match cell? {
            Json::String(text) => Json::parse(text).ok()?,
            other => other.clone(),
        };
        let is_wrong = |call: &Json| self.words.read(call.get("label")).ok().flatten().map(|right| !right);
        parsed.as_array()?.iter().map(is_wrong).collect()
    }
}

/// The calls that should have been made, in any form that calls are read in; `None` where nobody says so.
fn corrections(cell: Option<&Json>, sample: &Sample, normalizer: &Normalizer) -> Option<Calls> {
    let cell = cell.filter(|cell| !says_nothing(cell)).cloned()?;
    let definitions =
        sample.raw.tool_definitions.as_deref().map_or(Cell::Missing, |text| Cell::Text(text.to_owned()));
    let row = RawRow {
        question: Cell::Text("-".to_owned()),
        tool_call: Cell::from(cell),
        tool_definitions: definitions,
        extras: Vec::new(),
    };
    Some(normalizer.sample(row).map_or(Calls::Unparsed, |sample| sample.calls))
}

/// A cell as text; `None` where it says nothing.
fn text(cell: Option<&Json>) -> Option<String> {
    let text = match cell? {
        Json::Null => return None,
        Json::String(text) => text.clone(),
        other => other.to_string(),
    };
    (!text.trim().is_empty()).then_some(text)
}
