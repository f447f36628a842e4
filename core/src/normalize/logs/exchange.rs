//! Turns a provider's request and response into a turn.

use super::dialogue::Dialogue;
use super::entry::{Entry, Skip};
use super::turn::{Output, Turn};
use super::{nesting, request, value};
use crate::domain::{Flag, Json, Object, Origin};
use crate::normalize::ending::Ending;

/// Where a request has the conversation.
const ASKED: &[&str] = &["messages", "contents", "input", "prompt"];

/// Where a request or a response names the model.
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
    if let Some(why) = unanswered(&response).filter(|_| !is_withheld(&response)) {
        return Err(Entry::Skipped(why));
    }
    let mut dialogue = Dialogue { dialect: Some(dialect(&request, &response)), ..Dialogue::default() };
    let mut origin = response.as_object().map(origin).unwrap_or_default();
    if let Some(Json::String(asked)) = value::take_first(&mut request, MODEL) {
        origin.model.get_or_insert(asked);
    }
    if asks(&request) {
        dialogue.ask(Json::Object(request));
    }
    dialogue.tools = dialogue.tools.or_else(|| response.get("tools").cloned());
    dialogue.flags.extend(repeated_flags(&response));
    dialogue.output = Some(Output::Message(response));
    match dialogue.into_entry(origin) {
        Entry::Turn(turn) => Ok(*turn),
        other => Err(other),
    }
}

/// Whether a request holds a conversation.
pub(super) fn asks(request: &Object) -> bool {
    ASKED.iter().any(|key| request.contains_key(key))
}

/// An exchange as observers of a program log it: the arguments and the value of a function that asks a model, be it a
/// provider's or a framework's. A failure is no answer.
pub(super) fn dialogue(asked: Json, answered: Json) -> Dialogue {
    const FRAMEWORK: &[&str] = &["generations", "messages", "llm_output"];
    let by_framework = FRAMEWORK.iter().any(|key| answered.get(key).is_some());
    let mut dialogue = Dialogue::default();
    if let (Some(request), false) = (asked.as_object(), by_framework)
        && answered.as_object().is_some()
    {
        dialogue.dialect = Some(dialect(request, &answered));
    }
    dialogue.ask(asked);
    if is_withheld(&answered) {
        dialogue.output = Some(Output::Message(answered));
    } else if by_framework || unanswered(&answered).is_none() {
        dialogue.tools = dialogue.tools.or_else(|| answered.get("tools").cloned());
        dialogue.flags.extend(repeated_flags(&answered));
        dialogue.answer(answered);
    }
    dialogue
}

/// What is to be remarked about a request that its response repeats.
fn repeated_flags(response: &Json) -> Vec<Flag> {
    let repeats = |response: &&Object| response.get("object").and_then(Json::as_str) == Some("response");
    response.as_object().filter(repeats).map(request::flags).unwrap_or_default()
}

/// The tools that an answer calls, as observers of a program log it.
pub(super) fn tools_in(answered: Option<&Json>) -> nesting::Called {
    let answered = answered.cloned().map_or(Json::Null, value::unfolded);
    nesting::tools_in(dialogue(Json::Null, answered).output.as_ref())
}

/// What a response says beside its words.
pub(super) fn origin(response: &Object) -> Origin {
    const TIMES: &[&str] = &["created", "created_at", "createTime", "create_time"];
    let text = |keys: &[&str]| keys.iter().find_map(|key| value::text(response, &[key]));
    let seconds = |path: &[&str], unit: f64| Some(value::number(value::at(response, path)?)? / unit);
    Origin {
        source_id: text(&["id", "responseId", "response_id"]),
        model: text(MODEL),
        timestamp: TIMES.iter().find_map(|key| value::instant(response.get(key)?)),
        latency_s: seconds(&["total_duration"], 1e9).or_else(|| seconds(&["metrics", "latencyMs"], 1e3)),
        ..Origin::default()
    }
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

/// Whether a response says nothing because it was blocked or cut before it began.
fn is_withheld(response: &Json) -> bool {
    unanswered(response).is_some() && Ending::of(response).is_some_and(|ending| ending.is_answer())
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
