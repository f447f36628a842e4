//! Converts tool definitions from any shape that `label` reads to that of the scorers: objects with `name` and `parameters`.

use crate::domain::{Cell, Json, Object, Slot, ToolDefinition};
use crate::normalize::definitions_of_benchmark;
use crate::score::ScoreError;

/// The key under which a scorer has the definitions of a row.
pub(super) const USUAL: &str = "tool_definitions";

/// The column that holds a row's definitions: the one that the user named, which has the usual name by now, or one that says so.
pub(super) fn column(row: &Object) -> Option<&'static str> {
    let says = |column: &&str| row.get(column).is_some_and(|value| !value.is_null());
    Slot::ToolDefinitions.aliases().iter().copied().find(says)
}

/// Keys of a tool's schema that other vendors have.
const OTHER_SCHEMAS: [&str; 6] =
    ["input_schema", "inputSchema", "args_schema", "args", "parametersJsonSchema", "parameters_json_schema"];

/// Whether these are definitions as the benchmark has them, which then are read exactly as they are.
pub(super) fn are_plain(definitions: &Json) -> bool {
    let is_schema = |parameters: &Json| match parameters {
        Json::Null => true,
        Json::Object(object) => match object.get("properties") {
            Some(Json::Object(properties)) => {
                properties.values().all(|property| property.as_object().is_some())
            }
            Some(_) => false,
            None => object.is_empty() || object.get("type").and_then(Json::as_str).is_some(),
        },
        _ => false,
    };
    let is_plain = |definition: &Json| {
        definition.get("name").and_then(Json::as_str).is_some()
            && definition.get("parameters").is_none_or(is_schema)
            && !OTHER_SCHEMAS.iter().any(|key| definition.get(key).is_some())
    };
    definitions.as_array().is_some_and(|definitions| definitions.iter().all(is_plain))
}

/// The definitions in a column.
///
/// # Errors
/// If there are none to be read: no call could be right then, however right it is.
pub(super) fn read(column: &str, definitions: &Json) -> Result<Json, ScoreError> {
    if are_plain(definitions) {
        return Ok(definitions.clone());
    }
    match definitions_of_benchmark(&Cell::from(definitions.clone())) {
        Some(Ok(read)) => Ok(ToolDefinition::list(&read)),
        Some(Err(error)) => Err(ScoreError::invalid(format!("`{column}`: {error}"))),
        None => Err(ScoreError::invalid(format!("`{column}`: no definition can be read from the text"))),
    }
}
