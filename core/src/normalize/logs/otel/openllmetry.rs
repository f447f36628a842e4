//! OpenLLMetry's numbered attributes: `{"gen_ai.prompt.0.role": "user", "gen_ai.completion.0.tool_calls.0.name": "f"}`.

use super::nested;
use super::span::Span;
use crate::domain::{Json, Object};
use crate::normalize::logs::dialogue::Dialogue;
use crate::normalize::logs::value;

/// The two sides of an exchange, under the names of now and of before.
const ASKED: &[&str] = &["gen_ai.prompt", "llm.prompts"];
const ANSWERED: &[&str] = &["gen_ai.completion", "llm.completions"];

pub(super) fn read(span: &Span) -> Option<Dialogue> {
    let list = |prefixes: &[&str]| prefixes.iter().find_map(|prefix| nested::list(&span.attributes, prefix));
    let (asked, answered) = (list(ASKED), list(ANSWERED));
    if asked.is_none() && answered.is_none() {
        return None;
    }
    let messages = |items: Option<Vec<Json>>, role: &str| -> Vec<Json> {
        let items = items.unwrap_or_default().into_iter();
        items.filter_map(|item| message(item, role)).collect()
    };
    let mut dialogue = Dialogue { messages: messages(asked, "user"), ..Dialogue::default() };
    dialogue.answer_first(messages(answered, "assistant"));
    Some(dialogue)
}

/// A message in the form that chats have; `None` where not even a role is left.
fn message(item: Json, role: &str) -> Option<Json> {
    let Json::Object(mut item) = item else { return None };
    let calls = match item.remove("tool_calls") {
        Some(Json::Array(calls)) => calls.into_iter().filter_map(call).collect(),
        _ => Vec::new(),
    };
    // Completions without roles have their prompt under `user`.
    let content = item.remove("content").or_else(|| item.remove("user"));
    if content.is_none() && calls.is_empty() && !item.contains_key("role") {
        return None;
    }
    let role = item.get("role").and_then(Json::as_str).unwrap_or(role).to_owned();
    let mut message = value::calling(&role, content.map_or(Json::Null, parts), calls);
    for key in ["tool_call_id", "function_call", "finish_reason"] {
        if let Some(value) = item.remove(key) {
            message.insert(key, value);
        }
    }
    Some(Json::Object(message))
}

fn is_part(item: &Json) -> bool {
    item.get("type").is_some_and(|kind| kind.as_str().is_some())
}

/// Content that is no text was written as JSON.
fn parts(content: Json) -> Json {
    match value::unfolded(content.clone()) {
        Json::Array(parts) if !parts.is_empty() && parts.iter().all(is_part) => Json::Array(parts),
        _ => content,
    }
}

fn call(item: Json) -> Option<Json> {
    let Json::Object(mut call) = item else { return None };
    let id = call.remove("id");
    let mut whole = Object::new();
    if let Some(id) = id {
        whole.insert("id", id);
    }
    whole.insert("function", Json::Object(call));
    Some(Json::Object(whole))
}
