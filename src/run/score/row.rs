//! A row of any table as a scorer's case: its columns by name, and its id.

use crate::domain::{Json, Object, Slot};
use crate::normalize::Normalizer;
use crate::read::{Table, passed};
use crate::run::input::says_nothing;
use crate::score::Scorer;
use crate::table::{Batch, Format, Record, Schema, TableError};

use super::transcripts;

/// The columns of tables that are no peer's cases: what was called (the second is the normal form's), and what should have been.
pub(super) const CALLED: [&str; 2] = ["tool_call", "tool_calls"];
pub(super) const EXPECTED: &str = "expected_tool_calls";
/// What a row is called by, itself or within what describes the case.
const NAMES: [&str; 13] = [
    "id",
    "case_id",
    "test_id",
    "row_id",
    "sample_id",
    "example_id",
    "task_id",
    "source_id",
    "uuid",
    "name",
    "question_id",
    "trace_id",
    "run_id",
];
const DESCRIBED: [&str; 6] = ["test", "case", "test_case", "example", "run", "metadata"];

/// Whether `case` is one that `scorer` can read: its peer's own, or a row of a table of calls.
pub(super) fn is_case(scorer: &Scorer, case: &Object) -> bool {
    let expects = || !scorer.expects || case.contains_key(EXPECTED) || transcripts::expects(case);
    (scorer.matches)(case) || called(case).is_some() && expects()
}

/// The rows of a batch, where `columns` are those that the user named.
pub(super) fn records(
    batch: Batch,
    columns: &[(Slot, String)],
    normalizer: &Normalizer,
) -> Result<Vec<Record>, TableError> {
    let definitions = columns.iter().find(|(slot, _)| *slot == Slot::ToolDefinitions);
    passed::records(batch, definitions.map(|(_, name)| name.as_str()), normalizer)
}

/// A row as a scorer reads it: an object with a key for each of the columns that the row has, under their usual names where
/// `columns` gives others.
pub(super) fn case(
    table: &Table,
    schema: &Schema,
    cells: Vec<Option<Json>>,
    columns: &[(Slot, String)],
) -> Object {
    // Where values have types of their own, a text is a text.
    let typed = table.inputs().iter().all(|input| matches!(input.format, Format::Json | Format::Jsonl));
    let value = |cell| if typed { cell } else { structured(cell) };
    let named = schema.names().zip(cells).filter_map(|(name, cell)| Some((name.to_owned(), value(cell?))));
    let mut case: Object = named.collect();
    // A peer's record is read as it stands, whatever shares a column.
    if let Some(Json::Object(others)) =
        schema.other_keys().and_then(|place| case.remove(&schema.columns[place].name))
    {
        for (key, value) in others {
            if !case.contains_key(&key) {
                case.insert(key, value);
            }
        }
    }
    for (slot, column) in columns {
        if let Some(value) = case.get(column).cloned() {
            case.insert(slot.as_str(), value);
        }
    }
    case
}

/// Cells of tables hold structures as JSON.
fn structured(cell: Json) -> Json {
    match &cell {
        Json::String(text) if text.trim_start().starts_with(['{', '[']) => Json::parse(text).unwrap_or(cell),
        _ => cell,
    }
}

/// The column of what was called.
pub(super) fn called(case: &Object) -> Option<&'static str> {
    let is_said = |column: &&str| case.get(column).is_some_and(|cell| !says_nothing(cell));
    CALLED.into_iter().find(is_said).or_else(|| CALLED.into_iter().find(|column| case.contains_key(column)))
}

/// What a value is called.
pub(super) fn text(value: &Json) -> Option<String> {
    match value {
        Json::String(name) => Some(name.clone()).filter(|name| !name.trim().is_empty()),
        Json::Number(number) => Some(number.as_str().to_owned()),
        _ => None,
    }
}

/// What a row is called: its own name, that of the case it describes, or its place in its transcript.
pub(super) fn name(case: &Object) -> Option<String> {
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
    let turn = || Some(format!("{}@{}", transcripts::of_row(case)?, text(case.get("turn")?)?));
    own().or_else(described).or_else(turn)
}
