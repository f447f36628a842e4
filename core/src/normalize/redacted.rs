//! Turns without content in the log: a mark replaces the question, the answer or an argument.

use super::question::Question;
use crate::domain::{Arguments, Calls, Cell, Json, Message, RowError, RowErrorCode, is_hidden};

/// Keys on the way from an answer to its words; what is hidden elsewhere, such as a key in a request's headers, was said by nobody.
const SAID: &[&str] = &[
    "choices",
    "candidates",
    "generations",
    "output",
    "response",
    "message",
    "messages",
    "kwargs",
    "data",
    "content",
    "parts",
    "text",
    "value",
];

/// An error if nobody can know what was asked, said or called, since a mark stands in its place. A mark among the arguments that was
/// in the conversation or the definitions (`definitions`) before is a value like any other.
pub(super) fn refuse(
    question: &Question,
    calls: &Calls,
    answer: Option<&Json>,
    definitions: Option<&str>,
) -> Result<(), RowError> {
    if is_hidden(&question.text) {
        return Err(error("the question", &question.text));
    }
    let calls = match calls {
        Calls::Parsed(calls) => calls.as_slice(),
        Calls::Unparsed => &[],
    };
    for call in calls {
        let mark = match &call.arguments {
            Arguments::Malformed(text) => Some(text.as_str()).filter(|text| is_hidden(text)),
            Arguments::Parsed(object) => {
                let mut marks = object.values().flat_map(marks);
                marks.find(|mark| !is_known(mark, question, definitions))
            }
        };
        let name = Some(call.name.as_str()).filter(|name| is_hidden(name));
        if let Some(mark) = name.or(mark) {
            return Err(error("what was called", mark));
        }
    }
    match answer.and_then(said).filter(|_| calls.is_empty()) {
        Some(mark) => Err(error("the answer", mark)),
        None => Ok(()),
    }
}

/// An error if a cell of calls is nothing but a mark.
pub(super) fn refuse_cell(cell: &Cell) -> Result<(), RowError> {
    match cell {
        Cell::Text(text) | Cell::Json(Json::String(text)) if is_hidden(text) => {
            Err(error("what was called", text))
        }
        _ => Ok(()),
    }
}

/// All marks among values.
fn marks(value: &Json) -> Vec<&str> {
    match value {
        Json::String(text) => Some(text.as_str()).filter(|text| is_hidden(text)).into_iter().collect(),
        Json::Array(items) => items.iter().flat_map(marks).collect(),
        Json::Object(object) => object.values().flat_map(marks).collect(),
        _ => Vec::new(),
    }
}

/// Whether a mark was there before the turn: the agent itself was shown it.
fn is_known(mark: &str, question: &Question, definitions: Option<&str>) -> bool {
    let holds = |text: &str| text.to_lowercase().contains(&mark.trim().to_lowercase());
    // A message that is a mark itself vouches for nothing.
    let shown = |message: &Message| !is_hidden(&message.content) && holds(&message.content);
    question.messages.iter().any(shown) || definitions.is_some_and(holds)
}

/// The mark in place of what an answer says.
fn said(answer: &Json) -> Option<&str> {
    match answer {
        Json::String(text) => Some(text.as_str()).filter(|text| is_hidden(text)),
        Json::Array(items) => items.iter().find_map(said),
        Json::Object(object) => SAID.iter().find_map(|key| said(object.get(key)?)),
        _ => None,
    }
}

fn error(what: &str, mark: &str) -> RowError {
    let why = format!(
        "{what} is not in the log, but only `{}`; let what writes the log keep contents, or leave such rows out",
        RowError::excerpt(mark.trim())
    );
    RowError::new(RowErrorCode::Redacted, why)
}
