//! The conversation around a question, where a row holds both: `question` is its last user message, `messages` all of it.

use super::python_literal::{self, Dialect};
use super::question;
use crate::domain::{Cell, Json, Role};

/// The cell to read the question from: the conversation, if `messages` is the one that leads to the `question`. A list that
/// ends with the assistant's words may hold the very turn that is judged, and is left alone unless it is known to end
/// `before_turn`.
pub fn question_in_context(question: Cell, messages: &Json, before_turn: bool) -> Cell {
    let parsed = match messages {
        Json::String(text) => Json::parse(text).ok().or_else(|| python_literal::whole(text, Dialect::Repr)),
        _ => None,
    };
    let Some(items) = parsed.as_ref().unwrap_or(messages).as_array() else { return question };
    let Cell::Text(asked) = &question else { return question };
    match question::conversation(items) {
        Ok(read)
            if read.text == *asked
                && (before_turn || read.messages.last().is_some_and(|last| last.role != Role::Assistant)) =>
        {
            Cell::Json(Json::Array(items.to_vec()))
        }
        _ => question,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_conversation_that_leads_to_the_question_counts() {
        let user = r#"{"role":"user","content":"B"}"#;
        let before = r#"{"role":"user","content":"A"},{"role":"assistant","content":"a"}"#;
        for (messages, taken, taken_before_turn) in [
            (format!("[{before},{user}]"), true, true),
            (format!("[{user}]"), true, true),
            (format!("[{before},{user},{{\"role\":\"tool\",\"content\":\"7\"}}]"), true, true),
            (format!("[{user},{{\"role\":\"assistant\",\"content\":\"b\"}}]"), false, true),
            (format!("[{before}]"), false, false),
            ("[]".to_owned(), false, false),
            ("7".to_owned(), false, false),
        ] {
            let json = Json::parse(&messages).unwrap();
            for messages in [json.clone(), Json::from(messages)] {
                for (before_turn, taken) in [(false, taken), (true, taken_before_turn)] {
                    let read = question_in_context(Cell::Text("B".to_owned()), &messages, before_turn);
                    assert_eq!(read == Cell::Json(json.clone()), taken, "{messages}");
                }
            }
        }
    }
}
