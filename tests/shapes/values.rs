//! Values at random, as odd as logs hold them, and how JSON and Python write them.

use proptest::prelude::*;
use tooljudge::domain::{Arguments, Json, Number, Object, ToolCall};

pub fn json() -> impl Strategy<Value = Json> {
    let number = "-?(0|[1-9][0-9]{0,24})(\\.[0-9]{1,4})?([eE][+-]?[0-9]{1,3})?";
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        number.prop_map(|text| Json::Number(Number::parse(&text).unwrap())),
        hostile_text().prop_map(Json::String),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::Array),
            prop::collection::btree_map(hostile_text(), inner, 0..4).prop_map(object),
        ]
    })
}

/// Texts full of what readers look for.
pub fn hostile_text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "['\"\\\\,)\\]}\n<>=a-c ]{0,8}",
        prop::sample::select(vec![
            "</tool_call>",
            "<function=f>",
            "```",
            "</parameter>",
            "[TOOL_CALLS][",
            "<|eot_id|>",
            "f: d | Parameters: {}",
            "{\"name\": \"f\", \"arguments\": {}}",
            "No tools called.",
            "null",
            "type",
            "properties",
            "it's",
        ])
        .prop_map(str::to_owned),
    ]
}

pub fn object(entries: impl IntoIterator<Item = (String, Json)>) -> Json {
    Json::Object(entries.into_iter().collect())
}

/// Calls that every shape can hold. Names begin like no word that a shape knows.
pub fn calls() -> impl Strategy<Value = Vec<ToolCall>> {
    let arguments = prop::collection::btree_map("[a-zA-Z_][a-zA-Z0-9_]{0,5}", json(), 0..4);
    let call = (name(), arguments, prop::option::of("[ -~]{1,12}")).prop_map(|(name, arguments, id)| {
        ToolCall { name, arguments: Arguments::Parsed(arguments.into_iter().collect()), id }
    });
    prop::collection::vec(call, 1..4)
}

pub fn name() -> impl Strategy<Value = String> {
    "fn_[a-zA-Z0-9_]{0,6}(\\.[a-z0-9_]{1,4})?"
}

/// The text as JSON writes it.
pub fn quoted(text: &str) -> String {
    Json::from(text).to_string()
}

/// The value as Python prints it; floats keep their text.
pub fn python(value: &Json) -> String {
    match value {
        Json::Null => "None".to_owned(),
        Json::Bool(true) => "True".to_owned(),
        Json::Bool(false) => "False".to_owned(),
        Json::Number(number) => number.as_str().to_owned(),
        Json::String(text) => python_text(text),
        Json::Array(items) => format!("[{}]", items.iter().map(python).collect::<Vec<_>>().join(", ")),
        Json::Object(object) => {
            let entry = |(key, value): (&str, &Json)| format!("{}: {}", python_text(key), python(value));
            format!("{{{}}}", object.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
    }
}

pub fn python_text(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n").replace('\r', "\\r");
    format!("'{text}'")
}

/// The value with its floats in the spelling of a double, so that only their values count.
pub fn in_doubles(json: &Json) -> Json {
    match json {
        Json::Number(number) if !number.is_integer() => {
            Json::Number(Number::from_f64(number.as_f64()).unwrap_or_else(|| number.clone()))
        }
        Json::Array(items) => Json::Array(items.iter().map(in_doubles).collect()),
        Json::Object(object) => Json::Object(members_in_doubles(object)),
        other => other.clone(),
    }
}

pub fn members_in_doubles(object: &Object) -> Object {
    object.iter().map(|(key, member)| (key.to_owned(), in_doubles(member))).collect()
}
