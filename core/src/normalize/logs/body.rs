//! Unwraps the body of a request or response from the strings and HTTP envelopes of recorders.
//!
//! ```json
//! {"status_code": 200, "headers": {}, "body": "{\"choices\": [{\"message\": {\"content\": \"Sunny.\"}}]}"}
//! ```

use super::entry::Entry;
use super::value;
use crate::domain::{Json, Object, RowError, RowErrorCode};

/// Where bodies have their content; what holds a structure there is no envelope.
const CONTENT: &[&str] =
    &["messages", "contents", "input", "choices", "candidates", "output", "content", "message"];

/// The body that `value` is or holds; an error naming its `path` if it was streamed, or cut.
pub(super) fn of(value: Json, path: &[&str]) -> Result<Json, Entry> {
    let body = match value::unfolded(value) {
        Json::Object(mut envelope) if is_envelope(&envelope) => {
            value::take(&mut envelope, "body").unwrap_or(Json::Null)
        }
        body => body,
    };
    let refused = |code, why: &str, text: &str| {
        let message = format!("{}: {why}: {}", path.join("."), RowError::excerpt(text));
        Err(Entry::Unreadable(RowError::new(code, message)))
    };
    match &body {
        Json::String(text) if is_stream(text) => refused(RowErrorCode::StreamedBody, PUT_TOGETHER, text),
        Json::Array(items) if items.first().is_some_and(is_chunk) => {
            refused(RowErrorCode::StreamedBody, PUT_TOGETHER, &body.to_string())
        }
        Json::Object(piece) if is_delta(piece) => {
            refused(RowErrorCode::StreamedBody, "one piece of a streamed body", &body.to_string())
        }
        Json::String(text) if is_cut(text) => {
            refused(RowErrorCode::InvalidJson, "JSON that breaks off", text)
        }
        _ => Ok(body),
    }
}

const PUT_TOGETHER: &str = "a streamed body, which must be put together before";

fn is_envelope(object: &Object) -> bool {
    object.contains_key("body") && !CONTENT.iter().any(|key| value::holds_structure(object, key))
}

/// Server-sent events, or lines of JSON.
fn is_stream(text: &str) -> bool {
    let text = text.trim_start();
    let lines_of_json = || {
        let (_, end) = Json::parse_prefix(text).ok()?;
        text.get(end..)?.trim_start().starts_with('{').then_some(())
    };
    ["data:", "event:"].iter().any(|start| text.starts_with(start))
        || text.starts_with('{') && lines_of_json().is_some()
}

/// Whether a text is the beginning of a JSON object or of a list of them. Prose may begin with a bracket too.
fn is_cut(text: &str) -> bool {
    let text = text.trim();
    let begins = text.strip_prefix('[').unwrap_or(text).trim_start().starts_with('{');
    begins && Json::parse(text).is_err_and(|error| error.offset >= text.len())
}

/// The error of an answer that is what a provider streamed, which must be put together before.
pub(in crate::normalize) fn refuse_pieces(answer: &Json) -> Result<(), RowError> {
    let named = ["chunks", "events", "output", "outputs"].iter().find_map(|key| answer.get(key)?.as_array());
    let pieces = answer.as_array().or(named).unwrap_or_default();
    // A list of whole responses has their keys too.
    let says = |item: &Json, key: &str, word: &str| item.get(key).and_then(Json::as_str) == Some(word);
    let is_piece = |item: &Json| {
        says(item, "object", "chat.completion.chunk")
            || says(item, "type", "message_start")
            || says(item, "type", "response.created")
            || item.as_object().is_some_and(is_delta)
    };
    let is_one = answer.as_object().is_some_and(is_delta)
        || says(answer, "object", "chat.completion.chunk") && !is_whole(answer);
    match pieces.first().is_some_and(is_piece) || is_one {
        true => {
            let message = format!("tool_call: {PUT_TOGETHER}: {}", RowError::excerpt(&answer.to_string()));
            Err(RowError::new(RowErrorCode::StreamedBody, message))
        }
        false => Ok(()),
    }
}

/// Whether a piece holds what was said or called, and the end.
fn is_whole(piece: &Json) -> bool {
    let choice = piece.get("choices").and_then(|choices| choices.as_array()?.first());
    choice.is_some_and(|choice| {
        let delta = choice.get("delta");
        let says = |key: &str| {
            delta.and_then(|delta| delta.get(key)).is_some_and(|value| match value {
                Json::Null => false,
                Json::String(text) => !text.is_empty(),
                Json::Array(items) => !items.is_empty(),
                _ => true,
            })
        };
        choice.get("finish_reason").is_some_and(|reason| !reason.is_null())
            && ["content", "tool_calls", "function_call", "refusal"].into_iter().any(says)
    })
}

/// A piece of a streamed response that nothing but its choices gives away. One that holds the end may be all of it.
fn is_delta(piece: &Object) -> bool {
    let choice = piece.get("choices").and_then(|choices| choices.as_array()?.first());
    choice.is_some_and(|choice| {
        let has = |key| choice.get(key).is_some_and(|value| !value.is_null());
        has("delta") && !has("message") && !has("finish_reason")
    })
}

/// One of the many pieces in which a provider streams a response.
fn is_chunk(item: &Json) -> bool {
    let says = |key, word| item.get(key).and_then(Json::as_str) == Some(word);
    says("object", "chat.completion.chunk")
        || says("type", "message_start")
        || says("type", "response.created")
        || ["candidates", "done", "messageStart"].iter().any(|key| item.get(key).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_come_out_of_what_is_around_them() {
        for (source, expected) in [
            (r#"{"choices":[]}"#, r#"{"choices":[]}"#),
            (r#""{\"choices\":[]}""#, r#"{"choices":[]}"#),
            (r#"{"status":200,"message":"OK","body":{"choices":[]}}"#, r#"{"choices":[]}"#),
            (r#""{\"status_code\":200,\"body\":\"{\\\"choices\\\":[]}\"}""#, r#"{"choices":[]}"#),
            (r#"{"status":503,"body":null}"#, "null"),
            (r#"{"messages":[],"body":"part of it"}"#, r#"{"messages":[],"body":"part of it"}"#),
            (r#"[{"type":"text","text":"S"}]"#, r#"[{"type":"text","text":"S"}]"#),
            (r#""[1, 2] is a list""#, r#""[1, 2] is a list""#),
            (r#""{city} is what?""#, r#""{city} is what?""#),
            (r#""{\"a\":1} is an object""#, r#""{\"a\":1} is an object""#),
            (r#""[TOOL_CALLS][{\"name\":""#, r#""[TOOL_CALLS][{\"name\":""#),
            (r#""data: {}\n\n""#, "streamed_body"),
            (r#""event: ping\ndata: {}\n\n""#, "streamed_body"),
            (r#""{\"done\":false}\n{\"done\":true}\n""#, "streamed_body"),
            (r#"[{"object":"chat.completion.chunk"}]"#, "streamed_body"),
            (r#"[{"type":"response.created"},{}]"#, "streamed_body"),
            (r#""{\"choices\":[{\"mess""#, "invalid_json"),
            (r#""[{\"choices\":""#, "invalid_json"),
        ] {
            let found = match of(Json::parse(source).unwrap(), &["response"]) {
                Ok(body) => body.to_string(),
                Err(Entry::Unreadable(error)) => error.code.as_str().to_owned(),
                Err(other) => panic!("{other:?}"),
            };
            assert_eq!(found, expected, "{source}");
        }
    }
}
