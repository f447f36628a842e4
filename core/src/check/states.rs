//! Tools for things of one state, called for a thing that is in another: `cancel_pending_order` where the order was last seen `shipped`.

use std::sync::LazyLock;

use super::toolbox::Toolbox;
use crate::domain::{Json, Message, Role, ToolCall};
use crate::reading::words::{WordSet, fold, fold_identifier, words};

/// The state that a tool's name speaks of, and the one its object was last seen in.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct OtherState {
    pub named: String,
    pub seen: String,
    /// Whether the seen state says the named one too, with more: `pending (paid)` for `pending`.
    pub is_close: bool,
}

/// Words by which a tool's name tells what state its object has to be in.
static STATES: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::of(
        "pending delivered processed shipped cancelled canceled completed confirmed active inactive open opened closed paid unpaid \
         draft published scheduled approved rejected archived expired refunded failed running stopped locked unlocked enabled \
         disabled available reserved submitted resolved unresolved suspended overdue"
            .split_whitespace(),
    )
});

/// Keys of a state.
const KEYS: [&str; 3] = ["status", "state", "stage"];
/// Results read, bytes of each, and objects looked at: bounds the work on hostile rows.
const MAX_RESULTS: usize = 40;
const MAX_BYTES: usize = 200_000;
const MAX_OBJECTS: usize = 5_000;

/// What speaks against the state of the object of a call, by what tools told of it before.
pub(super) fn other_state(call: &ToolCall, toolbox: &Toolbox, before: &[Message]) -> Option<OtherState> {
    let folded = fold_identifier(&call.name);
    let named = words(&folded).find(|word| STATES.has(word))?.to_owned();
    toolbox.find(&call.name)?;
    let arguments = call.parsed()?;
    let ids: Vec<&str> = arguments.values().filter_map(Json::as_str).filter(|text| is_id(text)).collect();
    let results = before.iter().rev().filter(|message| message.role == Role::Tool).take(MAX_RESULTS);
    for result in results.filter(|result| result.content.len() <= MAX_BYTES) {
        if !ids.iter().any(|id| result.content.contains(id)) {
            continue;
        }
        let Ok(json) = Json::parse(&result.content) else { continue };
        let mut left = MAX_OBJECTS;
        if let Some(seen) = state_of(&json, &ids, &mut left) {
            let seen_folded = fold(seen);
            if seen_folded.trim() == named {
                return None;
            }
            // A state that no list knows may be another word for the same.
            let is_close = words(&seen_folded).any(|word| word == named);
            return Some(OtherState { named, seen: seen.to_owned(), is_close });
        }
    }
    None
}

/// Letters with digits: nobody's state hangs on a plain word.
fn is_id(text: &str) -> bool {
    (3..=64).contains(&text.len()) && text.bytes().any(|b| b.is_ascii_digit()) && !text.contains(' ')
}

/// The state of the object that has one of the ids among its own fields.
fn state_of<'a>(json: &'a Json, ids: &[&str], left: &mut usize) -> Option<&'a str> {
    *left = left.checked_sub(1)?;
    match json {
        Json::Object(object) => {
            if object.values().any(|value| value.as_str().is_some_and(|text| ids.contains(&text)))
                && let Some(state) = KEYS.iter().find_map(|key| object.get(key)?.as_str())
            {
                return Some(state);
            }
            object.values().find_map(|value| state_of(value, ids, left))
        }
        Json::Array(items) => items.iter().find_map(|item| state_of(item, ids, left)),
        _ => None,
    }
}
