//! OpenAI's Agents SDK: exported traces, and the state of an interrupted run.
//!
//! ```json
//! {"object": "trace.span", "id": "s1", "trace_id": "t1", "parent_id": null, "started_at": "…", "span_data": {"type": "generation",
//!     "input": [{"role": "user", "content": "Oslo?"}], "output": [{"role": "assistant", "tool_calls": […]}], "model": "m"}}
//! {"$schemaVersion": "1.0", "original_input": "Oslo?", "generated_items": [{"type": "tool_call_item", "raw_item": {…}}]}
//! ```
//!
//! Every generation contains the whole conversation before it; the generations of a trace that continue each other are one
//! transcript.

use super::context::Context;
use super::entry::{Entries, Entry, Fragment, Skip, chained, one, skipped, unreadable};
use super::format::LogFormat;
use super::transcript::{Opening, Transcript};
use super::{exchange, value};
use crate::domain::{Json, Object, RowError, RowErrorCode};

pub(super) const TRACE: LogFormat = LogFormat {
    name: "openai_agents_trace",
    sign: "`object` is `trace` or `trace.span`",
    matches: |record| matches!(record.get("object").and_then(Json::as_str), Some("trace" | "trace.span")),
    read: read_span,
    unmatched: Some(unmatched),
};

pub(super) const RUN_STATE: LogFormat = LogFormat {
    name: "openai_agents_run_state",
    sign: "keys `$schemaVersion` and `original_input` or `originalInput`",
    matches: |record| {
        record.contains_key("$schemaVersion")
            && ["original_input", "originalInput"].iter().any(|key| record.contains_key(key))
    },
    read: read_state,
    unmatched: None,
};

fn read_span(mut record: Object, _: &Context) -> Entries {
    let Some(mut data) = value::take_object(&mut record, "span_data") else {
        return skipped(Skip::NotAnLlmRun);
    };
    let trace = value::text(&record, &["trace_id"]).unwrap_or_default();
    let id = value::text(&record, &["id"]).unwrap_or_default();
    match value::text(&data, &["type"]).as_deref() {
        Some("generation") => {
            if ["input", "output"].iter().any(|key| data.get(key).is_none_or(Json::is_null)) {
                return skipped(Skip::NoOutput);
            }
            let mut object = Object::new();
            for key in ["trace_id", "id", "started_at"] {
                object.insert(key, record.remove(key).unwrap_or(Json::Null));
            }
            for key in ["input", "output", "model"] {
                object.insert(key, data.remove(key).unwrap_or(Json::Null));
            }
            one(Entry::Fragment(Fragment { key: format!("openai_agents_trace {trace}"), object }))
        }
        Some("response") => {
            let response = value::take_first(&mut data, &["response", "output"]);
            let (Some(input), Some(response)) = (value::take(&mut data, "input"), response) else {
                let why = format!(
                    "this looks like an OpenAI Agents SDK trace whose spans hold response ids only; nothing to judge: span {}. \
                     Export `result.to_input_list()`, or trace with a chat-completions model",
                    RowError::excerpt(&id)
                );
                return unreadable(RowError::new(RowErrorCode::NoUserMessage, why));
            };
            let mut request = Object::new();
            request.insert("input", input);
            match exchange::turn(request, response) {
                Ok(turn) => turn.alone(),
                Err(entry) => one(entry),
            }
        }
        _ => skipped(Skip::NotAnLlmRun),
    }
}

