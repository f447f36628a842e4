//! Responses with calls that the SDK executed before the last answer: Google's `automaticFunctionCallingHistory`.
//!
//! ```json
//! {"request": {"contents": [{"role": "user", "parts": [{"text": "Oslo?"}]}]}, "response": {
//!     "candidates": [{"content": {"role": "model", "parts": [{"text": "Sunny."}]}}],
//!     "automaticFunctionCallingHistory": [{"role": "user", "parts": […]}, {"role": "model", "parts": [{"functionCall": {…}}]}, …]}}
//! ```

use super::dialogue::Dialogue;
use super::transcript::Transcript;
use super::value;
use crate::domain::{Json, Object};

const HISTORY: &[&str] = &["automaticFunctionCallingHistory", "automatic_function_calling_history"];

/// Whether a response says what the SDK called.
pub(super) fn called(response: &Json) -> bool {
    HISTORY.iter().filter_map(|key| response.get(key)?.as_array()).any(|history| !history.is_empty())
}

/// All that was said, asked for by one request: the history begins with the request's contents.
pub(super) fn transcript(request: Object, response: &Json) -> Transcript {
    let history = HISTORY.iter().find_map(|key| response.get(key)?.as_array()).unwrap_or_default();
    let mut dialogue = Dialogue::default();
    dialogue.ask(Json::Object(request));
    let role = |message: &Json| message.get("role").and_then(Json::as_str).map(str::to_owned);
    let is_whole = history.first().and_then(role).as_deref() == Some("user");
    let before = dialogue.messages.into_iter();
    let before = before.filter(|message| !is_whole || role(message).as_deref() == Some("system"));
    let answer = response.get("candidates").and_then(|candidates| candidates.as_array()?.first());
    let content = answer.and_then(|answer| answer.get("content")?.as_object()).cloned().unwrap_or_default();
    let answered = (!content.is_empty()).then(|| {
        let mut content = content;
        content.insert("role", "model");
        for key in ["finishReason", "finish_reason"] {
            if let Some(reason) = answer.and_then(|answer| answer.get(key)) {
                content.insert(key, reason.clone());
            }
        }
        Json::Object(content)
    });
    Transcript {
        elements: before.chain(history.iter().cloned()).chain(answered).collect(),
        tools: value::tools(dialogue.tools),
        flags: dialogue.flags,
        dialect: Some("gemini"),
        ..Transcript::default()
    }
}
