//! A request to a provider and its response, to a turn.
//!
//! Where the system's message, the conversation and the tools stand differs from provider to provider, and is found here;
//! what they say is read elsewhere.

use super::{Entry, Skip, Turn, value};
use crate::domain::{Json, Object};

const SYSTEM: &[&str] = &["system", "systemInstruction", "system_instruction", "instructions"];
const MESSAGES: &[&str] = &["messages", "contents", "input", "prompt"];
const TOOLS: &[&str] = &["tools", "functions", "toolConfig", "tool_config"];
const MODEL: &[&str] = &["model", "modelVersion", "model_version", "modelId", "model_id"];

/// What holds the answer in a response; a failure has none of them.
const ANSWERS: &[&str] = &[
    "choices",
    "candidates",
    "output",
    "content",
    "message",
    "parts",
    "text",
    "tool_calls",
    "function_call",
    "functionCall",
    "arguments",
    "kwargs",
];

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
    if asks("contents") || answers("candidates") {
        "gemini"
    } else if asks("toolConfig") || asks("inferenceConfig") || answers("stopReason") {
        "bedrock"
    } else if asks("input") || says("object", "response") {
        "openai_responses"
    } else if asks("anthropic_version") || says("type", "message") {
        "anthropic"
    } else if answers("done") {
        "ollama"
    } else if answers("message") {
        "cohere"
    } else {
        "openai_chat"
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
        Json::Object(object) if object.get("object").and_then(Json::as_str) == Some("list") => {
            Some(Skip::NotAnLlmRun)
        }
        Json::Object(object) => (!is_answer(object)).then_some(Skip::NoOutput),
        _ => None,
    }
}

/// Whether an object is an answer, be it that nothing is called and nothing said.
fn is_answer(object: &Object) -> bool {
    const FAILURES: &[&str] = &["error", "promptFeedback", "prompt_feedback"];
    const UNFINISHED: &[&str] = &["failed", "cancelled", "incomplete", "in_progress", "queued"];
    // In a failure the message is a text.
    let there = |key: &&&str| match object.get(key) {
        None | Some(Json::Null) => false,
        Some(Json::String(_)) => **key != "message",
        Some(_) => true,
    };
    let is_empty = |key: &str| object.get(key).and_then(Json::as_array).is_some_and(<[Json]>::is_empty);
    let mut answers = ANSWERS.iter().filter(there).peekable();
    if answers.peek().is_none() || is_empty("choices") || is_empty("candidates") {
        return false;
    }
    let failed = FAILURES.iter().any(|key| object.get(key).is_some_and(|value| !value.is_null()))
        || object.get("status").and_then(Json::as_str).is_some_and(|status| UNFINISHED.contains(&status));
    !failed || answers.any(|key| !is_empty(key))
}

fn present(value: Option<Json>) -> Option<Json> {
    value.filter(|value| !value.is_null())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_no_answers_and_silence_is_one() {
        for (response, answer) in [
            (r#"{"choices":[{"message":{}}]}"#, true),
            (r#"{"choices":[{"message":{}}],"error":{"code":1}}"#, true),
            (r#"{"choices":[]}"#, false),
            (r#"{"error":{"message":"no"}}"#, false),
            (r#"{"type":"error","error":{"type":"overloaded_error"}}"#, false),
            (r#"{"message":"Too many requests","statusCode":429}"#, false),
            (r#"{"detail":"Not found"}"#, false),
            ("{}", false),
            (r#"{"message":{"role":"assistant"},"done":true}"#, true),
            (r#"{"role":"assistant","content":[]}"#, true),
            (r#"{"role":"assistant","content":"Hi"}"#, true),
            (r#"{"output":[],"status":"completed","error":null}"#, true),
            (r#"{"output":[],"status":"in_progress"}"#, false),
            (r#"{"output":[],"status":"failed","error":{"code":"x"}}"#, false),
            (r#"{"output":[{}],"status":"incomplete"}"#, true),
            (r#"{"promptFeedback":{"blockReason":"SAFETY"}}"#, false),
            (r#"{"candidates":[{}],"promptFeedback":{}}"#, true),
            (r#"{"name":"f","arguments":{}}"#, true),
        ] {
            let Json::Object(object) = Json::parse(response).unwrap() else { panic!("{response}") };
            assert_eq!(is_answer(&object), answer, "{response}");
        }
    }
}
