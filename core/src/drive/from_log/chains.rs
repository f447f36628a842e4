//! Joins turns into conversations: the messages of a later turn extend those of an earlier one.

use std::collections::{HashMap, HashSet};

use super::LoggedTurn;
use crate::domain::{Calls, Json, Message, Role, ToolCall};

/// The turns of a conversation.
#[derive(Debug, Clone)]
pub(super) struct Chain<'a> {
    /// By the place of the turn among the assistant's turns before the last one; `None` where no row is that turn.
    pub earlier: Vec<Option<&'a LoggedTurn>>,
    last: &'a LoggedTurn,
}

impl<'a> Chain<'a> {
    /// The turn that all others lead to; it holds the conversation.
    pub fn last(&self) -> &'a LoggedTurn {
        self.last
    }
}

type Key = [u8; 32];

/// The conversations of turns in any order, in the order of their last turns.
///
/// Two turns are of one conversation if the log gives both the same id of a transcript, session or trace, or none, and one's messages
/// go on where the other's end. Of turns that go on from the same messages in different ways, each ends a conversation of its own.
pub(super) fn of(turns: &[LoggedTurn]) -> Vec<Chain<'_>> {
    let keys: Vec<Vec<Key>> = turns.iter().map(keys).collect();
    let mut by_key: HashMap<Key, usize> = HashMap::new();
    for (at, keys) in keys.iter().enumerate() {
        if let Some(own) = keys.last() {
            by_key.entry(*own).or_insert(at);
        }
    }
    let earlier: Vec<Vec<Option<usize>>> = keys
        .iter()
        .map(|keys| {
            let before = keys.split_last().map_or(&[][..], |(_, before)| before);
            before.iter().map(|key| by_key.get(key).copied()).collect()
        })
        .collect();
    let extended: HashSet<usize> = earlier.iter().flatten().flatten().copied().collect();
    let chain = |(at, earlier): (usize, Vec<Option<usize>>)| Chain {
        earlier: earlier.into_iter().map(|row| row.map(|row| &turns[row])).collect(),
        last: &turns[at],
    };
    earlier.into_iter().enumerate().filter(|(at, _)| !extended.contains(at)).map(chain).collect()
}

/// A key for the conversation up to and including each turn of the assistant, the turn itself last. The assistant's words do not
/// count: a row knows the calls of its turn, and not always what was said beside them.
fn keys(logged: &LoggedTurn) -> Vec<Key> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(logged.group.as_deref().unwrap_or_default().as_bytes());
    let mut keys = Vec::new();
    let mut said: Vec<&ToolCall> = Vec::new();
    let mut speaks = false;
    let end = |hasher: &mut blake3::Hasher, calls: &[&ToolCall]| {
        let calls = Json::Array(calls.iter().map(|call| without_id(call)).collect());
        hasher.update(b"\0calls\0");
        hasher.update(calls.to_string().as_bytes());
        *hasher.finalize().as_bytes()
    };
    for message in logged.sample.messages.iter() {
        if message.role == Role::Assistant {
            speaks |= !is_empty(message);
            said.extend(&message.tool_calls);
            continue;
        }
        if std::mem::take(&mut speaks) {
            keys.push(end(&mut hasher, &said));
            said.clear();
        }
        hasher.update(b"\0");
        hasher.update(message.role.as_str().as_bytes());
        hasher.update(b"\0");
        hasher.update(message.content.as_bytes());
    }
    if speaks {
        keys.push(end(&mut hasher, &said));
    }
    match &logged.sample.calls {
        Calls::Parsed(calls) => keys.push(end(&mut hasher, &calls.iter().collect::<Vec<_>>())),
        // Nobody can go on from what cannot be read.
        Calls::Unparsed => {
            hasher.update(b"\0unread");
            keys.push(*hasher.finalize().as_bytes());
        }
    }
    keys
}

fn is_empty(message: &Message) -> bool {
    message.content.is_empty() && message.tool_calls.is_empty()
}

fn without_id(call: &ToolCall) -> Json {
    ToolCall { id: None, ..call.clone() }.to_json()
}
