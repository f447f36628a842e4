//! One judged item in normal form.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::conversation::transcript_text;
use super::{
    Aftermath, Flag, Message, Messages, Origin, Part, Place, Role, SharedText, Slot, ToolCall,
    ToolDefinition, Variable,
};

/// What was asked, what the agent called, and what it could have called.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// The text of the last user message.
    pub question: String,
    /// Everything before the judged turn, in order, system messages included.
    pub messages: Messages,
    /// What the agent called in this turn.
    pub calls: Calls,
    /// The tools that it could have called.
    pub definitions: Definitions,
    /// The cells as texts, for prompts.
    pub raw: RawText,
    /// What was unusual about reading the row; each flag at most once.
    pub flags: Vec<Flag>,
    /// Where in a log it comes from.
    pub origin: Origin,
    /// Its position in its transcript; `None` if it is not part of one.
    pub place: Option<Place>,
    /// What came after it in its transcript.
    pub after: Aftermath,
    /// What only some templates show, as text.
    pub extras: BTreeMap<Variable, String>,
    /// Which of its turn's calls it is, where these are judged one by one.
    pub part: Option<Part>,
}

impl Sample {
    /// A value as a template shows it; `None` where the row has none.
    pub fn shown(&self, variable: &Variable) -> Option<Cow<'_, str>> {
        let extra = || self.extras.get(variable).map(|text| Cow::Borrowed(text.as_str()));
        let Variable::Slot(slot) = variable else { return extra() };
        let after = match slot {
            Slot::Question => return Some(Cow::Borrowed(&*self.raw.question)),
            Slot::ToolCall => return self.raw.tool_call.as_deref().map(Cow::Borrowed),
            Slot::ToolDefinitions => return self.raw.tool_definitions.as_deref().map(Cow::Borrowed),
            Slot::Transcript => return extra().or_else(|| Some(Cow::Owned(self.transcript()))),
            Slot::ToolResult => self.after.results_shown(),
            Slot::NextMessage => {
                let next = self.after.next.as_ref().map(Message::shown);
                next.or_else(|| self.after.response().map(Cow::Borrowed))
            }
            Slot::Response => self.after.response().map(Cow::Borrowed),
            Slot::Reference | Slot::ExpectedToolCalls => None,
        };
        after.filter(|text| !text.trim().is_empty()).or_else(extra)
    }

    /// The whole conversation: all of it where the row holds it, else what is known of it.
    fn transcript(&self) -> String {
        let whole = self.messages.whole();
        if whole.len() > self.messages.len() {
            return transcript_text(&whole);
        }
        let mut messages = match &whole[..] {
            [] if self.question.is_empty() => Vec::new(),
            [] => vec![Message::new(Role::User, self.question.as_str())],
            messages => messages.to_vec(),
        };
        match &self.calls {
            Calls::Parsed(calls) if calls.is_empty() => {}
            Calls::Parsed(calls) => {
                messages.push(Message { tool_calls: calls.clone(), ..Message::new(Role::Assistant, "") });
            }
            Calls::Unparsed => {
                messages
                    .push(Message::new(Role::Assistant, self.raw.tool_call.as_deref().unwrap_or_default()));
            }
        }
        messages.extend(self.after.messages());
        transcript_text(&messages)
    }
}

/// The judged turn.
#[derive(Debug, Clone, PartialEq)]
pub enum Calls {
    /// The calls in order; empty when the agent called nothing.
    Parsed(Vec<ToolCall>),
    /// A call text that could not be read; [`RawText::tool_call`] holds it.
    Unparsed,
}

/// The tools on offer. Shared, because a log repeats them in every row.
#[derive(Debug, Clone, PartialEq)]
pub enum Definitions {
    /// Definitions that could be read; the list may be empty.
    Known(Arc<[ToolDefinition]>),
    /// Prose; [`RawText::tool_definitions`] holds it.
    FreeText,
    /// The row has none.
    Unknown,
}

/// The cells' texts as they go into a prompt: byte for byte what was logged, structured cells as compact JSON.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RawText {
    /// The question cell.
    pub question: SharedText,
    /// The tool call cell; absent where nothing was called.
    pub tool_call: Option<String>,
    /// The cell of tool definitions; absent where the row has none.
    pub tool_definitions: Option<Arc<str>>,
}
