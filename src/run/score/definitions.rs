//! Converts tool definitions from any shape that `label` reads to that of the scorers: objects with `name` and `parameters`.

use std::borrow::Cow;
use std::fmt::Display;

use crate::domain::{Cell, Json, Object, Slot, ToolDefinition};
use crate::normalize::{DefinitionsOfBenchmark, definitions_of_benchmark};
use crate::score::ScoreError;

/// The key under which a scorer has the definitions of a row.
pub(super) const USUAL: &str = "tool_definitions";

/// The column that holds a row's definitions: the one that the user named, which has the usual name by now, or one that says so.
pub(super) fn column(row: &Object) -> Option<&'static str> {
    let is_blank =
        |value: &Json| value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty());
    let says = |column: &&str| row.get(column).is_some_and(|value| !is_blank(value));
    Slot::ToolDefinitions.aliases().iter().copied().find(says)
}

/// Keys of a tool's schema that other vendors have.
const OTHER_SCHEMAS: [&str; 6] =
    ["input_schema", "inputSchema", "args_schema", "args", "parametersJsonSchema", "parameters_json_schema"];

/// Keys of an object that lists tools, and is none itself.
const LISTS: [&str; 4] = ["tools", "functions", "functionDeclarations", "function_declarations"];

/// Keys beside a definition's parameters that hold a structure and do not say what the parameters are; the benchmark has the first.
const BESIDE: [&str; 2] = ["response", "metadata"];

/// Whether these are definitions as the benchmark has them, which then are read exactly as they are.
pub(super) fn are_plain(definitions: &Json) -> bool {
    definitions.as_array().is_some_and(|definitions| definitions.iter().all(is_plain))
}

fn is_plain(definition: &Json) -> bool {
    let is_schema = |parameters: &Json| match parameters {
        Json::Object(object) => match object.get("properties") {
            Some(Json::Object(properties)) => {
                properties.values().all(|property| property.as_object().is_some())
            }
            Some(_) => false,
            None => object.is_empty() || object.get("type").and_then(Json::as_str).is_some(),
        },
        _ => false,
    };
    let Some(object) = definition.as_object() else { return false };
    // Without parameters of its own, any structure may be what says them, under a key of another vendor.
    let is_silent = || {
        let is_structure = |value: &Json| matches!(value, Json::Object(_) | Json::Array(_));
        !object.iter().any(|(key, value)| !BESIDE.contains(&key) && is_structure(value))
    };
    let is_group = object.get("type").and_then(Json::as_str) == Some("namespace");
    object.get("name").and_then(Json::as_str).is_some()
        && !is_group
        && !OTHER_SCHEMAS
            .iter()
            .chain(&LISTS)
            .any(|key| object.get(key).is_some_and(|value| !value.is_null()))
        && match object.get("parameters") {
            None | Some(Json::Null) => is_silent(),
            Some(parameters) => is_schema(parameters),
        }
}

/// The definitions in a column, of which calls of the tools `wanted` are expected; borrowed if they are as the benchmark has them.
///
/// # Errors
/// If there are none to be read, or none of a tool that is wanted for certain: no call could be right then, however right it is.
pub(super) fn read<'a>(
    column: &str,
    definitions: &'a Json,
    wanted: &[&str],
) -> Result<Cow<'a, Json>, ScoreError> {
    let invalid = |why: &dyn Display| Err(ScoreError::invalid(format!("`{column}`: {why}")));
    let twice = |wanted: &str| {
        invalid(&format!(
            "`{wanted}` is defined twice, with different parameters: keep the definition that its calls are for"
        ))
    };
    if are_plain(definitions) {
        let tools = definitions.as_array().unwrap_or_default();
        for wanted in wanted {
            let of_name = tools.iter().filter(|tool| tool.get("name").and_then(Json::as_str) == Some(wanted));
            let parameters =
                |tool: &'a Json| tool.get("parameters").filter(|parameters| !parameters.is_null());
            if differ(of_name.map(parameters)) {
                return twice(wanted);
            }
        }
        return Ok(Cow::Borrowed(definitions));
    }
    let DefinitionsOfBenchmark { tools, unread } =
        match definitions_of_benchmark(&Cell::from(definitions.clone())) {
            Some(Ok(read)) => read,
            Some(Err(error)) => return invalid(&error),
            None => return invalid(&"no definition can be read from the text"),
        };
    for wanted in wanted {
        let called_so = || tools.iter().filter(|tool| tool.name == *wanted);
        if let (None, Some(error)) = (called_so().next(), &unread) {
            return invalid(&format!("no definition of `{wanted}`, but one that cannot be read: {error}"));
        }
        if differ(called_so().map(|tool| &tool.parameters)) {
            return twice(wanted);
        }
    }
    Ok(Cow::Owned(ToolDefinition::list(&tools)))
}

/// Whether some are not like the first.
fn differ<T: PartialEq>(mut all: impl Iterator<Item = T>) -> bool {
    let first = all.next();
    first.is_some_and(|first| all.any(|other| other != first))
}
