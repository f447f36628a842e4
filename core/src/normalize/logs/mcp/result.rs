//! What a call of an MCP tool returned, as text.

use crate::domain::{Json, Object};
use crate::normalize::logs::value;

/// What came back.
pub(super) struct Returned {
    pub(super) text: String,
    pub(super) is_error: bool,
}

/// The answer to a call: a result of the tool, or an error of the protocol.
pub(super) fn returned(message: &Object) -> Option<Returned> {
    if let Some(error) = message.get("error").filter(|error| !error.is_null()) {
        let part = |key: &str| error.get(key).map(shown);
        let text = [part("code"), part("message")].into_iter().flatten().collect::<Vec<_>>().join(" ");
        return Some(Returned { text: if text.is_empty() { shown(error) } else { text }, is_error: true });
    }
    let result = message.get("result")?;
    let Json::Object(result) = result else {
        return Some(Returned { text: shown(result), is_error: false });
    };
    let parts: Vec<&Json> = match result.get("content") {
        Some(Json::Array(parts)) => parts.iter().collect(),
        Some(Json::Null) | None => Vec::new(),
        Some(part) => vec![part],
    };
    let mut texts: Vec<String> = parts.iter().map(|part| self::part(part)).collect();
    let has_words = parts.iter().filter_map(|part| words(part)).any(|text| !text.trim().is_empty());
    if let Some(structured) = result.get("structuredContent").filter(|value| !value.is_null() && !has_words) {
        texts.push(structured.to_string());
    }
    // Servers of the first version had a value of their own.
    if let (true, Some(value)) = (parts.is_empty(), result.get("toolResult")) {
        texts.push(shown(value));
    }
    let is_error = result.get("isError") == Some(&Json::Bool(true));
    Some(Returned { text: texts.join("\n\n"), is_error })
}

/// Whether the server asks for something before it answers; the client repeats the call then.
pub(super) fn asks_for_input(message: &Object) -> bool {
    value::at(message, &["result", "resultType"]).and_then(Json::as_str) == Some("input_required")
}

/// The task that the server began in the place of an answer, whose result comes later.
pub(super) fn task_of(message: &Object) -> Option<String> {
    let result = value::at(message, &["result"])?.as_object()?;
    let is_answer = ["content", "structuredContent", "toolResult"].iter().any(|key| result.contains_key(key));
    let id = value::at(result, &["task", "taskId"]).or_else(|| value::at(result, &["taskId"]));
    id.filter(|_| !is_answer).map(Json::to_string)
}

/// Whether an answer is one of a client's to a question of a server's: what a model or a person said.
pub(super) fn is_of_client(message: &Object) -> bool {
    let has = |key: &str| value::at(message, &["result", key]).is_some();
    has("role") || has("model") || has("action") || has("roots")
}

/// Whether an answer is one to a call, and can be nothing else.
pub(super) fn is_of_tool(message: &Object) -> bool {
    let content = value::at(message, &["result", "content"]);
    content.is_some_and(|content| content.as_array().is_some()) && !is_of_client(message)
        || value::at(message, &["result", "structuredContent"]).is_some()
}

/// Whether an answer says nothing, as that to a `ping`.
pub(super) fn is_empty(message: &Object) -> bool {
    let result = message.get("result").and_then(Json::as_object);
    result.is_some_and(|result| result.keys().all(|key| key == "_meta"))
}

fn shown(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn words(part: &Json) -> Option<&str> {
    part.as_str().or_else(|| value_of(part, "text"))
}

fn value_of<'a>(part: &'a Json, key: &str) -> Option<&'a str> {
    part.get(key)?.as_str()
}

/// One part of the content: its text, or what it is.
fn part(part: &Json) -> String {
    /// Four letters of base64 are three bytes.
    const BASE64: (usize, usize) = (4, 3);
    if let Some(text) = words(part) {
        return text.to_owned();
    }
    let kind = value_of(part, "type").unwrap_or("part");
    let mime = value_of(part, "mimeType");
    if let Some(resource) = part.get("resource") {
        let address = value_of(resource, "uri").unwrap_or_default();
        return value_of(resource, "text").map_or_else(|| format!("[resource {address}]"), str::to_owned);
    }
    if let Some(address) = value_of(part, "uri") {
        return format!("[{kind} {address}]");
    }
    let bytes = value_of(part, "data").map(|data| data.len() / BASE64.0 * BASE64.1);
    let words = [Some(kind.to_owned()), mime.map(str::to_owned), bytes.map(|bytes| format!("{bytes} bytes"))];
    format!("[{}]", words.into_iter().flatten().collect::<Vec<_>>().join(" "))
}
