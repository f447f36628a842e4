//! A question cell to messages: `"Weather in Oslo?"`, `[{"role":"user","content":"Weather in Oslo?"}]`.

use std::collections::BTreeSet;

use super::calls::Reader;
use super::python_literal::{self, Dialect};
use crate::domain::{Cell, Flag, Json, Message, Object, Role, RowError, RowErrorCode};

/// What was said before the judged turn.
pub(super) struct Question {
    /// The text of the last user message.
    pub(super) text: String,
    pub(super) messages: Vec<Message>,
    /// What a prompt shows: the one message verbatim, or the conversation.
    pub(super) slot: String,
    pub(super) flags: BTreeSet<Flag>,
}

/// The words for each role, without regard to letter case.
const ROLES: &[(Role, &[&str])] = &[
    (Role::User, &["user", "human", "HumanMessage"]),
    (Role::Assistant, &["assistant", "ai", "model", "AIMessage", "AIMessageChunk"]),
    (Role::System, &["system", "developer", "SystemMessage"]),
    (Role::Tool, &["tool", "function", "ToolMessage", "FunctionMessage"]),
];

/// Keys of a part's text; the first that holds one counts.
const TEXT_KEYS: &[&str] = &["text", "content", "message_content.text"];

/// Types of parts whose text is said.
const TEXT_TYPES: &[&str] = &["text", "input_text", "output_text"];

/// Types and keys of parts that are left out of the text: thoughts, and calls, which are read as calls.
const SILENT: &[&str] = &[
    "thinking",
    "redacted_thinking",
    "reasoning",
    "reasoningContent",
    "tool_use",
    "toolUse",
    "tool_call",
    "tool-call",
    "functionCall",
    "function_call",
];

/// What stands for a part that is no text, by a word in its type, key or MIME type.
const PLACEHOLDERS: &[(&str, &str)] = &[
    ("result", TOOL_RESULT),
    ("response", TOOL_RESULT),
    ("function_call_output", TOOL_RESULT),
    ("image", "[image]"),
    ("audio", "[audio]"),
];

const TOOL_RESULT: &str = "[tool_result]";
const OTHER_PART: &str = "[file]";

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

fn plain(text: &str) -> Result<Question, RowError> {
    if text.trim().is_empty() {
        return Err(error(RowErrorCode::EmptyQuestion, "it is blank", ""));
    }
    Ok(Question {
        text: text.to_owned(),
        messages: vec![Message::new(Role::User, text)],
        slot: text.to_owned(),
        flags: BTreeSet::new(),
    })
}

/// The messages, if `text` is a list of messages in JSON or in Python's spelling. Anything else in brackets is a question.
pub(super) fn conversation_in(text: &str) -> Option<Vec<Json>> {
    if !text.trim_start().starts_with('[') {
        return None;
    }
    let value = Json::parse(text).ok().or_else(|| python_literal::whole(text, Dialect::Repr))?;
    let Json::Array(items) = value else { return None };
    let mut messages = items.iter().flat_map(turns).peekable();
    (messages.peek().is_some()
        && messages.all(|message| message.as_object().is_some_and(|m| role(m).is_some())))
    .then_some(items)
}

/// Lists of lists are turns of a conversation.
fn turns(item: &Json) -> &[Json] {
    item.as_array().unwrap_or(std::slice::from_ref(item))
}

pub(super) fn conversation(items: &[Json]) -> Result<Question, RowError> {
    let mut flags = BTreeSet::new();
    let mut messages = Vec::new();
    for item in items.iter().flat_map(turns) {
        let object = item.as_object().ok_or_else(|| unrecognised(item))?;
        messages.push(message(object, &mut flags)?);
    }
    if messages.is_empty() {
        return Err(error(RowErrorCode::EmptyQuestion, "a list without messages", ""));
    }
    let Some(asked) = messages.iter().rev().find(|message| message.role == Role::User) else {
        return Err(error(
            RowErrorCode::NoUserMessage,
            "no message is the user's",
            Json::Array(items.to_vec()),
        ));
    };
    if asked.content.trim().is_empty() {
        return Err(error(RowErrorCode::EmptyQuestion, "the last user message is blank", ""));
    }
    Ok(Question { text: asked.content.clone(), slot: slot(&messages), messages, flags })
}

