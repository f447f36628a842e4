//! Definitions at random, with nested schemas, and what the dialects call their types.

use proptest::prelude::*;
use tooljudge::domain::{Json, Object, ToolDefinition};

use super::values::{hostile_text, json, name, object};

/// Definitions of different names.
pub fn definitions() -> impl Strategy<Value = Vec<ToolDefinition>> {
    let tool = (name(), hostile_text(), parameters());
    prop::collection::vec(tool, 1..4).prop_map(|tools| {
        let named = |(place, (name, description, parameters))| ToolDefinition {
            name: format!("{name}{place}"),
            description,
            parameters,
        };
        tools.into_iter().enumerate().map(named).collect()
    })
}

fn parameters() -> impl Strategy<Value = Json> {
    let more = prop::option::of(prop_oneof![
        Just(("additionalProperties".to_owned(), Json::Bool(false))),
        hostile_text().prop_map(|text| ("description".to_owned(), Json::from(text))),
        json().prop_map(|value| ("examples".to_owned(), value)),
        schema().prop_map(|schema| ("$defs".to_owned(), object([("d".to_owned(), schema)]))),
    ]);
    (properties(schema().boxed()), more).prop_map(|(properties, more)| of(properties, more))
}

/// The schema of an object with these properties.
fn of(properties: Json, more: Option<(String, Json)>) -> Json {
    let known = [("type".to_owned(), Json::from("object")), ("properties".to_owned(), properties)];
    object(known.into_iter().chain(more))
}

fn properties(schema: BoxedStrategy<Json>) -> impl Strategy<Value = Json> {
    let name = prop_oneof![
        "[a-z_]{1,6}",
        prop::sample::select(vec!["type", "properties", "items", "json", "name", "description", "anyOf"])
            .prop_map(str::to_owned),
        hostile_text(),
    ];
    prop::collection::btree_map(name, schema, 0..4).prop_map(object)
}

fn schema() -> impl Strategy<Value = Json> {
    let word = |name: &str, value: Json| object([(name.to_owned(), value)]);
    let leaf = prop_oneof![
        Just(object([])),
        prop::sample::select(vec!["string", "integer", "number", "boolean", "null", "array", "object"])
            .prop_map(move |name| word("type", Json::from(name))),
        Just(word("type", Json::Array(vec![Json::from("string"), Json::from("null")]))),
        Just(word("$ref", Json::from("#/$defs/d"))),
        (hostile_text(), prop::collection::vec(json(), 0..3)).prop_map(|(text, values)| {
            object([
                ("type".to_owned(), Json::from("string")),
                ("description".to_owned(), Json::from(text)),
                ("enum".to_owned(), Json::Array(values)),
            ])
        }),
        json().prop_map(|value| object([
            ("type".to_owned(), Json::from("object")),
            ("default".to_owned(), value),
        ])),
    ];
    leaf.prop_recursive(3, 12, 3, move |inner| {
        let typed = |kind: &str, key: &str, value| {
            object([("type".to_owned(), Json::from(kind)), (key.to_owned(), value)])
        };
        prop_oneof![
            inner.clone().prop_map(move |items| typed("array", "items", items)),
            inner.clone().prop_map(move |values| typed("object", "additionalProperties", values)),
            prop::collection::vec(inner.clone(), 1..3).prop_map(move |of| word("anyOf", Json::Array(of))),
            properties(inner.boxed()).prop_map(|properties| of(properties, None)),
        ]
    })
}

/// What a dialect calls JSON Schema's types; those that are missing are called the same.
pub type Words = &'static [(&'static str, &'static str)];

pub const PYTHON: Words = &[
    ("object", "dict"),
    ("array", "tuple"),
    ("number", "float"),
    ("string", "str"),
    ("boolean", "bool"),
    ("integer", "int"),
];

pub const JAVA: Words = &[
    ("object", "HashMap"),
    ("array", "ArrayList"),
    ("number", "double"),
    ("string", "String"),
    ("boolean", "Boolean"),
    ("integer", "long"),
];

pub const GOOGLE: Words = &[
    ("object", "OBJECT"),
    ("array", "ARRAY"),
    ("number", "NUMBER"),
    ("string", "STRING"),
    ("boolean", "BOOLEAN"),
    ("integer", "INTEGER"),
];

/// The schema in the words of a dialect, with its word for anything; Google has a key of its own for what may be null.
pub fn in_dialect(schema: &Json, words: Words) -> Json {
    let Json::Object(object) = schema else { return schema.clone() };
    if object.is_empty() && words != GOOGLE {
        return super::values::object([("type".to_owned(), Json::from("any"))]);
    }
    let mut translated = Object::new();
    for (key, value) in object.iter() {
        match (key, value) {
            ("type", Json::String(name)) => translated.insert("type", word(name, words)),
            ("type", Json::Array(names)) if words == GOOGLE => {
                translated.insert("type", word(names[0].as_str().unwrap(), words));
                translated.insert("nullable", Json::Bool(true));
            }
            ("type", Json::Array(names)) => {
                let names = names.iter().map(|name| word(name.as_str().unwrap(), words)).collect();
                translated.insert("type", Json::Array(names));
            }
            ("properties" | "$defs", Json::Object(members)) => {
                let members =
                    members.iter().map(|(name, member)| (name.to_owned(), in_dialect(member, words)));
                translated.insert(key, super::values::object(members));
            }
            ("anyOf", Json::Array(schemas)) => {
                let schemas = schemas.iter().map(|schema| in_dialect(schema, words)).collect();
                translated.insert(key, Json::Array(schemas));
            }
            ("items" | "additionalProperties", schema) => translated.insert(key, in_dialect(schema, words)),
            (key, other) => translated.insert(key, other.clone()),
        }
    }
    Json::Object(translated)
}

fn word(name: &str, words: Words) -> Json {
    Json::from(words.iter().find(|(standard, _)| *standard == name).map_or(name, |(_, word)| word))
}
