//! Definitions as vendors write them: `{"name":"f","description":"…","input_schema":{…}}`.

use std::collections::BTreeSet;

use super::schema::{self, TypeNames};
use super::{error, from_text, unrecognised};
use crate::domain::{Flag, Json, Object, RowError, RowErrorCode, ToolDefinition};
use crate::normalize::python_literal::{Dialect, Scanner};

/// Collects the definitions of one cell, in order.
#[derive(Default)]
pub(super) struct Reader {
    pub(super) tools: Vec<ToolDefinition>,
    pub(super) flags: BTreeSet<Flag>,
    pub(super) types: TypeNames,
    /// Whether these definitions leave the schema out if there are no parameters, as Google's do.
    leaves_out_empty: bool,
    /// What is wrong with the first definition of a list that cannot be read. It costs that definition, not the others.
    unreadable: Option<RowError>,
}

/// One way of writing definitions as a JSON object; `None` when the object is not of this shape, which then is as it was. What is
/// read is moved out: definitions are the longest part of a row.
type Shape = fn(&mut Reader, &mut Object) -> Option<Result<(), RowError>>;

/// In the order in which they are tried; the first that fits decides.
const SHAPES: &[Shape] = &[
    list_under_key,
    namespace,
    bedrock,
    bedrock_built_in,
    openai,
    openinference,
    name_and_schema,
    haystack,
    langchain_repr,
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

/// Keys of the schema in other frameworks' definitions. They count only if the first ones are absent, and hold a schema or properties: elsewhere
/// they hold something else.
const FURTHER_SCHEMA_KEYS: &[&str] = &[
    "inputs",
    "parameter_definitions",
    "fn_schema",
    "json_schema",
    "input_json_schema",
    "argument_schema",
    "arguments_schema",
    "parametersSchema",
    "parameters_schema",
    "schema",
    "params",
    "arguments",
    "input",
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

/// A tool without a name, by which the Responses API looks up others; the application may have to run it.
const TOOL_SEARCH: &str = "tool_search";

impl Reader {
    pub(super) fn new(types: TypeNames) -> Reader {
        Reader { types, ..Reader::default() }
    }

    /// Reads a whole cell, and says why the first definition that cannot be read could not be. An error if none of them can.
    pub(super) fn cell(&mut self, json: &mut Json) -> Result<Option<RowError>, RowError> {
        self.value(json)?;
        match self.unreadable.take() {
            Some(error) if self.tools.is_empty() => Err(error),
            Some(error) => {
                self.flags.insert(Flag::UnreadableDefinition);
                Ok(Some(error))
            }
            None => Ok(None),
        }
    }

    fn value(&mut self, json: &mut Json) -> Result<(), RowError> {
        match json {
            Json::Array(items) => {
                for item in items {
                    let read = self.value(item);
                    self.one_of_many(read);
                }
                Ok(())
            }
            Json::Object(object) => self.object(object),
            // One tool per string, as some tracers have it.
            Json::String(text) => match from_text(text, self.types)? {
                super::Found::Tools { tools, flags, unread } => {
                    self.tools.extend(tools);
                    self.flags.extend(flags);
                    self.one_of_many(unread.map_or(Ok(()), Err));
                    Ok(())
                }
                _ => Err(unrecognised(json)),
            },
            _ => Err(unrecognised(json)),
        }
    }

    fn object(&mut self, object: &mut Object) -> Result<(), RowError> {
        let found = SHAPES.iter().find_map(|shape| shape(self, object));
        found.unwrap_or_else(|| Err(unrecognised(object)))
    }

    fn one_of_many(&mut self, read: Result<(), RowError>) {
        if let Err(error) = read {
            self.unreadable.get_or_insert(error);
        }
    }

    fn push(&mut self, name: &str, object: &Object, schema: Option<Json>) {
        let description = object.get("description").and_then(Json::as_str).unwrap_or_default();
        let none = || schema::of_properties(Json::Object(Object::new()));
        let schema = schema.or_else(|| self.leaves_out_empty.then(none));
        let parameters = schema::parameters(schema, self.types);
        let tool = ToolDefinition { name: name.to_owned(), description: description.to_owned(), parameters };
        // A custom tool takes free text.
        let is_custom =
            object.get("type").and_then(Json::as_str) == Some("custom") || object.contains_key("format");
        if tool.has_unknown_parameters() && !is_custom {
            self.flags.insert(Flag::UnknownParameters);
        }
        self.tools.push(tool);
    }

    /// A tool that its provider runs, and nobody else need know the parameters of.
    fn push_server_tool(&mut self, name: &str, object: &Object) {
        self.flags.insert(Flag::ServerTool);
        self.tools.push(ToolDefinition {
            name: name.to_owned(),
            description: object.get("description").and_then(Json::as_str).unwrap_or_default().to_owned(),
            parameters: schema::parameters(None, self.types),
        });
    }

    /// The definition in `object`, which must have a name of its own.
    fn push_named(&mut self, object: &mut Object) -> Result<(), RowError> {
        if name(object).is_none() {
            return Err(without_name(object));
        }
        let schema = schema_of(object)?;
        self.push(name(object).unwrap_or_default(), object, schema);
        Ok(())
    }
}

fn list_under_key(reader: &mut Reader, object: &mut Object) -> Option<Result<(), RowError>> {
    let is_list = |path: &&&[&str]| {
        let value = path
            .split_first()
            .and_then(|(first, rest)| rest.iter().try_fold(object.get(first)?, |value, key| value.get(key)));
        value.is_some_and(|value| value.as_array().is_some())
    };
    let (first, rest) = LIST_PATHS.iter().find(is_list)?.split_first()?;
    let listed = rest.iter().try_fold(object.get_mut(first)?, |value, key| value.get_mut(key))?;
    let before = reader.leaves_out_empty;
    reader.leaves_out_empty =
        first.starts_with("function") && first.to_ascii_lowercase().ends_with("declarations");
    let read = reader.value(listed);
    reader.leaves_out_empty = before;
    Some(read)
}

/// A group of tools without its list, which would else pass for one tool that its provider runs: `{"type":"namespace","name":"crm"}`.
fn namespace(_: &mut Reader, object: &mut Object) -> Option<Result<(), RowError>> {
    object.get("type")?.as_str().filter(|kind| *kind == "namespace")?;
    Some(Err(unrecognised(object)))
}

/// `{"toolSpec":{"name":"f","description":"…","inputSchema":{"json":{…}}}}`
fn bedrock(reader: &mut Reader, object: &mut Object) -> Option<Result<(), RowError>> {
    Some(reader.push_named(object.get_mut("toolSpec")?.as_object_mut()?))
}

/// A tool that Amazon runs itself: `{"systemTool":{"name":"nova_grounding"}}`.
fn bedrock_built_in(reader: &mut Reader, object: &mut Object) -> Option<Result<(), RowError>> {
    let tool = object.get("systemTool")?.as_object()?;
    reader.push_server_tool(name(tool).unwrap_or("systemTool"), tool);
    Some(Ok(()))
}

/// `{"type":"function","function":{"name":"f","description":"…","parameters":{…}}}`
fn openai(reader: &mut Reader, object: &mut Object) -> Option<Result<(), RowError>> {
    let key = if object.contains_key("function") { "function" } else { "custom" };
    let (typed, alone) = (object.contains_key("type"), object.len() == 1);
    let inner = object.get_mut(key)?.as_object_mut()?;
    let is_tool = typed || alone && inner.contains_key("name");
    if is_tool && key == "custom" {
        inner.insert("type", "custom");
    }
    is_tool.then(|| reader.push_named(inner))
}

/// `{"tool.json_schema":"{…}"}`, `{"tool":{"json_schema":{…}}}`
fn openinference(reader: &mut Reader, object: &mut Object) -> Option<Result<(), RowError>> {
    let schema = match object.contains_key("tool.json_schema") {
        true => object.get_mut("tool.json_schema")?,
        false => object.get_mut("tool")?.get_mut("json_schema")?,
    };
    Some(reader.value(schema))
}

/// `{"name":"f","parameters":{…}}` and the same with another key for the schema.
fn name_and_schema(reader: &mut Reader, object: &mut Object) -> Option<Result<(), RowError>> {
    name(object)?;
    has_schema_key(object).then(|| reader.push_named(object))
}

/// `{"type":"haystack.tools.tool.Tool","data":{"name":"f","parameters":{…}}}`
fn haystack(reader: &mut Reader, object: &mut Object) -> Option<Result<(), RowError>> {
    object.get("type")?.as_str().filter(|kind| kind.contains('.'))?;
    let data = object.get_mut("data")?.as_object_mut()?;
    name(data)?;
    Some(reader.push_named(data))
}

/// A tool that LangChain could not serialize: `{"lc":1,"type":"not_implemented","repr":"StructuredTool(name='f', description='…', …)"}`.
fn langchain_repr(reader: &mut Reader, object: &mut Object) -> Option<Result<(), RowError>> {
    object.get("type")?.as_str().filter(|kind| *kind == "not_implemented")?;
    let repr = object.get("repr")?.as_str()?;
    let (_, fields) = repr.split_once('(')?;
    let text = |key: &str| {
        let value = match fields.strip_prefix(&format!("{key}=")) {
            Some(first) => first,
            None => fields.split_once(&format!(", {key}="))?.1,
        };
        Scanner::new(value, Dialect::Python).value(0)?.as_str().map(str::to_owned)
    };
    let name = text("name").filter(|name| !name.trim().is_empty())?;
    let mut described = Object::new();
    described.insert("description", text("description").unwrap_or_default());
    reader.push(&name, &described, None);
    Some(Ok(()))
}

/// A bare schema: `{"title":"f","description":"…","type":"object","properties":{…}}`.
fn titled_schema(reader: &mut Reader, object: &mut Object) -> Option<Result<(), RowError>> {
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
fn typed(reader: &mut Reader, object: &mut Object) -> Option<Result<(), RowError>> {
    if object.get("type")?.as_str() == Some(TOOL_SEARCH) && has_schema_key(object) {
        object.insert("name", TOOL_SEARCH);
    }
    let kind = object.get("type")?.as_str().filter(|kind| !kind.trim().is_empty())?;
    let is_webhook = object.get("api_schema").is_some_and(|schema| schema.as_object().is_some());
    if matches!(kind, "function" | "custom") || has_schema_key(object) || is_webhook {
        return Some(reader.push_named(object));
    }
    if name(object).is_some() && further_schema_key(object).is_some() {
        return Some(reader.push_named(object));
    }
    // A schema without a title is no tool.
    if object.contains_key("properties") {
        return Some(Err(without_name(object)));
    }
    reader.push_server_tool(name(object).unwrap_or(kind), object);
    Some(Ok(()))
}

/// A definition without a schema, as logs that leave it out have them: `{"name":"f","description":"…"}`.
fn described_name(reader: &mut Reader, object: &mut Object) -> Option<Result<(), RowError>> {
    name(object)?;
    let is_definition = object.contains_key("description")
        || object.len() == 1
        || further_schema_key(object).is_some_and(|key| object.get(key).is_some_and(schema::is_whole));
    is_definition.then(|| reader.push_named(object))
}

/// `{"googleSearch":{}}`
fn gemini_built_in(reader: &mut Reader, object: &mut Object) -> Option<Result<(), RowError>> {
    let name = object.keys().next().filter(|key| object.len() == 1 && GEMINI_BUILT_INS.contains(key))?;
    reader.push_server_tool(name, object);
    Some(Ok(()))
}

/// Bedrock's mark between tools: `{"cachePoint":{"type":"default"}}`.
fn cache_point(_: &mut Reader, object: &mut Object) -> Option<Result<(), RowError>> {
    object.contains_key("cachePoint").then_some(Ok(()))
}

fn nameless(_: &mut Reader, object: &mut Object) -> Option<Result<(), RowError>> {
    let schema = SCHEMA_KEYS.iter().find_map(|key| object.get(key))?;
    // The key may also be a tool's name in a map by name.
    (!is_described_tool(schema)).then(|| Err(without_name(object)))
}

/// `{"f":{"description":"…","parameters":{…}}}`
fn map_by_name(reader: &mut Reader, object: &mut Object) -> Option<Result<(), RowError>> {
    if object.is_empty() || !object.values().all(is_described_tool) {
        return None;
    }
    if object.keys().any(|name| name.trim().is_empty()) {
        return Some(Err(without_name(object)));
    }
    for (name, tool) in object.iter_mut() {
        let Some(tool) = tool.as_object_mut() else { continue };
        let read = schema_of(tool).map(|schema| reader.push(name, tool, schema));
        reader.one_of_many(read);
    }
    Some(Ok(()))
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

/// The schema of a tool's arguments, moved out of the tool and of its wrappers; tracers may have made a text of it.
fn schema_of(object: &mut Object) -> Result<Option<Json>, RowError> {
    let says = |value: &Json| !value.is_null() && value.as_str().is_none_or(|text| !text.trim().is_empty());
    let given = |key: &&&str| object.get(key).is_some_and(says);
    let Some(key) = SCHEMA_KEYS.iter().find(given).copied() else { return Ok(further_schema(object)) };
    let [amazons, wrapper] = AMAZONS_KEYS;
    let wrapped =
        |schema: &Json| key == amazons && !schema::is_whole(schema) && schema.get(wrapper).is_some();
    let parsed = match object.get(key) {
        Some(Json::String(text)) => Json::parse(text).ok(),
        _ => None,
    };
    if let Some(parsed) = parsed {
        object.insert(key, parsed);
    }
    let found = object.get_mut(key).and_then(|schema| match wrapped(schema) {
        true => schema.get_mut(wrapper),
        false => Some(schema),
    });
    let Some(found) = found.filter(|schema| schema.as_object().is_some()) else {
        return Err(unrecognised(object));
    };
    let schema = std::mem::replace(found, Json::Null);
    let only_properties = key == PROPERTIES_KEY && !schema::is_whole(&schema);
    Ok(Some(if only_properties { schema::of_properties(schema) } else { schema }))
}

/// The first of [`FURTHER_SCHEMA_KEYS`] that holds a schema, or properties without one around them.
fn further_schema_key(object: &Object) -> Option<&'static str> {
    let holds = |value: &Json| schema::is_whole(value) || schema::are_properties(value);
    FURTHER_SCHEMA_KEYS.iter().copied().find(|key| object.get(key).is_some_and(holds))
}

/// The schema under a key that hardly anybody else uses, moved out of the tool; `None` if nothing says what its parameters are.
fn further_schema(object: &mut Object) -> Option<Json> {
    if let Some(properties) = object.get("properties").filter(|properties| properties.as_object().is_some()) {
        let mut schema = schema::of_properties(properties.clone());
        if let (Some(required), Json::Object(schema)) = (object.get("required"), &mut schema) {
            schema.insert("required", required.clone());
        }
        return Some(schema);
    }
    if let Some(key) = further_schema_key(object) {
        return object.get(key).cloned().map(schema::with_required);
    }
    // A webhook may have parameters in its path and query too.
    let hook = object.get("api_schema")?;
    let elsewhere = ["path_params_schema", "query_params_schema"];
    let is_all = elsewhere.iter().all(|key| {
        hook.get(key).is_none_or(|other| other.is_null() || other.as_object().is_some_and(Object::is_empty))
    });
    hook.get("request_body_schema").filter(|schema| is_all && schema::is_whole(schema)).cloned()
}

fn without_name(object: &Object) -> RowError {
    error(RowErrorCode::DefinitionWithoutName, "a definition without a name", object)
}
