//! OpenAI's stored completions and responses, as its API lists them, with the messages added to each.
//!
//! ```json
//! {"object": "chat.completion", "id": "c1", "choices": [{"message": {"role": "assistant", "content": "Sunny."}}],
//!  "messages": [{"role": "user", "content": "Oslo?"}], "tools": []}
//! ```
//!
//! The request is not part of these objects and must be fetched separately; without it, the answer cannot be judged.

use super::context::Context;
use super::entry::{Entries, Entry, Skip, skipped};
use super::format::LogFormat;
use super::{exchange, value};
use crate::domain::{Flag, Json, Object, Role};
use crate::normalize::question;

pub(super) const STORED: LogFormat = LogFormat {
    name: "openai_stored",
    sign: "`object` is `chat.completion` or `response`",
    matches,
    read,
    unmatched: None,
};

/// What the objects have of the request.
const ASKED: &[&str] = &["messages", "input", "instructions", "tools", "functions"];

fn matches(record: &Object) -> bool {
    let is_stored =
        |kind: Option<&Json>| matches!(kind.and_then(Json::as_str), Some("chat.completion" | "response"));
    is_stored(record.get("object"))
        || page(record).is_some_and(|items| is_stored(items.first().and_then(|item| item.get("object"))))
}

/// The objects of one page of a listing: `{"object":"list","data":[…]}`.
fn page(record: &Object) -> Option<&[Json]> {
    record.get("object")?.as_str().filter(|kind| *kind == "list")?;
    record.get("data")?.as_array()
}

fn read(mut record: Object, _: &Context) -> Entries {
    if page(&record).is_none() {
        return super::entry::one(entry(record));
    }
    match record.remove("data") {
        Some(Json::Array(items)) => Box::new(items.into_iter().map(|item| match item {
            Json::Object(record) => entry(record),
            _ => Entry::Skipped(Skip::NotAnLlmRun),
        })),
        _ => skipped(Skip::NoOutput),
    }
}

fn entry(mut record: Object) -> Entry {
    let unpaged = |items: Json| match items {
        Json::Object(mut page) => page.remove("data").unwrap_or(Json::Null),
        items => items,
    };
    let listed = value::take(&mut record, "input_items").map(unpaged);
    if let Some(messages) = value::take(&mut record, "messages") {
        record.insert("messages", unpaged(messages));
    }
    let (listed, is_unsure) = match listed {
        Some(Json::Array(mut items)) => {
            let order = order(&items);
            if order == Some(Order::NewestFirst) {
                items.reverse();
            }
            (Some(Json::Array(items)), order.is_none())
        }
        other => (other, false),
    };
    let mut request: Object =
        ASKED.iter().filter_map(|key| Some(((*key).to_owned(), record.remove(key)?))).collect();
    if let Some(items) = listed {
        request.insert("input", items);
    }
    match exchange::turn(request, Json::Object(record)) {
        Ok(mut turn) => {
            turn.dialect = None;
            turn.flags.extend(is_unsure.then_some(Flag::HistoryAmbiguous));
            Entry::Turn(Box::new(turn))
        }
        Err(entry) => entry,
    }
}

/// How the items of a request are sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    OldestFirst,
    NewestFirst,
}

/// The order of the items, of which the API lists the newest first unless it is asked otherwise; `None` if nothing tells. A result
/// comes after its call, instructions come first, and the assistant has neither the first word of a request nor the last.
fn order(items: &[Json]) -> Option<Order> {
    let is_result =
        |item: &Json| item.get("type").and_then(Json::as_str).is_some_and(|kind| kind.ends_with("_output"));
    let id = |item: &Json| item.get("call_id").and_then(Json::as_str).map(str::to_owned);
    for (at, item) in items.iter().enumerate() {
        let Some(call) = id(item).filter(|_| !is_result(item)) else { continue };
        let result = items.iter().position(|other| is_result(other) && id(other).as_ref() == Some(&call));
        match result {
            Some(result) if result < at => return Some(Order::NewestFirst),
            Some(_) => return Some(Order::OldestFirst),
            None => {}
        }
    }
    let speaker = |item: Option<&Json>| item.and_then(Json::as_object).and_then(question::speaker);
    match (speaker(items.first()), speaker(items.last())) {
        _ if items.len() < 2 => Some(Order::OldestFirst),
        (Some(Role::System), Some(Role::System)) => None,
        (Some(Role::System), _) | (Some(Role::Assistant), Some(Role::User)) => Some(Order::OldestFirst),
        (_, Some(Role::System)) | (Some(Role::User), Some(Role::Assistant)) => Some(Order::NewestFirst),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_must_come_first_tells_the_order_of_items() {
        const CALL: &str = r#"{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"}"#;
        const RESULT: &str = r#"{"type":"function_call_output","call_id":"c1","output":"7"}"#;
        const USER: &str = r#"{"type":"message","role":"user","content":"Q"}"#;
        const SAID: &str = r#"{"type":"message","role":"assistant","content":"A"}"#;
        const SYSTEM: &str = r#"{"type":"message","role":"developer","content":"S"}"#;
        let (newest, oldest) = (Some(Order::NewestFirst), Some(Order::OldestFirst));
        for (items, expected) in [
            (&[][..], oldest),
            (&[USER], oldest),
            (&[USER, CALL, RESULT], oldest),
            (&[RESULT, CALL, USER], newest),
            (&[SYSTEM, USER], oldest),
            (&[USER, SYSTEM], newest),
            (&[USER, SAID], newest),
            (&[USER, SAID, USER], None),
        ] {
            let items: Vec<Json> = items.iter().map(|item| Json::parse(item).unwrap()).collect();
            assert_eq!(order(&items), expected, "{items:?}");
        }
    }
}
