//! Weave's calls, one per record: every traced function with its arguments and its return value. Those of a provider's library
//! are a request and a response.
//!
//! ```json
//! {"id": "…", "trace_id": "…", "parent_id": null, "op_name": "weave:///me/agents/op/openai.chat.completions.create:1f",
//!  "started_at": "2025-06-15T15:06:40Z", "inputs": {"model": "m", "messages": […], "tools": […]}, "output": {"choices": […]}}
//! ```

use super::context::Context;
use super::entry::{Entries, Entry, Skip};
use super::format::LogFormat;
use super::nesting::{Call, Trace};
use super::{exchange, value};
use crate::domain::{Json, Object, Origin};

pub(super) const WEAVE: LogFormat = LogFormat {
    name: "weave_call",
    sign: "keys `op_name`, `inputs` and `trace_id`",
    matches: |record| ["op_name", "inputs", "trace_id"].iter().all(|key| record.contains_key(key)),
    read,
    unmatched: None,
};

/// How the names of operations begin in which a library asks a model.
const LIBRARIES: &[&str] = &[
    "openai.",
    "anthropic.",
    "litellm.",
    "google.",
    "vertexai.",
    "mistralai.",
    "mistral.",
    "cohere.",
    "groq.",
    "cerebras.",
    "together.",
    "huggingface_hub.",
    "bedrock.",
    "BedrockRuntime.",
    "botocore.",
    "langchain.Llm.",
    "langchain.Chat_model.",
    "langchain_nvidia_ai_endpoints.",
];

fn read(record: Object, context: &Context) -> Entries {
    let trace = value::text(&record, &["trace_id"]).unwrap_or_default();
    let trace = Trace { format: WEAVE.name, id: &trace };
    let asked = asks_model(&record);
    let id = value::text(&record, &["id"]);
    let parent = value::text(&record, &["parent_id"]).filter(|_| asked && value::has(&record, &["output"]));
    let tools = || exchange::tools_in(outputs(record.get("output")).as_ref());
    let call = id.filter(|_| asked).map(|id| Call { id, parent, tools: tools() });
    let told = call.as_ref().map(|call| trace.tell(call)).unwrap_or_default();
    let repeats = || call.as_ref().is_some_and(|call| trace.repeats(call, context));
    let entry = match asked {
        false => Entry::Skipped(Skip::NotAnLlmRun),
        true if !context.agents && repeats() => Entry::Skipped(Skip::AgentSpan),
        true => entry(record),
    };
    Box::new(std::iter::once(entry).chain(told))
}

/// Whether a call is one of a library that asks a model something.
fn asks_model(record: &Object) -> bool {
    let name = record.get("op_name").and_then(Json::as_str).unwrap_or_default();
    let name = name.rsplit_once("/op/").map_or(name, |(_, name)| name);
    let by_library = LIBRARIES.iter().any(|library| name.starts_with(library));
    let inputs = record.get("inputs").cloned().map(value::unfolded);
    let embeds = name.contains("embed") || name.contains("moderation");
    by_library && !embeds && inputs.as_ref().and_then(Json::as_object).is_some_and(asks)
}

/// LangChain's calls have their inputs a level deeper.
fn asks(inputs: &Object) -> bool {
    exchange::asks(inputs) || inputs.get("inputs").and_then(Json::as_object).is_some_and(exchange::asks)
}

/// What was answered, out of the run that LangChain has around it.
fn outputs(output: Option<&Json>) -> Option<Json> {
    let mut answered = value::unfolded(output?.clone());
    let run = match &mut answered {
        Json::Object(run) => value::take_object(run, "outputs"),
        _ => None,
    };
    Some(run.map_or(answered, Json::Object))
}

fn entry(mut record: Object) -> Entry {
    let mut inputs = value::take_object(&mut record, "inputs").unwrap_or_default();
    if !exchange::asks(&inputs)
        && let Some(inner) = value::take_object(&mut inputs, "inputs")
    {
        inputs = inner;
    }
    let answered = outputs(record.get("output")).unwrap_or(Json::Null);
    let model = [&answered, &Json::Object(inputs.clone())]
        .into_iter()
        .find_map(|holder| holder.get("model")?.as_str().map(str::to_owned));
    let instant = |key: &str| value::instant(record.get(key)?);
    let (start, end) = (instant("started_at"), instant("ended_at"));
    exchange::dialogue(Json::Object(inputs), answered).into_entry(Origin {
        source_id: value::text(&record, &["id"]),
        model,
        timestamp: start,
        latency_s: value::seconds_between(start, end),
        ..Origin::default()
    })
}
