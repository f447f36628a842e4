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
use crate::domain::{Json, Object};

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
    let listed = value::take(&mut record, "input_items").map(|items| match items {
        Json::Object(mut page) => page.remove("data").unwrap_or(Json::Null),
        items => items,
    });
    let mut request: Object =
        ASKED.iter().filter_map(|key| Some(((*key).to_owned(), record.remove(key)?))).collect();
    if let Some(items) = listed {
        request.insert("input", items);
    }
    match exchange::turn(request, Json::Object(record)) {
        Ok(mut turn) => {
            turn.dialect = None;
            Entry::Turn(Box::new(turn))
        }
        Err(entry) => entry,
    }
}
