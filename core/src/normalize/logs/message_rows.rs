//! Records of one message with the id of its conversation, as databases store them.
//!
//! ```json
//! {"conversation_id": "c1", "created_at": "2026-01-01T10:00:00Z", "role": "user", "content": "Oslo?"}
//! {"conversation_id": "c1", "created_at": "2026-01-01T10:00:02Z", "role": "assistant", "content": "", "tool_calls": "[{…}]"}
//! ```

use super::context::Context;
use super::entry::{Entries, Entry, Fragment, Skip, one, skipped};
use super::format::LogFormat;
use super::transcript::Transcript;
use super::value;
use crate::domain::{Json, Number, Object};
use crate::normalize::columns::Place;
use crate::normalize::question;

pub(super) const MESSAGE_ROWS: LogFormat = LogFormat {
    name: NAME,
    sign: "a message a record (`role` beside `content` or `tool_calls`), with the id of its conversation, such as `conversation_id`",
    matches,
    read,
    unmatched: Some(unmatched),
};

const NAME: &str = "message_rows";

/// Columns of the conversation's id.
const CONVERSATIONS: &[&str] = &[
    "conversation_id",
    "conversationId",
    "session_id",
    "sessionId",
    "thread_id",
    "threadId",
    "chat_id",
    "chatId",
    "dialog_id",
    "dialogue_id",
];

/// Columns that say which message comes when; the first that all messages have, and no two the same, counts, else the first that all
/// have, else the order of the records.
const ORDERS: &[&str] = &[
    "turn_index",
    "message_index",
    "position",
    "sequence",
    "seq",
    "created_at",
    "createdAt",
    "timestamp",
    "time",
    "ts",
    "id",
];

/// What is read of a message; all else is the database's.
const KEPT: &[&str] =
    &["role", "content", "name", "tool_calls", "tool_call_id", "function_call", "is_error", "model"];

/// Columns of the tools on offer.
const TOOLS: &[&str] = &["tools", "tool_definitions", "functions"];

/// The key under which a fragment has the place of its message.
const ORDER: &str = "order of the message";

fn matches(record: &Object) -> bool {
    let says = ["content", "tool_calls"].iter().any(|key| record.contains_key(key));
    let speaks =
        record.get("role").is_some_and(|role| role.as_str().is_some()) && question::speaker(record).is_some();
    says && speaks && conversation(record).is_some()
}

fn conversation(record: &Object) -> Option<String> {
    let id = |key: &&str| match record.get(key)? {
        Json::String(id) if !id.is_empty() => Some(id.clone()),
        Json::Number(id) => Some(id.as_str().to_owned()),
        _ => None,
    };
    // A session may hold several chats.
    let ids: Vec<String> = CONVERSATIONS.iter().filter_map(id).collect();
    (!ids.is_empty()).then(|| ids.join("/"))
}

fn read(mut record: Object, context: &Context) -> Entries {
    let Some(id) = conversation(&record).filter(|_| matches(&record)) else {
        return skipped(Skip::NotAMessage);
    };
    let mut message = Object::new();
    message.insert(NAME, id.as_str());
    let is_tool = record.get("role").and_then(Json::as_str) == Some("tool");
    let is_told =
        ["tool_calls", "function_call"].iter().any(|key| record.get(key).is_some_and(|told| !told.is_null()));
    match Place::call_of(&record).filter(|_| !is_told) {
        // Whose result it is.
        Some(call) if is_tool => {
            let name = call.map_or_else(Some, |call| Some(call.get("name")?.as_str()?.to_owned()));
            message.insert("name", name.unwrap_or_default());
        }
        Some(Ok(call)) => message.insert("tool_calls", Json::Array(vec![call])),
        Some(Err(name)) => message.insert("tool_name", name),
        None => {}
    }
    for key in KEPT {
        let Some(value) = record.remove(key).filter(|value| !value.is_null()) else { continue };
        let parts = match (*key, &value) {
            ("tool_calls" | "function_call", _) => Some(value::unfolded(value.clone())),
            ("content", Json::String(_)) => Some(value::unfolded(value.clone())).filter(is_parts),
            _ => None,
        };
        message.insert(*key, parts.unwrap_or(value));
    }
    if let Some(tools) = value::take_first(&mut record, TOOLS) {
        message.insert("tools", tools);
    }
    let place = |key: &str| Some(Json::Number(Number::from_f64(place(record.get(key)?)?)?));
    let places = ORDERS.iter().filter_map(|key| Some(((*key).to_owned(), place(key)?)));
    message.insert(ORDER, Json::Object(places.collect()));
    one(Entry::Fragment(Fragment { key: format!("{NAME} {id} of {}", context.source), object: message }))
}

/// Whether a content is a list of parts, and no text that looks like JSON.
fn is_parts(content: &Json) -> bool {
    content
        .as_array()
        .is_some_and(|parts| !parts.is_empty() && parts.iter().all(|part| part.get("type").is_some()))
}

/// A number, or a time in seconds.
fn place(value: &Json) -> Option<f64> {
    value::number(value).or_else(|| Some(value::instant(value)?.as_nanosecond() as f64 / 1e9))
}

fn unmatched(mut messages: Vec<Object>, context: &Context) -> Entries {
    let place = |message: &Object, key: &str| value::number(message.get(ORDER)?.get(key)?);
    let mut orders = ORDERS.iter().filter(|key| messages.iter().all(|message| place(message, key).is_some()));
    let tells_all = |key: &&&str| {
        let mut places: Vec<f64> = messages.iter().filter_map(|message| place(message, key)).collect();
        places.sort_by(f64::total_cmp);
        places.windows(2).all(|two| two[0] < two[1])
    };
    let first = orders.clone().next();
    if let Some(key) = orders.find(tells_all).or(first) {
        messages.sort_by(|one, other| {
            let places = [one, other].map(|message| place(message, key).unwrap_or_default());
            places[0].total_cmp(&places[1])
        });
    }
    let id = messages.first().and_then(|message| value::text(message, &[NAME]));
    let tools = messages.iter_mut().fold(None, |tools, message| message.remove("tools").or(tools));
    let models: Vec<String> = messages
        .iter_mut()
        .filter_map(|message| Some(message.remove("model")?.as_str()?.to_owned()))
        .collect();
    let model = models.first().filter(|first| models.iter().all(|model| model == *first)).cloned();
    for message in &mut messages {
        message.remove(NAME);
        message.remove(ORDER);
    }
    let elements = messages.into_iter().map(Json::Object).collect();
    Transcript { id, elements, tools: value::tools(tools), model, ..Transcript::default() }.entries(context)
}
