//! Turns in the formats of the providers' APIs, one file each, and the common parts.

mod anthropic;
mod chat;
mod gemini;
mod ollama;
mod responses;

#[cfg(test)]
mod cassettes;
#[cfg(test)]
mod laws;

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::domain::{Arguments, Dialogue, Entry, Json, Object, ToolDefinition, Turn, Usage};
use crate::judge::failure::Failure;
use crate::judge::provider_format::broken;

/// The member that holds arguments which are no JSON object, where a format takes nothing but objects. The name is the one that
/// Anthropic's documentation gives it.
const INVALID_JSON: &str = "INVALID_JSON";

/// What is wrong with a reply that ends in order to call something, and calls nothing.
const LOST_CALL: &str = "the reply ends with a call, and holds none";

/// A response, with the text of its numbers: what a model wrote is compared with what was expected.
fn parse(body: &str, what: &str) -> Result<Json, Failure> {
    Json::parse(body).map_err(|_| broken(what, body))
}

/// Tokens as `T`, the provider's own record, counts them.
fn usage<T: DeserializeOwned + Into<Usage>>(field: Option<&Json>) -> Usage {
    let fields = field.and_then(|field| serde_json::from_value::<T>(field.into()).ok());
    fields.map(Into::into).unwrap_or_default()
}

/// An error where a reply neither says nor calls anything, and its end is none that a model's reply has: whoever served it is at fault.
fn check_says_something(turn: Option<Turn>, body: &str) -> Result<(), Failure> {
    match turn {
        Some(turn) if turn.says_nothing() => {
            Err(broken("the reply neither says nor calls anything, and nothing tells why it ends", body))
        }
        _ => Ok(()),
    }
}

fn text<'a>(object: &'a Json, key: &str) -> Option<&'a str> {
    object.get(key)?.as_str()
}

fn items<'a>(object: &'a Json, key: &str) -> &'a [Json] {
    object.get(key).and_then(Json::as_array).unwrap_or_default()
}

/// Arguments as a call has them: an object, or a text that holds one. No text at all is an object without members.
fn arguments(value: Option<&Json>) -> Arguments {
    match value {
        None | Some(Json::Null) => Arguments::Parsed(Object::new()),
        Some(Json::Object(object)) => Arguments::Parsed(object.clone()),
        Some(Json::String(text)) if text.trim().is_empty() => Arguments::Parsed(Object::new()),
        Some(Json::String(text)) => match Json::parse(text) {
            Ok(Json::Object(object)) => Arguments::Parsed(object),
            _ => Arguments::Malformed(text.clone()),
        },
        Some(other) => Arguments::Malformed(other.to_string()),
    }
}

/// For formats whose arguments are objects.
fn arguments_object(arguments: &Arguments) -> Value {
    match arguments {
        Arguments::Parsed(object) => Value::from(&Json::Object(object.clone())),
        Arguments::Malformed(text) => json!({ INVALID_JSON: text }),
    }
}

/// For formats whose arguments are texts.
fn arguments_text(arguments: &Arguments) -> String {
    match arguments {
        Arguments::Parsed(object) => Json::Object(object.clone()).to_string(),
        Arguments::Malformed(text) => text.clone(),
    }
}

/// The schema of a tool's arguments. Some endpoints refuse one that does not say that it is an object, and of what.
fn schema(tool: &ToolDefinition) -> Value {
    let mut schema = match Value::from(&tool.parameters) {
        Value::Object(schema) => schema,
        _ => Map::new(),
    };
    schema.entry("type").or_insert_with(|| json!("object"));
    schema.entry("properties").or_insert_with(|| json!({}));
    Value::Object(schema)
}

/// A tool as chat completions describe it, and those after them.
fn function(tool: &ToolDefinition) -> Value {
    let mut function = described(tool);
    function.insert("parameters".to_owned(), schema(tool));
    json!({"type": "function", "function": function})
}

/// Name and description, where there is one.
fn described(tool: &ToolDefinition) -> Map<String, Value> {
    let mut described = Map::new();
    described.insert("name".to_owned(), json!(tool.name));
    if !tool.description.is_empty() {
        described.insert("description".to_owned(), json!(tool.description));
    }
    described
}

/// A message that was kept; `None` where it is not one of ours, or empty because a filter let nothing through.
fn kept(message: &str) -> Option<Value> {
    Json::parse(message).ok().map(|message| Value::from(&message))
}

/// A part of it, to be looked at as what it said.
fn reread(value: &Value) -> Option<Json> {
    Json::parse(&value.to_string()).ok()
}

/// The members of `object` that are not null: what a response leaves open, some endpoints refuse in a request.
fn drop_nulls(object: &mut Map<String, Value>) {
    object.retain(|_, value| !value.is_null());
}

/// An id that an endpoint takes: at most `longest` bytes, and where it is `strict` about them only letters, digits, `_` and `-`.
/// Ids of logged conversations come from anywhere; equal ids stay equal, and others stay apart.
fn link(id: &str, longest: usize, strict: bool) -> Cow<'_, str> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if !id.is_empty() && id.len() <= longest && (!strict || id.bytes().all(plain)) {
        return Cow::Borrowed(id);
    }
    Cow::Owned(format!("call_{}", &blake3::hash(id.as_bytes()).to_hex()[..24]))
}

/// Words without the thoughts that servers which do not tell them apart leave before them.
fn without_thoughts(text: &str) -> &str {
    let Some(thoughts) = text.trim_start().strip_prefix("<think>") else { return text };
    thoughts.split_once("</think>").map_or("", |(_, words)| words.trim_start())
}

/// The replies of the model itself.
fn replies(dialogue: &Dialogue) -> impl Iterator<Item = &str> {
    dialogue.entries.iter().filter_map(|entry| match entry {
        Entry::Reply { message, .. } => Some(&**message),
        _ => None,
    })
}

/// Puts `parts` behind what the same `role` said last, or into a message of their own: some formats want roles to alternate.
/// Without parts there is no message.
fn push_parts(messages: &mut Vec<Value>, role: &str, field: &str, parts: Vec<Value>) {
    if parts.is_empty() {
        return;
    }
    match messages.last_mut() {
        Some(last) if last["role"] == role => {
            if let Some(earlier) = last[field].as_array_mut() {
                earlier.extend(parts);
            }
        }
        _ => messages.push(json!({"role": role, field: parts})),
    }
}
