//! A question cell to messages: `"Weather in Oslo?"`, `[{"role":"user","content":"Weather in Oslo?"}]`.

mod history;
mod message;
mod named_results;
mod part;
mod spoken_result;
mod turn;

use std::collections::BTreeSet;

use super::python_literal::{self, Dialect};
use crate::domain::{
    Cell, Flag, Json, Message, Messages, Role, RowError, RowErrorCode, SharedText, conversation_text,
};
pub use history::History;
pub(super) use message::speaker;
pub(super) use named_results::in_order;
pub(super) use part::is_denied;
use turn::Found;
pub(super) use turn::Judged;

/// What was said before the judged turn.
#[derive(Clone)]
pub(super) struct Question {
    /// The text of the last user message.
    pub(super) text: String,
    pub(super) messages: Messages,
    /// What a prompt shows: the one message verbatim, or the conversation.
    pub(super) slot: SharedText,
    pub(super) flags: BTreeSet<Flag>,
}

impl Question {
    /// After messages in which no user speaks, of a log that holds no user's words.
    pub(super) fn unasked(messages: Messages) -> Question {
        Question { text: String::new(), messages, slot: SharedText::from(""), flags: BTreeSet::new() }
    }
}

/// Reads a question cell.
pub(super) fn read(cell: &Cell) -> Result<Question, RowError> {
    match cell {
        Cell::Missing | Cell::Null => Err(error(RowErrorCode::MissingQuestion, "the row has none", "")),
        Cell::Text(text) => match conversation_in(text) {
            Some(items) => conversation(&items),
            None => plain(text),
        },
        Cell::Json(Json::Array(items)) => conversation(items),
        Cell::Json(other) => Err(unrecognised(other)),
    }
}

/// A question of words only.
pub(super) fn plain(text: &str) -> Result<Question, RowError> {
    if text.trim().is_empty() {
        return Err(error(RowErrorCode::EmptyQuestion, "it is blank", ""));
    }
    Ok(Question {
        text: text.to_owned(),
        messages: Messages::from(vec![Message::new(Role::User, text)]),
        slot: SharedText::from(text),
        flags: BTreeSet::new(),
    })
}

/// The messages, if `text` is a list of messages in JSON or in Python's spelling. Anything else in brackets is a question.
pub(super) fn conversation_in(text: &str) -> Option<Vec<Json>> {
    if !text.trim_start().starts_with('[') {
        return None;
    }
    let python = |text: &str| python_literal::whole(text, Dialect::Repr);
    let value = Json::parse(text).ok().or_else(|| python(text)).or_else(|| python(&printed_array(text)?))?;
    let Json::Array(items) = value else { return None };
    message::are_conversation(items.iter().flat_map(turns)).then_some(items)
}

/// A list as NumPy prints an array of objects, with the commas that it leaves out: `[{'a': 1}\n {'a': 2}]`. A line can only
/// end so between elements, since Python writes the ends of lines within texts as `\n`.
fn printed_array(text: &str) -> Option<String> {
    if !["}\n", "}\r\n", "array(["].iter().any(|sign| text.contains(sign)) {
        return None;
    }
    let mut whole = String::with_capacity(text.len());
    for line in text.lines() {
        if whole.ends_with('}') && line.trim_start().starts_with('{') {
            whole.push(',');
        }
        whole.push_str(line.trim_end());
    }
    // Arrays of messages and calls: what a text says of others stays as it is.
    let arrays = [("array([{", "[{"), ("}], dtype=object)", "}]"), ("array([], dtype=object)", "[]")];
    Some(arrays.iter().fold(whole, |text, (printed, plain)| text.replace(printed, plain)))
}

/// The messages of a list, if all of its elements are some.
pub(super) fn messages_in(items: &[Json]) -> Option<Vec<Message>> {
    let mut messages = Vec::new();
    for item in items.iter().flat_map(turns) {
        message::read(item.as_object()?, false, &mut messages, &mut BTreeSet::new()).ok()?;
    }
    (!messages.is_empty()).then_some(messages)
}

/// The first message that an element of a conversation is.
pub(super) fn message_of(element: &Json) -> Option<Message> {
    let mut messages = Vec::new();
    message::read(element.as_object()?, false, &mut messages, &mut BTreeSet::new()).ok()?;
    messages.into_iter().next()
}

/// All messages that an element of a conversation is, in any vendor's form, with what is unusual about them; none for a thought.
pub(crate) fn messages_of(element: &Json) -> Result<(Vec<Message>, BTreeSet<Flag>), RowError> {
    let (mut messages, mut flags) = (Vec::new(), BTreeSet::new());
    let object = element.as_object().ok_or_else(|| unrecognised(element))?;
    message::read(object, false, &mut messages, &mut flags)?;
    Ok((messages, flags))
}

/// The tools that an element of a conversation calls.
pub(super) fn called(element: &Json) -> Vec<String> {
    let messages = messages_of(element).map(|(messages, _)| messages).unwrap_or_default();
    messages.into_iter().flat_map(|message| message.tool_calls).map(|call| call.name).collect()
}

/// Adds the messages that the next element of a conversation is to those before it.
pub(super) fn read_next(element: &Json, messages: &mut Vec<Message>) -> Result<(), RowError> {
    let object = element.as_object().ok_or_else(|| unrecognised(element))?;
    message::read(object, false, messages, &mut BTreeSet::new())
}

