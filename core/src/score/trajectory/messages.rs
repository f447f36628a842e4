//! Extracts calls from the messages of a conversation, as OpenAI, LangChain, Azure and Ragas write them.

use super::step::Step;
use crate::domain::{Json, Object};
use crate::score::forms::whole;
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

/// What parts of messages are that call something: as LangChain and Anthropic have it; and as the AI SDK and OpenAI's responses.
const CALLS: [&str; 4] = ["tool_call", "tool_use", "tool-call", "function_call"];

/// The messages under `key`: a list, one message, or an object with `messages`. Calls are read in the peers' forms alone if that is to
/// be done `as_peer`.
pub(super) fn turns<'a>(key: &str, value: &'a Json, as_peer: bool) -> Result<Vec<Turn<'a>>, ScoreError> {
    let messages = match value {
        Json::Array(messages) => messages.as_slice(),
        Json::Object(object) => match object.get("messages").and_then(Json::as_array) {
            Some(messages) => messages,
            None => std::slice::from_ref(value),
        },
        other => return Err(ScoreError::invalid(setting::wrong(key, "a list of messages", other))),
    };
    messages.iter().enumerate().map(|(at, message)| turn(&format!("{key}[{at}]"), message, as_peer)).collect()
}

fn turn<'a>(path: &str, json: &'a Json, as_peer: bool) -> Result<Turn<'a>, ScoreError> {
    let wrong = |allowed, value| ScoreError::invalid(setting::wrong(path, allowed, value));
    let message = body(json.as_object().ok_or_else(|| wrong("a message", json))?);
    let role = role(message).or_else(|| role(json.as_object()?));
    let role = role.ok_or_else(|| wrong("a message with a `role`", json))?;
    let mut calls = Vec::new();
    let told = |message: &'a Object| message.get("tool_calls").filter(|calls| !calls.is_null());
    // Older messages of LangChain have OpenAI's calls there.
    let additional = || told(message.get("additional_kwargs").filter(|_| !as_peer)?.as_object()?);
    match told(message).or_else(additional) {
        None | Some(Json::Null) => {}
        Some(Json::Array(listed)) => {
            for (at, call) in listed.iter().enumerate() {
                calls.push(Step::of_call(&format!("{path}.tool_calls[{at}]"), call, as_peer)?);
            }
        }
        Some(other) => return Err(wrong("a message with a list of `tool_calls`", other)),
    }
    // LangChain's messages repeat the calls of their parts under `tool_calls`.
    let list = |key: &str| message.get(key).and_then(Json::as_array);
    let within = || message.get("content")?.as_object()?.get("parts")?.as_array();
    let parts = list("content").or_else(|| list("parts").or_else(within).filter(|_| !as_peer));
    for (at, part) in parts.filter(|_| calls.is_empty()).unwrap_or_default().iter().enumerate() {
        let Some(part) = part.as_object() else { continue };
        let path = format!("{path}.content[{at}]");
        if is_call(part, as_peer) {
            let call = Step::of_object(&path, part, as_peer);
            calls.push(call.ok_or_else(|| wrong("a call with a name and arguments", json))?);
        } else if let Some(kind) = unread(part).filter(|_| !as_peer) {
            return Err(ScoreError::invalid(format!(
                "`{path}` is of the type `{kind}`, which is not read: write its call into `tool_calls`, or convert the log with \
                 `tooljudge convert`"
            )));
        }
    }
    // OpenAI's older messages, and items of its responses, are calls themselves. A message with a result may name its function, too.
    let may_call = || {
        message.get("role").and_then(Json::as_str).is_none_or(|role| ["assistant", "model"].contains(&role))
    };
    if !as_peer && calls.is_empty() && may_call() && is_call(message, as_peer) {
        let call = Step::of_object(path, message, as_peer);
        calls.push(call.ok_or_else(|| wrong("a call with a name and arguments", json))?);
    }
    Ok(Turn { role, calls })
}

fn is_call(part: &Object, as_peer: bool) -> bool {
    let known = if as_peer { &CALLS[..2] } else { &CALLS };
    let is_known = part.get("type").and_then(Json::as_str).is_some_and(|kind| known.contains(&kind));
    is_known || !as_peer && whole(part).is_some()
}

/// The type of a part that seems to call something, in a form that is not known.
fn unread(part: &Object) -> Option<&str> {
    let kind = part.get("type").and_then(Json::as_str)?;
    let has = |words: &[&str]| words.iter().any(|word| kind.contains(word));
    (has(&["tool", "call"]) && !has(&["result", "output", "response", "error", "list"])).then_some(kind)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_messages_are_read_or_told() {
        for (message, called) in [
            (r#"{"role":"assistant","tool_calls":[{"name":"a","args":{}}]}"#, Ok(&["a"][..])),
            (
                r#"{"role":"assistant","content":"","additional_kwargs":{"tool_calls":[{"function":{"name":"a","arguments":"{}"}}]}}"#,
                Ok(&["a"]),
            ),
            (
                r#"{"role":"model","content":{"parts":[{"function_call":{"name":"a","args":{}}}]}}"#,
                Ok(&["a"]),
            ),
            (r#"{"role":"assistant","content":[{"type":"tool_use","name":"a","input":{}}]}"#, Ok(&["a"])),
            (
                r#"{"role":"assistant","content":[{"type":"text","text":"x"},{"type":"tool_result"}]}"#,
                Ok(&[]),
            ),
            (r#"{"role":"assistant","parts":[{"type":"tool-a","input":{}}]}"#, Err("of the type `tool-a`")),
            (
                r#"{"role":"assistant","content":[{"type":"mcp_call","name":"a"}]}"#,
                Err("of the type `mcp_call`"),
            ),
        ] {
            let json = Json::parse(message).unwrap();
            match (turns("m", &json, false), called) {
                (Ok(turns), Ok(called)) => {
                    let names: Vec<&str> = turns[0].calls.iter().map(|call| call.tool).collect();
                    assert_eq!(names, called, "{message}");
                }
                (Err(why), Err(words)) => assert!(why.message.contains(words), "{}", why.message),
                (found, _) => panic!("{message}: {found:?}"),
            }
        }
    }
}
