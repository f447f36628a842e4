//! A request to a provider and its response, to a turn.
//!
//! Where the system's message, the conversation and the tools stand differs from provider to provider, and is found here;
//! what they say is read elsewhere.

use super::{Entry, Skip, Turn, value};
use crate::domain::{Json, Object, RowError, RowErrorCode};

const SYSTEM: &[&str] = &["system", "systemInstruction", "system_instruction", "instructions"];
const MESSAGES: &[&str] = &["messages", "contents", "input", "prompt"];
const TOOLS: &[&str] = &["tools", "functions", "toolConfig", "tool_config"];
const MODEL: &[&str] = &["model", "modelVersion", "model_version", "modelId", "model_id"];

/// What holds the answer in a response; an empty list of choices or candidates is none.
const ANSWERS: &[&str] = &["choices", "candidates", "output", "content", "message"];

/// The turn, or what stands in its place.
pub(super) fn turn(mut request: Object, response: Json) -> Result<Turn, Entry> {
    if let Some(why) = unanswered(&response) {
        return Err(Entry::Skipped(why));
    }
    let dialect = dialect(&request, &response);
    // Google's SDKs keep everything but the conversation in there.
    let mut settings = value::take_object(&mut request, "config").unwrap_or_default();
    let mut taken = |keys: &[&str]| {
        keys.iter().find_map(|key| present(request.remove(key)).or_else(|| present(settings.remove(key))))
    };
    let system = taken(SYSTEM).map(system).unwrap_or_default();
    let said = taken(MESSAGES).map(value::messages).unwrap_or_default();
    let tools = taken(TOOLS).or_else(|| present(response.get("tools").cloned()));
    let asked = taken(MODEL);
    let mut turn =
        Turn::answering(system.into_iter().chain(said.into_iter().map(user_text)).collect(), Json::Null);
    turn.tools = value::tools(tools);
    turn.dialect = Some(dialect);
    if let Json::Object(response) = &response {
        let text = |keys: &[&str]| keys.iter().find_map(|key| value::text(response, &[key]));
        turn.origin.source_id = text(&["id", "responseId", "response_id"]);
        turn.origin.model = text(MODEL);
        let times = ["created", "created_at", "createTime", "create_time"];
        turn.origin.timestamp = times.iter().find_map(|key| value::instant(response.get(key)?));
        let seconds = |path: &[&str], unit: f64| Some(value::number(value::at(response, path)?)? / unit);
        turn.origin.latency_s =
            seconds(&["total_duration"], 1e9).or_else(|| seconds(&["metrics", "latencyMs"], 1e3));
    }
    turn.origin.model = turn.origin.model.or_else(|| asked?.as_str().map(str::to_owned));
    turn.output = super::Output::Message(response);
    Ok(turn)
}

/// Which provider's form an exchange has. What is read does not depend on it.
fn dialect(request: &Object, response: &Json) -> &'static str {
    let asks = |key| request.contains_key(key);
    let answers = |key| response.get(key).is_some();
    let says = |key, word| response.get(key).and_then(Json::as_str) == Some(word);
    match () {
        () if asks("contents") || answers("candidates") => "gemini",
        () if asks("toolConfig") || asks("inferenceConfig") || answers("stopReason") => "bedrock",
        () if asks("input") || says("object", "response") => "openai_responses",
        () if says("type", "message") || asks("anthropic_version") => "anthropic",
        () if answers("done") => "ollama",
        () if answers("message") => "cohere",
        () => "openai_chat",
    }
}

/// What the system says, as messages before all others; the Responses API allows a list of them.
fn system(value: Json) -> Vec<Json> {
    let messages = value.as_array().is_some_and(|items| items.iter().all(|item| item.get("role").is_some()));
    match value {
        Json::Array(items) if messages => items,
        Json::Object(mut object) => match present(object.remove("parts")) {
            Some(parts) => vec![value::message("system", parts)],
            None => vec![value::message("system", Json::Array(vec![Json::Object(object)]))],
        },
        text_or_parts => vec![value::message("system", text_or_parts)],
    }
}

/// Google's SDKs take a text for a message of the user's.
fn user_text(message: Json) -> Json {
    match message {
        Json::String(text) => value::message("user", text),
        message => message,
    }
}

/// Why a response says nothing, if it does not.
fn unanswered(response: &Json) -> Option<Skip> {
    match response {
        Json::Null => Some(Skip::NoOutput),
        Json::String(text) if text.trim().is_empty() => Some(Skip::NoOutput),
        Json::Object(object) => {
            if object.get("object").and_then(Json::as_str) == Some("list") {
                return Some(Skip::NotAnLlmRun);
            }
            let empty = |key: &str| object.get(key).and_then(Json::as_array).is_some_and(<[Json]>::is_empty);
            let answers =
                ANSWERS.iter().any(|key| object.get(key).is_some_and(|v| !v.is_null()) && !empty(key));
            let failed = ["error", "promptFeedback", "prompt_feedback"]
                .iter()
                .any(|key| object.get(key).is_some_and(|value| !value.is_null()));
            (object.is_empty() || empty("choices") || empty("candidates") || failed && !answers)
                .then_some(Skip::NoOutput)
        }
        _ => None,
    }
}

fn present(value: Option<Json>) -> Option<Json> {
    value.filter(|value| !value.is_null())
}

/// A request or response out of the strings and HTTP envelopes that recorders put around it. An error if it was streamed,
/// or cut.
pub(super) fn body(value: Json, path: &[&str]) -> Result<Json, Entry> {
    let value = match value::unfolded(value) {
        Json::Object(mut envelope) if is_envelope(&envelope) => {
            value::take(&mut envelope, "body").unwrap_or(Json::Null)
        }
        value => value,
    };
    let refused = |code, why: &str, text: &str| {
        let message = format!("{}: {why}: {}", path.join("."), RowError::excerpt(text));
        Entry::Unreadable(RowError::new(code, message))
    };
    let streamed = |text: &str| {
        refused(RowErrorCode::StreamedBody, "a streamed body; it must be put together before", text)
    };
    match &value {
        Json::String(text) => {
            let trimmed = text.trim_start();
            match trimmed.starts_with(['{', '[']).then(|| Json::parse_prefix(trimmed)) {
                None if trimmed.starts_with("data:") || trimmed.starts_with("event:") => Err(streamed(text)),
                // Lines of JSON, a piece of the answer each.
                Some(Ok(_)) => Err(streamed(text)),
                Some(Err(error)) => Err(refused(RowErrorCode::InvalidJson, &error.to_string(), text)),
                None => Ok(value),
            }
        }
        Json::Array(items) if items.first().is_some_and(is_chunk) => Err(streamed(&value.to_string())),
        _ => Ok(value),
    }
}

/// `{"status_code":200,"headers":{…},"body":…}`
fn is_envelope(object: &Object) -> bool {
    object.contains_key("body") && !ANSWERS.iter().chain(MESSAGES).any(|key| object.contains_key(key))
}

/// One of the many pieces in which a provider streams a response.
fn is_chunk(item: &Json) -> bool {
    let says =
        |key, words: &[&str]| item.get(key).and_then(Json::as_str).is_some_and(|word| words.contains(&word));
    says("object", &["chat.completion.chunk"])
        || says("type", &["message_start", "response.created"])
        || ["candidates", "done", "messageStart"].iter().any(|key| item.get(key).is_some())
}
