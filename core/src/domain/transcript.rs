//! A turn's position in its transcript, and what came after it.

use std::borrow::Cow;
use std::sync::Arc;

use super::{Json, Message, Object, Role};

/// The place of an assistant turn within its transcript: the ordered messages, calls and results of one record.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// The transcript's own id; `None` where its log gives it none.
    pub transcript_id: Option<Arc<str>>,
    /// Which of the transcript's assistant turns this is, from 1.
    pub turn: u32,
    /// How many assistant turns the transcript has, judged or not.
    pub turns: u32,
    /// What is known of the whole transcript where it is an episode of a benchmark.
    pub episode: Option<Arc<Episode>>,
}

/// What a benchmark says about a whole episode. It is not gold for a turn: most turns of a failed episode are right.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Episode {
    /// What the episode earned, mostly 0 or 1.
    pub reward: Option<f64>,
    /// The calls that its task asks for, in some order.
    pub reference_calls: Option<Json>,
}

impl Episode {
    /// Whether nothing is known of it.
    pub fn is_empty(&self) -> bool {
        self.reward.is_none() && self.reference_calls.is_none()
    }
}

/// What came after a judged turn. No judge of the turn itself is shown it: the agent did not know it either.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Aftermath {
    /// What the turn's calls returned, in the order of the log.
    pub results: Vec<ToolResult>,
    /// The assistant's next message: words or calls.
    pub next: Option<Message>,
    /// The last thing that the assistant said to the user in the transcript, if that is the turn itself or came after it.
    pub final_answer: Option<Arc<str>>,
}

/// What a call returned.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ToolResult {
    /// The id of its call, where the log has ids.
    pub tool_call_id: Option<String>,
    /// What came back, as text; structured results as JSON.
    pub content: String,
    /// Whether the log says that the call failed.
    pub is_error: bool,
}

impl Aftermath {
    /// Whether nothing is known to have come after.
    pub fn is_empty(&self) -> bool {
        self.results.is_empty() && self.next.is_none() && self.final_answer.is_none()
    }

    /// What the agent answered: in the end, or at least next.
    pub fn response(&self) -> Option<&str> {
        let next = || self.next.as_ref().filter(|next| next.tool_calls.is_empty());
        self.final_answer.as_deref().or_else(|| next().map(|next| next.content.as_str()))
    }

    /// The same as messages, for what is known: results, the next message, the final answer.
    pub(super) fn messages(&self) -> Vec<Message> {
        let result = |result: &ToolResult| Message {
            tool_call_id: result.tool_call_id.clone(),
            is_error: result.is_error,
            ..Message::new(Role::Tool, result.content.as_str())
        };
        let mut messages: Vec<Message> = self.results.iter().map(result).chain(self.next.clone()).collect();
        let said = |message: &Message| Some(message.content.as_str()) == self.final_answer.as_deref();
        if let Some(answer) = self.final_answer.as_deref().filter(|_| !messages.last().is_some_and(said)) {
            messages.push(Message::new(Role::Assistant, answer));
        }
        messages
    }

    /// The results of the calls, as templates show them: a single result unchanged, several as JSON.
    pub fn results_shown(&self) -> Option<Cow<'_, str>> {
        match &self.results[..] {
            [] => None,
            [only] if !only.is_error && !only.content.trim().is_empty() => Some(Cow::Borrowed(&only.content)),
            several => {
                Some(Cow::Owned(Json::Array(several.iter().map(ToolResult::to_json).collect()).to_string()))
            }
        }
    }
}

impl ToolResult {
    /// `content`, the `tool_call_id` where it is known, and `is_error` where it is so.
    pub fn to_json(&self) -> Json {
        let mut object = Object::new();
        if let Some(id) = &self.tool_call_id {
            object.insert("tool_call_id", id.as_str());
        }
        object.insert("content", self.content.as_str());
        if self.is_error {
            object.insert("is_error", Json::Bool(true));
        }
        Json::Object(object)
    }
}
