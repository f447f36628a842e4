//! Events, be they within a span or log records with its id, as one object each:
//! `{"event.name": "gen_ai.user.message", "content": "Oslo?", "span_id": "1a"}`.

use super::{Context, Entry, Fragment, Skip, otlp, span, value};
use crate::domain::{Json, Object, RowError, RowErrorCode};

/// The format whose records hold the log records of spans in any container.
pub(super) const FORMAT: &str = "otlp";

/// Tells a whole call in one event.
const DETAILS: &str = "gen_ai.client.inference.operation.details";

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

pub(super) fn name(event: &Object) -> &str {
    event.get("event.name").and_then(Json::as_str).unwrap_or_default()
}

pub(super) fn is_details(event: &Object) -> bool {
    name(event) == DETAILS
}

fn answers(event: &Object) -> bool {
    [CHOICE, COMPLETION].contains(&name(event))
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
    let Some(mut event) = event(Json::Object(record)) else { return Entry::Skipped(Skip::NotAnLlmRun) };
    if !is_details(&event) && !PARTS.contains(&name(&event)) {
        return Entry::Skipped(Skip::NotAnLlmRun);
    }
    let key = match &span_id {
        Some(id) => key(id),
        None if is_details(&event) => FORMAT.to_owned(),
        None => {
            let message =
                format!("log record `{}`: no span id says which call it is a part of", name(&event));
            return Entry::Unreadable(RowError::new(RowErrorCode::UnrecognisedRecord, message));
        }
    };
    if let Some(id) = span_id {
        event.insert("span_id", id);
    }
    Entry::Fragment(Fragment { key, object: event })
}

/// The one object of an event. Its fields may be attributes, the body, or JSON in an attribute.
pub(super) fn event(record: Json) -> Option<Object> {
    let Json::Object(mut record) = record else { return None };
    let mut attributes = otlp::attributes(value::take(&mut record, "attributes"));
    let named = ["eventName", "event_name", "name"].iter().find_map(|key| value::text(&record, &[key]));
    let name = named.or_else(|| value::text(&attributes, &["event.name"]))?;
    let content = attributes.remove("gen_ai.event.content");
    let body = record.remove("body").map(otlp::plain);
    let fields = [content, body].into_iter().flatten().flat_map(|said| match value::unfolded(said.clone()) {
        Json::Object(fields) => fields,
        Json::Null => Object::new(),
        _ => Object::from_iter([("content".to_owned(), said)]),
    });
    let own = [("event.name".to_owned(), Json::String(name))];
    Some(attributes.into_iter().chain(fields).chain(own).collect())
}

/// The events of each call, where one span has those of several. Every call tells its whole conversation anew, and ends
/// with its answers.
pub(super) fn calls(events: Vec<Object>) -> Vec<Vec<Object>> {
    if events.iter().any(is_details) {
        return events.into_iter().filter(is_details).map(|event| vec![event]).collect();
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
