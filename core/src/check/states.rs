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
const MAX_OBJECTS: usize = 20_000;
/// Identifiers of a call that are looked for.
const MAX_IDS: usize = 16;

/// Words that, in front of a state, do not ask for it but bring it about or look for it: `mark_invoice_paid`, `list_open_tickets`.
static BRINGS_ABOUT: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::of(
        "mark set make get list find search show count report change is are check flag move put fetch view filter query switch".split(' '),
    )
});

/// What tools told of states before a turn. Results are read once, whatever the number of calls.
pub(super) struct States {
    /// From the newest result on.
    results: Vec<Json>,
}

impl States {
    pub(super) fn of(calls: &[ToolCall], before: &[Message]) -> States {
        let mut results = Vec::new();
        let has_results = before.iter().any(|message| message.role == Role::Tool);
        if has_results && calls.iter().any(|call| named_state(&call.name).is_some()) {
            let told = before.iter().rev().filter(|message| message.role == Role::Tool).take(MAX_RESULTS);
            let read = told.filter(|result| result.content.len() <= MAX_BYTES);
            results.extend(read.filter_map(|result| Json::parse(&result.content).ok()));
        }
        States { results }
    }

    /// What speaks against the state of the object of a call.
    pub(super) fn other(&self, call: &ToolCall, toolbox: &Toolbox) -> Option<OtherState> {
        if self.results.is_empty() {
            return None;
        }
        let named = named_state(&call.name)?;
        toolbox.find(&call.name)?;
        let arguments = call.parsed()?;
        let ids = arguments.values().filter_map(Json::as_str).filter(|text| is_id(text));
        let ids: Vec<&str> = ids.take(MAX_IDS).collect();
        let mut left = MAX_OBJECTS;
        let seen = self.results.iter().find_map(|json| state_of(json, &ids, &mut left))?;
        let folded = fold(seen);
        let is_close = words(&folded).any(|word| word == named);
        // Another word may mean the same, but not one that itself is a state.
        let is_known = words(&folded).any(|word| STATES.has(word) || word == "requested");
        let is_same = folded.trim() == named || !is_known;
        (!is_same).then(|| OtherState { named, seen: seen.to_owned(), is_close })
    }
}

/// The state that the object of a tool has to be in, by its name: behind what is done to it, as in `cancel_pending_order`.
fn named_state(name: &str) -> Option<String> {
    let folded = fold_identifier(name);
    let mut parts = words(&folded);
    parts.next().filter(|verb| !STATES.has(verb) && !BRINGS_ABOUT.has(verb))?;
    let rest: Vec<&str> = parts.collect();
    // Behind its noun, a state is what comes of the call.
    let state = rest.iter().position(|word| STATES.has(word)).filter(|at| at + 1 < rest.len())?;
    Some(rest[state].to_owned())
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
