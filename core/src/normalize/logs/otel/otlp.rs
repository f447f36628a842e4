//! OTLP's JSON to plain values: `{"kvlistValue": {"values": [{"key": "a", "value": {"intValue": "1"}}]}}` is `{"a": 1}`.

use crate::domain::{Json, Number, Object};
use crate::normalize::logs::{about, value};

/// Where spans stand, each list under one of several keys.
const SPANS: &[&[&str]] = &[
    &["resourceSpans", "resource_spans"],
    &["scopeSpans", "scope_spans", "instrumentationLibrarySpans", "instrumentation_library_spans"],
    &["spans"],
];

/// Where log records stand.
const LOG_RECORDS: &[&[&str]] = &[
    &["resourceLogs", "resource_logs"],
    &["scopeLogs", "scope_logs", "instrumentationLibraryLogs", "instrumentation_library_logs"],
    &["logRecords", "log_records"],
];

/// A collector may write metrics into the same file.
const METRICS: &[&str] = &["resourceMetrics", "resource_metrics"];

pub(super) fn matches(record: &Object) -> bool {
    let lists = [SPANS[0], LOG_RECORDS[0], METRICS].concat();
    lists.iter().any(|key| value::holds_structure(record, key))
}

pub(super) fn holds_metrics(record: &Object) -> bool {
    METRICS.iter().any(|key| record.contains_key(key))
}

pub(super) fn spans(record: &mut Object) -> Vec<Json> {
    leaves(record, SPANS)
}

pub(super) fn log_records(record: &mut Object) -> Vec<Json> {
    leaves(record, LOG_RECORDS)
}

fn leaves(record: &mut Object, path: &[&[&str]]) -> Vec<Json> {
    let Some((keys, rest)) = path.split_first() else { return Vec::new() };
    let mut level = list(record, keys);
    for holder in level.iter_mut().filter_map(|holder| match holder {
        Json::Object(holder) => Some(holder),
        _ => None,
    }) {
        let resource = value::take_object(holder, "resource");
        let shown = about::shown(attributes(resource.and_then(|mut resource| resource.remove("attributes"))));
        if !shown.is_empty() && path == SPANS {
            holder.insert(
                "resource",
                Json::Object(Object::from_iter([("attributes".to_owned(), Json::Object(shown))])),
            );
        }
    }
    for keys in rest {
        level = level
            .into_iter()
            .flat_map(|holder| match holder {
                Json::Object(mut holder) => {
                    let mut held = list(&mut holder, keys);
                    // What is said of a service is said of each of its spans.
                    if let Some(resource) = holder.remove("resource") {
                        for item in &mut held {
                            if let Json::Object(item) = item {
                                item.insert("resource", resource.clone());
                            }
                        }
                    }
                    held
                }
                _ => Vec::new(),
            })
            .collect();
    }
    level
}

fn list(holder: &mut Object, keys: &[&str]) -> Vec<Json> {
    match value::take_first(holder, keys) {
        Some(Json::Array(items)) => items,
        Some(only) => vec![only],
        None => Vec::new(),
    }
}

/// Attributes by name, be they a map or a list of pairs.
pub(super) fn attributes(logged: Option<Json>) -> Object {
    match logged {
        Some(Json::Object(attributes)) => attributes,
        Some(Json::Array(pairs)) => pairs.into_iter().filter_map(pair).collect(),
        _ => Object::new(),
    }
}

fn pair(pair: Json) -> Option<(String, Json)> {
    let Json::Object(mut pair) = pair else { return None };
    match pair.remove("key") {
        Some(Json::String(key)) => Some((key, pair.remove("value").map_or(Json::Null, plain))),
        _ => None,
    }
}

/// The value inside an object that names its type; other values stay as they are.
pub(super) fn plain(typed: Json) -> Json {
    let object = match typed {
        Json::Object(object) if object.is_empty() => return Json::Null,
        Json::Object(object) if object.len() == 1 => object,
        other => return other,
    };
    let Some((kind, inner)) = object.into_iter().next() else { return Json::Null };
    match kind.as_str() {
        "stringValue" | "string_value" | "boolValue" | "bool_value" | "bytesValue" | "bytes_value" => inner,
        "intValue" | "int_value" | "doubleValue" | "double_value" => number(inner),
        "arrayValue" | "array_value" => Json::Array(values(inner).into_iter().map(plain).collect()),
        "kvlistValue" | "kvlist_value" => Json::Object(values(inner).into_iter().filter_map(pair).collect()),
        _ => Json::Object(Object::from_iter([(kind, inner)])),
    }
}

fn values(list: Json) -> Vec<Json> {
    match list {
        Json::Object(mut list) => match list.remove("values") {
            Some(Json::Array(values)) => values,
            _ => Vec::new(),
        },
        Json::Array(values) => values,
        _ => Vec::new(),
    }
}

/// Protobuf writes 64-bit integers as strings; `NaN` stays one.
fn number(written: Json) -> Json {
    match written {
        Json::String(text) => Number::parse(&text).map_or(Json::String(text), Json::Number),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lose_their_types() {
        for (typed, expected) in [
            (r#"{"stringValue":"a"}"#, r#""a""#),
            (r#"{"intValue":"9007199254740993"}"#, "9007199254740993"),
            (r#"{"intValue":7}"#, "7"),
            (r#"{"int_value":"7"}"#, "7"),
            (r#"{"doubleValue":300.0}"#, "300.0"),
            (r#"{"doubleValue":"NaN"}"#, r#""NaN""#),
            (r#"{"boolValue":false}"#, "false"),
            (r#"{"bytesValue":"aGk="}"#, r#""aGk=""#),
            (r#"{"arrayValue":{"values":[{"intValue":"1"},{}]}}"#, "[1,null]"),
            (r#"{"arrayValue":{}}"#, "[]"),
            (
                r#"{"kvlistValue":{"values":[{"key":"a","value":{"kvlist_value":{"values":[]}}},{"key":"b"},{"value":{}}]}}"#,
                r#"{"a":{},"b":null}"#,
            ),
            ("{}", "null"),
            (r#"{"city":"Oslo"}"#, r#"{"city":"Oslo"}"#),
            (r#"{"stringValue":"a","x":1}"#, r#"{"stringValue":"a","x":1}"#),
            ("7", "7"),
        ] {
            assert_eq!(plain(Json::parse(typed).unwrap()).to_string(), expected, "{typed}");
        }
    }
}
