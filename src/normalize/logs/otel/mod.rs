//! Traces of the OpenTelemetry family: the same spans in four containers, with messages by one of several conventions.
//!
//! ```json
//! {"resourceSpans": [{"scopeSpans": [{"spans": [{"spanId": "1a", "attributes": [
//!     {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
//!     {"key": "gen_ai.output.messages", "value": {"stringValue": "[{\"role\": \"assistant\", …"}}]}]}]}]}
//! {"context": {"span_id": "0x1a"}, "attributes": {"gen_ai.operation.name": "chat", "gen_ai.output.messages": "[…"}}
//! {"context.span_id": "1a", "attributes.llm.output_messages": [{"message.role": "assistant", …}]}
//! {"gen_ai.prompt.0.content": "Oslo?", "gen_ai.completion.0.content": "Sunny."}
//! ```
//!
//! [`otlp`] and [`span`] open the containers, [`conventions`] is the table of the ways in which messages are written into
//! attributes and events, and [`log_record`] brings events back to the spans they belong to.

mod conventions;
mod definitions;
mod events;
mod genai;
mod log_record;
mod nested;
mod openinference;
mod openllmetry;
mod otlp;
mod span;
mod vercel;

pub(super) use definitions::Definitions;

use super::dialogue::Dialogue;
use super::{Context, Entries, Entry, LogFormat, Piece, Skip, none, one, value};
use crate::domain::{Json, Object, RowError, RowErrorCode};
use span::{Span, Work};

pub(super) const OTLP: LogFormat = LogFormat {
    name: log_record::FORMAT,
    sign: "a key `resourceSpans` or `resourceLogs`",
    matches: otlp::matches,
    read: read_otlp,
    orphans: Some(orphans),
};

pub(super) const SPAN: LogFormat = LogFormat {
    name: "otel_span",
    sign: "keys `attributes` and `span_id`, `spanId` or `context`",
    matches: |record| {
        let identified = ["context", "spanId", "span_id"].iter().any(|key| record.contains_key(key));
        identified && value::holds_structure(record, "attributes")
    },
    read: read_span,
    orphans: Some(orphans),
};

pub(super) const DATAFRAME: LogFormat = LogFormat {
    name: "phoenix_dataframe",
    sign: "columns `context.span_id` or `attributes.…`",
    matches: |record| record.keys().any(|key| key == "context.span_id" || key.starts_with("attributes.")),
    read: read_span,
    orphans: None,
};

pub(super) const ATTRIBUTES: LogFormat = LogFormat {
    name: "otel_attributes",
    sign: "keys that begin with `gen_ai.` or `llm.`",
    matches: |record| record.keys().any(|key| key.starts_with("gen_ai.") || key.starts_with("llm.")),
    read: read_span,
    orphans: None,
};

fn read_otlp(mut record: Object, context: &Context) -> Entries {
    let agents = context.agents;
    let spans: Vec<(Json, Vec<Object>)> = otlp::spans(&mut record)
        .into_iter()
        .map(|span| {
            let logs = span.as_object().map(|span| log_record::of_span(span, context)).unwrap_or_default();
            (span, logs)
        })
        .collect();
    let records = otlp::log_records(&mut record);
    let metrics = otlp::holds_metrics(&record).then_some(Entry::Skipped(Skip::NotAnLlmRun));
    let spans = spans.into_iter().flat_map(move |(span, logs)| match span {
        Json::Object(span) => entries(Span::read(span), logs, agents),
        other => vec![misplaced("span", &other)],
    });
    let records = records.into_iter().map(|record| match record {
        Json::Object(record) => log_record::entry(record),
        other => misplaced("log record", &other),
    });
    Box::new(spans.chain(records).chain(metrics))
}

fn misplaced(what: &str, found: &Json) -> Entry {
    let shown = RowError::excerpt(&found.to_string());
    let error =
        RowError::new(RowErrorCode::UnrecognisedRecord, format!("a {what} that is no object: {shown}"));
    Entry::Unreadable(error)
}

fn read_span(record: Object, context: &Context) -> Entries {
    if log_record::is_one(&record) {
        return one(log_record::entry(record));
    }
    let logs = log_record::of_span(&record, context);
    Box::new(entries(Span::read(record), logs, context.agents).into_iter())
}

/// What log records say that belong to no span.
fn orphans(pieces: Vec<Object>, context: &Context) -> Entries {
    if pieces.is_empty() {
        return none();
    }
    Box::new(entries(Span::of_logs(&pieces), pieces, context.agents).into_iter())
}

/// What a span and the log records with its id say.
fn entries(mut span: Span, logs: Vec<Object>, agents: bool) -> Vec<Entry> {
    let work = span.work();
    if work == Work::Agent && !agents {
        return vec![Entry::Skipped(Skip::AgentSpan)];
    }
    let found = if work == Work::Other { None } else { conventions::read(&span) };
    if found.as_ref().is_some_and(Dialogue::is_complete) || logs.is_empty() {
        return vec![conventions::entry(&span, found)];
    }
    let mut calls = log_record::calls(logs);
    if work != Work::Other && calls.len() == 1 {
        span.learn(calls.remove(0));
        return vec![conventions::entry(&span, conventions::read(&span))];
    }
    // Calls of models that have no span of their own and were logged within one that does something else.
    let call = |events: Vec<Object>| {
        let mut call = Span::of_logs(&events);
        call.learn(events);
        conventions::entry(&call, conventions::read(&call))
    };
    calls.into_iter().map(call).collect()
}
