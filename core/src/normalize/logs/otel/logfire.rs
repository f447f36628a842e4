//! Logfire's attributes of a provider's library: `{"request_data": {"messages": […]}, "response_data": {"message": {…}}}`.

use super::span::Span;
use crate::domain::{Json, Object};
use crate::normalize::logs::dialogue::Dialogue;
use crate::normalize::logs::{exchange, value};

pub(super) fn read(span: &Span) -> Option<Dialogue> {
    let object = |name: &str| match value::unfolded(span.get(name)?.clone()) {
        Json::Object(object) => Some(object),
        _ => None,
    };
    let request = object("request_data").filter(exchange::asks)?;
    let answered = object("response_data").map_or(Json::Null, answer);
    Some(exchange::dialogue(Json::Object(request), answered))
}

/// The answer's message; of one that was streamed, the words.
fn answer(mut response: Object) -> Json {
    let said = ["message", "combined_chunk_content"].iter().find_map(|key| value::take(&mut response, key));
    said.unwrap_or(Json::Object(response))
}
