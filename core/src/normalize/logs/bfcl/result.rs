//! A model's answer on the leaderboard: `{"id":"simple_0","result":[{"f":"{\"a\": 1}"}],"latency":1.2}`.
//!
//! Results of conversations are lists of turns of lists of steps; their `inference_log` contains the tools' results.

use std::collections::HashMap;

use super::steps::{self, Step, TurnOfUser};
use super::{Question, id};
use crate::domain::{Json, Object, RowError};
use crate::normalize::logs::context::Context;
use crate::normalize::logs::entry::{Entries, Skip, skipped, unreadable};
use crate::normalize::logs::format::LogFormat;
use crate::normalize::logs::value;

pub(in super::super) const RESULT: LogFormat =
    LogFormat { name: "bfcl_result", sign: "keys `id` and `result`", matches, read, unmatched: None };

fn matches(record: &Object) -> bool {
    let answered = matches!(record.get("result"), Some(Json::Array(_) | Json::String(_)));
    id(record).is_some() && answered && !value::asks(record)
}

fn read(record: Object, context: &Context) -> Entries {
    if failed(&record) {
        return skipped(Skip::NoOutput);
    }
    entries(record, context).unwrap_or_else(unreadable)
}

/// The harness writes the exception where the answer should be.
fn failed(record: &Object) -> bool {
    let text = record.get("result").and_then(Json::as_str).unwrap_or_default();
    text.starts_with("Error during inference") && record.contains_key("traceback")
}

fn entries(mut record: Object, context: &Context) -> Result<Entries, RowError> {
    let id = id(&record).unwrap_or_default();
    let question = Question::find(&id, context)?;
    let result = record.remove("result").unwrap_or(Json::Null);
    let latency = record.remove("latency").unwrap_or(Json::Null);
    match result {
        Json::Array(turns) if turns.first().is_some_and(|turn| turn.as_array().is_some()) => {
            let log = value::take(&mut record, "inference_log").unwrap_or(Json::Null);
            let turns = turns_of_user(question.turns, turns, &latency, log);
            Ok(steps::entries(&id, turns, question.tools))
        }
        answer => {
            let mut turn = steps::single(id, question, answer);
            turn.origin.latency_s = seconds(&latency);
            Ok(turn.alone())
        }
    }
}

/// Seconds, or the sum of a list of them.
fn seconds(latency: &Json) -> Option<f64> {
    match latency {
        Json::Array(parts) => parts.iter().map(seconds).sum(),
        one => value::number(one),
    }
}

fn turns_of_user(asked: Vec<Vec<Json>>, result: Vec<Json>, latency: &Json, log: Json) -> Vec<TurnOfUser> {
    let mut asked = asked.into_iter();
    // Between the turns the log keeps the state of the simulated world.
    let mut logs = match log {
        Json::Array(items) => items,
        _ => Vec::new(),
    }
    .into_iter()
    .filter_map(|item| match item {
        Json::Object(turn) if turn.contains_key("begin_of_turn_query") => Some(turn),
        _ => None,
    });
    let turns = result.into_iter().enumerate();
    turns
        .map(|(number, turn)| {
            let mut log: HashMap<String, Json> = logs.next().into_iter().flatten().collect();
            let mut asked = asked.next().unwrap_or_default();
            if asked.is_empty() {
                // Some turns only say that there are more tools now; the harness words that itself.
                asked = log.remove("begin_of_turn_query").map(value::messages).unwrap_or_default();
            }
            let answers = match turn {
                Json::Array(answers) => answers,
                answer => vec![answer],
            };
            let steps = answers.into_iter().enumerate().map(|(place, answer)| Step {
                answer,
                returned: returned(log.remove(&format!("step_{place}"))),
                latency_s: nth(latency, number).and_then(|turn| value::number(nth(turn, place)?)),
            });
            TurnOfUser { asked, steps: steps.collect() }
        })
        .collect()
}

fn nth(list: &Json, place: usize) -> Option<&Json> {
    list.as_array()?.get(place)
}

/// The messages of tools in the log of a step.
fn returned(step: Option<Json>) -> Vec<Json> {
    let Some(Json::Array(entries)) = step else { return Vec::new() };
    let by_tool = |entry: &Json| entry.get("role").and_then(Json::as_str) == Some("tool");
    entries.into_iter().filter(by_tool).collect()
}