/// Lists of lists are turns of a conversation.
fn turns(item: &Json) -> &[Json] {
    item.as_array().unwrap_or(std::slice::from_ref(item))
}

pub(super) fn conversation(items: &[Json]) -> Result<Question, RowError> {
    let ordered = in_order(items);
    let items = ordered.as_deref().unwrap_or(items);
    let mut flags = BTreeSet::new();
    let mut messages = Vec::new();
    for item in items.iter().flat_map(turns) {
        let object = item.as_object().ok_or_else(|| unrecognised(item))?;
        message::read_any(object, false, &mut messages, &mut flags)?;
    }
    if messages.is_empty() {
        return Err(error(RowErrorCode::EmptyQuestion, "a list without messages", ""));
    }
    let Some(asked) = asked(&messages) else {
        // The user may be who has the unknown role.
        if flags.contains(&Flag::UnknownRole) {
            return Err(unrecognised(Json::Array(items.to_vec())));
        }
        return Err(error(
            RowErrorCode::NoUserMessage,
            "no message is the user's",
            Json::Array(items.to_vec()),
        ));
    };
    if asked.trim().is_empty() {
        return Err(error(RowErrorCode::EmptyQuestion, "the last user message is blank", ""));
    }
    Ok(Question { text: asked.to_owned(), slot: slot(&messages).into(), messages: messages.into(), flags })
}

/// The messages of a list that need not ask anything, with what is unusual about them: what was said before a question. Pairs of
/// texts are what the user said and what was answered.
pub(super) fn history(items: &[Json]) -> Option<(Vec<Message>, BTreeSet<Flag>)> {
    let mut flags = BTreeSet::new();
    let mut messages = Vec::new();
    for item in items {
        match item.as_array().unwrap_or_default() {
            [Json::String(said), Json::String(answered)] => {
                messages.push(Message::new(Role::User, said.as_str()));
                messages.push(Message::new(Role::Assistant, answered.as_str()));
            }
            _ => {
                for item in turns(item) {
                    message::read_any(item.as_object()?, false, &mut messages, &mut flags).ok()?;
                }
            }
        }
    }
    (!messages.is_empty()).then_some((messages, flags))
}

/// The user's last words.
fn asked(messages: &[Message]) -> Option<&str> {
    let last = messages.iter().rev().find(|message| message.role == Role::User)?;
    Some(last.content.as_str())
}

impl Question {
    /// What these messages ask; the messages again if nothing.
    pub(super) fn ending(
        messages: Vec<Message>,
        flags: BTreeSet<Flag>,
    ) -> Result<Question, (Vec<Message>, BTreeSet<Flag>)> {
        match asked(&messages).filter(|text| !text.trim().is_empty()).map(str::to_owned) {
            Some(text) => {
                Ok(Question { text, slot: slot(&messages).into(), messages: messages.into(), flags })
            }
            None => Err((messages, flags)),
        }
    }

    /// The same question, asked after all that was said before.
    pub(super) fn after(self, mut history: Vec<Message>, flags: BTreeSet<Flag>) -> Question {
        history.extend(self.messages.iter().cloned());
        let flags = self.flags.into_iter().chain(flags).collect();
        Question { slot: slot(&history).into(), messages: history.into(), flags, ..self }
    }

    /// The same, shown as its messages are now.
    pub(super) fn shown(self) -> Question {
        Question { slot: slot(&self.messages).into(), ..self }
    }

    /// The same without the judged turn and what came after it, if it holds them.
    pub(super) fn before(mut self, judged: &Judged) -> Question {
        let kept = match turn::find(&self.messages, judged) {
            Found::At(start) => Some(start),
            Found::Repeated => return self,
            Found::Nowhere => None,
        };
        let asked =
            kept.and_then(|kept| asked(&self.messages[..kept])).filter(|text| !text.trim().is_empty());
        match (kept, asked.map(str::to_owned)) {
            (Some(kept), Some(text)) => {
                self.messages = self.messages.first(kept);
                self.flags.insert(Flag::JudgedTurnCut);
                Question { text, slot: slot(&self.messages).into(), ..self }
            }
            _ => {
                if self.ends_with_an_answer() {
                    self.flags.insert(Flag::JudgedTurnNotFound);
                }
                self
            }
        }
    }

    /// Whether the next turn is due and repeats calls that were made before.
    pub(super) fn repeats(&self, judged: &Judged) -> bool {
        turn::find(&self.messages, judged) == Found::Repeated
    }

    /// Whether the assistant has the last word, so that no turn is due.
    pub(super) fn ends_with_an_answer(&self) -> bool {
        self.messages.last().is_some_and(|last| last.role == Role::Assistant)
    }
}

/// The conversation as a judge is shown it: the only message verbatim, several as one paragraph each.
fn slot(messages: &[Message]) -> String {
    match messages {
        [only] => only.content.clone(),
        several => conversation_text(several),
    }
}

fn unrecognised(what: impl std::fmt::Display) -> RowError {
    error(RowErrorCode::UnrecognisedQuestion, "neither a text nor a list of messages", what)
}

fn error(code: RowErrorCode, why: &str, what: impl std::fmt::Display) -> RowError {
    let shown = what.to_string();
    let shown = if shown.is_empty() { shown } else { format!(": {}", RowError::excerpt(&shown)) };
    RowError::new(code, format!("question: {why}{shown}"))
}

#[cfg(test)]
mod tests;
