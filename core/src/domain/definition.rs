//! The definition of one tool that an agent can call.

use super::{Json, Object};

/// A definition in normal form.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolDefinition {
    /// The name to call it by.
    pub name: String,
    /// Empty when the definition has none.
    pub description: String,
    /// JSON Schema of an object; dialects' type names are translated already.
    pub parameters: Json,
}

impl ToolDefinition {
    /// The schema of a tool whose definition does not say which parameters it has.
    pub fn unknown_parameters() -> Json {
        let mut schema = Object::new();
        schema.insert("type", "object");
        schema.insert("additionalProperties", Json::Bool(true));
        Json::Object(schema)
    }

    /// Whether the definition does not say which parameters the tool has.
    pub fn has_unknown_parameters(&self) -> bool {
        self.parameters == ToolDefinition::unknown_parameters()
    }
}
