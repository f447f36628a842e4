//! OpenInference's numbered attributes, or the lists that Phoenix's dataframes make of them.
//!
//! ```json
//! {"llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": "Oslo?",
//!  "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "f"}
//! {"llm.output_messages": [{"message.role": "assistant", "message.tool_calls": [{"tool_call.function.name": "f"}]}]}
//! ```

use super::nested;
use super::span::{Span, Work};
use crate::domain::{Json, Object};
use crate::normalize::ending::Ending;
use crate::normalize::logs::dialogue::Dialogue;
use crate::normalize::logs::value;

pub(super) fn read(span: &Span) -> Option<Dialogue> {
    let asked = nested::list(&span.attributes, "llm.input_messages");
    let answered = nested::list(&span.attributes, "llm.output_messages");
    let whole = span.work() == Work::Model;
    let mut dialogue = Dialogue::default();
    match asked {
        Some(asked) => dialogue.messages = asked.iter().filter_map(|item| message(item, "user")).collect(),
        None => match span.get("llm.input_messages").or_else(|| span.get("input.value").filter(|_| whole)) {
            Some(value) => dialogue.ask(value.clone()),
            None if answered.is_none() => return None,
            None => {}
        },
    }
    let answered: Vec<Json> =
        answered.unwrap_or_default().iter().filter_map(|item| message(item, "assistant")).collect();
    if whole {
        // The messages do not say how they ended; what the provider answered does.
        let response = span.get("output.value").cloned().map(value::unfolded);
        dialogue.ending = response.as_ref().and_then(Ending::of);
    }
    match span.get("llm.output_messages") {
        _ if !answered.is_empty() && is_one_answer(span) => dialogue.answer(joined(answered)),
        _ if !answered.is_empty() => dialogue.answer_first(answered),
        Some(Json::String(text)) if value::is_broken(text) => dialogue.answer_broken(text.clone()),
        _ if whole => {
            let response = span.get("output.value").cloned().map(value::unfolded);
            if let Some(response @ (Json::Object(_) | Json::Array(_))) = response {
                dialogue.answer(response);
            }
        }
        _ => {}
    }
    Some(dialogue)
}

/// Whether all messages of the answer belong together. Some instrumentations make a message of every item of one answer;
/// several choices there can only be where several were asked for.
fn is_one_answer(span: &Span) -> bool {
    let Some(parameters) = span.get("llm.invocation_parameters").cloned().map(value::unfolded) else {
        return false;
    };
    let several = |key: &&str| parameters.get(key).and_then(value::number).is_some_and(|count| count > 1.0);
    parameters.as_object().is_some() && !["n", "candidate_count", "candidateCount"].iter().any(several)
}

/// The messages of one answer as one message.
fn joined(messages: Vec<Json>) -> Json {
    let (mut contents, mut calls) = (Vec::new(), Vec::new());
    for message in messages {
        let Json::Object(mut message) = message else { continue };
        match message.remove("content") {
            Some(Json::Array(parts)) => contents.extend(parts),
            Some(Json::Null) | None => {}
            Some(said) => contents.push(said),
        }
        if let Some(Json::Array(more)) = message.remove("tool_calls") {
            calls.extend(more);
        }
    }
    let content = match contents.len() {
        1 => contents.remove(0),
        _ => Json::Array(contents),
    };
    Json::Object(value::calling("assistant", content, calls))
}

/// A message in the form that chats have.
fn message(item: &Json, role: &str) -> Option<Json> {
    let mut item = nested::object(item)?;
    let mut inner = match item.remove("message") {
        Some(Json::Object(inner)) => inner,
        _ => item,
    };
    let list = |value: Option<Json>| match value.map(value::unfolded) {
        Some(Json::Array(items)) => items,
        _ => Vec::new(),
    };
    let contents: Vec<Object> = list(inner.remove("contents")).iter().filter_map(nested::object).collect();
    let mut calls: Vec<Json> = list(inner.remove("tool_calls")).iter().filter_map(call).collect();
    // In the form that keeps the order of texts and calls, the calls may be repeated among the contents.
    if calls.is_empty() {
        calls = contents.iter().cloned().filter_map(|content| call(&Json::Object(content))).collect();
    }
    let parts: Vec<Json> = contents.into_iter().filter_map(part).collect();
    let content = match inner.remove("content") {
        _ if !parts.is_empty() => Json::Array(parts),
        said => said.unwrap_or(Json::Null),
    };
    let role = inner.get("role").and_then(Json::as_str).unwrap_or(role);
    let mut message = value::calling(role, content, calls);
    if let Some(id) = inner.remove("tool_call_id") {
        message.insert("tool_call_id", id);
    }
    if let Some(name) = inner.remove("function_call_name").filter(|name| !name.is_null()) {
        let arguments = inner.remove("function_call_arguments_json").unwrap_or(Json::Null);
        let call = [("name".to_owned(), name), ("arguments".to_owned(), arguments)];
        message.insert("function_call", Json::Object(call.into_iter().collect()));
    }
    Some(Json::Object(message))
}

/// What a content says; calls are read as calls.
fn part(mut content: Object) -> Option<Json> {
    let part = content.remove("message_content").unwrap_or(Json::Null);
    let is_call = part.get("type").and_then(Json::as_str) == Some("tool_use");
    (!is_call && !part.is_null()).then_some(part)
}

/// `{"tool_call": {"id": "c1", "function": {"name": "f", "arguments": "{}"}}}`, or without the outermost key.
fn call(item: &Json) -> Option<Json> {
    let mut item = nested::object(item)?;
    let inner = match item.remove("tool_call") {
        Some(inner) => nested::object(&inner)?,
        None => item,
    };
    inner.contains_key("function").then_some(Json::Object(inner))
}
