//! One part of a message: `{"type":"text","text":"Oslo?"}`, `{"toolResult":{"toolUseId":"t1","content":[…]}}`.

use std::borrow::Cow;

use crate::domain::{Json, Object};

/// What a part of a message is.
#[derive(Debug, PartialEq)]
pub(super) enum Part<'a> {
    Text(Cow<'a, str>),
    /// Stands for a part that is no text.
    Placeholder(&'static str),
    /// What a tool returned.
    Returned(Returned<'a>),
    /// A thought, or a call, which is read as a call.
    Silent,
}

/// What a tool returned, and the id of its call.
#[derive(Debug, PartialEq)]
pub(super) struct Returned<'a> {
    pub(super) call_id: Option<&'a str>,
    /// Whether the log says that the call failed.
    pub(super) is_error: bool,
    value: Option<&'a Json>,
    /// What the log says of the failure, beside what was returned.
    error: Option<&'a Json>,
    /// Whether a person did not let the call happen.
    is_denied: bool,
}

/// Keys of a part's text; the first that holds one counts.
const TEXT_KEYS: &[&str] = &["text", "content", "refusal", "message_content.text"];

/// A key of a text only where the part says that it is one.
const TYPED_TEXT_KEY: &str = "value";

/// Types of parts whose text is said.
const TEXT_TYPES: &[&str] = &["text", "input_text", "output_text", "refusal"];

/// Types and keys of parts that are left out of the text: thoughts, and calls, which are read as calls.
const SILENT: &[&str] = &[
    "thinking",
    "redacted_thinking",
    "reasoning",
    "reasoningContent",
    "compaction",
    "step-start",
    "tool_use",
    "toolUse",
    "server_tool_use",
    "mcp_tool_use",
    "tool_call",
    "server_tool_call",
    "tool-call",
    "functionCall",
    "function_call",
    "executableCode",
    "executable_code",
    "serverToolUse",
    "toolCall",
    "toolcall",
    "toolRequest",
    "cachePoint",
];

/// Keys of objects around what a tool returned.
const RESULT_KEYS: &[&str] = &[
    "toolResult",
    "functionResponse",
    "function_response",
    "toolInvocation",
    "toolResponse",
    "tool_response",
];

/// Keys of a call's id beside what it returned; `id` is the last, since it may be the id of something else.
const ID_KEYS: &[&str] = &["tool_call_id", "tool_use_id", "toolUseId", "call_id", "toolCallId", "id"];

/// Keys of what a tool returned; the first that is not null counts.
const VALUE_KEYS: &[&str] = &["content", "output", "response", "result", "tool_result", "error", "errorText"];

/// Types of what a tool returned; those of tools that the provider runs are no texts.
const RESULT_TYPES: &[&str] = &[
    "tool_result",
    "mcp_tool_result",
    "tool_call_response",
    "tool-result",
    "tool-error",
    "toolResult",
    TOOL_RESPONSE,
    TOOL_SEARCH,
];

/// Goose's type of a result, with the value within: `{"type":"toolResponse","id":"c1","toolResult":{"status":"success","value":[…]}}`.
const TOOL_RESPONSE: &str = "toolResponse";

/// The type of what a search for tools has found, under the key `tools`.
const TOOL_SEARCH: &str = "tool_search_output";

/// Types and only keys of parts that a tool may return. Any other list is the tool's own value.
const RETURNED_PARTS: &[&str] = &[
    "text",
    "json",
    "image",
    "image_url",
    "input_image",
    "image-data",
    "image-url",
    "computer_screenshot",
    "audio",
    "input_audio",
    "video",
    "document",
    "file",
    "input_file",
    "file-data",
    "media",
    "resource",
    "resource_link",
];

/// What stands for a part that is no text, by a word in its type, key, kind of media or MIME type.
const PLACEHOLDERS: &[(&str, &str)] = &[
    ("result", TOOL_RESULT),
    ("response", TOOL_RESULT),
    ("image", "[image]"),
    ("screenshot", "[image]"),
    ("audio", "[audio]"),
];
const TOOL_RESULT: &str = "[tool_result]";
const OTHER_PART: &str = "[file]";

/// Reads a part.
pub(super) fn read(part: &Json) -> Part<'_> {
    let object = match part {
        Json::String(text) => return Part::Text(Cow::Borrowed(text)),
        Json::Object(object) => object.get("message_content").and_then(Json::as_object).unwrap_or(object),
        _ => return Part::Placeholder(OTHER_PART),
    };
    if object.get("thought") == Some(&Json::Bool(true)) {
        return Part::Silent;
    }
    let kind = object.get("type").or_else(|| object.get("message_content.type")).and_then(Json::as_str);
    if kind.is_none_or(|kind| TEXT_TYPES.contains(&kind))
        && let Some(text) = said(object, kind.is_some())
    {
        return Part::Text(Cow::Borrowed(text));
    }
    if let Some(returned) = returned(object) {
        return Part::Returned(returned);
    }
    if kind == Some("compaction")
        && let Some(summary) = said(object, false)
    {
        return Part::Text(Cow::Borrowed(summary));
    }
    if let Some(text) = text_of_document(object) {
        return Part::Text(Cow::Borrowed(text));
    }
    let is_silent =
        |word: &str| SILENT.contains(&word) || word.starts_with("tool-") || word == "dynamic-tool";
    match kind {
        Some(kind) if is_silent(kind) => Part::Silent,
        None if object.keys().any(is_silent) => Part::Silent,
        _ => Part::Placeholder(placeholder(kind, object)),
    }
}

