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
//! [`otlp`] and [`span`] open the containers, [`conventions`] is the table of the conventions for messages in attributes and
//! events, and [`log_record`] assigns events to their spans.

mod adk;
mod conventions;
mod definitions;
mod event;
mod events;
mod genai;
mod log_record;
mod logfire;
mod mlflow;
mod nested;
mod openinference;
mod openllmetry;
mod otlp;
mod span;
mod vercel;

use std::collections::HashSet;

pub(super) use conventions::ending_among;
pub(super) use definitions::Definitions;

use super::context::Context;
use super::dialogue::Dialogue;
use super::entry::{Entries, Entry, Fragment, Skip, none, one};
use super::format::LogFormat;
use super::nesting::{self, Call, Trace};
use super::value;
use crate::domain::{Json, Object, RowError, RowErrorCode};
use span::{Span, Work};

pub(super) const OTLP: LogFormat = LogFormat {
    name: log_record::FORMAT,
    sign: "a key `resourceSpans` or `resourceLogs`",
    matches: otlp::matches,
    read: read_otlp,
    unmatched: Some(unmatched),
};

pub(super) const SPAN: LogFormat = LogFormat {
    name: "otel_span",
    sign: "keys `attributes` and `span_id`, `spanId` or `context`",
    matches: |record| {
        let identified = ["context", "spanId", "span_id"].iter().any(|key| record.contains_key(key));
        identified && value::holds_structure(record, "attributes")
    },
    read: read_span,
    unmatched: Some(unmatched),
};

pub(super) const MLFLOW: LogFormat = LogFormat {
    name: "mlflow_trace",
    sign: "a list `spans`, in `data` or beside it, whose attributes begin with `mlflow.`",
    matches: mlflow::matches,
    read: mlflow::read,
    unmatched: None,
};

pub(super) const DATAFRAME: LogFormat = LogFormat {
    name: "phoenix_dataframe",
    sign: "columns `context.span_id` or `attributes.…`",
    matches: |record| record.keys().any(|key| key == "context.span_id" || key.starts_with("attributes.")),
    read: read_span,
    unmatched: None,
};

pub(super) const ATTRIBUTES: LogFormat = LogFormat {
    name: "otel_attributes",
    sign: "keys that begin with `gen_ai.` or `llm.`",
    matches: |record| record.keys().any(|key| key.starts_with("gen_ai.") || key.starts_with("llm.")),
    read: read_span,
    unmatched: None,
};

