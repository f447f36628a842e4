//! AutoGen: the result of a run, and the saved state of agents and teams.
//!
//! ```json
//! {"messages": [{"type": "TextMessage", "source": "user", "content": "Oslo?"},
//!     {"type": "ToolCallRequestEvent", "source": "a", "content": [{"id": "c1", "name": "f", "arguments": "{}"}]},
//!     {"type": "ToolCallExecutionEvent", "source": "a", "content": [{"call_id": "c1", "name": "f", "content": "sun", "is_error": false}]}],
//!  "stop_reason": null}
//! {"type": "AssistantAgentState", "llm_context": {"messages": [{"type": "UserMessage", "content": "Oslo?", "source": "user"}]}}
//! ```
//!
//! In a team's state, each agent has the messages that it saw; each is a transcript.

use super::context::Context;
use super::entry::{Entries, Skip, chained, skipped};
use super::format::LogFormat;
use super::transcript::Transcript;
use super::value;
use crate::domain::{Json, Object};

pub(super) const AUTOGEN: LogFormat = LogFormat {
    name: "autogen",
    sign: "`messages` of types such as `TextMessage` and `ToolCallRequestEvent`, or a `type` such as `AssistantAgentState`",
    matches,
    read,
    unmatched: None,
};

/// Types of messages in results.
const RESULT_TYPES: &[&str] = &[
    "TextMessage",
    "MultiModalMessage",
    "StopMessage",
    "HandoffMessage",
    "ToolCallRequestEvent",
    "ToolCallExecutionEvent",
    "ToolCallSummaryMessage",
    "StructuredMessage",
    "ThoughtEvent",
    "MemoryQueryEvent",
    "UserInputRequestedEvent",
];

fn matches(record: &Object) -> bool {
    let is_state = record
        .get("type")
        .and_then(Json::as_str)
        .is_some_and(|kind| matches!(kind, "AssistantAgentState" | "TeamState" | "ChatAgentContainerState"));
    let messages = record.get("messages").and_then(Json::as_array).unwrap_or_default();
    let is_result = messages.first().and_then(kind).is_some_and(|kind| RESULT_TYPES.contains(&kind));
    is_state && record.contains_key("version") || is_result
}

fn kind(message: &Json) -> Option<&str> {
    message.get("type")?.as_str()
}

fn read(mut record: Object, context: &Context) -> Entries {
    if let Some(Json::Array(messages)) = record.remove("messages") {
        return transcript(None, messages).entries(context);
    }
    let mut agents = Vec::new();
    find(Json::Object(record), None, 0, &mut agents);
    if agents.is_empty() {
        return skipped(Skip::NoOutput);
    }
    chained(agents.into_iter().map(|(name, messages)| transcript(name, messages).entries(context)))
}

fn transcript(id: Option<String>, messages: Vec<Json>) -> Transcript {
    Transcript { id, elements: messages.into_iter().flat_map(elements).collect(), ..Transcript::default() }
}

/// How deep teams are within teams.
const MAX_DEPTH: usize = 16;

/// What each agent in a state saw.
fn find(state: Json, name: Option<&str>, depth: usize, agents: &mut Vec<(Option<String>, Vec<Json>)>) {
    let Json::Object(mut state) = state else { return };
    let messages = value::take_at(&mut state, &["llm_context", "messages"])
        .or_else(|| value::take(&mut state, "llm_messages"));
    if let Some(Json::Array(messages)) = messages {
        agents.push((name.map(str::to_owned), messages));
        return;
    }
    if depth == MAX_DEPTH {
        return;
    }
    for key in ["agent_state", "inner_team_state", "team_state"] {
        if let Some(inner) = value::take(&mut state, key) {
            find(inner, name, depth + 1, agents);
        }
    }
    for (name, inner) in value::take_object(&mut state, "agent_states").unwrap_or_default() {
        find(inner, Some(&name), depth + 1, agents);
    }
}

/// The elements that a message is; what an agent says has its name, since a team's log holds several.
fn elements(message: Json) -> Vec<Json> {
    let source = message.get("source").and_then(Json::as_str).map(str::to_owned);
    let mut elements = unnamed(message);
    for element in &mut elements {
        if let (Json::Object(said), Some(source)) = (element, &source)
            && said.get("role").and_then(Json::as_str) == Some("assistant")
        {
            said.insert("name", source.as_str());
        }
    }
    elements
}

fn unnamed(message: Json) -> Vec<Json> {
    let Json::Object(mut message) = message else { return vec![message] };
    let kind = value::text(&message, &["type"]).unwrap_or_default();
    let content = message.remove("content").unwrap_or(Json::Null);
    let is_user = value::text(&message, &["source"])
        .is_some_and(|source| source.to_ascii_lowercase().starts_with("user"));
    match (kind.as_str(), content) {
        ("AssistantMessage" | "ToolCallRequestEvent", Json::Array(calls)) => {
            let said = message.remove("thought").filter(|said| !said.is_null()).unwrap_or(Json::from(""));
            let calls = calls.into_iter().map(call).collect();
            vec![Json::Object(value::calling("assistant", said, calls))]
        }
        ("FunctionExecutionResultMessage" | "ToolCallExecutionEvent", Json::Array(results)) => {
            results.into_iter().map(result).collect()
        }
        // The tool's words once more, and what is no message.
        ("ToolCallSummaryMessage" | "ThoughtEvent" | "MemoryQueryEvent" | "UserInputRequestedEvent", _)
        | ("ModelClientStreamingChunkEvent", _) => Vec::new(),
        ("UserMessage", content) => vec![said("user", content)],
        ("SystemMessage", content) => vec![said("system", content)],
        ("AssistantMessage", content) => vec![said("assistant", content)],
        (known, content) if RESULT_TYPES.contains(&known) => {
            vec![said(if is_user { "user" } else { "assistant" }, content)]
        }
        (other, content) => vec![said(other, content)],
    }
}

fn said(role: &str, content: Json) -> Json {
    match content {
        Json::Object(structured) => value::message(role, Json::Object(structured).to_string()),
        content => value::message(role, content),
    }
}

fn call(call: Json) -> Json {
    let Json::Object(mut call) = call else { return call };
    let mut function = Object::new();
    function.insert("name", call.remove("name").unwrap_or(Json::Null));
    function.insert("arguments", call.remove("arguments").unwrap_or(Json::Null));
    let mut made = Object::new();
    made.insert("id", call.remove("id").unwrap_or(Json::Null));
    made.insert("type", "function");
    made.insert("function", Json::Object(function));
    Json::Object(made)
}

fn result(result: Json) -> Json {
    let Json::Object(mut result) = result else { return result };
    let mut message = Object::new();
    message.insert("role", "tool");
    for (from, to) in [("call_id", "tool_call_id"), ("content", "content"), ("is_error", "is_error")] {
        if let Some(value) = result.remove(from) {
            message.insert(to, value);
        }
    }
    Json::Object(message)
}