/// The words of a document that is plain text: `{"type":"document","source":{"type":"text","data":"Key: 7"}}`,
/// `{"document":{"format":"txt","source":{"text":"Key: 7"}}}`.
fn text_of_document(part: &Object) -> Option<&str> {
    let source = part.get("source").filter(|_| part.get("type").and_then(Json::as_str) == Some("document"));
    let source = source.or_else(|| part.get("document")?.get("source"))?;
    let keys: &[&str] = match source.get("type").and_then(Json::as_str) {
        Some("text") => &["data"],
        Some("content") => &["content"],
        Some(_) => &[],
        None => &["text"],
    };
    keys.iter().find_map(|key| source.get(key)?.as_str())
}

/// What a part of text says: `{"text":"Oslo?"}`, `{"type":"text","value":"Oslo?"}`, `{"type":"text","text":{"value":"Oslo?"}}`.
fn said(part: &Object, is_typed: bool) -> Option<&str> {
    let typed = || {
        let holder = part.get("text").and_then(Json::as_object).unwrap_or(part);
        holder.get(TYPED_TEXT_KEY)?.as_str()
    };
    let told = TEXT_KEYS.iter().find_map(|key| part.get(key)?.as_str());
    told.or_else(|| if is_typed { typed() } else { None })
}

fn placeholder(kind: Option<&str>, object: &Object) -> &'static str {
    let media = ["modality", "mimeType", "mime_type", "mediaType", "media_type"];
    let described = |value: &Json| media.iter().find_map(|key| value.get(key)?.as_str().map(str::to_owned));
    let own = media.iter().filter_map(|key| Some(object.get(key)?.as_str()?.to_owned()));
    let words: Vec<String> = match kind {
        Some(kind) => own.chain([kind.to_owned()]).collect(),
        None => {
            own.chain(object.keys().map(str::to_owned)).chain(object.values().filter_map(described)).collect()
        }
    };
    let says = |sign: &str| words.iter().any(|word| word.to_ascii_lowercase().contains(sign));
    PLACEHOLDERS.iter().find(|(sign, _)| says(sign)).map_or(OTHER_PART, |(_, shown)| shown)
}

/// What a tool returned, if that is what an object says: `{"type":"tool_result","tool_use_id":"t1","content":"7"}`,
/// `{"functionResponse":{"name":"f","response":{"n":7}}}`, `{"type":"tool-f","toolCallId":"c1","output":7}`.
pub(super) fn returned(object: &Object) -> Option<Returned<'_>> {
    let wrapped = RESULT_KEYS.iter().find_map(|key| object.get(key)?.as_object());
    let holder = wrapped.unwrap_or(object);
    let is_denied = is_denied(holder) || kind_of_output(holder) == Some(EXECUTION_DENIED);
    let reason = || holder.get("approval")?.get("reason").filter(|reason| !reason.is_null());
    let is_gooses = object.get("type").and_then(Json::as_str) == Some(TOOL_RESPONSE);
    let within = || holder.get("value").filter(|value| is_gooses && !value.is_null());
    let value = match value_in(holder).or_else(within) {
        Some(output) if kind_of_output(holder) == Some(EXECUTION_DENIED) => output.get("reason"),
        value => value.or_else(|| if is_denied { reason() } else { None }),
    };
    let is_result = match object.get("type").and_then(Json::as_str) {
        Some(kind) if is_result_type(kind) => true,
        // Parts for user interfaces hold the call, and later what it returned too.
        Some(kind) => (kind.starts_with("tool-") || kind == "dynamic-tool") && (value.is_some() || is_denied),
        None => wrapped.is_some(),
    };
    is_result.then(|| Returned {
        call_id: call_id(if is_gooses { object } else { holder }, ID_KEYS),
        is_error: is_denied || failed(holder),
        value,
        error: error_in(holder),
        is_denied,
    })
}

