//! Turns a turn of a log into a sample.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::body;
use super::turn::{Before, Output, Turn};
use crate::domain::{
    Aftermath, Calls, Cell, Definitions, Flag, Json, RawText, RowError, RowErrorCode, Sample, ToolCall,
    ToolDefinition, holds_hidden,
};
use crate::normalize::calls::Answer;
use crate::normalize::definitions::Tools;
use crate::normalize::ending::Ending;
use crate::normalize::{Normalizer, Reader, question, redacted};

impl Normalizer {
    /// Reads one turn of a log. What a judge is shown of it is the normal form, since the original may be spread over many
    /// places.
    pub fn turn(&self, turn: Turn) -> Result<Sample, RowError> {
        let (question, place, after) = match &turn.before {
            Before::Messages(messages) if messages.is_empty() => {
                let why = "messages: the log does not hold what the model was asked";
                return Err(RowError::new(RowErrorCode::NoUserMessage, why));
            }
            Before::Messages(messages) => (question::conversation(messages)?, None, Aftermath::default()),
            Before::Transcript(step) => {
                let question = match step.is_unasked {
                    true => step.history.before_unasked(step.elements.start),
                    false => step.history.before(step.elements.start)?,
                };
                (question, Some(step.place.clone()), step.history.after(&step.elements))
            }
        };
        let tools = match self.tools(&turn.tools) {
            Err(error) if self.may_lack(&error) => self.without_own_tools(),
            tools => tools?,
        };
        let mut reader = Reader::new(tools.known()).with_server_tools(self.include_server_tools);
        let ending = turn.ending.or_else(|| match &turn.output {
            Output::Message(json) | Output::Calls(json) => Ending::of(json),
            Output::Broken(_) => None,
        });
        if let Output::Message(json) | Output::Calls(json) = &turn.output {
            body::refuse_pieces(json)?;
        }
        let read = match &turn.output {
            Output::Message(json) => reader.output(json).map(answered),
            Output::Calls(json) => reader.only_calls(json).map(answered),
            Output::Broken(text) => Ok((Calls::Unparsed, Some(text.clone()))),
        };
        let (calls, raw) =
            read.map_err(|error| ending.as_ref().and_then(Ending::explains).unwrap_or(error))?;
        let answer = match &turn.output {
            Output::Message(json) | Output::Calls(json) => Some(json),
            Output::Broken(_) => None,
        };
        redacted::refuse(&question, &calls, answer, tools.raw.as_deref())?;
        let mut flags = reader.into_flags();
        if let Some(ending) = ending {
            ending.settle(&calls, tools.known(), &mut flags)?;
        }
        flags.extend(tools.flags);
        flags.extend(question.flags);
        if holds_hidden(&question.text) {
            flags.insert(Flag::HiddenContent);
        }
        flags.extend(turn.flags);
        match calls {
            // Prose may look like a call that cannot be read; it is prose.
            Calls::Parsed(_) => flags.remove(&Flag::RawToolCall),
            Calls::Unparsed => flags.insert(Flag::RawToolCall),
        };
        Ok(Sample {
            question: question.text,
            messages: question.messages,
            raw: RawText {
                question: question.slot,
                tool_call: raw,
                tool_definitions: match tools.definitions {
                    Definitions::Unknown => None,
                    _ => tools.raw.as_ref().map(Arc::clone),
                },
            },
            calls,
            definitions: tools.definitions,
            flags: flags.into_iter().collect(),
            origin: turn.origin,
            place,
            after,
            extras: BTreeMap::new(),
            part: None,
        })
    }
}

/// Calls, and what a judge is shown of them.
fn answered(answer: Answer) -> (Calls, Option<String>) {
    let calls = match answer {
        Answer::Calls(calls) => calls,
        Answer::Unreadable(text) => return (Calls::Unparsed, Some(text)),
    };
    let shown = || Json::Array(calls.iter().map(ToolCall::to_json).collect()).to_string();
    let shown = (!calls.is_empty()).then(shown);
    (Calls::Parsed(calls), shown)
}

impl Normalizer {
    /// What an answer calls, given the tools on offer. An answer that cannot be read is read again where it is judged.
    pub(super) fn calls_in(&self, answer: &Json, tools: &[ToolDefinition]) -> Made {
        let mut reader = Reader::new(tools).with_server_tools(self.include_server_tools);
        let Ok(Answer::Calls(calls)) = reader.output(answer) else { return Made::Unreadable };
        let number = calls.len();
        let settled = Ending::of(answer)
            .map(|ending| ending.settle(&Calls::Parsed(calls), tools, &mut reader.into_flags()));
        if matches!(settled, Some(Err(_))) { Made::Unreadable } else { Made::Calls(number) }
    }
}

impl Normalizer {
    /// The definitions in a cell, else those that hold for all. What is wrong with them is said where a turn is judged.
    pub(super) fn definitions(&self, cell: &Cell) -> Arc<[ToolDefinition]> {
        let tools = self.tools(cell).unwrap_or_else(|_| self.without_own_tools());
        Arc::from(tools.known())
    }

    /// Whether a turn can be judged all the same: definitions that nobody can read are as good as none.
    fn may_lack(&self, error: &RowError) -> bool {
        error.code == RowErrorCode::UnrecognisedToolDefinitions && !self.require_definitions
    }

    /// The definitions that hold for all, with a flag that the log's own cannot be read.
    fn without_own_tools(&self) -> Tools {
        let mut tools = self.default_tools.clone();
        tools.flags.insert(Flag::UnreadableDefinition);
        tools
    }
}

/// How many calls an answer makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Made {
    Calls(usize),
    /// Some, or what should be some, that cannot be read.
    Unreadable,
}

impl Made {
    /// The calls that can be read.
    pub(super) fn calls(self) -> usize {
        match self {
            Made::Calls(calls) => calls,
            Made::Unreadable => 0,
        }
    }
}
