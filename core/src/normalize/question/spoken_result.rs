//! Results that a program hands to the model in the user's name: `<tool_response>{"id": 7}</tool_response>`, `Observation: 7`.

use crate::domain::{Message, Role};

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

/// The results in a user's text, and the words that are the user's own. Only an answer to the assistant is read so: a user may
/// write such a tag, or such a word, in a question.
pub(super) fn parted(text: &str, before: &[Message]) -> Option<(Vec<String>, Option<String>)> {
    let answered = before.iter().rev().find(|message| message.role != Role::Tool)?;
    if answered.role != Role::Assistant {
        return None;
    }
    let results = before.iter().rev().take_while(|message| message.role == Role::Tool).count();
    if results > 0 && results >= answered.tool_calls.len() {
        return None;
    }
    let calls = !answered.tool_calls.is_empty();
    let label = LABELS.iter().find_map(|label| text.trim_start().strip_prefix(label)).filter(|_| calls);
    if let Some(result) = label {
        return Some((vec![result.trim().to_owned()], None));
    }
    let (mut results, mut rest) = (Vec::new(), text.trim());
    while let Some((result, next)) = first(rest) {
        results.push(result.trim().to_owned());
        rest = next.trim_start();
    }
    (!results.is_empty()).then(|| (results, (!rest.is_empty()).then(|| rest.to_owned())))
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
        let result = Message::new(Role::Tool, "7");
        const TAGGED: &str = "<tool_response>\n7\n</tool_response>";
        for (text, before, results, own) in [
            (TAGGED, vec![&user, &called], Some("7"), None),
            (TAGGED, vec![&user, &said], Some("7"), None),
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
            // The call has its result already.
            ("Observation: the bill is wrong", vec![&user, &called, &result], None, None),
            (TAGGED, vec![&user, &called, &result], None, None),
        ] {
            let before: Vec<Message> = before.into_iter().cloned().collect();
            let found = parted(text, &before);
            let shown = found.map(|(results, own)| (results.join("|"), own));
            let wanted = results.map(|results| (results.to_owned(), own.map(str::to_owned)));
            assert_eq!(shown, wanted, "{text}");
        }
    }
}
