//! Calls without a vendor's mark: `{"name":"f","arguments":{"a":1}}`, `{"f":{"a":1}}`.

use super::{Absent, Reader, Reading, arguments, error};
use crate::domain::{Json, Object, RowErrorCode, ToolCall};

/// Keys that say something else than a tool's name when they are an object's only key.
const RESERVED: &[&str] = &[
    "function",
    "function_call",
    "functionCall",
    "tool_calls",
    "toolUse",
    "name",
    "type",
    "args",
    "arguments",
    "parameters",
    "input",
    "message",
    "messages",
    "content",
    "role",
    "result",
    "output",
    "error",
];

/// A tool's definition where its call should be: `{"name":"f","parameters":{"type":"object","properties":{…}}}`.
pub(super) fn definition(_: &mut Reader, object: &Object) -> Option<Reading> {
    const SCHEMA_KEYS: [&str; 3] = ["parameters", "input_schema", "inputSchema"];
    object.get("name")?.as_str()?;
    let schema = SCHEMA_KEYS.iter().find_map(|key| object.get(key))?;
    let other_arguments =
        arguments::KEYS.iter().any(|key| !SCHEMA_KEYS.contains(key) && object.contains_key(key));
    (!other_arguments && is_schema(schema))
        .then(|| Err(error(RowErrorCode::DefinitionInToolCall, "a definition, not a call", object)))
}

/// Whether it is the schema of arguments, not arguments.
pub(in crate::normalize) fn is_schema(value: &Json) -> bool {
    let kind = value.get("type").and_then(Json::as_str);
    matches!(kind, Some("object" | "dict" | "OBJECT"))
        && value.get("properties").is_some_and(|properties| properties.as_object().is_some())
}

/// Our own normal form of a call whose arguments are no JSON object: `{"name":"f","arguments":null,"arguments_raw":"{"}`.
pub(super) fn malformed(reader: &mut Reader, object: &Object) -> Option<Reading> {
    // A typed file has no nulls to show.
    object.get("arguments").is_none_or(Json::is_null).then_some(())?;
    let text = object.get("arguments_raw")?.as_str()?;
    Some(name_in(object, "name").map(|name| {
        let arguments = reader.malformed(text.to_owned());
        vec![ToolCall { name, arguments, id: id_in(object, &["id"]) }]
    }))
}

pub(super) fn named(reader: &mut Reader, object: &Object) -> Option<Reading> {
    if arguments::has_any(object) { name_alone(reader, object) } else { None }
}

/// `{"name":"f"}`: a call without arguments, or with arguments under a key that others use for something else.
pub(super) fn name_alone(reader: &mut Reader, object: &Object) -> Option<Reading> {
    object.get("name")?.as_str()?;
    let read = |reader: &mut Reader| reader.call(object, "name", &["id", "call_id", "tool_call_id"]);
    Some(reader.where_absent_is(Absent::Unsaid, read))
}

/// The same in an answer, where it is a call only if the name is a tool's, and something beside it may be its arguments.
/// An answer may well list the tools.
pub(super) fn named_tool(reader: &mut Reader, object: &Object) -> Option<Reading> {
    let name = object.get("name")?.as_str()?;
    reader.definition(name)?;
    let lists = object.contains_key("description") && !arguments::may_have_any(object);
    if lists || !arguments::may_be_beside(object, "name") || definition(reader, object).is_some() {
        return None;
    }
    name_alone(reader, object)
}

/// The tool's name is the only key: `{"f":{"a":1}}`, `{"f":"{\"a\":1}"}`.
pub(super) fn bfcl(reader: &mut Reader, object: &Object) -> Option<Reading> {
    let mut entries = object.iter();
    let (Some((name, value)), None) = (entries.next(), entries.next()) else { return None };
    let holds_arguments = match value {
        Json::Object(_) | Json::Null => true,
        Json::String(text) => text.trim().is_empty() || matches!(Json::parse(text), Ok(Json::Object(_))),
        _ => false,
    };
    if !holds_arguments || name.trim().is_empty() || RESERVED.contains(&name) {
        return None;
    }
    let arguments = reader.arguments(Some(value));
    Some(Ok(vec![ToolCall { name: name.to_owned(), arguments, id: None }]))
}

impl Reader<'_> {
    /// One call: its name stands under `name_key` of `object`, its id under the first of `id_keys` that is there.
    pub(super) fn call(&mut self, object: &Object, name_key: &str, id_keys: &[&str]) -> Reading {
        let name = name_in(object, name_key)?;
        let arguments = self.arguments_in(object, name_key, &name)?;
        Ok(vec![ToolCall { name, arguments, id: id_in(object, id_keys) }])
    }
}

/// A name that is empty is what an agent wrote, and a wrong call; where there is none at all, the record is no call.
pub(super) fn name_in(object: &Object, key: &str) -> Result<String, crate::domain::RowError> {
    match object.get(key).and_then(Json::as_str) {
        Some(name) => Ok(name.to_owned()),
        None => Err(error(RowErrorCode::ToolCallWithoutName, "a call without a name", object)),
    }
}

pub(super) fn id_in(object: &Object, keys: &[&str]) -> Option<String> {
    keys.iter().find_map(|key| object.get(key)?.as_str()).filter(|id| !id.is_empty()).map(str::to_owned)
}
