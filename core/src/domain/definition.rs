//! The definition of one tool that an agent can call.

use super::Json;

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
