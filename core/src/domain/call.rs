//! One tool call of an agent.

use super::{Json, Object};

/// A call as the model made it: nothing repaired, renamed or merged.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// The called tool, as the agent spelled it.
    pub name: String,
    /// What the tool was called with.
    pub arguments: Arguments,
    /// Only if the log has one; never made up.
    pub id: Option<String>,
}

/// What the model passed.
#[derive(Debug, Clone, PartialEq)]
pub enum Arguments {
    /// A JSON object.
    Parsed(Object),
    /// The exact text of arguments that are not a JSON object: the model's mistake, which the judge must see.
    Malformed(String),
}

impl ToolCall {
    /// A call of `name` with `arguments` that were read.
    pub fn new(name: impl Into<String>, arguments: Object) -> ToolCall {
        ToolCall { name: name.into(), arguments: Arguments::Parsed(arguments), id: None }
    }

    /// The parsed arguments; `None` when malformed.
    pub fn parsed(&self) -> Option<&Object> {
        match &self.arguments {
            Arguments::Parsed(object) => Some(object),
            Arguments::Malformed(_) => None,
        }
    }

    /// Whether both call the same tool with the same values, [numbers by their value](Json::is_equivalent), whatever their ids.
    pub fn is_equivalent(&self, other: &ToolCall) -> bool {
        self.name == other.name
            && match (self.parsed(), other.parsed()) {
                (Some(one), Some(two)) => one.is_equivalent(two),
                _ => self.arguments == other.arguments,
            }
    }

    /// The normal form: `name`, `arguments` (null when malformed, beside `arguments_raw`), `id` if there is one.
    pub fn to_json(&self) -> Json {
        let mut object = Object::new();
        object.insert("name", self.name.as_str());
        match &self.arguments {
            Arguments::Parsed(arguments) => object.insert("arguments", Json::Object(arguments.clone())),
            Arguments::Malformed(text) => {
                object.insert("arguments", Json::Null);
                object.insert("arguments_raw", text.as_str());
            }
        }
        if let Some(id) = &self.id {
            object.insert("id", id.as_str());
        }
        Json::Object(object)
    }
}
