//! Extracts calls from the messages of a conversation, as OpenAI, LangChain, Azure and Ragas write them.

use std::borrow::Cow;

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
const CALLS: [&str; 5] = ["tool_call", "tool_use", "tool-call", "function_call", "dynamic-tool"];
/// Parts of the AI SDK that say by `tool-` what they are; with any other name, that is the tool that they call.
const PARTS: [&str; 6] = [
    "tool-call",
    "tool-result",
    "tool-output",
    "tool-error",
    "tool-approval-request",
    "tool-approval-response",
];

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
    let is_said = |calls: &Json| match calls {
        Json::Null => false,
        Json::Array(calls) => as_peer || !calls.is_empty(),
        _ => true,
    };
    let told = |message: &'a Object| message.get("tool_calls").filter(|calls| is_said(calls));
    // Older messages of LangChain have OpenAI's calls there.
    let others = message.get("additional_kwargs").filter(|_| !as_peer).and_then(Json::as_object);
    let additional = || told(others?);
    if !as_peer && message.get("invalid_tool_calls").is_some_and(is_said) {
        return Err(ScoreError::invalid(format!(
            "`{path}` has `invalid_tool_calls`, which could not be read when they were recorded: write what was called into `tool_calls`"
        )));
    }
    match told(message).or_else(additional) {
        None | Some(Json::Null) => {}
        Some(Json::Array(listed)) => {
            for (at, call) in listed.iter().enumerate() {
                calls.push(Step::of_call(&format!("{path}.tool_calls[{at}]"), call, as_peer)?);
            }
        }
        Some(other) => return Err(wrong("a message with a list of `tool_calls`", other)),
    }
    if let Some(call) =
        others.filter(|_| calls.is_empty()).and_then(|others| others.get("function_call")?.as_object())
    {
        let call = Step::of_object(path, call, as_peer);
        calls.push(call.ok_or_else(|| wrong("a call with a name and arguments", json))?);
    }
    // A message with a result may name its function, too.
    let may_call = !["user", "human", "system", "developer", "tool", "function"].contains(&role);
    let unread = |what: &'a Object, path: &str| match unread(what).filter(|_| !as_peer && may_call) {
        None => Ok(()),
        Some(kind) => Err(ScoreError::invalid(format!(
            "`{path}` is of the type `{kind}`, which is not read: write its call into `tool_calls`, or convert the log with `tooljudge \
             convert`"
        ))),
    };
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
        } else if let Some(call) = named_by_type(part).filter(|_| !as_peer && may_call) {
            calls.push(call);
        } else {
            unread(part, &path)?;
        }
    }
    // OpenAI's older messages, and items of its responses, are calls themselves.
    if !as_peer && calls.is_empty() && may_call && is_call(message, as_peer) {
        let call = Step::of_object(path, message, as_peer);
        calls.push(call.ok_or_else(|| wrong("a call with a name and arguments", json))?);
    } else if calls.is_empty() && !message.contains_key("role") {
        unread(message, path)?;
    }
    Ok(Turn { role, calls })
}

fn is_call(part: &Object, as_peer: bool) -> bool {
    let known = if as_peer { &CALLS[..2] } else { &CALLS };
    let is_known = part.get("type").and_then(Json::as_str).is_some_and(|kind| known.contains(&kind));
    is_known || !as_peer && whole(part).is_some()
}

/// A call of the AI SDK, whose part names the tool: `{"type": "tool-getWeather", "input": {..}}`.
fn named_by_type(part: &Object) -> Option<Step<'_>> {
    let kind = part.get("type").and_then(Json::as_str).filter(|kind| !PARTS.contains(kind))?;
    let tool = kind.strip_prefix("tool-").filter(|tool| !tool.trim().is_empty())?;
    let arguments = part.get("input").filter(|input| input.as_object().is_some())?;
    // What came of it until it was cut is no input.
    let is_whole = part.get("state").and_then(Json::as_str) != Some("input-streaming");
    is_whole.then(|| Step { arguments: Some(Cow::Borrowed(arguments)), ..Step::named(tool) })
}

/// The type of a part, or of an item among messages, that seems to call something, in a form that is not known.
fn unread(part: &Object) -> Option<&str> {
    let kind = part.get("type").and_then(Json::as_str)?;
    if kind.starts_with("tool-") {
        return (!PARTS.contains(&kind)).then_some(kind);
    }
    // `toolUse`, `TOOL_USE` and `tool-use` are the same words.
    let mut words = vec![String::new()];
    let mut was_small = false;
    for letter in kind.chars() {
        if !letter.is_alphanumeric() || letter.is_uppercase() && was_small {
            words.push(String::new());
        }
        was_small = letter.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
    }
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
    let is_call = has(&["tool", "call", "calls", "function"]);
    let is_other =
        has(&["message", "result", "results", "output", "outputs", "response", "return", "error", "list"]);
    (is_call && !is_other).then_some(kind)
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
            (r#"{"role":"assistant","parts":[{"type":"tool-a","input":{}}]}"#, Ok(&["a"])),
            (
                r#"{"role":"assistant","parts":[{"type":"tool-list_files","input":{}},{"type":"tool-get_response","input":{"a":1}}]}"#,
                Ok(&["list_files", "get_response"]),
            ),
            (
                r#"{"role":"assistant","parts":[{"type":"dynamic-tool","toolName":"a","input":{}}]}"#,
                Ok(&["a"]),
            ),
            (
                r#"{"role":"assistant","parts":[{"type":"tool-a","state":"input-streaming","input":{}}]}"#,
                Err("of the type `tool-a`"),
            ),
            (r#"{"role":"assistant","parts":[{"type":"tool-a"}]}"#, Err("of the type `tool-a`")),
            (
                r#"{"role":"assistant","content":[{"type":"functionCall","name":"a","args":{}}]}"#,
                Err("of the type `functionCall`"),
            ),
            (
                r#"{"role":"assistant","content":[{"type":"TOOL_USE","name":"a","args":{}}]}"#,
                Err("of the type `TOOL_USE`"),
            ),
            (r#"{"role":"assistant","content":[{"type":"recalled_memory","text":"x"}]}"#, Ok(&[])),
            (
                r#"{"role":"tool","content":[{"type":"tool_return","text":"x"},{"type":"tool_reference"}]}"#,
                Ok(&[]),
            ),
            (
                r#"{"role":"assistant","tool_calls":[],"additional_kwargs":{"tool_calls":[{"function":{"name":"a","arguments":"{}"}}]}}"#,
                Ok(&["a"]),
            ),
            (
                r#"{"role":"assistant","additional_kwargs":{"function_call":{"name":"a","arguments":"{}"}}}"#,
                Ok(&["a"]),
            ),
            (
                r#"{"role":"assistant","content":"","tool_calls":[],"invalid_tool_calls":[{"name":"a","args":"{"}]}"#,
                Err("invalid_tool_calls"),
            ),
            (r#"{"role":"assistant","content":"","tool_calls":[],"invalid_tool_calls":[]}"#, Ok(&[])),
            (r#"{"type":"mcp_call","name":"a","arguments":"{}"}"#, Err("of the type `mcp_call`")),
            (r#"{"type":"web_search_call","id":"w"}"#, Err("of the type `web_search_call`")),
            (r#"{"type":"function_call_output","output":"1"}"#, Ok(&[])),
            (r#"{"type":"mcp_list_tools","tools":[]}"#, Ok(&[])),
            (r#"{"type":"tool","content":"1"}"#, Ok(&[])),
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