/// What a call of the provider's own tools returned, if that stands beside the call: `{"type":"mcp_call","id":"m1","output":"7"}`.
pub(super) fn returned_beside(call: &Object) -> Option<Returned<'_>> {
    let value = ["output", "outputs", "results"]
        .iter()
        .find_map(|key| call.get(key).filter(|value| !value.is_null()));
    let error = error_in(call);
    let value = value.or(error)?;
    Some(Returned {
        call_id: call_id(call, &["call_id", "id"]),
        is_error: failed(call),
        value: Some(value),
        error,
        is_denied: false,
    })
}

/// Whether an item of this type is what a tool returned: `tool_result`, `function_call_output`.
pub(super) fn is_result_type(kind: &str) -> bool {
    RESULT_TYPES.contains(&kind) || kind.ends_with("_call_output")
}

/// What a message of a tool's says, which is all that the tool returned.
pub(super) fn returned_by_message(message: &Object) -> Returned<'_> {
    // A message's own `id` is not the call's.
    let keys = ID_KEYS.split_last().map_or(ID_KEYS, |(_, keys)| keys);
    Returned {
        call_id: call_id(message, keys),
        is_error: failed(message),
        value: value_in(message).or_else(|| message.get("parts")),
        error: error_in(message),
        is_denied: false,
    }
}

/// Whether a person did not let a call happen: `"state": "output-denied"`, `"approval": {"approved": false}`.
pub(in crate::normalize) fn is_denied(call: &Object) -> bool {
    let approved = call.get("approval").and_then(|approval| approval.get("approved"));
    call.get("state").and_then(Json::as_str) == Some("output-denied") || approved == Some(&Json::Bool(false))
}

/// What a result says of a failure: `"error": "ValueError: no such date"`, `"error": {"message": "timeout"}`.
fn error_in(result: &Object) -> Option<&Json> {
    const NO_ERROR: &[&str] =
        &["", "none", "null", "false", "no", "0", "no error", "no errors", "ok", "success"];
    result.get("error").filter(|error| match error {
        Json::String(text) => !NO_ERROR.iter().any(|word| word.eq_ignore_ascii_case(text.trim())),
        Json::Object(object) => !object.is_empty(),
        _ => false,
    })
}

/// Says so if a call failed, as its result tells: `"is_error": true`, `"status": "error"`, `"state": "output-error"`, or the text of an error.
fn failed(result: &Object) -> bool {
    let said = ["is_error", "isError", "error"].iter().any(|key| result.get(key) == Some(&Json::Bool(true)))
        || error_in(result).is_some();
    let word = |key: &str| result.get(key).and_then(Json::as_str).unwrap_or_default();
    said || ["status", "state"].iter().any(|key| ["error", "output-error", "failed"].contains(&word(key)))
        || word("type") == "tool-error"
        || matches!(kind_of_output(result), Some("error-text" | "error-json" | EXECUTION_DENIED))
        || result.get("response").is_some_and(is_failure)
        || ["content", "output", "result"].iter().any(|key| result.get(key).is_some_and(is_mcp_failure))
}

/// What the Vercel AI SDK says of an output: `"output": {"type": "error-text", "value": "timeout"}`.
fn kind_of_output(result: &Object) -> Option<&str> {
    result.get("output")?.get("type")?.as_str()
}

const EXECUTION_DENIED: &str = "execution-denied";

/// Whether Google's function response is an error and nothing else: `"response": {"error": "timeout"}`.
fn is_failure(response: &Json) -> bool {
    let returns = |key: &&str| response.get(key).is_some_and(|value| !value.is_null());
    response.as_object().is_some_and(|response| error_in(response).is_some())
        && !["output", "result"].iter().any(returns)
}

/// Whether a value is an MCP server's result that says so of itself: `{"content": […], "isError": true}`, or its text.
fn is_mcp_failure(value: &Json) -> bool {
    let says = |value: &Json| {
        value.get("isError") == Some(&Json::Bool(true))
            && value.get("content").is_some_and(|said| said.as_array().is_some())
    };
    match value {
        Json::String(text) if text.trim_start().starts_with('{') && text.contains("\"isError\"") => {
            Json::parse(text).is_ok_and(|value| says(&value))
        }
        value => says(value),
    }
}

/// The parts that a text is, if they are what tools returned: logs that keep contents as text write lists so.
pub(super) fn results_in_text(parts: &[Json]) -> Option<Vec<Json>> {
    let [Json::String(text)] = parts else { return None };
    if !text.trim_start().starts_with('[') || !text.contains("tool_result") {
        return None;
    }
    let Ok(Json::Array(parts)) = Json::parse(text) else { return None };
    let kind = |part: &Json| part.get("type").and_then(Json::as_str).map(str::to_owned);
    let is_result = |part: &Json| kind(part).is_some_and(|kind| is_result_type(&kind));
    (parts.iter().any(is_result) && parts.iter().all(|part| kind(part).is_some())).then_some(parts)
}

