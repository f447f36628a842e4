//! When2Call's test set, which asks whether a call is due.
//!
//! ```json
//! {"uuid": "u1", "question": "Oslo?", "correct_answer": "tool_call", "tools": ["{\"name\": \"f\"}"],
//!  "answers": {"direct": "Sunny.", "tool_call": "{\"name\": \"f\", \"arguments\": {}}", "request_for_info": "When?",
//!              "cannot_answer": "I cannot know."}}
//! ```
//!
//! Three of the four answers call nothing. They differ only in their text, which a judge of calls does not see, so they are one
//! row: nothing was called. As three rows, the same decision would be right once and wrong twice.

use super::context::Context;
use super::entry::{Entries, Entry, Skip, unreadable};
use super::format::LogFormat;
use super::turn::{Output, Turn};
use super::value;
use crate::domain::{Gold, Json, Object, RowError, RowErrorCode};

pub(super) const WHEN2CALL: LogFormat = LogFormat {
    name: "when2call",
    sign: "keys `correct_answer` and `answers` with `tool_call` in it",
    matches: |record| {
        let answers = record.get("answers").and_then(Json::as_object);
        record.contains_key("question")
            && record.contains_key("correct_answer")
            && answers.is_some_and(|answers| answers.contains_key(CALL))
    },
    read,
    unmatched: None,
};

/// The answer that calls something, and those that do not.
const CALL: &str = "tool_call";
const WORDS: [&str; 3] = ["direct", "request_for_info", "cannot_answer"];

fn read(mut record: Object, _: &Context) -> Entries {
    let id = value::text(&record, &["uuid"]).or_else(|| value::text(&record, &["id"]));
    let right = value::text(&record, &["correct_answer"]).unwrap_or_default();
    if right != CALL && !WORDS.contains(&right.as_str()) {
        let why =
            format!("correct_answer: {} is none of {CALL}, {}", RowError::excerpt(&right), WORDS.join(", "));
        return unreadable(RowError::new(RowErrorCode::UnrecognisedRecord, why));
    }
    let question = value::take(&mut record, "question").map(value::messages).unwrap_or_default();
    let mut answers = value::take_object(&mut record, "answers").unwrap_or_default();
    // Each definition is JSON in a text of its own.
    let tools = match value::take(&mut record, "tools") {
        Some(Json::Array(tools)) => Some(Json::Array(tools.into_iter().map(value::unfolded).collect())),
        tools => tools,
    };
    let tools = value::tools(tools);
    let entry = |kind: &str, calls: Json, is_right: bool| {
        let mut turn = Turn::answering(question.clone(), Json::Null);
        turn.output = Output::Calls(calls);
        turn.tools = tools.clone();
        turn.origin.source_id = id.as_ref().map(|id| format!("{id}#{kind}"));
        turn.origin.gold = Some(Gold::Right(is_right));
        Entry::Turn(Box::new(turn))
    };
    let call = value::take(&mut answers, CALL);
    let words = WORDS.iter().filter(|kind| value::text(&answers, &[kind]).is_some()).count();
    let mut entries = Vec::new();
    entries.extend(call.map(|call| entry(CALL, call, right == CALL)));
    if words > 0 {
        entries.push(entry("no_call", Json::Array(Vec::new()), right != CALL));
        entries.extend(std::iter::repeat_n(Entry::Skipped(Skip::Repeated), words - 1));
    }
    Box::new(entries.into_iter())
}
