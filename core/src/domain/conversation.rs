//! The conversation before the judged turn.

use std::borrow::Cow;

use super::{Json, ToolCall};

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// Which user speaks, where the log names them.
    pub name: Option<String>,
    /// The text; empty for a turn that only calls tools.
    pub content: String,
    /// What an assistant's turn calls, in order; empty for other roles.
    pub tool_calls: Vec<ToolCall>,
    /// Of a tool's result: the id of the call that it answers, where the log has one.
    pub tool_call_id: Option<String>,
    /// Of a tool's message: whether the log says that the call failed.
    pub is_error: bool,
}

impl Message {
    /// A message that neither calls nor answers a tool.
    pub fn new(role: Role, content: impl Into<String>) -> Message {
        Message {
            role,
            name: None,
            content: content.into(),
            tool_calls: Vec::new(),
            tool_call_id: None,
            is_error: false,
        }
    }

    /// `role: text`, of users with a name `role (name): text`. An assistant's calls stand below what it said: later turns cannot be understood without them. Results of
    /// `parallel` calls name theirs, for they may come in any order.
    pub fn paragraph(&self, parallel: bool) -> String {
        let told = self.tool_call_id.as_ref().filter(|_| parallel).or(self.name.as_ref());
        let told = told.map(|told| format!(" ({told})"));
        format!("{}{}: {}", self.role.as_str(), told.unwrap_or_default(), self.shown())
    }

    /// As templates show it alone: its words, then its calls as JSON.
    pub fn shown(&self) -> Cow<'_, str> {
        if self.tool_calls.is_empty() {
            return Cow::Borrowed(&self.content);
        }
        let calls = Json::Array(self.tool_calls.iter().map(ToolCall::to_json).collect()).to_string();
        Cow::Owned(if self.content.is_empty() { calls } else { format!("{}\n{calls}", self.content) })
    }
}

/// A conversation as a judge is shown it, one paragraph a message. What the system said is among them: it often holds today's
/// date, or who the user is, and a call cannot be judged without what the agent knew.
pub fn conversation_text(messages: &[Message]) -> String {
    let mut parallel = false;
    let mut paragraphs = Vec::with_capacity(messages.len());
    for message in messages {
        parallel = match message.role {
            Role::Tool => parallel,
            _ => message.tool_calls.len() > 1,
        };
        paragraphs.push(message.paragraph(parallel));
    }
    paragraphs.join("\n\n")
}

/// The same for judges of what became of the calls: results say that they are failures where the log says so.
pub(super) fn transcript_text(messages: &[Message]) -> String {
    let told = |message: &Message| match message.is_error {
        true => Message { content: format!("(failed) {}", message.content), ..message.clone() },
        false => message.clone(),
    };
    conversation_text(&messages.iter().map(told).collect::<Vec<_>>())
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Instructions of the application, developer messages among them.
    System,
    /// The person who asks.
    User,
    /// The agent.
    Assistant,
    /// A tool's result.
    Tool,
}

impl Role {
    /// The name that chat formats use.
    pub fn as_str(self) -> &'static str {
        match self {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "tool",
        }
    }
}
