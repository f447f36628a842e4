//! Samples as table rows: the columns of what was read from a log.

use std::collections::HashSet;

use super::{Column, Kind, Schema, cell};
use crate::domain::{Episode, Gold, Json, Message, Number, Sample, ToolResult};

/// Why there is nothing to judge in a row, where such rows are kept at all.
pub const SKIPPED: &str = "skipped";

type ValueOf = fn(&Sample) -> Json;

/// Name, kind, and the cell of a sample, in order. Columns that a judge reads come back as they are when such a table is read
/// again.
const COLUMNS: [(&str, Kind, ValueOf); 9] = [
    ("source_id", Kind::Text, |sample| cell::text(sample.origin.source_id.as_deref())),
    ("question", Kind::Text, |sample| Json::from(sample.question.as_str())),
    ("messages", Kind::Json, Sample::messages_json),
    ("tool_call", Kind::Text, |sample| cell::text(sample.raw.tool_call.as_deref())),
    ("tool_definitions", Kind::Text, |sample| cell::text(sample.raw.tool_definitions.as_deref())),
    ("model", Kind::Text, |sample| cell::text(sample.origin.model.as_deref())),
    ("timestamp", Kind::Text, Sample::timestamp_json),
    ("latency_s", Kind::Float, Sample::latency_json),
    ("flags", Kind::Json, Sample::flags_json),
];

/// The columns that tell of the transcript around a turn: where the turn stands in it, and what came after.
const OF_TRANSCRIPTS: [(&str, Kind, ValueOf); 6] = [
    ("transcript_id", Kind::Text, |sample| {
        cell::text(sample.place.as_ref().and_then(|place| place.transcript_id.as_deref()))
    }),
    ("turn", Kind::Int, |sample| cell::int(sample.place.as_ref().map(|place| place.turn.into()))),
    ("turns", Kind::Int, |sample| cell::int(sample.place.as_ref().map(|place| place.turns.into()))),
    ("tool_results", Kind::Json, |sample| match sample.place {
        Some(_) => Json::Array(sample.after.results.iter().map(ToolResult::to_json).collect()),
        None => Json::Null,
    }),
    ("next_message", Kind::Json, |sample| sample.after.next.as_ref().map_or(Json::Null, Message::to_json)),
    ("final_answer", Kind::Text, |sample| cell::text(sample.after.final_answer.as_deref())),
];

/// The columns that tell of the episode of a benchmark around a turn.
const OF_EPISODES: [(&str, Kind, ValueOf); 2] = [
    ("episode_reward", Kind::Float, |sample| {
        let reward = episode(sample).and_then(|episode| Number::from_f64(episode.reward?));
        reward.map_or(Json::Null, Json::Number)
    }),
    ("episode_reference_calls", Kind::Json, |sample| {
        episode(sample).and_then(|episode| episode.reference_calls.clone()).unwrap_or(Json::Null)
    }),
];

/// The column of labels that a benchmark gives its turns, and the one of calls that it expects.
const OF_GOLD: [(&str, Kind, ValueOf); 2] = [
    ("gold", Kind::Text, |sample| match sample.origin.gold {
        Some(Gold::Right(true)) => Json::from("correct"),
        Some(Gold::Right(false)) => Json::from("incorrect"),
        _ => Json::Null,
    }),
    ("expected_tool_calls", Kind::Json, |sample| match &sample.origin.gold {
        Some(Gold::Calls(calls)) => calls.clone(),
        // Null would say that nothing should be called.
        _ => Json::from("unknown"),
    }),
];

fn episode(sample: &Sample) -> Option<&Episode> {
    sample.place.as_ref()?.episode.as_deref()
}

/// The columns that turns of transcripts have beside the others.
pub fn of_transcripts() -> Vec<Column> {
    OF_TRANSCRIPTS.map(|(name, kind, _)| Column { name: name.to_owned(), kind }).to_vec()
}

/// The columns that turns of episodes have beside these.
pub fn of_episodes() -> Vec<Column> {
    OF_EPISODES.map(|(name, kind, _)| Column { name: name.to_owned(), kind }).to_vec()
}

/// The column of turns whose label is known, and of turns whose calls are.
pub fn of_gold() -> [Column; 2] {
    OF_GOLD.map(|(name, kind, _)| Column { name: name.to_owned(), kind })
}

/// The columns of samples.
pub fn columns() -> Vec<Column> {
    COLUMNS.map(|(name, kind, _)| Column { name: name.to_owned(), kind }).to_vec()
}

/// The columns of what a log holds: where each sample stands, then the sample, then the transcript around it where there is any, then
/// what records say beside the words.
pub fn log_schema(others: Vec<Column>, with_skipped: bool) -> Schema {
    let place = [("record", Kind::Int), ("item", Kind::Int)];
    let mut columns: Vec<Column> =
        place.into_iter().map(|(name, kind)| Column { name: name.to_owned(), kind }).collect();
    columns.extend(self::columns());
    let mut known: HashSet<String> = columns.iter().map(|column| column.name.clone()).collect();
    // What a record says under the name of a column is that column's, where it has nothing else.
    columns.extend(others.into_iter().filter(|column| known.insert(column.name.clone())));
    if with_skipped {
        columns.push(Column { name: SKIPPED.to_owned(), kind: Kind::Text });
    }
    Schema::of(columns)
}

/// The cell of `column`; null where there is no sample, or no such column.
pub fn cell(sample: Option<&Sample>, column: &str) -> Json {
    let all = COLUMNS.iter().chain(&OF_TRANSCRIPTS).chain(&OF_EPISODES).chain(&OF_GOLD);
    let value = all.into_iter().find(|(name, ..)| *name == column);
    value.zip(sample).map_or(Json::Null, |((.., value), sample)| value(sample))
}
