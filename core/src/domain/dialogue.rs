//! A conversation that a model takes part in: what it is sent to answer next, and what its answer says.

use std::sync::Arc;

use super::{Json, ToolCall, ToolDefinition};

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
