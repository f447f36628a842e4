//! MLflow's traces. Every attribute of a span is JSON in a text; the inputs and outputs of a model are a provider's request and
//! response.
//!
//! ```json
//! {"info": {"trace_id": "tr-1"}, "data": {"spans": [{"span_id": "1a", "parent_span_id": null, "attributes":
//!     {"mlflow.spanType": "\"CHAT_MODEL\"", "mlflow.spanInputs": "{\"messages\": …", "mlflow.spanOutputs": "{\"choices\": …"}}]}}
//! ```

use std::collections::HashSet;

use super::span::{self, Span, Work};
use crate::domain::{Json, Object};
use crate::normalize::logs::context::Context;
use crate::normalize::logs::dialogue::Dialogue;
use crate::normalize::logs::entry::{Entries, Entry, Skip, skipped};
use crate::normalize::logs::nesting::{self, Call};
use crate::normalize::logs::{exchange, value};

/// Attributes that only MLflow's spans have.
const KIND: &str = "mlflow.spanType";
const ASKED: &str = "mlflow.spanInputs";
const ANSWERED: &str = "mlflow.spanOutputs";
const TOOLS: &str = "mlflow.chat.tools";

/// Keys of the objects that hold spans: a trace, what is stored of it, and a row of a search.
const HOLDERS: &[&str] = &["data", "trace"];

/// A trace, or a row of a table of traces.
pub(super) fn matches(record: &Object) -> bool {
    spans(record).is_some_and(|spans| spans.iter().any(is_span))
}

fn is_span(span: &Json) -> bool {
    let attributes = span.get("attributes").cloned().map(value::unfolded);
    attributes
        .as_ref()
        .and_then(Json::as_object)
        .is_some_and(|attributes| attributes.keys().any(|key| key.starts_with("mlflow.")))
}

fn spans(record: &Object) -> Option<Vec<Json>> {
    // A row has the whole trace in one column, and its spans in another.
    let held = |key: &&str| match record.get(key)? {
        Json::Object(inner) => within(inner),
        text @ Json::String(_) => within(value::unfolded(text.clone()).as_object()?),
        _ => None,
    };
    listed(record).or_else(|| HOLDERS.iter().find_map(held))
}

fn within(holder: &Object) -> Option<Vec<Json>> {
    listed(holder).or_else(|| listed(holder.get("data")?.as_object()?))
}

fn listed(holder: &Object) -> Option<Vec<Json>> {
    match value::unfolded(holder.get("spans")?.clone()) {
        Json::Array(spans) => Some(spans),
        _ => None,
    }
}

pub(super) fn read(record: Object, context: &Context) -> Entries {
    let Some(spans) = spans(&record) else { return skipped(Skip::Empty) };
    let calls = spans.iter().filter_map(Json::as_object).filter(|span| {
        let attributes = span.get("attributes").cloned().map(value::unfolded);
        attributes.and_then(|attributes| work(attributes.as_object()?)) == Some(Work::Model)
    });
    let repeated: HashSet<String> = match context.agents {
        true => HashSet::new(),
        false => nesting::repeated(calls.filter_map(call)),
    };
    let agents = context.agents;
    Box::new(spans.into_iter().flat_map(move |span| match span {
        Json::Object(span) => {
            let repeats = span::id(&span).is_some_and(|id| repeated.contains(&id));
            match Span::read(span) {
                span if repeats && span.work() == Work::Model => vec![Entry::Skipped(Skip::AgentSpan)],
                span => super::entries(span, Vec::new(), agents),
            }
        }
        other => vec![super::misplaced("span", &other)],
    }))
}

/// A model call as a part of something, or around something.
fn call(span: &Object) -> Option<Call> {
    let keys = ["parent_span_id", "parentSpanId", "parent_id"];
    let parent = keys.iter().find_map(|key| value::text(span, &[key]));
    let parent = parent.map(|id| id.strip_prefix("0x").map(str::to_owned).unwrap_or(id));
    let attributes = span.get("attributes").cloned().map(value::unfolded);
    let answered = attributes.as_ref().and_then(|attributes| attributes.get(ANSWERED));
    Some(Call { id: span::id(span)?, parent, tools: exchange::tools_in(answered) })
}

/// What was done within a span with these attributes; `None` if MLflow does not say so.
pub(super) fn work(attributes: &Object) -> Option<Work> {
    let kind = value::unfolded(span::get(attributes, KIND)?.clone());
    Some(match kind.as_str()? {
        "LLM" | "CHAT_MODEL" => Work::Model,
        "AGENT" => Work::Agent,
        "UNKNOWN" => Work::Unsaid,
        _ => Work::Other,
    })
}

/// The model that was asked, or that answered.
pub(super) fn model(attributes: &Object) -> Option<String> {
    let get = |key| span::get(attributes, key).cloned().map(value::unfolded);
    let named = get("mlflow.llm.model").and_then(|model| model.as_str().map(str::to_owned));
    named.or_else(|| {
        [ANSWERED, ASKED].iter().find_map(|key| Some(get(key)?.get("model")?.as_str()?.to_owned()))
    })
}

pub(super) fn dialogue(span: &Span) -> Option<Dialogue> {
    let get = |key| span.get(key).cloned().map(value::unfolded);
    let (asked, answered) = (get(ASKED), get(ANSWERED));
    if asked.is_none() && answered.is_none() {
        return None;
    }
    // Other work has inputs and outputs too, which say nothing of a model.
    if span.work() == Work::Unsaid && !asked.as_ref().and_then(Json::as_object).is_some_and(exchange::asks) {
        return None;
    }
    Some(exchange::dialogue(asked.unwrap_or(Json::Null), answered.unwrap_or(Json::Null)))
}

/// The definitions that MLflow itself found.
pub(super) fn definitions(attributes: &Object) -> Option<Vec<Json>> {
    match value::unfolded(span::get(attributes, TOOLS)?.clone()) {
        Json::Array(tools) => Some(tools),
        _ => None,
    }
}
