//! Events as one object each, from spans or from log records with a span's id:
//! `{"event.name": "gen_ai.user.message", "content": "Oslo?", "span_id": "1a"}`.

use super::{event, span};
use crate::domain::{Json, Object, RowError, RowErrorCode};
use crate::normalize::logs::context::Context;
use crate::normalize::logs::entry::{Entry, Fragment, Skip};

/// The format whose records hold the log records of spans in any container.
pub(super) const FORMAT: &str = "otlp";

/// Events that tell a part of a call.
const PARTS: &[&str] = &[
    "gen_ai.system.message",
    "gen_ai.user.message",
    "gen_ai.assistant.message",
    "gen_ai.tool.message",
    CHOICE,
    "gen_ai.content.prompt",
    COMPLETION,
];
const CHOICE: &str = "gen_ai.choice";
const COMPLETION: &str = "gen_ai.content.completion";

/// Keys that log records have and spans have not.
const OWN_KEYS: &[&str] = &[
    "body",
    "severityNumber",
    "severity_number",
    "observedTimeUnixNano",
    "observed_time_unix_nano",
    "observed_timestamp",
];

pub(super) fn is_one(record: &Object) -> bool {
    OWN_KEYS.iter().any(|key| record.contains_key(key))
}

fn answers(event: &Object) -> bool {
    [CHOICE, COMPLETION].contains(&event::name(event))
}

/// The log records with the id of a span. Asked for every span, since whoever asks owns them.
pub(super) fn of_span(span: &Object, context: &Context) -> Vec<Object> {
    span::id(span).map(|id| context.related.find(&key(&id))).unwrap_or_default()
}

fn key(span_id: &str) -> String {
    format!("{FORMAT} {span_id}")
}

/// What a log record is for those that read only spans.
pub(super) fn entry(record: Object) -> Entry {
    let span_id = span::id(&record);
    let Some(mut event) = event::of(Json::Object(record)) else {
        return Entry::Skipped(Skip::NotAnLlmRun);
    };
    if !event::is_details(&event) && !PARTS.contains(&event::name(&event)) {
        return Entry::Skipped(Skip::NotAnLlmRun);
    }
    let key = match &span_id {
        Some(id) => key(id),
        None if event::is_details(&event) => FORMAT.to_owned(),
        None => {
            let message =
                format!("log record `{}`: no span id says which call it is a part of", event::name(&event));
            return Entry::Unreadable(RowError::new(RowErrorCode::UnrecognisedRecord, message));
        }
    };
    if let Some(id) = span_id {
        event.insert("span_id", id);
    }
    Entry::Fragment(Fragment { key, object: event })
}

/// The events of each call, where one span has those of several. Every call tells its whole conversation anew, and ends
/// with its answers.
pub(super) fn calls(events: Vec<Object>) -> Vec<Vec<Object>> {
    if events.iter().any(event::is_details) {
        return events.into_iter().filter(event::is_details).map(|event| vec![event]).collect();
    }
    let mut calls: Vec<Vec<Object>> = Vec::new();
    let mut answered = true;
    for event in events {
        let answers = answers(&event);
        match calls.last_mut() {
            Some(call) if answers || !answered => call.push(event),
            _ => calls.push(vec![event]),
        }
        answered = answers;
    }
    calls
}
