//! Definitions as vendors write them: `{"name":"f","description":"…","input_schema":{…}}`.

use std::collections::BTreeSet;

use super::{error, from_text, schema, unrecognised};
use crate::domain::{Flag, Json, Object, RowError, RowErrorCode, ToolDefinition};

/// Collects the definitions of one cell, in order.
#[derive(Default)]
pub(super) struct Reader {
    pub(super) tools: Vec<ToolDefinition>,
    pub(super) flags: BTreeSet<Flag>,
}

/// One way of writing definitions as a JSON object; `None` when the object is not of this shape.
type Shape = fn(&mut Reader, &Object) -> Option<Result<(), RowError>>;

/// In the order in which they are tried; the first that fits decides.
const SHAPES: &[Shape] = &[
    list_under_key,
    bedrock,
    openai,
    openinference,
    name_and_schema,
    titled_schema,
    typed,
    described_name,
    gemini_built_in,
    cache_point,
    nameless,
    map_by_name,
];

/// Paths to a list of definitions inside another object.
const LIST_PATHS: &[&[&str]] = &[
    &["tools"],
    &["functions"],
    &["result", "tools"],
    &["functionDeclarations"],
    &["function_declarations"],
    &["toolConfig", "tools"],
];

/// Keys of a tool's schema; the first that is not null counts.
const SCHEMA_KEYS: &[&str] = &[
    "parameters",
    "input_schema",
    "inputSchema",
    "args_schema",
    "args",
    "parametersJsonSchema",
    "parameters_json_schema",
];

/// Where Amazon has a key between such a key and the schema; elsewhere a parameter may be called the same.
const AMAZONS_KEYS: [&str; 2] = ["inputSchema", "json"];

/// The key of properties without the schema around them.
const PROPERTIES_KEY: &str = "args";

/// Tools that Gemini runs itself, each named by the only key of its object.
const GEMINI_BUILT_INS: &[&str] = &[
    "googleSearch",
    "google_search",
    "googleSearchRetrieval",
    "google_search_retrieval",
    "codeExecution",
    "code_execution",
    "urlContext",
    "url_context",
    "googleMaps",
    "google_maps",
];

impl Reader {
    pub(super) fn value(&mut self, json: &Json) -> Result<(), RowError> {
        match json {
            Json::Array(items) => items.iter().try_for_each(|item| self.value(item)),
            Json::Object(object) => self.object(object),
            // One tool per string, as some tracers have it.
            Json::String(text) => match from_text(text)? {
                super::Found::Tools { tools, flags } => {
                    self.tools.extend(tools);
                    self.flags.extend(flags);
                    Ok(())
                }
                _ => Err(unrecognised(json)),
            },
            _ => Err(unrecognised(json)),
        }
    }

    fn object(&mut self, object: &Object) -> Result<(), RowError> {
        let found = SHAPES.iter().find_map(|shape| shape(self, object));
        found.unwrap_or_else(|| Err(unrecognised(object)))
    }

    fn push(&mut self, name: &str, object: &Object, schema: Option<Json>) {
        let description = object.get("description").and_then(Json::as_str).unwrap_or_default();
        let parameters = schema::parameters(schema);
        self.tools.push(ToolDefinition {
            name: name.to_owned(),
            description: description.to_owned(),
            parameters,
        });
    }

    /// The definition in `object`, which must have a name of its own.
    fn push_named(&mut self, object: &Object) -> Result<(), RowError> {
        match name(object) {
            Some(name) => {
                self.push(name, object, schema_of(object)?);
                Ok(())
            }
            None => Err(without_name(object)),
        }
    }
}

fn list_under_key(reader: &mut Reader, object: &Object) -> Option<Result<(), RowError>> {
    let follow = |path: &&[&str]| {
        let (first, rest) = path.split_first()?;
        rest.iter().try_fold(object.get(first)?, |value, key| value.get(key))
    };
    let listed = LIST_PATHS.iter().filter_map(follow).find(|value| value.as_array().is_some())?;
    Some(reader.value(listed))
}

/// `{"toolSpec":{"name":"f","description":"…","inputSchema":{"json":{…}}}}`
fn bedrock(reader: &mut Reader, object: &Object) -> Option<Result<(), RowError>> {
    Some(reader.push_named(object.get("toolSpec")?.as_object()?))
}

/// `{"type":"function","function":{"name":"f","description":"…","parameters":{…}}}`
fn openai(reader: &mut Reader, object: &Object) -> Option<Result<(), RowError>> {
    let inner = object.get("function").or_else(|| object.get("custom"))?.as_object()?;
    let wrapped = object.contains_key("type") || object.len() == 1 && inner.contains_key("name");
    wrapped.then(|| reader.push_named(inner))
}

/// `{"tool.json_schema":"{…}"}`, `{"tool":{"json_schema":{…}}}`
fn openinference(reader: &mut Reader, object: &Object) -> Option<Result<(), RowError>> {
    let nested = || object.get("tool")?.get("json_schema");
    Some(reader.value(object.get("tool.json_schema").or_else(nested)?))
}

