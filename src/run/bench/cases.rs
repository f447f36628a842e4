//! Selected rows of a benchmark for people to read.

use std::collections::HashMap;
use std::sync::Arc;

use crate::bench::{Case, CaseVerdict, Cases, Gold, Rows, Slicing};
use crate::domain::{Calls, Json, Message, Rails, Sample};
use crate::run::input::text;
use crate::run::{Labeller, RunError, Source};
use crate::table::Batch;
use crate::write::Labelled;

/// Which rows, and what of them is told.
pub struct CaseBook<'a> {
    pub rows: &'a Rows,
    /// Places among the rows, in rising order.
    pub places: &'a [usize],
    /// Columns with the rows' ids and of their clusters.
    pub id: Option<&'a str>,
    pub cluster: Option<&'a str>,
    /// For each labeller: its place among the contenders, its column of gold, and what it calls right.
    pub labellers: &'a [(usize, usize, Arc<Rails>)],
}

/// What a row is said to be about, by its writer.
const NOTE: &str = "note";
/// Columns with the answers that are accepted: those of `tooljudge gold` first, then the usual others.
const ACCEPTED: [&str; 7] = [
    "possible_answer",
    "accepted_answers",
    "accepted",
    "expected_calls",
    "expected_tool_calls",
    "reference_tool_calls",
    "ground_truth",
];
/// Letters of a reply that a report keeps.
const REPLY: usize = 4000;

/// Reads `source` once more and labels the chosen rows.
///
/// # Errors
/// When the input cannot be read again, or replies not be looked up, and when `stop` says so.
pub fn cases(
    source: &Source,
    labellers: &mut [Box<dyn Labeller>],
    book: &CaseBook<'_>,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Cases, RunError> {
    let mut chosen = book.places.iter().map(|place| (book.rows.numbers[*place], *place)).peekable();
    let mut toolboxes: HashMap<String, usize> = HashMap::new();
    let mut cases = Cases::default();
    let mut first = 0;
    for batch in source.table.batches(None) {
        if chosen.peek().is_none() {
            break;
        }
        if stop() {
            return Err(RunError::Interrupted);
        }
        let batch = batch?;
        let after = first + batch.len() as u64;
        let mut places = Vec::new();
        let mut keep = vec![false; batch.len()];
        while let Some((number, place)) = chosen.next_if(|(number, _)| *number < after) {
            keep[(number - first) as usize] = true;
            places.push(place);
        }
        first = after;
        if places.is_empty() {
            continue;
        }
        let batch = batch.retain(&keep)?;
        let rows = source.unread(&batch)?;
        let labels: Vec<Vec<Labelled>> =
            labellers.iter_mut().map(|labeller| labeller.label(&rows, stop)).collect::<Result<_, _>>()?;
        let cells = Cells::of(&batch, book)?;
        for (at, (row, place)) in rows.iter().zip(places).enumerate() {
            let mut case = cells.case(at, place, book);
            match row.item() {
                Ok(sample) => {
                    case.question = question(sample);
                    case.calls = calls(sample);
                    let definitions = sample.raw.tool_definitions.as_deref().map(pretty).unwrap_or_default();
                    let next = toolboxes.len();
                    case.toolbox = *toolboxes.entry(definitions).or_insert(next);
                }
                Err(error) => case.question = error.to_string(),
            }
            case.verdicts = verdicts(book, place, &labels, at);
            cases.cases.push(case);
        }
    }
    cases.toolboxes = vec![String::new(); toolboxes.len().max(1)];
    for (text, at) in toolboxes {
        cases.toolboxes[at] = text;
    }
    Ok(cases)
}

/// What the batch's columns say of each row.
struct Cells {
    id: Option<Vec<Option<Json>>>,
    cluster: Option<Vec<Option<Json>>>,
    note: Option<Vec<Option<Json>>>,
    accepted: Option<Vec<Option<Json>>>,
}

