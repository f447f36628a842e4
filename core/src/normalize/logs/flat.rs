//! A provider's request and response in one record: the messages, and beside them the answer.
//!
//! ```json
//! {"model": "m", "messages": [{"role": "user", "content": "Oslo?"}], "tools": [],
//!  "choices": [{"message": {"role": "assistant", "content": "Sunny."}}]}
//! ```

use super::value;
use crate::domain::{Json, Object, Role, Slot};
use crate::normalize::question;

/// Keys of lists that are answers only as a whole response.
const RESPONSES: &[&str] = &["choices", "candidates"];

/// Keys of the answer's message.
const MESSAGES: &[&str] = &[
    "message",
    "response_message",
    "assistant_message",
    "answer",
    "reply",
    "result",
    "outputs",
    "new_messages",
    "generated_messages",
];

/// The key of an answer's parts.
const PARTS: &str = "content";

/// Keys of a response beside its answer.
const BESIDE: &[&str] = &[
    "id",
    "model",
    "created",
    "stop_reason",
    "stopReason",
    "finish_reason",
    "done_reason",
    "promptFeedback",
    "modelVersion",
];

/// Where a record has its answer, if its messages lead to one that stands beside them.
pub(super) fn answer(record: &Object) -> Option<&'static str> {
    // Most records have no such key, and their messages are not looked at.
    let mut keys = RESPONSES.iter().chain(MESSAGES).chain([&PARTS]).filter(|key| record.contains_key(key));
    let found = keys.find(|key| record.get(key).is_some_and(|value| is_answer(key, value)))?;
    let leads = |messages: &[Json]| {
        let last = messages.last().and_then(Json::as_object).and_then(question::speaker);
        last.is_some_and(|speaker| speaker != Role::Assistant)
    };
    let leads = match record.get("messages")? {
        Json::Array(messages) => leads(messages),
        text @ Json::String(_) => leads(value::unfolded(text.clone()).as_array()?),
        _ => false,
    };
    let has_calls = Slot::ToolCall.aliases().iter().any(|key| record.contains_key(key));
    (leads && !has_calls).then_some(found)
}

fn is_answer(key: &str, value: &Json) -> bool {
    let first = |value: &Json| value.as_array().and_then(|items| items.first()).cloned();
    let is_assistants = |value: &Json| {
        value.as_object().is_some_and(|message| question::speaker(message) == Some(Role::Assistant))
    };
    match key {
        "choices" => first(value).is_some_and(|first| {
            let is_empty = first.get("message").and_then(Json::as_object).is_some_and(Object::is_empty);
            !is_empty && value::has(&members(first), &["message", "text"])
        }),
        "candidates" => {
            first(value).is_some_and(|first| first.get(PARTS).is_some_and(|said| said.get("parts").is_some()))
        }
        PARTS => value.as_array().is_some_and(|parts| {
            !parts.is_empty()
                && parts.iter().all(|part| part.get("type").is_some_and(|kind| kind.as_str().is_some()))
        }),
        _ => is_assistants(value) || first(value).is_some_and(|first| is_assistants(&first)),
    }
}

fn members(value: Json) -> Object {
    match value {
        Json::Object(object) => object,
        _ => Object::new(),
    }
}

/// The request and the response of a record whose answer stands under a key.
pub(super) fn parted(mut record: Object, key: &str) -> (Object, Json) {
    let answer = record.remove(key).unwrap_or(Json::Null);
    let response = match answer {
        Json::Array(mut items) if MESSAGES.contains(&key) && items.len() == 1 => items.remove(0),
        answer if MESSAGES.contains(&key) => answer,
        answer => {
            let beside = BESIDE.iter().filter_map(|key| Some(((*key).to_owned(), record.get(key)?.clone())));
            let mut response: Object = beside.collect();
            if key == PARTS {
                response.insert("role", "assistant");
            }
            response.insert(key, answer);
            Json::Object(response)
        }
    };
    // A response says this of itself; a request that did would be a message.
    for key in ["role", "type", "object"] {
        record.remove(key);
    }
    if let Some(messages) = value::take(&mut record, "messages") {
        record.insert("messages", messages);
    }
    (record, response)
}
