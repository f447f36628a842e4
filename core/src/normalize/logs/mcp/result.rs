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
        let part = |key: &str| {
            error.get(key).map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        };
        let text = [part("code"), part("message")].into_iter().flatten().collect::<Vec<_>>().join(" ");
        return Some(Returned {
            text: if text.is_empty() { error.to_string() } else { text },
            is_error: true,
        });
    }
    let result = message.get("result")?;
    let Json::Object(result) = result else {
        let text = result.as_str().map_or_else(|| result.to_string(), str::to_owned);
        return Some(Returned { text, is_error: false });
    };
    let parts = result.get("content").and_then(Json::as_array).unwrap_or_default();
    let mut texts: Vec<String> = parts.iter().map(part).collect();
    let has_words =
        parts.iter().any(|part| value_of(part, "text").is_some_and(|text| !text.trim().is_empty()));
    if let Some(structured) = result.get("structuredContent").filter(|value| !value.is_null() && !has_words) {
        texts.push(structured.to_string());
    }
    // Servers of the first version had a value of their own.
    if let (true, Some(value)) = (parts.is_empty(), result.get("toolResult")) {
        texts.push(value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    }
    let is_error = result.get("isError") == Some(&Json::Bool(true));
    Some(Returned { text: texts.join("\n\n"), is_error })
}

/// Whether the server asks for something before it answers; the client repeats the call then.
pub(super) fn asks_for_input(message: &Object) -> bool {
    value::at(message, &["result", "resultType"]).and_then(Json::as_str) == Some("input_required")
}

fn value_of<'a>(part: &'a Json, key: &str) -> Option<&'a str> {
    part.get(key)?.as_str()
}

/// One part of the content: its text, or what it is.
fn part(part: &Json) -> String {
    const BASE64: (usize, usize) = (4, 3);
    let kind = value_of(part, "type").unwrap_or("part");
    let mime = value_of(part, "mimeType");
    if let Some(text) = value_of(part, "text") {
        return text.to_owned();
    }
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
