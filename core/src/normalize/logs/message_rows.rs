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
use super::{value, vercel_steps};
use crate::domain::{Json, Number, Object};
use crate::normalize::columns::Place;
use crate::normalize::question;

pub(super) const MESSAGE_ROWS: LogFormat = LogFormat {
    name: NAME,
    sign: "a message a record (`role` beside `content`, `parts` or `tool_calls`), with the id of its conversation, such as `conversation_id`",
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

/// Columns of what a message says.
const SAID: &[&str] = &["content", "parts"];

/// Columns of the calls of a message, or of which call its result is.
const CALLS: &[&str] = &[
    "tool_calls",
    "toolCalls",
    "function_call",
    "functionCall",
    "invalid_tool_calls",
    "toolInvocations",
    "tool_call_id",
    "toolCallId",
    "tool_use_id",
];

/// Columns of what else is read of a message; all others are the database's.
const KEPT: &[&str] = &["role", "name", "additional_kwargs", "is_error", "isError", "model"];

/// Columns that say of a tool's message whether the call failed; of any other they say how it was stored.
const FAILED: &[&str] = &["status", "error"];

/// Columns of objects for all that has no column of its own.
const MORE: &[&str] = &["metadata", "meta", "extra", "extras", "data", "payload", "additional_data"];

/// Columns of what a call returned, beside the call or in a message of the tool's that has no content.
const RETURNED: &[&str] = &[
    "tool_output",
    "toolOutput",
    "tool_result",
    "toolResult",
    "tool_results",
    "toolResults",
    "tool_response",
    "toolResponse",
    "function_output",
    "function_result",
    "observation",
];

/// Columns of the tools on offer.
const TOOLS: &[&str] = &["tools", "tool_definitions", "functions"];

/// The key under which a fragment has the place of its message.
const ORDER: &str = "order of the message";

/// The key under which a fragment has what the calls of its message returned.
const RESULTS: &str = "results of the calls";

fn matches(record: &Object) -> bool {
    let says = SAID.iter().chain(&CALLS[..4]).any(|key| record.contains_key(key));
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
    for key in MORE {
        let Some(Json::Object(mut more)) = record.get(key).cloned().map(value::unfolded) else { continue };
        for key in CALLS {
            if let (false, Some(value)) = (value::has(&record, &[key]), value::take(&mut more, key)) {
                record.insert(*key, value);
            }
        }
    }
    let is_told = value::has(&record, &["tool_calls", "toolCalls", "function_call", "functionCall"]);
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
    for key in KEPT.iter().chain(FAILED.iter().filter(|_| is_tool)) {
        if let Some(value) = record.remove(key).filter(|value| !value.is_null()) {
            message.insert(*key, if *key == "additional_kwargs" { value::unfolded(value) } else { value });
        }
    }
    for key in CALLS {
        if let Some(value) = value::take(&mut record, key) {
            message.insert(*key, value);
        }
    }
    say(&mut message, record.remove("content"), value::take(&mut record, "parts"));
    if let Some(returned) = value::take_first(&mut record, RETURNED) {
        if !is_tool {
            message.insert(RESULTS, returned);
        } else if !value::has(&message, SAID) {
            message.insert("content", returned);
        }
    }
    // What nobody knows may be calls; whoever reads the message says so.
    let may_call = |key: &str, value: &Json| {
        let key = key.to_ascii_lowercase();
        value::is_structure(value)
            && ["call", "invocation", "tool_use", "tooluse"].iter().any(|word| key.contains(word))
    };
    let unknown = record.iter().filter(|(key, value)| may_call(key, value) && !message.contains_key(key));
    let unknown: Vec<(String, Json)> =
        unknown.map(|(key, value)| (key.to_owned(), value::unfolded(value.clone()))).collect();
    for (key, value) in unknown {
        message.insert(key, value);
    }
    if let Some(tools) = value::take_first(&mut record, TOOLS) {
        message.insert("tools", tools);
    }
    let place = |key: &str| Some(Json::Number(Number::from_f64(place(record.get(key)?)?)?));
    let places = ORDERS.iter().filter_map(|key| Some(((*key).to_owned(), place(key)?)));
    message.insert(ORDER, Json::Object(places.collect()));
    one(Entry::Fragment(Fragment { key: format!("{NAME} {id} of {}", context.source), object: message }))
}

/// Puts what a message says into it: parts, where there are any, which hold the calls too.
fn say(message: &mut Object, content: Option<Json>, parts: Option<Json>) {
    let is_text = content.as_ref().is_some_and(|content| content.as_str().is_some());
    let mut content = content.filter(|content| !content.is_null());
    // Mastra wraps the parts: `{"format": 2, "parts": [{"type": "text", "text": "Oslo?"}]}`.
    let mut wrapped = None;
    match content.clone().map(value::unfolded) {
        Some(list @ Json::Array(_)) if is_parts(&list) => content = Some(list),
        Some(Json::Object(mut object)) if !is_text || object.contains_key("format") => {
            wrapped = object.remove("parts").filter(is_parts);
        }
        _ => {}
    }
    if wrapped.is_some() {
        content = None;
    }
    match wrapped.or(parts.filter(|parts| parts.as_array().is_some_and(|parts| !parts.is_empty()))) {
        Some(parts) => {
            // The text repeats what the parts say.
            let says = |part: &Json| part.get("text").is_some();
            let text = content.filter(|_| is_text && !parts.as_array().unwrap_or_default().iter().any(says));
            if let Some(text) = text {
                message.insert("content", text);
            }
            message.insert("parts", parts);
        }
        None => {
            if let Some(content) = content {
                message.insert("content", content);
            }
        }
    }
}

/// A message, and what its calls returned, if that stands in its record.
fn spoken(message: Json) -> Vec<Json> {
    let Json::Object(mut message) = message else { return vec![message] };
    let returned = message.remove(RESULTS);
    let calls = message.get("tool_calls").and_then(Json::as_array).map_or(0, <[Json]>::len);
    let ids: Vec<Option<Json>> = message
        .get("tool_calls")
        .and_then(Json::as_array)
        .unwrap_or_default()
        .iter()
        .map(|call| call.get("id").cloned())
        .collect();
    let results = match returned {
        Some(Json::Array(all)) if all.len() == calls && calls > 0 => all,
        Some(one) if calls == 1 => vec![one],
        _ => Vec::new(),
    };
    let result = |(result, id): (Json, Option<Json>)| {
        let mut said = match result {
            Json::Object(result) if value::has(&result, &["content", "output", "result"]) => result,
            other => Object::from_iter([("content".to_owned(), other)]),
        };
        said.insert("role", "tool");
        if let (false, Some(id)) = (value::has(&said, &["tool_call_id", "toolCallId"]), id) {
            said.insert("tool_call_id", id);
        }
        Json::Object(said)
    };
    let results: Vec<Json> = results.into_iter().zip(ids).map(result).collect();
    vercel_steps::of(Json::Object(message)).into_iter().chain(results).collect()
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
        // Of messages at the same time the order of the records tells, which may be the newest first.
        let places: Vec<f64> = messages.iter().filter_map(|message| place(message, key)).collect();
        let falls = places.windows(2).all(|two| two[0] >= two[1]) && places.first() > places.last();
        if falls {
            messages.reverse();
        }
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
    let elements = messages.into_iter().map(Json::Object).flat_map(spoken).collect();
    Transcript { id, elements, tools: value::tools(tools), model, ..Transcript::default() }.entries(context)
}
