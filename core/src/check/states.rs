//! Tools for things in one state, called for a thing in another: `cancel_pending_order` for an order last seen as `shipped`.

use std::sync::LazyLock;

use super::toolbox::Toolbox;
use crate::domain::{Json, Message, Object, Role, ToolCall};
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
        let id = object_of(call, arguments)?;
        let mut left = MAX_OBJECTS;
        let seen = self.results.iter().find_map(|json| state_of(json, id, &mut left))?;
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

/// The identifier of what a tool is for: `order_id` of `cancel_pending_order`, or the only identifier there is. The state of a user, or of another
/// order of theirs, says nothing about this order.
fn object_of<'a>(call: &ToolCall, arguments: &'a Object) -> Option<&'a str> {
    let tool = fold_identifier(&call.name);
    let is_named = |name: &str| {
        let folded = fold_identifier(name);
        words(&folded).any(|word| word != "id" && !STATES.has(word) && words(&tool).any(|of| of == word))
    };
    let ids = || {
        arguments.iter().filter_map(|(name, value)| Some((name, value.as_str().filter(|text| is_id(text))?)))
    };
    let named = ids().find(|(name, _)| is_named(name));
    let only = ids().next().filter(|_| ids().nth(1).is_none());
    named.or(only).map(|(_, id)| id)
}

/// Letters with digits: nobody's state hangs on a plain word.
fn is_id(text: &str) -> bool {
    (3..=64).contains(&text.len()) && text.bytes().any(|b| b.is_ascii_digit()) && !text.contains(' ')
}

/// Whether an object is the one of that id, and does not just speak of it, as a payment speaks of its order: its own id comes first.
fn is_of(object: &Object, id: &str) -> bool {
    let is_key = |name: &str| fold_identifier(name).ends_with(" id ");
    let own = object.iter().find(|(name, value)| is_key(name) && value.as_str().is_some());
    match own {
        Some((_, own)) => own.as_str() == Some(id),
        None => object.values().any(|value| value.as_str() == Some(id)),
    }
}

/// The state of the object that has the id among its own fields.
fn state_of<'a>(json: &'a Json, id: &str, left: &mut usize) -> Option<&'a str> {
    *left = left.checked_sub(1)?;
    match json {
        Json::Object(object) => {
            if is_of(object, id)
                && let Some(state) = KEYS.iter().find_map(|key| object.get(key)?.as_str())
            {
                return Some(state);
            }
            object.values().find_map(|value| state_of(value, id, left))
        }
        Json::Array(items) => items.iter().find_map(|item| state_of(item, id, left)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ToolDefinition;

    #[test]
    fn only_the_object_of_the_call_tells() {
        const CALL: &str = r#"{"order_id":"W1002","user_id":"U77","payment_id":"P12"}"#;
        for (results, seen) in [
            (&[r#"{"order_id":"W1002","status":"shipped"}"#][..], Some("shipped")),
            (&[r#"{"order_id":"W1002","status":"pending"}"#], None),
            // What came last counts.
            (
                &[r#"{"order_id":"W1002","status":"pending"}"#, r#"{"order_id":"W1002","status":"shipped"}"#],
                Some("shipped"),
            ),
            // The user's state is not the order's, and neither is that of another order or of the payment.
            (&[r#"{"order_id":"W1002","status":"pending"}"#, r#"{"user_id":"U77","status":"active"}"#], None),
            (
                &[
                    r#"[{"order_id":"W1001","user_id":"U77","status":"shipped"},{"order_id":"W1002","user_id":"U77","status":"pending"}]"#,
                ],
                None,
            ),
            (&[r#"{"payment_id":"P12","order_id":"W1002","status":"completed"}"#], None),
            (
                &[r#"{"user":{"user_id":"U77","orders":[{"id":"W1002","status":"delivered"}]}}"#],
                Some("delivered"),
            ),
        ] {
            let Ok(Json::Object(arguments)) = Json::parse(CALL) else { panic!("{CALL}") };
            let call = ToolCall::new("cancel_pending_order", arguments);
            let tool = ToolDefinition {
                name: call.name.clone(),
                description: String::new(),
                parameters: Json::parse("{}").unwrap(),
            };
            let before: Vec<Message> =
                results.iter().map(|result| Message::new(Role::Tool, *result)).collect();
            let toolbox = Toolbox::new(&[tool].into());
            let found = States::of(std::slice::from_ref(&call), &before).other(&call, &toolbox);
            assert_eq!(found.map(|found| found.seen).as_deref(), seen, "{results:?}");
        }
    }
}
