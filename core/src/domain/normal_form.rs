//! The normal form in which items of all logs and tables can be compared: question, calls and tools as JSON.

use super::{Calls, Definitions, Json, Message, Number, Object, Sample, ToolCall, ToolDefinition};

impl Sample {
    /// `source_id`, `question`, `messages`, `tool_calls` (null when a call text could not be read), `tool_definitions`
    /// (null when they are unknown or prose), `raw` (the texts that a prompt shows), `model`, `timestamp` (RFC 3339,
    /// UTC), `latency_s`, `flags`.
    pub fn to_json(&self) -> Json {
        let mut object = Object::new();
        object.insert("source_id", text(self.origin.source_id.as_deref()));
        object.insert("question", self.question.as_str());
        object.insert("messages", self.messages_json());
        object.insert(
            "tool_calls",
            match &self.calls {
                Calls::Parsed(calls) => Json::Array(calls.iter().map(ToolCall::to_json).collect()),
                Calls::Unparsed => Json::Null,
            },
        );
        object.insert(
            "tool_definitions",
            match &self.definitions {
                Definitions::Known(tools) => Json::Array(tools.iter().map(ToolDefinition::to_json).collect()),
                Definitions::FreeText | Definitions::Unknown => Json::Null,
            },
        );
        let mut raw = Object::new();
        raw.insert("tool_call", text(self.raw.tool_call.as_deref()));
        raw.insert("tool_definitions", text(self.raw.tool_definitions.as_deref()));
        object.insert("raw", Json::Object(raw));
        object.insert("model", text(self.origin.model.as_deref()));
        object.insert("timestamp", self.timestamp_json());
        object.insert("latency_s", self.latency_json());
        object.insert("flags", self.flags_json());
        Json::Object(object)
    }

    /// The messages before the judged turn.
    pub fn messages_json(&self) -> Json {
        Json::Array(self.messages.iter().map(Message::to_json).collect())
    }

    /// When the turn began, in UTC.
    pub fn timestamp_json(&self) -> Json {
        self.origin.timestamp.map_or(Json::Null, |instant| Json::from(instant.to_string()))
    }

    /// How long the turn took, in seconds.
    pub fn latency_json(&self) -> Json {
        self.origin.latency_s.and_then(Number::from_f64).map_or(Json::Null, Json::Number)
    }

    /// The names of the flags.
    pub fn flags_json(&self) -> Json {
        Json::Array(self.flags.iter().map(|flag| Json::from(flag.as_str())).collect())
    }
}

impl Message {
    /// `role`, `content`, and where there are some `name`, `tool_calls`, a `tool_call_id` and `is_error`.
    pub fn to_json(&self) -> Json {
        let mut object = Object::new();
        object.insert("role", self.role.as_str());
        if let Some(name) = &self.name {
            object.insert("name", name.as_str());
        }
        object.insert("content", self.content.as_str());
        if !self.tool_calls.is_empty() {
            object.insert("tool_calls", Json::Array(self.tool_calls.iter().map(ToolCall::to_json).collect()));
        }
        if let Some(id) = &self.tool_call_id {
            object.insert("tool_call_id", id.as_str());
        }
        if self.is_error {
            object.insert("is_error", Json::Bool(true));
        }
        Json::Object(object)
    }
}

impl ToolDefinition {
    /// `name`, `description`, `parameters`.
    pub fn to_json(&self) -> Json {
        let mut object = Object::new();
        object.insert("name", self.name.as_str());
        object.insert("description", self.description.as_str());
        object.insert("parameters", self.parameters.clone());
        Json::Object(object)
    }

    /// Several of them as a list.
    pub fn list(definitions: &[ToolDefinition]) -> Json {
        Json::Array(definitions.iter().map(ToolDefinition::to_json).collect())
    }
}

fn text(text: Option<&str>) -> Json {
    text.map_or(Json::Null, Json::from)
}
