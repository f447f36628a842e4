//! Splits a logged conversation into user messages, and assistant turns with the results of their calls.

use super::LeftOut;
use crate::domain::{Flag, Message, Role, Sample, ToolCall, ToolResult};

/// A piece of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Piece<'a> {
    /// Instructions, at the beginning only.
    System(&'a str),
    /// What the user says.
    User(&'a str),
    /// What the assistant says and calls until somebody else speaks.
    Turn(Vec<Answered<'a>>),
}

/// A call with what it returned.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answered<'a> {
    pub call: &'a ToolCall,
    /// `None` while its result is still to come.
    pub result: Option<Returned<'a>>,
}

/// What a call returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Returned<'a> {
    pub content: &'a str,
    pub is_error: bool,
}

/// What was said before the turn of a sample.
///
/// # Errors
/// For what no agent can be sent.
pub(super) fn before(sample: &Sample) -> Result<Vec<Piece<'_>>, LeftOut> {
    if sample.flags.contains(&Flag::NonTextContent) {
        return Err(LeftOut::NonTextContent);
    }
    let pieces = read(&sample.messages)?;
    match pieces.last() {
        Some(Piece::User(_)) => Ok(pieces),
        Some(Piece::Turn(calls)) if !calls.is_empty() => Ok(pieces),
        _ => Err(LeftOut::NotTheAgentsTurn),
    }
}

/// The pieces of a conversation; every call in it has its result.
fn read(messages: &[Message]) -> Result<Vec<Piece<'_>>, LeftOut> {
    let mut pieces: Vec<Piece<'_>> = Vec::new();
    // Whether a result came since the assistant last spoke: what it says next is another turn.
    let mut answered = false;
    for message in messages {
        match message.role {
            Role::System if pieces.iter().all(|piece| matches!(piece, Piece::System(_))) => {
                pieces.push(Piece::System(&message.content));
            }
            Role::System => return Err(LeftOut::LaterSystemMessage),
            Role::User => {
                is_answered(&pieces)?;
                pieces.push(Piece::User(&message.content));
            }
            Role::Assistant if message.content.is_empty() && message.tool_calls.is_empty() => {}
            Role::Assistant => {
                if answered || !matches!(pieces.last(), Some(Piece::Turn(_))) {
                    is_answered(&pieces)?;
                    pieces.push(Piece::Turn(Vec::new()));
                }
                answered = false;
                if let Some(Piece::Turn(calls)) = pieces.last_mut() {
                    calls.extend(message.tool_calls.iter().map(|call| Answered { call, result: None }));
                }
            }
            Role::Tool => {
                let Some(Piece::Turn(calls)) = pieces.last_mut() else { return Err(LeftOut::OrphanResult) };
                let result = Returned { content: &message.content, is_error: message.is_error };
                answer(calls, message.tool_call_id.as_deref(), result)?;
                answered = true;
            }
        }
    }
    is_answered(&pieces)?;
    Ok(pieces)
}

/// Gives a result to the call that it belongs to.
fn answer<'a>(calls: &mut [Answered<'a>], id: Option<&str>, result: Returned<'a>) -> Result<(), LeftOut> {
    let waits =
        |call: &&mut Answered<'a>| call.result.is_none() && (id.is_none() || call.call.id.as_deref() == id);
    let call = calls.iter_mut().find(waits).ok_or(LeftOut::OrphanResult)?;
    call.result = Some(result);
    Ok(())
}

fn is_answered(pieces: &[Piece<'_>]) -> Result<(), LeftOut> {
    match pieces.last() {
        Some(Piece::Turn(calls)) if calls.iter().any(|call| call.result.is_none()) => {
            Err(LeftOut::MissingResult)
        }
        _ => Ok(()),
    }
}

/// The calls of a turn with what they returned after it.
///
/// # Errors
/// If a call has no result.
pub(super) fn answered<'a>(
    calls: &'a [ToolCall],
    results: &'a [ToolResult],
) -> Result<Vec<Answered<'a>>, LeftOut> {
    let mut answered: Vec<Answered<'a>> = calls.iter().map(|call| Answered { call, result: None }).collect();
    for result in results {
        // A log may name its results and not its calls.
        let id = result.tool_call_id.as_deref();
        let id = id.filter(|id| calls.iter().any(|call| call.id.as_deref() == Some(id)));
        let returned = Returned { content: &result.content, is_error: result.is_error };
        answer(&mut answered, id, returned)?;
    }
    match answered.iter().all(|call| call.result.is_some()) {
        true => Ok(answered),
        false => Err(LeftOut::MissingResult),
    }
}
