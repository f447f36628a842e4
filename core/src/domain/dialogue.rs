//! A conversation that a model takes part in: the messages it is sent, and its answer.

use std::sync::Arc;

use super::{Json, Object, ToolCall, ToolDefinition};

/// All that a model is sent for its next reply.
#[derive(Debug, Clone, PartialEq)]
pub struct Dialogue {
    /// Instructions that go before everything; absent where there are none.
    pub system: Option<Arc<str>>,
    /// The tools on offer, under names that every provider takes.
    pub tools: Arc<[ToolDefinition]>,
    /// What was said and done, in order. It ends with what the model is to answer.
    pub entries: Vec<Entry>,
}

/// A piece of a dialogue.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    /// What the user says.
    User(String),
    /// What an assistant said and called in a logged conversation. Every call has an id.
    Assistant {
        /// Its words; may be empty.
        text: String,
        /// Its calls, in order.
        calls: Vec<ToolCall>,
    },
    /// A reply of the driven model itself.
    Reply {
        /// As its provider wrote it: signatures and thoughts must go back byte for byte.
        message: Arc<str>,
        /// The ids of its calls, in order: the provider's own where they tell the calls apart.
        ids: Vec<String>,
    },
    /// What the calls of the entry before returned, in their order.
    Results(Vec<CallResult>),
}

/// What a call returned, as the model is shown it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallResult {
    /// The id of the call.
    pub id: String,
    /// The tool that was called.
    pub tool: String,
    /// What came back, as text.
    pub content: String,
    /// Whether the call failed.
    pub is_error: bool,
}

/// What a model's reply says, read out of its provider's format.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Turn {
    /// Its words to the user; the words of a refusal where it refuses. Thoughts are not among them.
    pub text: String,
    /// The same as the provider sent it, where it came in parts: a list.
    pub parts: Option<Json>,
    /// Its calls, in order; ids only where the provider gave them.
    pub calls: Vec<ToolCall>,
    /// Whether the provider broke off and wants the same dialogue again, with this reply at its end.
    pub paused: bool,
    /// What the provider says of a call that it could not read itself, and left out.
    pub unread_call: Option<String>,
}

impl Turn {
    /// Whether it neither says nor calls anything that a user could see.
    pub fn says_nothing(&self) -> bool {
        is_blank(&self.text) && self.calls.is_empty() && self.unread_call.is_none()
    }
}

/// Whether nothing of a text can be seen: it is empty, or of white space and characters without a shape.
pub fn is_blank(text: &str) -> bool {
    let is_shapeless = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}'
            )
            || c.is_control()
    };
    text.chars().all(is_shapeless)
}

impl Dialogue {
    /// All of it, for fingerprints and for readers of a store: two dialogues that differ anywhere have different texts.
    pub fn to_json(&self) -> Json {
        // Taken apart, so that a new field cannot be forgotten here.
        let Dialogue { system, tools, entries } = self;
        let system = system.as_deref().map_or(Json::Null, Json::from);
        object([
            ("system", system),
            ("tools", Json::Array(tools.iter().map(tool).collect())),
            ("entries", Json::Array(entries.iter().map(entry).collect())),
        ])
    }

    /// How many bytes of text it holds, about as many as a provider is sent.
    pub fn text_bytes(&self) -> usize {
        let tools = self
            .tools
            .iter()
            .map(|tool| tool.name.len() + tool.description.len() + tool.parameters.to_string().len());
        let entries = self.entries.iter().map(|entry| match entry {
            Entry::User(text) => text.len(),
            Entry::Assistant { text, calls } => {
                let calls = calls.iter().map(|call| call.to_json().to_string().len());
                text.len() + calls.sum::<usize>()
            }
            Entry::Reply { message, .. } => message.len(),
            Entry::Results(results) => results.iter().map(|result| result.content.len()).sum(),
        });
        self.system.as_ref().map_or(0, |system| system.len()) + tools.sum::<usize>() + entries.sum::<usize>()
    }
}

fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    let mut object = Object::new();
    for (key, value) in members {
        object.insert(key, value);
    }
    Json::Object(object)
}

fn tool(tool: &ToolDefinition) -> Json {
    let ToolDefinition { name, description, parameters } = tool;
    object([
        ("name", name.as_str().into()),
        ("description", description.as_str().into()),
        ("parameters", parameters.clone()),
    ])
}

fn entry(entry: &Entry) -> Json {
    match entry {
        Entry::User(text) => object([("user", text.as_str().into())]),
        Entry::Assistant { text, calls } => {
            let calls = calls.iter().map(ToolCall::to_json).collect();
            object([("assistant", text.as_str().into()), ("calls", Json::Array(calls))])
        }
        Entry::Reply { message, ids } => {
            let ids = ids.iter().map(|id| id.as_str().into()).collect();
            object([("reply", (&**message).into()), ("ids", Json::Array(ids))])
        }
        Entry::Results(results) => object([("results", Json::Array(results.iter().map(result).collect()))]),
    }
}

fn result(result: &CallResult) -> Json {
    let CallResult { id, tool, content, is_error } = result;
    object([
        ("id", id.as_str().into()),
        ("tool", tool.as_str().into()),
        ("content", content.as_str().into()),
        ("is_error", Json::Bool(*is_error)),
    ])
}
