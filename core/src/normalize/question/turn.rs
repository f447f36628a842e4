//! Finds the judged turn in a conversation that continues after it.

use std::collections::HashSet;

use crate::domain::{Arguments, Calls, Json, Message, Object, Role, ToolCall};

/// What is judged.
pub(in crate::normalize) struct Judged<'a> {
    pub(in crate::normalize) calls: &'a Calls,
    /// As the row has it.
    pub(in crate::normalize) raw: Option<&'a str>,
}

/// Where a conversation has the judged turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// It begins with this message.
    At(usize),
    /// A turn is due after all messages, and repeats calls that were made before.
    Repeated,
    Nowhere,
}

/// Looks for the judged turn.
///
/// Ids decide where both sides have them: the turn is the last one with the judged calls' ids. Otherwise it is the last turn among
/// whose calls the judged ones are, unless the user has the last word: then the next turn is due, be it the same call once more.
/// Where nothing was called, it is the answer at the end.
pub(super) fn find(messages: &[Message], judged: &Judged) -> Found {
    let last = || turns(messages).next().filter(|turn| turn.end == messages.len() && turn.calls.is_empty());
    let turn = match judged.calls {
        Calls::Parsed(calls) if calls.is_empty() => last(),
        Calls::Parsed(calls) => return calling(messages, calls),
        Calls::Unparsed => last().filter(|turn| {
            let said: Vec<&str> =
                messages[turn.start..].iter().map(|message| message.content.trim()).collect();
            judged.raw.is_some_and(|raw| raw.trim() == said.join("\n").trim())
        }),
    };
    turn.map_or(Found::Nowhere, |turn| Found::At(turn.start))
}

fn calling(messages: &[Message], judged: &[ToolCall]) -> Found {
    let mut turns = turns(messages).filter(|turn| !turn.calls.is_empty()).peekable();
    let Some(last) = turns.peek() else { return Found::Nowhere };
    if judged.iter().chain(last.calls.iter().copied()).all(|call| call.id.is_some()) {
        let of_ids = turns.find(|turn| {
            let made: HashSet<_> = turn.calls.iter().map(|made| (&made.id, &made.name)).collect();
            judged.iter().all(|call| made.contains(&(&call.id, &call.name)))
        });
        return of_ids.map_or(Found::Nowhere, |turn| Found::At(turn.start));
    }
    let speaks = |message: &&Message| message.role == Role::User || message.role == Role::Assistant;
    let is_due = messages.iter().rev().find(speaks).is_some_and(|message| message.role == Role::User);
    match turns.find(|turn| are_among(judged, &turn.calls)) {
        None => Found::Nowhere,
        Some(_) if is_due => Found::Repeated,
        Some(turn) => Found::At(turn.start),
    }
}

/// Rows of more calls, and arguments of more keys, are compared in their order only: a row's size bounds its cost.
const MAX_NUMBER: usize = 256;

/// Whether `calls` holds each judged call, as often as it is judged.
fn are_among(judged: &[ToolCall], calls: &[&ToolCall]) -> bool {
    let same = |made: &ToolCall, call: &ToolCall| {
        made.name == call.name && are_same(&made.arguments, &call.arguments)
    };
    if calls.len() > MAX_NUMBER {
        return judged.len() == calls.len() && calls.iter().zip(judged).all(|(made, call)| same(made, call));
    }
    let mut left = calls.to_vec();
    judged
        .iter()
        .all(|call| left.iter().position(|made| same(made, call)).map(|at| left.swap_remove(at)).is_some())
}

fn are_same(a: &Arguments, b: &Arguments) -> bool {
    match (a, b) {
        (Arguments::Parsed(a), Arguments::Parsed(b)) => members_are_same(a, b),
        (a, b) => a == b,
    }
}

/// The columns of typed files write `4` as `4.0`.
fn is_same(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Number(a), Json::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Json::Array(a), Json::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b)),
        (Json::Object(a), Json::Object(b)) => members_are_same(a, b),
        (a, b) => a == b,
    }
}

/// A key that is null is as good as none: a typed file does not keep it.
fn members_are_same(a: &Object, b: &Object) -> bool {
    let within = |a: &Object, b: &Object| {
        a.iter().all(|(key, value)| is_same(value, b.get(key).unwrap_or(&Json::Null)))
    };
    a == b || a.len().max(b.len()) <= MAX_NUMBER && within(a, b) && within(b, a)
}

/// Consecutive messages of the assistant: some logs give each call a message of its own.
struct Turn<'a> {
    start: usize,
    end: usize,
    calls: Vec<&'a ToolCall>,
}

