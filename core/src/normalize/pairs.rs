//! Objects stored as lists of entries in typed files: `[{"key":"city","value":"Oslo"}]`, `[["city","Oslo"]]`.
//!
//! Such a list is an object only where nothing but an object makes sense: elsewhere it may be the model's own.

use crate::domain::{Json, Object};

/// The object whose entries `items` are; `None` if one of them is no entry.
pub(super) fn object(items: &[Json]) -> Option<Object> {
    items.iter().map(entry).collect()
}

fn entry(item: &Json) -> Option<(String, Json)> {
    let (key, value) = match item {
        Json::Object(entry) => {
            // A typed file does not say which of its values are null.
            let value = entry.get("value");
            let keys = 1 + usize::from(value.is_some());
            (entry.get("key").filter(|_| entry.len() == keys)?, value)
        }
        Json::Array(pair) => match pair.as_slice() {
            [key, value] => (key, Some(value)),
            _ => return None,
        },
        _ => return None,
    };
    Some((key.as_str()?.to_owned(), value.cloned().unwrap_or(Json::Null)))
}