fn message(object: &Object, flags: &mut BTreeSet<Flag>) -> Result<Message, RowError> {
    let object = match object.get("message") {
        Some(Json::Object(inner)) if !object.contains_key("role") => inner,
        _ => object,
    };
    let said = role(object).ok_or_else(|| unrecognised(object))?;
    let mut message = Message::new(said, "");
    let content = ["content", "parts"].iter().find_map(|key| object.get(key)).unwrap_or(&Json::Null);
    let parts = match content {
        Json::Null => &[],
        Json::String(text) => {
            message.content = text.clone();
            &[][..]
        }
        Json::Array(parts) => parts.as_slice(),
        other => std::slice::from_ref(other),
    };
    let shown: Vec<&str> = parts.iter().filter_map(part).collect();
    if !parts.is_empty() {
        message.content = shown.join("\n");
    }
    if shown.iter().any(|text| PLACEHOLDERS.iter().any(|(_, shown)| shown == text) || *text == OTHER_PART) {
        flags.insert(Flag::NonTextContent);
    }
    // Some providers hand results back in the user's name; nobody asked them.
    if said == Role::User && !shown.is_empty() && shown.iter().all(|text| *text == TOOL_RESULT) {
        message.role = Role::Tool;
    }
    if said == Role::Assistant {
        message.tool_calls = Reader::new(&[]).history(object);
    }
    message.tool_call_id = object.get("tool_call_id").and_then(Json::as_str).map(str::to_owned);
    Ok(message)
}

/// Who says a message.
pub(super) fn speaker(message: &Object) -> Option<Role> {
    role(message)
}

fn role(object: &Object) -> Option<Role> {
    let nested = object.get("message").and_then(|message| message.get("role"));
    let word = object.get("role").or_else(|| object.get("type")).or(nested)?.as_str()?;
    ROLES.iter().find(|(_, words)| words.iter().any(|w| w.eq_ignore_ascii_case(word))).map(|(role, _)| *role)
}

/// What a part of a message says, or what stands for it; `None` when it is silent.
fn part(part: &Json) -> Option<&str> {
    let object = match part {
        Json::String(text) => return Some(text),
        Json::Object(object) => object.get("message_content").and_then(Json::as_object).unwrap_or(object),
        _ => return Some(OTHER_PART),
    };
    let kind = object.get("type").or_else(|| object.get("message_content.type")).and_then(Json::as_str);
    let text = TEXT_KEYS.iter().find_map(|key| object.get(key)?.as_str());
    if kind.is_none_or(|kind| TEXT_TYPES.contains(&kind))
        && let Some(text) = text
    {
        return Some(text);
    }
    let media =
        |value: &Json| value.get("mimeType").or_else(|| value.get("mime_type"))?.as_str().map(str::to_owned);
    let described: Vec<String> = match kind {
        Some(kind) => vec![kind.to_owned()],
        None => object.keys().map(str::to_owned).chain(object.values().filter_map(media)).collect(),
    };
    if described.iter().any(|word| SILENT.contains(&word.as_str())) {
        return None;
    }
    let placeholder = PLACEHOLDERS
        .iter()
        .find(|(sign, _)| described.iter().any(|word| word.to_ascii_lowercase().contains(sign)));
    Some(placeholder.map_or(OTHER_PART, |(_, shown)| shown))
}

/// The conversation without its system messages: the only message verbatim, several as one paragraph each.
fn slot(messages: &[Message]) -> String {
    let said: Vec<&Message> = messages.iter().filter(|message| message.role != Role::System).collect();
    match said[..] {
        [only] => only.content.clone(),
        _ => said.into_iter().map(paragraph).collect::<Vec<_>>().join("\n\n"),
    }
}