/// The last first.
fn turns(messages: &[Message]) -> impl Iterator<Item = Turn<'_>> {
    let mut end = messages.len();
    std::iter::from_fn(move || {
        let is_assistant = |message: &Message| message.role == Role::Assistant;
        end = messages[..end].iter().rposition(is_assistant)? + 1;
        let start = messages[..end].iter().rposition(|message| !is_assistant(message)).map_or(0, |at| at + 1);
        let calls = messages[start..end].iter().flat_map(|message| &message.tool_calls).collect();
        let turn = Turn { start, end, calls };
        end = start;
        Some(turn)
    })
}

#[cfg(test)]
mod tests {
    use super::Found::{At, Nowhere, Repeated};
    use super::*;
    use crate::normalize::question::conversation;

    const X: &str =
        r#"{"role":"assistant","tool_calls":[{"function":{"name":"x","arguments":"{\"a\": 1}"}}]}"#;
    const Z: &str = r#"{"role":"assistant","tool_calls":[{"function":{"name":"z","arguments":"{}"}}]}"#;
    const XY: &str = r#"{"role":"assistant","content":"","tool_calls":[
        {"function":{"name":"y","arguments":"{}"}},{"function":{"name":"x","arguments":"{\"a\":1}"}}]}"#;
    const X_C1: &str =
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"x","input":{"a":1}}]}"#;
    const RESULT: &str = r#"{"role":"tool","content":"7"}"#;
    const SAID: &str = r#"{"role":"assistant","content":"It is 7."}"#;
    const USER: &str = r#"{"role":"user","content":"A"}"#;

    fn call(name: &str, a: i64, id: Option<&str>) -> ToolCall {
        let arguments = [("a".to_owned(), Json::parse(&a.to_string()).unwrap())].into_iter().collect();
        ToolCall { id: id.map(str::to_owned), ..ToolCall::new(name, arguments) }
    }

    #[test]
    fn finds_the_turn_that_is_judged() {
        let x = || Calls::Parsed(vec![call("x", 1, None)]);
        let x_id = |id| Calls::Parsed(vec![call("x", 1, Some(id))]);
        let none = || Calls::Parsed(Vec::new());
        for (messages, judged, found) in [
            (vec![USER, X, RESULT], x(), At(1)),
            (vec![USER, X], x(), At(1)),
            (vec![USER, X, RESULT, SAID], x(), At(1)),
            (vec![USER, SAID, X, RESULT], x(), At(1)),
            (vec![USER, XY, RESULT, RESULT], x(), At(1)),
            // The same call twice: the last is judged.
            (vec![USER, X, RESULT, X, RESULT], x(), At(3)),
            // The same call once more, after the user spoke again.
            (vec![USER, X, RESULT, SAID, USER], x(), Repeated),
            (vec![USER, X, RESULT, USER, RESULT], x(), Repeated),
            // Another call follows.
            (vec![USER, X, RESULT], Calls::Parsed(vec![call("x", 2, None)]), Nowhere),
            (vec![USER, X, RESULT], Calls::Parsed(vec![call("x", 1, None); 2]), Nowhere),
            (vec![USER, X, RESULT, XY, RESULT], Calls::Parsed(vec![call("z", 1, None)]), Nowhere),
            // Ids tell.
            (vec![USER, X_C1, RESULT, SAID, USER], x_id("c1"), At(1)),
            (vec![USER, X_C1, RESULT], x_id("c2"), Nowhere),
            (vec![USER, X_C1, RESULT], Calls::Parsed(vec![call("y", 1, Some("c1"))]), Nowhere),
            (vec![USER, X_C1, RESULT], x(), At(1)),
            (vec![USER, X, RESULT], x_id("c1"), At(1)),
            // Nothing was called.
            (vec![USER, X, RESULT, SAID], none(), At(3)),
            (vec![USER, SAID], none(), At(1)),
            (vec![USER, X, RESULT], none(), Nowhere),
            (vec![USER, SAID, USER], none(), Nowhere),
            (vec![USER, SAID], Calls::Unparsed, At(1)),
            (vec![USER, X], Calls::Unparsed, Nowhere),
            (vec![USER], x(), Nowhere),
            // The conversation goes on with other calls.
            (vec![USER, X, RESULT, XY, RESULT], Calls::Parsed(vec![call("y", 2, None)]), Nowhere),
            (vec![USER, X, RESULT, Z, RESULT], x(), At(1)),
            (vec![USER, X, RESULT, Z, RESULT, SAID], x(), At(1)),
            (vec![USER, X, RESULT, SAID, USER, SAID], x(), At(1)),
            (vec![USER, X, RESULT, SAID, USER, Z, RESULT], x(), At(1)),
            (vec![USER, X, RESULT, Z, RESULT, USER], x(), Repeated),
        ] {
            let text = format!("[{}]", messages.join(","));
            let Json::Array(items) = Json::parse(&text).unwrap() else { panic!("{text}") };
            let messages = conversation(&items).unwrap().messages;
            let judged = Judged { calls: &judged, raw: Some("It is 7.") };
            assert_eq!(find(&messages, &judged), found, "{text}");
        }
    }
}
