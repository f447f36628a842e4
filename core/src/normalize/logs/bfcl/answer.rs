//! Accepted answers of the leaderboard, read like a model's: `{"id":"simple_0","ground_truth":[{"f":{"a":[1,2]}}]}`.
//!
//! It looks like a result whose arguments are all lists, so this format is never detected: it must be named.

use super::steps::{self, Step, TurnOfUser};
use super::{Question, id};
use crate::domain::{Json, Object, RowError, RowErrorCode};
use crate::normalize::logs::context::Context;
use crate::normalize::logs::entry::{Entries, unreadable};
use crate::normalize::logs::format::LogFormat;

pub(in super::super) const POSSIBLE_ANSWER: LogFormat = LogFormat {
    name: "bfcl_possible_answer",
    sign: "keys `id` and `ground_truth`; only if asked for by name",
    matches: |_| false,
    read: |record, context| entries(record, context).unwrap_or_else(unreadable),
    unmatched: None,
};

fn entries(mut record: Object, context: &Context) -> Result<Entries, RowError> {
    let id = id(&record).unwrap_or_default();
    let question = Question::find(&id, context)?;
    let Some(Json::Array(truth)) = record.remove("ground_truth") else {
        return Err(RowError::new(RowErrorCode::MissingToolCall, "ground_truth: no list of calls"));
    };
    if truth.first().is_some_and(|turn| turn.as_array().is_some()) {
        let mut asked = question.turns.into_iter();
        let turns = truth.into_iter().map(|answer| TurnOfUser {
            asked: asked.next().unwrap_or_default(),
            steps: vec![Step { answer, returned: Vec::new(), latency_s: None }],
        });
        return Ok(steps::entries(&id, turns.collect(), question.tools));
    }
    let calls = truth.into_iter().map(call).collect();
    Ok(steps::single(id, question, Json::Array(calls)).alone())
}

/// `{"f":{"a":[1,2],"b":["","x"]}}` to `{"f":{"a":1}}`; the calls of files for execution are texts already.
fn call(call: Json) -> Json {
    let Json::Object(call) = call else { return call };
    let arguments = |accepted| match accepted {
        Json::Object(accepted) => first_accepted(accepted, |value| match value {
            Json::Array(items) => Json::Array(items.into_iter().map(member).collect()),
            value => member(value),
        }),
        other => other,
    };
    Json::Object(call.into_iter().map(|(name, accepted)| (name, arguments(accepted))).collect())
}

/// Objects within an argument have lists of accepted values too; below that, values are what they are.
fn member(value: Json) -> Json {
    match value {
        Json::Object(accepted) => first_accepted(accepted, |value| value),
        value => value,
    }
}

/// The first accepted value of each member; where that is the empty text, the member is best left out.
fn first_accepted(members: Object, read: fn(Json) -> Json) -> Json {
    let first = |values| match values {
        Json::Array(values) => values.into_iter().next(),
        value => Some(value),
    };
    let is_blank = |value: &Json| value.as_str().is_some_and(str::is_empty);
    let members = members
        .into_iter()
        .filter_map(|(name, values)| Some((name, read(first(values).filter(|value| !is_blank(value))?))));
    Json::Object(members.collect())
}
