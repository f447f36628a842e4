//! The conventions for messages in spans, as a table in the order in which they are tried.

use super::span::{self, Span, Work};
use super::{Definitions, adk, events, genai, logfire, mlflow, openinference, openllmetry, vercel};
use crate::domain::{Flag, Json, Object};
use crate::normalize::ending::Ending;
use crate::normalize::logs::dialogue::Dialogue;
use crate::normalize::logs::entry::{Entry, Skip};
use crate::normalize::logs::{request, value};

/// One way of writing messages into a span.
struct Convention {
    dialect: &'static str,
    /// What a span says by it; `None` when nothing.
    read: fn(&Span) -> Option<Dialogue>,
}

const CONVENTIONS: &[Convention] = &[
    Convention { dialect: "otel_genai", read: genai::read },
    Convention { dialect: "otel_genai_events", read: events::messages },
    Convention { dialect: "otel_genai_content", read: events::contents },
    Convention { dialect: "pydantic_ai", read: events::pydantic_ai },
    Convention { dialect: "openllmetry", read: openllmetry::read },
    Convention { dialect: "vercel_spans", read: vercel::read },
    Convention { dialect: "openinference", read: openinference::read },
    Convention { dialect: "mlflow", read: mlflow::dialogue },
    Convention { dialect: "adk_spans", read: adk::read },
    Convention { dialect: "logfire", read: logfire::read },
];

/// Attributes that say how an answer ended.
const ENDINGS: &[&str] = &[
    "gen_ai.response.finish_reasons",
    "gen_ai.response.finish_reason",
    "ai.response.finishReason",
    "ai.finishReason",
    "llm.response.finish_reason",
    "llm.response.stop_reason",
    "llm.finish_reason",
];

/// How an answer ended, by the attributes of its span.
pub(in crate::normalize::logs) fn ending_among(attributes: &Object) -> Option<Ending> {
    ENDINGS.iter().find_map(|key| Ending::told(span::get(attributes, key)?))
}

/// What a span says by the first convention that tells both question and answer, else by the first that has an answer, or
/// at least something.
pub(super) fn read(span: &Span) -> Option<Dialogue> {
    let mut best: Option<Dialogue> = None;
    for convention in CONVENTIONS {
        let Some(mut found) = (convention.read)(span) else { continue };
        found.dialect = Some(convention.dialect);
        if found.is_complete() {
            return Some(found);
        }
        if best.as_ref().is_none_or(|best| best.output.is_none() && found.output.is_some()) {
            best = Some(found);
        }
    }
    best
}

/// What is to be remarked about the request that a span's attributes hold, in whole or in part.
fn request_flags(span: &Span) -> Vec<Flag> {
    const REQUESTS: &[&str] = &["llm.invocation_parameters", "input.value", "request_data"];
    if span.work() != Work::Model {
        return Vec::new();
    }
    let requests = REQUESTS.iter().filter_map(|key| span.get(key)).cloned().map(value::unfolded);
    let flags = requests.filter_map(|found| found.as_object().map(request::flags)).flatten();
    let names_one = |name: &Json| name.as_str().is_some_and(|name| !name.trim().is_empty());
    let elsewhere =
        span.attributes.iter().any(|(key, name)| key.ends_with("previous_response_id") && names_one(name));
    flags.chain(elsewhere.then_some(Flag::HistoryElsewhere)).collect()
}

/// What is in a span in which `found` was found.
pub(super) fn entry(span: &Span, found: Option<Dialogue>) -> Entry {
    let Some(mut found) = found else {
        let asked = matches!(span.work(), Work::Model | Work::Agent);
        return Entry::Skipped(if asked { Skip::NoOutput } else { Skip::NotAnLlmRun });
    };
    found.flags.extend(request_flags(span));
    let definitions = Definitions::among(&span.attributes);
    if span.cut || definitions.cut {
        found.flags.push(Flag::MaybeTruncated);
    }
    found.ending = found.ending.or_else(|| ending_among(&span.attributes));
    found.tools = definitions.tools.or(found.tools);
    found.into_entry(span.origin())
}
