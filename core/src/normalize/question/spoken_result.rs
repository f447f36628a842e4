//! Results that a program hands to the model in the user's name: `<tool_response>{"id": 7}</tool_response>`, `Observation: 7`.

use crate::domain::{Json, Message, Role};
use crate::normalize::calls::{Answer, Reader};

/// Tags around what a tool returned.
const TAGS: &[(&str, &str)] = &[
    ("<tool_response>", "</tool_response>"),
    ("<tool_result>", "</tool_result>"),
    ("<tool_results>", "</tool_results>"),
    ("<function_response>", "</function_response>"),
    ("<function_result>", "</function_result>"),
    ("<function_results>", "</function_results>"),
    ("[TOOL_RESULTS]", "[/TOOL_RESULTS]"),
];

/// What stands before a result that has no end of its own.
const LABELS: &[&str] = &["Observation:", "Observation\n"];

/// With these an agent goes on after a result; a parenthesis is the tool's own remark.
const GOES_ON: &[&str] = &["Thought", "Action", "Final Answer", "Observation", "Question:", "("];

/// A user's text, taken apart.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Parted {
    pub(super) results: Vec<String>,
    /// The words that are the user's own.
    pub(super) own: Option<String>,
    /// Whether these may be the tool's as well.
    pub(super) is_unsure: bool,
}

/// The results in a user's text, and the user's words. Only what answers a call is read so: a user may write such a tag, or such a
/// word, in a question.
pub(super) fn parted(text: &str, before: &[Message]) -> Option<Parted> {
    let answered = before.iter().rev().find(|message| message.role != Role::Tool)?;
    if answered.role != Role::Assistant {
        return None;
    }
    let results = before.iter().rev().take_while(|message| message.role == Role::Tool).count();
    if results > 0 && results >= answered.tool_calls.len() {
        return None;
    }
    if let Some(result) = LABELS.iter().find_map(|label| text.trim_start().strip_prefix(label)) {
        return (!answered.tool_calls.is_empty()).then(|| observed(result));
    }
    let (mut results, mut rest) = (Vec::new(), text.trim());
    while let Some((result, next)) = first(rest) {
        results.push(result.trim().to_owned());
        rest = next.trim_start();
    }
    let own = (!rest.is_empty()).then(|| rest.to_owned());
    (!results.is_empty() && calls(answered)).then_some(Parted { results, own, is_unsure: false })
}

/// Whether a message of the assistant's calls something, be it in a form that is not read.
fn calls(message: &Message) -> bool {
    let is_unread = || {
        let answer = Reader::new(&[]).output(&Json::from(message.content.as_str()));
        !matches!(answer, Ok(Answer::Calls(calls)) if calls.is_empty())
    };
    !message.tool_calls.is_empty() || is_unread()
}

/// What a tool returned behind a label, and what the user said after it. JSON shows where it ends; after one line, a lone line apart may
/// be the user's; any other text is the tool's up to its end.
fn observed(text: &str) -> Parted {
    let whole = || Parted { results: vec![text.trim().to_owned()], ..Parted::default() };
    let is_line = |text: &str| !text.trim().contains('\n');
    let value = Json::parse_prefix(text).ok().map(|(value, end)| (value, text.split_at(end)));
    let (result, own, is_unsure) = match value {
        Some((value, (result, own))) if is_apart(&value, own) => (result, own, false),
        _ => match text.split_once("\n\n") {
            Some((result, own)) if is_line(result) && is_line(own) && !text.starts_with(['\n', '\r']) => {
                (result, own, true)
            }
            _ => return whole(),
        },
    };
    // In a transcript of thoughts and actions the agent goes on.
    let is_agents = GOES_ON.iter().any(|begin| own.trim_start().starts_with(begin));
    if own.trim().is_empty() || is_agents || Json::parse_prefix(own.trim()).is_ok() {
        return whole();
    }
    Parted { results: vec![result.trim().to_owned()], own: Some(own.trim().to_owned()), is_unsure }
}

/// Whether a value ends where the rest begins: a number may be the first of many lines.
fn is_apart(value: &Json, rest: &str) -> bool {
    let rest = rest.trim_start_matches([' ', '\r']);
    match value {
        Json::Object(_) | Json::Array(_) => rest.starts_with('\n'),
        _ => rest.starts_with("\n\n") || rest.starts_with("\n\r\n"),
    }
}

/// The result with which a text begins, and what follows it.
fn first(text: &str) -> Option<(&str, &str)> {
    TAGS.iter().find_map(|(open, close)| text.strip_prefix(open)?.split_once(close))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Object, ToolCall};

    #[test]
    fn only_what_answers_the_assistant_is_a_result() {
        let user = Message::new(Role::User, "q");
        let said = Message::new(Role::Assistant, "a");
        let called = Message {
            tool_calls: vec![ToolCall::new("f", Object::new())],
            ..Message::new(Role::Assistant, "")
        };
        let unread = Message::new(Role::Assistant, "<tool_call>{\"name\": \"f\", \"arg");
        let result = Message::new(Role::Tool, "7");
        const TAGGED: &str = "<tool_response>\n7\n</tool_response>";
        for (text, before, results, own) in [
            (TAGGED, vec![&user, &called], Some("7"), None),
            // Nothing was called that could return.
            (TAGGED, vec![&user, &said], None, None),
            (TAGGED, vec![&user, &unread], Some("7"), None),
            (TAGGED, vec![], None, None),
            (TAGGED, vec![&said, &user], None, None),
            (
                "<tool_response>7</tool_response><tool_response>8</tool_response>",
                vec![&called],
                Some("7|8"),
                None,
            ),
            ("<tool_response>7</tool_response>\nAnd b?", vec![&called], Some("7"), Some("And b?")),
            ("What is <tool_response>7</tool_response>?", vec![&called], None, None),
            ("<tool_response>7", vec![&called], None, None),
            ("Observation: id 7", vec![&user, &called], Some("id 7"), None),
            ("Observation: it crashes", vec![&user, &said], None, None),
            ("Observation: 7\n\nNow delete it", vec![&called], Some("7"), Some("Now delete it")),
            (
                "Observation: {\"id\": 7}\nNow delete\n\nit",
                vec![&called],
                Some("{\"id\": 7}"),
                Some("Now delete\n\nit"),
            ),
            (
                "Observation: id 7\n\nNow delete it",
                vec![&called],
                Some("id 7"),
                Some("Now delete it (unsure)"),
            ),
            ("Observation: 7\n8\n9", vec![&called], Some("7\n8\n9"), None),
            ("Observation: {}\n{}", vec![&called], Some("{}\n{}"), None),
            ("Observation: 7 hits\nNow", vec![&called], Some("7 hits\nNow"), None),
            ("Observation:\nLogs:\n\nNone", vec![&called], Some("Logs:\n\nNone"), None),
            ("Observation: a\n\nb\n\nc", vec![&called], Some("a\n\nb\n\nc"), None),
            // The call has its result already.
            ("Observation: the bill is wrong", vec![&user, &called, &result], None, None),
            (TAGGED, vec![&user, &called, &result], None, None),
        ] {
            let before: Vec<Message> = before.into_iter().cloned().collect();
            let found = parted(text, &before);
            let shown = found.map(|Parted { results, own, is_unsure }| {
                let own = own.map(|own| if is_unsure { own + " (unsure)" } else { own });
                (results.join("|"), own)
            });
            let wanted = results.map(|results| (results.to_owned(), own.map(str::to_owned)));
            assert_eq!(shown, wanted, "{text}");
        }
    }
}
