//! Spans of Google's Agent Development Kit, which hold the whole request and response:
//! `{"gcp.vertex.agent.llm_request": "{\"contents\": […", "gcp.vertex.agent.llm_response": "{\"content\": {…"}`.
//!
//! An answer that was stopped has no content, and gives the reason as an error code: `{"error_code": "SAFETY"}`.

use super::span::Span;
use crate::domain::Json;
use crate::normalize::ending::Ending;
use crate::normalize::logs::dialogue::Dialogue;
use crate::normalize::logs::turn::Output;
use crate::normalize::logs::{exchange, value};

pub(super) fn read(span: &Span) -> Option<Dialogue> {
    let get = |name| span.get(name).cloned().map(value::unfolded);
    let asked = get("gcp.vertex.agent.llm_request")?;
    // Spans of tools have an empty one.
    asked.as_object().filter(|request| exchange::asks(request))?;
    let answered = get("gcp.vertex.agent.llm_response").unwrap_or(Json::Null);
    let stopped = stopped(&answered);
    let mut dialogue = exchange::dialogue(asked, answered);
    dialogue.output = dialogue.output.or(stopped);
    Some(dialogue)
}

/// An answer without content, of which the response says only why.
fn stopped(response: &Json) -> Option<Output> {
    const REASONS: &[&str] = &["finish_reason", "finishReason", "error_code", "errorCode"];
    let mut reasons = REASONS.iter().filter_map(|key| response.get(key));
    let reason = reasons.find(|reason| Ending::told(reason).is_some())?;
    let answer =
        [("role", Json::from("model")), ("parts", Json::Array(Vec::new())), ("finishReason", reason.clone())];
    let answer = answer.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    Some(Output::Message(Json::Object(answer)))
}
