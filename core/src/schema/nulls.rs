//! What schemas say of null in the words of OpenAPI, which JSON Schema does not know: `{"type":"string","enum":["c","f"],"nullable":true}`.

use serde_json::{Map, Value, json};

use crate::domain::Json;

/// Whether a schema says that null is one of its values. Who writes so means it, whatever stands beside it.
pub(crate) fn says_null(schema: &Json) -> bool {
    let kind = schema.get("type");
    let of_kind = |kind: &Json| {
        kind.as_str() == Some("null") || kind.as_array().is_some_and(|kinds| kinds.iter().any(names_null))
    };
    kind.is_some_and(of_kind)
        || schema.get("nullable") == Some(&Json::Bool(true))
        || schema.get("enum").and_then(Json::as_array).is_some_and(|values| values.iter().any(Json::is_null))
}

fn names_null(name: &Json) -> bool {
    name.as_str() == Some("null")
}

/// The same of a schema that is to be compiled.
pub(super) fn is_null_said(schema: &Map<String, Value>) -> bool {
    let is_null = |kind: &Value| kind == "null";
    schema
        .get("type")
        .is_some_and(|kind| is_null(kind) || kind.as_array().is_some_and(|kinds| kinds.iter().any(is_null)))
        || schema.get("nullable") == Some(&Value::Bool(true))
        || schema.get("enum").and_then(Value::as_array).is_some_and(|values| values.contains(&Value::Null))
}

/// Says in the words of JSON Schema that a schema takes null, with `if` where its draft has that. What it holds stays in its place, where
/// references may lead.
pub(super) fn take_null(schema: &mut Map<String, Value>, has_conditions: bool) {
    match schema.get_mut("type") {
        Some(Value::Array(kinds)) if !kinds.iter().any(|kind| kind == "null") => kinds.push("null".into()),
        Some(kind) if kind.is_string() && kind != "null" => *kind = json!([kind, "null"]),
        _ => {}
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    if let Some(Value::Array(alternatives)) = schema.get_mut("anyOf") {
        alternatives.push(json!({"type": "null"}));
    }
    if let Some(Value::Array(alternatives)) = schema.get_mut("oneOf") {
        // One of them and no other takes it.
        alternatives.iter_mut().for_each(refuse_null);
        alternatives.push(json!({"type": "null"}));
    }
    if let Some(Value::Array(parts)) = schema.get_mut("allOf") {
        let parts = parts.iter_mut().filter_map(Value::as_object_mut);
        parts.for_each(|part| take_null(part, has_conditions));
    }
    if let Some(only) = schema.get("const").filter(|only| !only.is_null()).cloned() {
        schema.remove("const");
        also(schema, json!({"enum": [only, null]}));
    }
    if let Some(reference) = schema.remove("$ref") {
        also(
            schema,
            match has_conditions {
                // What is wrong within keeps its place.
                true => json!({"if": {"type": "null"}, "else": {"$ref": reference}}),
                false => json!({"anyOf": [{"$ref": reference}, {"type": "null"}]}),
            },
        );
    }
}

fn refuse_null(schema: &mut Value) {
    let refused = || json!({"not": {"type": "null"}});
    match schema {
        Value::Bool(true) => *schema = refused(),
        Value::Object(schema) if !schema.contains_key("type") || is_null_said(schema) => {
            // Older drafts read nothing beside a reference.
            if let Some(reference) = schema.remove("$ref") {
                also(schema, json!({"$ref": reference}));
            }
            also(schema, refused());
        }
        _ => {}
    }
}

/// Adds what is to hold beside all else.
fn also(schema: &mut Map<String, Value>, part: Value) {
    match schema.get_mut("allOf") {
        Some(Value::Array(parts)) => parts.push(part),
        _ => {
            schema.insert("allOf".to_owned(), Value::Array(vec![part]));
        }
    }
}
