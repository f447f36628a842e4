//! A case ready to be driven: the parts that all its episodes share.

use std::sync::Arc;

use super::offered::{NameClash, Offered, safe};
use super::suite::Case;
use crate::domain::{CallResult, Entry, Message, Role, ToolCall};
use crate::schema::{ArgumentSchemas, UnusableSchema};

/// What the episodes of a case share.
#[derive(Debug)]
pub struct Stage {
    /// The case.
    pub case: Case,
    pub(super) offered: Arc<Offered>,
    pub(super) schemas: Arc<ArgumentSchemas>,
    /// The beginning of every dialogue, as it is sent.
    pub(super) start: Vec<Entry>,
    /// The same as messages, under the tools' own names.
    pub(super) messages: Vec<Message>,
}

/// Why a case cannot be driven.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StageError {
    /// Two tools would be sent under one name.
    #[error(transparent)]
    Names(#[from] NameClash),
    /// A tool's schema is none.
    #[error(transparent)]
    Schema(#[from] UnusableSchema),
}

impl Stage {
    /// `cases` made ready, in order. An error names the case.
    pub fn all(cases: Vec<Case>) -> Result<Vec<Arc<Stage>>, (String, StageError)> {
        let mut shared: Option<(Arc<Offered>, Arc<ArgumentSchemas>)> = None;
        let mut stages: Vec<Arc<Stage>> = Vec::with_capacity(cases.len());
        for case in cases {
            // Most cases of a suite offer the same tools, and to compile a schema takes longer than all else.
            let same = stages.last().is_some_and(|last| Arc::ptr_eq(&last.case.tools, &case.tools));
            let ready = shared.clone().filter(|_| same).map_or_else(|| ready(&case), Ok);
            let (offered, schemas) = ready.map_err(|error| (case.id.clone(), error))?;
            shared = Some((Arc::clone(&offered), Arc::clone(&schemas)));
            stages.push(Arc::new(Stage::new(case, offered, schemas)));
        }
        Ok(stages)
    }

    fn new(case: Case, offered: Arc<Offered>, schemas: Arc<ArgumentSchemas>) -> Stage {
        let system = case.system.as_deref().map(|system| Message::new(Role::System, system));
        let messages = system.into_iter().chain(case.start.iter().flat_map(messages)).collect();
        let start = case.start.iter().map(sent).collect();
        Stage { case, offered, schemas, start, messages }
    }
}

fn ready(case: &Case) -> Result<(Arc<Offered>, Arc<ArgumentSchemas>), StageError> {
    Ok((Arc::new(Offered::new(&case.tools)?), Arc::new(ArgumentSchemas::new(&case.tools)?)))
}

/// A piece of a logged conversation as it is sent.
fn sent(entry: &Entry) -> Entry {
    let call = |call: &ToolCall| ToolCall { name: safe(&call.name), ..call.clone() };
    match entry {
        Entry::Assistant { text, calls } => {
            Entry::Assistant { text: text.clone(), calls: calls.iter().map(call).collect() }
        }
        Entry::Results(results) => Entry::Results(
            results.iter().map(|result| CallResult { tool: safe(&result.tool), ..result.clone() }).collect(),
        ),
        other => other.clone(),
    }
}

/// The same as messages.
pub(super) fn messages(entry: &Entry) -> Vec<Message> {
    match entry {
        Entry::User(text) => vec![Message::new(Role::User, text.as_str())],
        Entry::Assistant { text, calls } => {
            vec![Message { tool_calls: calls.clone(), ..Message::new(Role::Assistant, text.as_str()) }]
        }
        // No case begins with a reply of the agent itself.
        Entry::Reply { .. } => Vec::new(),
        Entry::Results(results) => results.iter().map(result_message).collect(),
    }
}

pub(super) fn result_message(result: &CallResult) -> Message {
    Message {
        tool_call_id: Some(result.id.clone()),
        is_error: result.is_error,
        ..Message::new(Role::Tool, result.content.as_str())
    }
}