fn value_in(holder: &Object) -> Option<&Json> {
    let says = |value: &&Json| match value {
        Json::Null => false,
        Json::String(text) => !text.is_empty(),
        _ => true,
    };
    // A list of no parts says nothing; a tool's own value may well be an empty list.
    let no_parts =
        |key: &str, value: &Json| key == "content" && value.as_array().is_some_and(<[Json]>::is_empty);
    let found = || {
        let is_search = holder.get("type").and_then(Json::as_str) == Some(TOOL_SEARCH);
        holder.get("tools").filter(|_| is_search)
    };
    let mut values = VALUE_KEYS.iter().filter_map(|key| Some((*key, holder.get(key).filter(says)?)));
    values.find(|(key, value)| !no_parts(key, value)).map(|(_, value)| value).or_else(found)
}

/// Whether a result says which call it answers; a message's own `id` does not.
pub(super) fn has_id(result: &Object, is_part: bool) -> bool {
    let keys = if is_part { ID_KEYS } else { ID_KEYS.split_last().map_or(ID_KEYS, |(_, keys)| keys) };
    call_id(result, keys).is_some()
}

fn call_id<'a>(object: &'a Object, keys: &[&str]) -> Option<&'a str> {
    keys.iter().find_map(|key| object.get(key)?.as_str()).filter(|id| !id.is_empty())
}

/// What a reader sees of something, and whether a placeholder is in it.
#[derive(Debug, Default)]
pub(super) struct Shown {
    pub(super) text: String,
    pub(super) placeheld: bool,
}

impl Returned<'_> {
    /// A text, the texts of parts, or else the value as JSON.
    pub(super) fn shown(&self) -> Shown {
        if self.is_denied {
            let reason = self.value.map(|value| format!(": {}", shown(value).text)).unwrap_or_default();
            return Shown { text: format!("denied{reason}"), placeheld: false };
        }
        // A tool may return nothing.
        let Some(value) = self.value else { return Shown::default() };
        let returned = shown(value);
        let error = self.error.filter(|error| *error != value).map(|error| shown(error).text);
        let text = match (returned.text.trim().is_empty(), error) {
            (true, Some(error)) => error,
            (true, None) if returned.text.is_empty() => TOOL_RESULT.to_owned(),
            (false, Some(error)) if !returned.text.contains(&error) => format!("{}\n{error}", returned.text),
            _ => returned.text,
        };
        Shown { text, ..returned }
    }
}

fn shown(value: &Json) -> Shown {
    let parts = match untagged(value) {
        Json::String(text) => return Shown { text: text.clone(), placeheld: false },
        Json::Array(items) if !items.is_empty() && items.iter().all(is_returned_part) => items,
        object if is_returned_part(object) => std::slice::from_ref(object),
        other => return Shown { text: other.to_string(), placeheld: false },
    };
    let mut placeheld = false;
    let texts = parts.iter().filter_map(|part| match returned_part(part) {
        Part::Text(text) => Some(text),
        Part::Placeholder(shown) => {
            placeheld = true;
            Some(Cow::Borrowed(shown))
        }
        Part::Returned(_) | Part::Silent => None,
    });
    let text = texts.collect::<Vec<_>>().join("\n");
    Shown { text, placeheld }
}

/// What tools return through the Vercel AI SDK says of which kind it is: `{"type":"json","value":{"n":7}}`.
fn untagged(value: &Json) -> &Json {
    let kind = value.get("type").and_then(Json::as_str).unwrap_or_default();
    match value.get("value") {
        Some(inner) if ["text", "json", "content", "error-text", "error-json"].contains(&kind) => inner,
        _ => value,
    }
}

fn is_returned_part(item: &Json) -> bool {
    let Json::Object(object) = item else { return false };
    match object.get("type") {
        Some(kind) => {
            kind.as_str().is_some_and(|kind| TEXT_TYPES.contains(&kind) || RETURNED_PARTS.contains(&kind))
        }
        None => object.len() == 1 && object.keys().all(|key| RETURNED_PARTS.contains(&key)),
    }
}

fn returned_part(item: &Json) -> Part<'_> {
    // Amazon's tools return values as such, Cohere's return documents.
    let value = item.get("json").or_else(|| item.get("document")?.get("data"));
    match value {
        Some(Json::String(text)) => Part::Text(Cow::Borrowed(text)),
        Some(value) => Part::Text(Cow::Owned(value.to_string())),
        None => read(item),
    }
}
