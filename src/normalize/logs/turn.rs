//! A turn of a log to a sample.

use std::sync::Arc;

use super::{Output, Turn};
use crate::domain::{Calls, Definitions, Flag, Json, RawText, RowError, RowErrorCode, Sample, ToolCall};
use crate::normalize::{Normalizer, Reader, question};

impl Normalizer {
    /// Reads one turn of a log. What a judge is shown of it is the normal form, since the original may be spread over many
    /// places.
    pub fn turn(&self, turn: Turn) -> Result<Sample, RowError> {
        if turn.messages.is_empty() {
            let why = "messages: the log does not hold what the model was asked";
            return Err(RowError::new(RowErrorCode::NoUserMessage, why));
        }
        let question = question::conversation(&turn.messages)?;
        let tools = self.tools(&turn.tools)?;
        let mut reader = Reader::new(tools.known()).with_server_tools(self.include_server_tools);
        let calls = match &turn.output {
            Output::Message(json) => reader.output(json)?,
            Output::Calls(json) => reader.only_calls(json)?,
        };
        let mut flags = reader.into_flags();
        flags.extend(tools.flags);
        flags.extend(question.flags);
        flags.extend(turn.flags);
        // Prose may look like a call that cannot be read; it is prose.
        flags.remove(&Flag::RawToolCall);
        Ok(Sample {
            question: question.text,
            messages: question.messages,
            raw: RawText {
                question: question.slot,
                tool_call: (!calls.is_empty()).then(|| in_normal_form(&calls)),
                tool_definitions: match tools.definitions {
                    Definitions::Unknown => None,
                    _ => tools.raw.as_ref().map(Arc::clone),
                },
            },
            calls: Calls::Parsed(calls),
            definitions: tools.definitions,
            flags: flags.into_iter().collect(),
            origin: turn.origin,
        })
    }
}

fn in_normal_form(calls: &[ToolCall]) -> String {
    Json::Array(calls.iter().map(ToolCall::to_json).collect()).to_string()
}
