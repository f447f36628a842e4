//! Opik's spans, one per record or all of a trace: the inputs and outputs of a provider's library.
//!
//! ```json
//! {"id": "…", "trace_id": "…", "parent_span_id": null, "type": "llm", "start_time": "2025-06-15T15:06:40Z", "model": "m",
//!  "input": {"messages": […]}, "output": {"choices": […]}, "metadata": {"tools": […]}}
//! {"trace": {"id": "…"}, "spans": [{"id": "…", "trace_id": "…", "type": "llm", …}]}
//! ```

use std::collections::HashSet;

use super::context::Context;
use super::entry::{Entries, Entry, Skip};
use super::format::LogFormat;
use super::nesting::{self, Call, Trace};
use super::{exchange, value};
use crate::domain::{Json, Object, Origin, RowError, RowErrorCode};

pub(super) const OPIK: LogFormat = LogFormat {
    name: "opik_span",
    sign: "`type` is llm, tool, general or guardrail beside `trace_id` and `input`, or a list `spans` of such",
    matches: |record| is_span(record) || listed(record).is_some(),
    read,
    unmatched: None,
};

const MODEL_CALL: &str = "llm";
const TYPES: &[&str] = &[MODEL_CALL, "tool", "general", "guardrail"];

/// Keys that tell Opik's spans from others: who asked for them, and where they belong.
const SIGNS: &[&str] = &["trace_id", "input", "start_time"];

fn is_span(record: &Object) -> bool {
    let kind = record.get("type").and_then(Json::as_str);
    let by_others =
        ["parentObservationId", "parent_observation_id"].iter().any(|key| record.contains_key(key));
    !by_others
        && SIGNS.iter().all(|key| record.contains_key(key))
        && kind.is_some_and(|kind| TYPES.contains(&kind))
}

fn listed(record: &Object) -> Option<&[Json]> {
    let spans = record.get("spans")?.as_array()?;
    spans.first()?.as_object().filter(|first| is_span(first)).map(|_| spans)
}

fn is_model_call(span: &Object) -> bool {
    span.get("type").and_then(Json::as_str) == Some(MODEL_CALL)
}

/// A model call as a part of something, or around something.
fn call_of(span: &Object) -> Option<Call> {
    let id = value::text(span, &["id"]).filter(|_| is_model_call(span))?;
    let parent = value::text(span, &["parent_span_id"]).filter(|_| value::has(span, &["output"]));
    Some(Call { id, parent, tools: exchange::tools_in(span.get("output")) })
}

fn read(mut record: Object, context: &Context) -> Entries {
    if is_span(&record) {
        let trace = value::text(&record, &["trace_id"]).unwrap_or_default();
        let trace = Trace { format: OPIK.name, id: &trace };
        let call = call_of(&record);
        let repeats = !context.agents && call.as_ref().is_some_and(|call| trace.repeats(call, context));
        let told = call.map(|call| trace.tell(&call)).unwrap_or_default();
        return Box::new(std::iter::once(entry(record, repeats)).chain(told));
    }
    let spans = match record.remove("spans") {
        Some(Json::Array(spans)) => spans,
        _ => Vec::new(),
    };
    let repeated: HashSet<String> = match context.agents {
        true => HashSet::new(),
        false => nesting::repeated(spans.iter().filter_map(Json::as_object).filter_map(call_of)),
    };
    Box::new(spans.into_iter().map(move |span| match span {
        Json::Object(span) => {
            let repeats = value::text(&span, &["id"]).is_some_and(|id| repeated.contains(&id));
            entry(span, repeats)
        }
        other => {
            let message = format!("spans: none is {}", RowError::excerpt(&other.to_string()));
            Entry::Unreadable(RowError::new(RowErrorCode::UnrecognisedRecord, message))
        }
    }))
}

/// What is in a span, unless it `repeats` what a model call around or within it says.
fn entry(mut span: Object, repeats: bool) -> Entry {
    if !is_model_call(&span) {
        return Entry::Skipped(Skip::NotAnLlmRun);
    }
    if repeats {
        return Entry::Skipped(Skip::AgentSpan);
    }
    let take = |span: &mut Object, key: &str| value::take(span, key).unwrap_or(Json::Null);
    let (asked, answered) = (take(&mut span, "input"), take(&mut span, "output"));
    let mut metadata = value::take_object(&mut span, "metadata").unwrap_or_default();
    let mut dialogue = exchange::dialogue(asked, answered);
    dialogue.tools = dialogue.tools.or_else(|| value::take_first(&mut metadata, &["tools", "functions"]));
    let instant = |key: &str| value::instant(span.get(key)?);
    let (start, end) = (instant("start_time"), instant("end_time"));
    dialogue.into_entry(Origin {
        source_id: value::text(&span, &["id"]),
        model: value::text(&span, &["model"]).or_else(|| value::text(&metadata, &["model"])),
        timestamp: start,
        latency_s: value::seconds_between(start, end),
        ..Origin::default()
    })
}