/// Generations of one trace, of which each continues the one before it or begins another transcript.
fn unmatched(mut spans: Vec<Object>, context: &Context) -> Entries {
    let instant = |span: &Object| span.get("started_at").and_then(value::instant);
    spans.sort_by_key(instant);
    let trace = spans.first().and_then(|span| value::text(span, &["trace_id"]));
    let mut ids: Vec<String> = Vec::new();
    let mut repeated = 0;
    let mut threads: Vec<Generations> = Vec::new();
    for mut span in spans {
        let id = value::text(&span, &["id"]).unwrap_or_default();
        if !id.is_empty() && ids.last() == Some(&id) {
            repeated += 1;
            continue;
        }
        ids.push(id);
        let model = value::text(&span, &["model"]);
        let input = value::take(&mut span, "input").map(value::messages).unwrap_or_default();
        let output = match value::take(&mut span, "output") {
            Some(Json::Array(output)) => output,
            Some(other) => vec![other],
            None => Vec::new(),
        };
        let continued = threads.iter_mut().rev().find(|thread| thread.is_before(&input));
        match continued {
            Some(thread) => thread.go_on(input, output, model),
            None => threads.push(Generations::new(input, output, model)),
        }
    }
    let several = threads.len() > 1;
    let entries = threads.into_iter().enumerate().map(|(at, thread)| {
        let id = trace.clone().map(|id| if several && at > 0 { format!("{id}/{}", at + 1) } else { id });
        let model = thread.models.first().filter(|_| thread.models.len() == 1).cloned();
        let opening = Opening::Repeated(thread.shared);
        Transcript { id, elements: thread.elements, opening, model, ..Transcript::default() }.entries(context)
    });
    Box::new(std::iter::repeat_n(Entry::Skipped(Skip::Repeated), repeated).chain(chained(entries)))
}

struct Generations {
    elements: Vec<Json>,
    /// What had been said before the first of them.
    shared: usize,
    /// Where the last of them answers.
    answered: usize,
    models: Vec<String>,
}

impl Generations {
    fn new(input: Vec<Json>, output: Vec<Json>, model: Option<String>) -> Generations {
        let answered = input.len();
        let elements = input.into_iter().chain(output).collect();
        Generations { elements, shared: answered, answered, models: model.into_iter().collect() }
    }

    /// Whether `input` is what was said up to the last answer, an answer, and more.
    fn is_before(&self, input: &[Json]) -> bool {
        let is_answer = |message: &Json| message.get("role").and_then(Json::as_str) == Some("assistant");
        input.len() > self.answered
            && input[..self.answered] == self.elements[..self.answered]
            && is_answer(&input[self.answered])
    }

    fn go_on(&mut self, mut input: Vec<Json>, output: Vec<Json>, model: Option<String>) {
        self.elements.extend(input.split_off((self.elements.len()).min(input.len())));
        self.answered = self.elements.len();
        self.elements.extend(output);
        self.models.extend(model.filter(|model| !self.models.contains(model)));
    }
}

fn read_state(mut record: Object, context: &Context) -> Entries {
    let input = value::take_first(&mut record, &["original_input", "originalInput"]);
    let mut elements: Vec<Json> =
        input.map(value::messages).unwrap_or_default().into_iter().map(item).collect();
    let shared = elements.len();
    let generated = value::take_first(&mut record, &["generated_items", "generatedItems"]);
    let Some(Json::Array(generated)) = generated else { return skipped(Skip::NoOutput) };
    for run_item in generated {
        // What waits for approval is a call that stands there already.
        if run_item.get("type").and_then(Json::as_str) == Some("tool_approval_item") {
            continue;
        }
        let raw = ["raw_item", "rawItem"].iter().find_map(|key| run_item.get(key));
        elements.extend(raw.cloned().map(item));
    }
    let id = value::text(&record, &["conversation_id"])
        .or_else(|| value::text(&record, &["conversationId"]))
        .or_else(|| value::text(&record, &["trace", "id"]));
    Transcript { id, elements, opening: Opening::Repeated(shared), ..Transcript::default() }.entries(context)
}

/// An item of the SDK for JavaScript, as the API has it.
fn item(item: Json) -> Json {
    let Json::Object(mut item) = item else { return item };
    if let Some(id) = item.remove("callId") {
        item.insert("call_id", id);
    }
    if item.get("type").and_then(Json::as_str) == Some("function_call_result") {
        item.insert("type", "function_call_output");
    }
    Json::Object(item)
}
