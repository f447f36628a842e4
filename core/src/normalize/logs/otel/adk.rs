//! Spans of Google's Agent Development Kit, which hold the whole request and response:
//! `{"gcp.vertex.agent.llm_request": "{\"contents\": […", "gcp.vertex.agent.llm_response": "{\"content\": {…"}`.

use super::span::Span;
use crate::domain::Json;
use crate::normalize::logs::dialogue::Dialogue;
use crate::normalize::logs::{exchange, value};

pub(super) fn read(span: &Span) -> Option<Dialogue> {
    let get = |name| span.get(name).cloned().map(value::unfolded);
    let asked = get("gcp.vertex.agent.llm_request")?;
    // Spans of tools have an empty one.
    asked.as_object().filter(|request| exchange::asks(request))?;
    let answered = get("gcp.vertex.agent.llm_response").unwrap_or(Json::Null);
    Some(exchange::dialogue(asked, answered))
}