/// `role: text`. An assistant's calls stand below what it said: later turns cannot be understood without them.
fn paragraph(message: &Message) -> String {
    let calls = message.tool_calls.iter().map(|call| call.to_json()).collect::<Vec<_>>();
    let calls = (!calls.is_empty()).then(|| Json::Array(calls).to_string());
    let said = Some(message.content.clone()).filter(|text| !text.is_empty());
    let text: Vec<String> = said.into_iter().chain(calls).collect();
    format!("{}: {}", message.role.as_str(), text.join("\n"))
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
mod tests {
    use super::*;

    /// The roles, the prompt's text, the question if that is another, and the flags; or the error's code.
    fn shown(cell: Cell) -> String {
        let question = match read(&cell) {
            Ok(question) => question,
            Err(error) => return error.code.as_str().to_owned(),
        };
        let roles: Vec<&str> = question.messages.iter().map(|message| message.role.as_str()).collect();
        let mut shown = format!("<{}> {}", roles.join(" "), question.slot.replace('\n', "/"));
        if question.text != question.slot {
            shown += &format!(" ?{}", question.text);
        }
        for flag in question.flags {
            shown += &format!(" !{}", flag.as_str());
        }
        shown
    }

    #[test]
    fn reads_messages() {
        for (source, expected) in [
            (r#"[{"role":"user","content":"Hi"}]"#, "<user> Hi"),
            (r#"[{"role":"system","content":"S"},{"role":"human","content":" Hi\n"}]"#, "<system user>  Hi/"),
            (
                r#"[[{"role":"user","content":"A"}],[{"role":"model","content":null},{"type":"HumanMessage","content":"B"}]]"#,
                "<user assistant user> user: A//assistant: //user: B ?B",
            ),
            (
                r#"[{"role":"user","content":"A"},{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"7"}]"#,
                r#"<user assistant tool> user: A//assistant: [{"name":"f","arguments":{},"id":"c1"}]//tool: 7 ?A"#,
            ),
            (
                r#"[{"role":"user","content":[{"type":"text","text":"A"},{"type":"image_url","image_url":{}},{"text":"B"},"C",{"type":"thinking","thinking":"T"}]}]"#,
                "<user> A/[image]/B/C !non_text_content",
            ),
            (
                r#"[{"role":"user","parts":[{"type":"text","content":"A"},{"inlineData":{"mimeType":"audio/ogg"}},{"fileData":{}}]}]"#,
                "<user> A/[audio]/[file] !non_text_content",
            ),
            (
                r#"[{"role":"user","content":"A"},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"7"}]}]"#,
                "<user tool> user: A//tool: [tool_result] ?A !non_text_content",
            ),
            (r#"[{"message":{"role":"user","content":"A"}}]"#, "<user> A"),
            (r#"[{"role":"user","content":[{"message_content":{"type":"text","text":"A"}}]}]"#, "<user> A"),
            (r#"[{"role":"nobody","content":"A"}]"#, "unrecognised_question"),
            (r#"["A"]"#, "unrecognised_question"),
            (r#"[{"role":"system","content":"A"}]"#, "no_user_message"),
            (r#"[{"role":"user","content":" "}]"#, "empty_question"),
            ("[]", "empty_question"),
            ("7", "unrecognised_question"),
            ("null", "missing_question"),
        ] {
            assert_eq!(shown(Cell::from(Json::parse(source).unwrap())), expected, "{source}");
        }
    }

    #[test]
    fn texts_are_lists_only_if_every_element_is_a_message() {
        for (text, expected) in [
            (r#"[{"role": "user", "content": "Hi"}]"#, "<user> Hi"),
            ("[{'role': 'user', 'content': 'Hi'}]", "<user> Hi"),
            ("[1, 2] is what?", "<user> [1, 2] is what?"),
            (r#"[{"role":"user"},1]"#, r#"<user> [{"role":"user"},1]"#),
            ("[]", "<user> []"),
            (" Hi ", "<user>  Hi "),
            (" \n", "empty_question"),
        ] {
            assert_eq!(shown(Cell::Text(text.to_owned())), expected, "{text}");
        }
    }
}