impl Cells {
    fn of(batch: &Batch, book: &CaseBook<'_>) -> Result<Cells, RunError> {
        let column = |name: &str| batch.column(name);
        let has = |name: &&str| batch.schema.position(name).is_some();
        let (note, accepted) = (Some(NOTE).filter(has), ACCEPTED.into_iter().find(has));
        Ok(Cells {
            id: book.id.map(column).transpose()?,
            cluster: book.cluster.map(column).transpose()?,
            note: note.map(column).transpose()?,
            accepted: accepted.map(column).transpose()?,
        })
    }

    fn case(&self, at: usize, place: usize, book: &CaseBook<'_>) -> Case {
        let optional =
            |cells: &Option<Vec<Option<Json>>>| cells.as_ref().and_then(|cells| text(cells[at].as_ref()));
        let gold = |gold: &Gold| {
            let right = gold.right[place]?;
            Some((gold.column.clone(), if right { "correct" } else { "incorrect" }))
        };
        let slice = |slicing: &Slicing| {
            let values = slicing.values_of(place).map(|value| slicing.values[value as usize].as_str());
            let values: Vec<&str> = values.collect();
            (!values.is_empty()).then(|| (slicing.by.clone(), values.join(", ")))
        };
        Case {
            id: optional(&self.id),
            row: book.rows.numbers[place],
            question_id: optional(&self.cluster),
            gold: book.rows.golds.iter().filter_map(gold).collect(),
            slices: book.rows.slicings.iter().filter_map(slice).collect(),
            note: optional(&self.note),
            accepted: optional(&self.accepted).map(|accepted| pretty(&accepted)),
            ..Case::default()
        }
    }
}

fn verdicts(book: &CaseBook<'_>, place: usize, labels: &[Vec<Labelled>], at: usize) -> Vec<CaseVerdict> {
    let verdict = |((contender, gold, rails), labelled): (&(usize, usize, Arc<Rails>), &Vec<Labelled>)| {
        let verdict = &labelled[at].verdict;
        let gold = book.rows.golds[*gold].right[place];
        CaseVerdict {
            contender: *contender,
            label: verdict.label().map(str::to_owned),
            passes: verdict.label().map(|label| rails.passes_label(label)),
            right: verdict.label().zip(gold).map(|(label, gold)| rails.passes_label(label) == gold),
            confidence: verdict.confidence,
            status: verdict.status().as_str(),
            explanation: verdict.explanation.clone(),
            error: verdict.error(),
            reply: labelled[at].reply.as_ref().map(|reply| beginning(&reply.text)),
        }
    };
    book.labellers.iter().zip(labels).map(verdict).collect()
}

/// A reply, or as much of it as a report keeps.
fn beginning(reply: &str) -> String {
    let cut = reply.floor_char_boundary(REPLY);
    let left = reply[cut..].chars().count();
    if left == 0 { reply.to_owned() } else { format!("{}… ({left} more characters)", &reply[..cut]) }
}

/// The conversation, each message under its speaker; a lone question as it is.
fn question(sample: &Sample) -> String {
    match &*sample.messages {
        [_] | [] => sample.question.clone(),
        messages => messages.iter().map(spoken).collect::<Vec<_>>().join("\n\n"),
    }
}

fn spoken(message: &Message) -> String {
    let calls = message.tool_calls.iter().map(|call| format!("\n{}", call.to_json()));
    format!("{}: {}{}", message.role.as_str(), message.content, calls.collect::<String>())
}

fn calls(sample: &Sample) -> String {
    match &sample.calls {
        Calls::Parsed(calls) if calls.is_empty() => "(nothing was called)".to_owned(),
        Calls::Parsed(calls) => {
            calls.iter().map(|call| pretty(&call.to_json().to_string())).collect::<Vec<_>>().join("\n")
        }
        Calls::Unparsed => sample.raw.tool_call.clone().unwrap_or_default(),
    }
}

/// JSON on several lines; anything else as it is.
fn pretty(text: &str) -> String {
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(json) => format!("{json:#}"),
        Err(_) => text.to_owned(),
    }
}