fn read_otlp(mut record: Object, context: &Context) -> Entries {
    let agents = context.agents;
    let mut ids = HashSet::new();
    let spans: Vec<(Json, Vec<Object>, bool)> = otlp::spans(&mut record)
        .into_iter()
        .map(|span| {
            // A span that comes twice has its log records once: there may be thousands of both.
            let first = span.as_object().filter(|span| ids.insert(span::id(span)));
            let logs = first.map(|span| log_record::of_span(span, context)).unwrap_or_default();
            let repeats = span.as_object().is_some_and(|span| repeats(span, &logs, context));
            (span, logs, repeats)
        })
        .collect();
    let records = otlp::log_records(&mut record);
    let metrics = otlp::holds_metrics(&record).then_some(Entry::Skipped(Skip::NotAnLlmRun));
    let spans = spans.into_iter().flat_map(move |(span, logs, repeats)| match span {
        Json::Object(span) => linked(span, logs, repeats, agents),
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
        RowError::new(RowErrorCode::UnrecognisedRecord, format!("a {what} that is not an object: {shown}"));
    Entry::Unreadable(error)
}

fn read_span(record: Object, context: &Context) -> Entries {
    if log_record::is_one(&record) {
        return one(log_record::entry(record));
    }
    let logs = log_record::of_span(&record, context);
    let repeats = repeats(&record, &logs, context);
    Box::new(linked(record, logs, repeats, context.agents).into_iter())
}

/// The name under which spans tell each other what they contain, whatever container they come in.
const SPANS: &str = "otel spans";

/// Whether a span says no more than a model's span around or within it: two instrumentations may log the same call.
fn repeats(span: &Object, logs: &[Object], context: &Context) -> bool {
    let Some(place) = span::Place::of(span).filter(|_| !context.agents) else { return false };
    let trace = Trace { format: SPANS, id: &place.trace };
    // Most spans are in no other, and are read once.
    trace.is_linked(&place.id, place.parent.as_deref(), context)
        && call_in(&entries(Span::read(span.clone()), logs.to_vec(), false), &place)
            .is_some_and(|call| trace.repeats(&call, context))
}

/// The call that a span is, if it is one of a model.
fn call_in(entries: &[Entry], place: &span::Place) -> Option<Call> {
    let [Entry::Turn(turn)] = entries else { return None };
    let tools = nesting::tools_in(Some(&turn.output));
    Some(Call { id: place.id.clone(), parent: place.parent.clone(), tools })
}

/// What a span and the log records with its id say, unless it `repeats` another, and what it tells the spans around and within it.
fn linked(span: Object, logs: Vec<Object>, repeats: bool, agents: bool) -> Vec<Entry> {
    let place = span::Place::of(&span).filter(|_| !agents);
    let mut found = entries(Span::read(span), logs, agents);
    if let Some(place) = place
        && let Some(call) = call_in(&found, &place)
    {
        if repeats {
            found = vec![Entry::Skipped(Skip::AgentSpan)];
        }
        found.extend(Trace { format: SPANS, id: &place.trace }.tell(&call));
    }
    found
}

/// What log records say that belong to no span.
fn unmatched(fragments: Vec<Object>, context: &Context) -> Entries {
    // What spans tell each other of their place is nothing by itself.
    if fragments.iter().all(Fragment::says_no_more) {
        return none();
    }
    Box::new(entries(Span::of_logs(&fragments), fragments, context.agents).into_iter())
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
    let is_call = match work {
        Work::Model | Work::Agent => true,
        Work::Unsaid => found.is_some() || span.origin().model.is_some(),
        Work::Other => false,
    };
    if is_call && calls.len() == 1 {
        span.learn(calls.remove(0));
        return vec![conventions::entry(&span, conventions::read(&span))];
    }
    // Calls of models that have no span of their own and were logged within one that does something else.
    let call = |events: Vec<Object>| {
        let mut call = Span::of_logs(&events);
        call.learn(events);
        entries(call, Vec::new(), agents)
    };
    calls.into_iter().flat_map(call).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{NoRelated, Turns, detect};
    use super::*;
    use crate::normalize::{Normalizer, Options};

    /// The format, then what is in the record: a dialect, or why it is skipped.
    fn shown(record: &str, agents: bool) -> String {
        let Json::Object(record) = Json::parse(record).unwrap() else { panic!("{record}") };
        let format = detect(&record).unwrap();
        let entries = format
            .read(
                record,
                &Context {
                    agents,
                    turns: Turns::All,
                    normalizer: &Normalizer::new(Options::default()).unwrap().into(),
                    related: &NoRelated,
                    source: "",
                },
            )
            .map(|entry| match entry {
                Entry::Turn(turn) => turn.dialect.unwrap_or("no dialect").to_owned(),
                Entry::Skipped(why) => format!("!{}", why.as_str()),
                Entry::Unreadable(error) => error.to_string(),
                Entry::Fragment(fragment) => fragment.key,
                other => format!("{other:?}"),
            });
        format!("{}: {}", format.name, entries.collect::<Vec<_>>().join(", "))
    }

    #[test]
    fn tells_containers_and_conventions_apart() {
        for (record, expected) in [
            (r#"{"resourceSpans":[]}"#, "otlp: "),
            (r#"{"resourceSpans":"[]","resourceLogs":[]}"#, "otlp: "),
            (r#"{"resource_metrics":[]}"#, "otlp: !not_an_llm_run"),
            (
                r#"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"eventName":"gen_ai.choice","spanId":"1a","body":{}}]}]}]}"#,
                "otlp: otlp 1a",
            ),
            (
                r#"{"attributes":{"event.name":"gen_ai.choice"},"span_id":"0x1a","body":"x"}"#,
                "otel_span: otlp 1a",
            ),
            (
                r#"{"attributes":{"event.name":"gen_ai.choice"},"span_id":"0x0000000000000000","body":"x"}"#,
                "otel_span: unrecognised_record: log record `gen_ai.choice`: no span id says which call it is a part of",
            ),
            (
                r#"{"attributes":{"gen_ai.input.messages":"Hi","gen_ai.output.messages":"Hello"},"spanId":"1a"}"#,
                "otel_span: otel_genai",
            ),
            (
                r#"{"attributes":"{\"gen_ai.prompt\": \"Hi\", \"gen_ai.completion\": \"Hello\"}","context":"{}"}"#,
                "otel_span: otel_genai_content",
            ),
            (
                r#"{"attributes":{"events":"[{\"event.name\":\"gen_ai.choice\",\"message\":\"x\"}]"},"span_id":"1a"}"#,
                "otel_span: pydantic_ai",
            ),
            (
                r#"{"attributes":{},"span_id":"1a","events":[{"name":"gen_ai.choice","attributes":{"message":"x"}}]}"#,
                "otel_span: otel_genai_events",
            ),
            (
                r#"{"attributes":{"ai.operationId":"ai.generateText.doGenerate","ai.response.text":"x"},"span_id":"1a"}"#,
                "otel_span: vercel_spans",
            ),
            (
                r#"{"attributes.llm.output_messages":[{"message.role":"assistant"}]}"#,
                "phoenix_dataframe: openinference",
            ),
            (r#"{"context.span_id":"1a","span_kind":"LLM"}"#, "phoenix_dataframe: !no_output"),
            (r#"{"gen_ai.completion.0.content":"x"}"#, "otel_attributes: openllmetry"),
            (r#"{"llm.model_name":"x"}"#, "otel_attributes: !not_an_llm_run"),
            (r#"{"llm.output_messages":"x","openinference.span.kind":"llm"}"#, "otel_attributes: !no_output"),
        ] {
            assert_eq!(shown(record, false), expected, "{record}");
        }
    }

    #[test]
    fn the_first_convention_that_tells_both_sides_is_believed() {
        for (attributes, expected) in [
            (r#""gen_ai.output.messages":"a","gen_ai.completion.0.content":"b""#, "otel_genai"),
            (
                r#""gen_ai.output.messages":"a","gen_ai.prompt.0.content":"q","gen_ai.completion.0.content":"b""#,
                "openllmetry",
            ),
            (r#""gen_ai.input.messages":"q","gen_ai.completion.0.content":"b""#, "openllmetry"),
        ] {
            let record = format!(r#"{{"span_id":"1a","attributes":{{{attributes}}}}}"#);
            assert_eq!(shown(&record, false), format!("otel_span: {expected}"), "{record}");
        }
    }

    #[test]
    fn agents_are_read_on_demand_only() {
        for (attributes, without, with) in [
            (
                r#""gen_ai.operation.name":"invoke_agent","gen_ai.output.messages":"a""#,
                "!agent_span",
                "otel_genai",
            ),
            (r#""gen_ai.operation.name":"invoke_agent""#, "!agent_span", "!no_output"),
            (
                r#""gen_ai.operation.name":"execute_tool","gen_ai.output.messages":"a""#,
                "!not_an_llm_run",
                "!not_an_llm_run",
            ),
            (
                r#""operation.name":"ai.streamText my-agent","ai.response.text":"a""#,
                "!agent_span",
                "vercel_spans",
            ),
        ] {
            let record = format!(r#"{{"span_id":"1a","attributes":{{{attributes}}}}}"#);
            for (agents, expected) in [(false, without), (true, with)] {
                assert_eq!(shown(&record, agents), format!("otel_span: {expected}"), "{record}");
            }
        }
    }

    #[test]
    fn a_hundred_thousand_attributes_and_events_take_no_more_than_their_share() {
        let attributes: Vec<String> = (0..100_000)
            .map(|i| {
                format!(r#""llm.input_messages.{i}.message.content":"x","gen_ai.prompt.{i}.content":"y""#)
            })
            .collect();
        let event = r#"{"name":"gen_ai.client.inference.operation.details","attributes":{"a":1}}"#;
        let events = vec![event; 100_000].join(",");
        let record =
            format!(r#"{{"span_id":"1a","events":[{events}],"attributes":{{{}}}}}"#, attributes.join(","));
        assert_eq!(shown(&record, false), "otel_span: !no_output");
    }
}
