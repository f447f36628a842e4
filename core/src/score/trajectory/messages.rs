//! Extracts calls from the messages of a conversation, as OpenAI, LangChain, Azure and Ragas write them.

use super::step::Step;
use crate::domain::{Json, Object};
use crate::score::{ScoreError, setting};

/// A message, and what it calls.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Turn<'a> {
    pub role: &'a str,
    pub calls: Vec<Step<'a>>,
}

/// Whether `value` is a conversation: a list of messages, or an object that holds one.
pub(super) fn are_messages(value: &Json) -> bool {
    let is_message =
        |message: &Json| message.as_object().is_some_and(|message| role(body(message)).is_some());
    match value {
        Json::Array(messages) => messages.iter().all(is_message),
        Json::Object(object) => {
            is_message(value) || object.get("messages").is_some_and(|messages| messages.as_array().is_some())
        }
        _ => false,
    }
}

/// The messages under `key`: a list, one message, or an object with `messages`.
pub(super) fn turns<'a>(key: &str, value: &'a Json) -> Result<Vec<Turn<'a>>, ScoreError> {
    let messages = match value {
        Json::Array(messages) => messages.as_slice(),
        Json::Object(object) => match object.get("messages").and_then(Json::as_array) {
            Some(messages) => messages,
            None => std::slice::from_ref(value),
        },
        other => return Err(ScoreError::invalid(setting::wrong(key, "a list of messages", other))),
    };
    messages.iter().enumerate().map(|(at, message)| turn(&format!("{key}[{at}]"), message)).collect()
}

fn turn<'a>(path: &str, json: &'a Json) -> Result<Turn<'a>, ScoreError> {
    let wrong = |allowed, value| ScoreError::invalid(setting::wrong(path, allowed, value));
    let message = body(json.as_object().ok_or_else(|| wrong("a message", json))?);
    let role = role(message).or_else(|| role(json.as_object()?));
    let role = role.ok_or_else(|| wrong("a message with a `role`", json))?;
    let mut calls = Vec::new();
    match message.get("tool_calls") {
        None | Some(Json::Null) => {}
        Some(Json::Array(listed)) => {
            for (at, call) in listed.iter().enumerate() {
                calls.push(Step::of_call(&format!("{path}.tool_calls[{at}]"), call)?);
            }
        }
        Some(other) => return Err(wrong("a message with a list of `tool_calls`", other)),
    }
    // LangChain's messages repeat the calls of their parts under `tool_calls`.
    let parts = message.get("content").and_then(Json::as_array).filter(|_| calls.is_empty());
    for (at, part) in parts.unwrap_or_default().iter().enumerate() {
        if matches!(part.get("type").and_then(Json::as_str), Some("tool_call" | "tool_use")) {
            calls.push(Step::of_call(&format!("{path}.content[{at}]"), part)?);
        }
    }
    Ok(Turn { role, calls })
}

/// A message's own members, where LangChain wraps them.
fn body(message: &Object) -> &Object {
    let within = ["data", "kwargs"].iter().find_map(|key| message.get(key)?.as_object());
    within.unwrap_or(message)
}

fn role(message: &Object) -> Option<&str> {
    let named = ["role", "type"].iter().find_map(|key| message.get(key)?.as_str())?;
    Some(match named {
        "ai" | "AIMessage" => "assistant",
        "human" => "user",
        other => other,
    })
}
