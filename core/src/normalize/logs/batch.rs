//! Results of batch APIs, together with their input file.
//!
//! ```json
//! {"custom_id": "1", "response": {"status_code": 200, "body": {"choices": [{"message": {"content": "Sunny."}}]}}}
//! {"custom_id": "1", "result": {"type": "succeeded", "message": {"role": "assistant", "content": []}}}
//! ```
//!
//! The questions are only in the other file: `{"custom_id":"1","body":{"messages":[…]}}`, Anthropic's under `params`.

use super::context::Context;
use super::entry::{Entries, Entry, Fragment, Skip, one};
use super::format::LogFormat;
use super::turn::Turn;
use super::{body, exchange, value};
use crate::domain::{Json, Object};

pub(super) const BATCH: LogFormat = LogFormat {
    name: "batch",
    sign: "keys `custom_id` and `response` or `result`",
    matches,
    read,
    unmatched: None,
};

const REQUEST: &[&str] = &["body", "params"];
const ANSWERS: &[&str] = &["response", "result", "error"];

fn matches(record: &Object) -> bool {
    let is_one = |record: &Object| {
        value::text(record, &["custom_id"]).is_some()
            && REQUEST.iter().chain(ANSWERS).any(|key| record.contains_key(key))
    };
    is_one(record) || requests(record).and_then(|items| items.first()?.as_object()).is_some_and(is_one)
}

/// The body with which Anthropic's batches are created: `{"requests":[{"custom_id":"1","params":{…}}]}`.
fn requests(record: &Object) -> Option<&[Json]> {
    record.get("requests")?.as_array()
}

fn read(mut record: Object, context: &Context) -> Entries {
    if let Some(Json::Array(requests)) = record.remove("requests") {
        let fragments = requests.into_iter().filter_map(|request| match request {
            Json::Object(request) => Some(fragment(request)),
            _ => None,
        });
        return Box::new(fragments);
    }
    if REQUEST.iter().any(|key| record.contains_key(key)) {
        return one(fragment(record));
    }
    match turn(record, context) {
        Ok(turn) => turn.alone(),
        Err(entry) => one(entry),
    }
}

fn fragment(record: Object) -> Entry {
    let id = value::text(&record, &["custom_id"]).unwrap_or_default();
    Entry::Fragment(Fragment { key: key(&id), object: record })
}

fn key(id: &str) -> String {
    format!("batch:{id}")
}

fn turn(mut record: Object, context: &Context) -> Result<Turn, Entry> {
    let id = value::text(&record, &["custom_id"]).unwrap_or_default();
    let response = value::take_at(&mut record, &["response"])
        .or_else(|| value::take_at(&mut record, &["result", "message"]))
        .ok_or(Entry::Skipped(Skip::NoOutput))?;
    let response = body::of(response, &["response"])?;
    let mut fragment =
        value::only(context.related.find(&key(&id)), "custom_id", &id).map_err(Entry::Unreadable)?;
    let request = REQUEST.iter().find_map(|key| value::take_object(&mut fragment, key)).unwrap_or_default();
    let mut turn = exchange::turn(request, response)?;
    turn.origin.source_id = Some(id);
    Ok(turn)
}
