//! Dicts of a decoded call, whose keys may have any type and be equal.

use std::borrow::Cow;
use std::collections::HashMap;

use super::equality::equal;
use super::rules::Rules;
use super::value::Value;
use crate::domain::Json;

impl<'a> Value<'a> {
    /// A JSON value of a decoded call, in which `{"__tuple__": [..]}` is a tuple and `{"__dict__": [[key, value], ..]}` a
    /// dict with keys of any type.
    pub fn read_marked(json: &'a Json) -> Value<'a> {
        let list = |items: &'a [Json]| items.iter().map(Value::read_marked).collect();
        match json {
            Json::Array(items) => Value::List(list(items)),
            Json::Object(object) => {
                let mut entries = object.iter();
                match (entries.next(), object.len()) {
                    (Some(("__tuple__", Json::Array(items))), 1) => return Value::Tuple(list(items)),
                    (Some(("__dict__", Json::Array(pairs))), 1) => {
                        if let Some(dict) = pairs_of(pairs) {
                            return dict;
                        }
                    }
                    _ => {}
                }
                let entry = |(key, value)| (Value::text(key), Value::read_marked(value));
                Value::Dict(object.iter().map(entry).collect())
            }
            plain => Value::read(plain),
        }
    }
}

fn pairs_of(pairs: &[Json]) -> Option<Value<'_>> {
    let pair = |pair| match Json::as_array(pair) {
        Some([key, value]) => Some((Value::read_marked(key), Value::read_marked(value))),
        _ => None,
    };
    pairs.iter().map(pair).collect::<Option<_>>().map(dict)
}

/// A dict of entries of which keys may be equal: the first one's key stays, with the last one's value.
pub fn dict<'a>(entries: Vec<(Value<'a>, Value<'a>)>) -> Value<'a> {
    let mut kept: Vec<(Value<'a>, Value<'a>)> = Vec::with_capacity(entries.len());
    let mut places: HashMap<Cow<'a, str>, usize> = HashMap::new();
    for (key, value) in entries {
        let place = match &key {
            Value::Str(text) => places.get(text).copied(),
            key => kept.iter().position(|(own, _)| equal(own, key, Rules::Peer)),
        };
        match place {
            Some(place) => kept[place].1 = value,
            None => {
                if let Value::Str(text) = &key {
                    places.insert(text.clone(), kept.len());
                }
                kept.push((key, value));
            }
        }
    }
    Value::Dict(kept)
}