/// `{"name":"f","parameters":{…}}` and the same with another key for the schema.
fn name_and_schema(reader: &mut Reader, object: &Object) -> Option<Result<(), RowError>> {
    name(object)?;
    has_schema_key(object).then(|| reader.push_named(object))
}

/// A bare schema: `{"title":"f","description":"…","type":"object","properties":{…}}`.
fn titled_schema(reader: &mut Reader, object: &Object) -> Option<Result<(), RowError>> {
    let title = object.get("title")?.as_str().filter(|title| !title.trim().is_empty())?;
    object.get("type")?.as_str().filter(|kind| *kind == "object")?;
    let mut schema = object.clone();
    schema.remove("title");
    schema.remove("description");
    reader.push(title, object, Some(Json::Object(schema)));
    Some(Ok(()))
}

/// A tool that says its type: a function without parameters, or one that the provider runs, such as
/// `{"type":"web_search_20250305","name":"web_search"}`.
fn typed(reader: &mut Reader, object: &Object) -> Option<Result<(), RowError>> {
    let kind = object.get("type")?.as_str().filter(|kind| !kind.trim().is_empty())?;
    if matches!(kind, "function" | "custom") || has_schema_key(object) {
        return Some(reader.push_named(object));
    }
    // A schema without a title is no tool.
    if object.contains_key("properties") {
        return Some(Err(without_name(object)));
    }
    reader.flags.insert(Flag::ServerTool);
    reader.push(name(object).unwrap_or(kind), object, None);
    Some(Ok(()))
}

/// A tool without parameters may leave the schema out: `{"name":"f","description":"…"}`.
fn described_name(reader: &mut Reader, object: &Object) -> Option<Result<(), RowError>> {
    name(object)?;
    (object.contains_key("description") || object.len() == 1).then(|| reader.push_named(object))
}

/// `{"googleSearch":{}}`
fn gemini_built_in(reader: &mut Reader, object: &Object) -> Option<Result<(), RowError>> {
    let name = object.keys().next().filter(|key| object.len() == 1 && GEMINI_BUILT_INS.contains(key))?;
    reader.flags.insert(Flag::ServerTool);
    reader.push(name, object, None);
    Some(Ok(()))
}

/// Bedrock's mark between tools: `{"cachePoint":{"type":"default"}}`.
fn cache_point(_: &mut Reader, object: &Object) -> Option<Result<(), RowError>> {
    object.contains_key("cachePoint").then_some(Ok(()))
}

fn nameless(_: &mut Reader, object: &Object) -> Option<Result<(), RowError>> {
    let schema = SCHEMA_KEYS.iter().find_map(|key| object.get(key))?;
    // The key may also be a tool's name in a map by name.
    (!is_described_tool(schema)).then(|| Err(without_name(object)))
}

/// `{"f":{"description":"…","parameters":{…}}}`
fn map_by_name(reader: &mut Reader, object: &Object) -> Option<Result<(), RowError>> {
    if object.is_empty() || !object.values().all(is_described_tool) {
        return None;
    }
    let mut tools = object.iter().filter_map(|(name, tool)| Some((name, tool.as_object()?)));
    Some(tools.try_for_each(|(name, tool)| match name.trim() {
        "" => Err(without_name(object)),
        _ => schema_of(tool).map(|schema| reader.push(name, tool, schema)),
    }))
}

fn is_described_tool(value: &Json) -> bool {
    value.as_object().is_some_and(|tool| tool.contains_key("description") || has_schema_key(tool))
}

fn name(object: &Object) -> Option<&str> {
    object.get("name")?.as_str().filter(|name| !name.trim().is_empty())
}

fn has_schema_key(object: &Object) -> bool {
    SCHEMA_KEYS.iter().any(|key| object.contains_key(key))
}

/// The schema of a tool's arguments, out of its wrappers; tracers may have made a text of it.
fn schema_of(object: &Object) -> Result<Option<Json>, RowError> {
    let given = |key: &&'static str| Some((*key, object.get(key).filter(|value| !value.is_null())?));
    let Some((key, value)) = SCHEMA_KEYS.iter().find_map(given) else { return Ok(None) };
    let schema = match value {
        Json::String(text) => Json::parse(text).map_err(|_| unrecognised(object))?,
        value => value.clone(),
    };
    let [amazons, wrapper] = AMAZONS_KEYS;
    let schema = match schema.get(wrapper).filter(|_| key == amazons && !schema::is_whole(&schema)) {
        Some(inner) => inner.clone(),
        None => schema,
    };
    if schema.as_object().is_none() {
        return Err(unrecognised(object));
    }
    let only_properties = key == PROPERTIES_KEY && !schema::is_whole(&schema);
    Ok(Some(if only_properties { schema::of_properties(schema) } else { schema }))
}

fn without_name(object: &Object) -> RowError {
    error(RowErrorCode::DefinitionWithoutName, "a definition without a name", object)
}
