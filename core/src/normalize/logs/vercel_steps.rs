//! Splits one message of the Vercel AI SDK's user interfaces into steps: it holds everything that the assistant did until the
//! user speaks again, calls and results, step after step.
//!
//! ```json
//! {"role": "assistant", "parts": [
//!     {"type": "step-start"}, {"type": "tool-find_user", "toolCallId": "c1", "state": "output-available", "input": {}, "output": 77},
//!     {"type": "step-start"}, {"type": "tool-delete_user", "toolCallId": "c2", "state": "input-available", "input": {"id": 77}}]}
//! ```

use crate::domain::{Json, Object};
use crate::normalize::question;

/// The message as one message for each step; any other element as it is.
pub(super) fn of(element: Json) -> Vec<Json> {
    let Json::Object(message) = element else { return vec![element] };
    let message = said_in_parts(with_parts(message));
    let parts = match message.get("parts") {
        Some(Json::Array(parts)) if parts.iter().any(|part| is_start(part) || ends(part)) => parts.clone(),
        _ => return vec![Json::Object(message)],
    };
    let (mut steps, mut step) = (Vec::new(), Vec::new());
    for part in parts {
        // Who speaks after a result has read it.
        if is_start(&part) || says(&part) && step.iter().any(ends) {
            // Without a result between them, only its mark tells a step from what was said before.
            let is_open = step.iter().any(|part| is_call(part) && !is_done(part));
            steps.push(std::mem::take(&mut step));
            step.extend(is_open.then(start));
        }
        if !is_start(&part) {
            step.push(part);
        }
    }
    steps.push(step);
    steps.retain(|step| !step.iter().all(is_start));
    if steps.len() < 2 {
        return vec![Json::Object(message)];
    }
    // Everything but the parts is said of the whole message, and repeats what the parts say.
    let whole = ["id", "role", "createdAt"];
    let kept: Object = message.into_iter().filter(|(key, _)| whole.contains(&key.as_str())).collect();
    let step = |parts: Vec<Json>| {
        let mut step = kept.clone();
        step.insert("parts", Json::Array(parts));
        Json::Object(step)
    };
    steps.into_iter().map(step).collect()
}

/// A message of the SDK's older versions, whose calls stand in a list of their own, with its calls and words as parts.
fn with_parts(mut message: Object) -> Object {
    let has_calls =
        message.get("parts").and_then(Json::as_array).is_some_and(|parts| parts.iter().any(is_call));
    let Some(Json::Array(calls)) = message.remove("toolInvocations").filter(|_| !has_calls) else {
        return message;
    };
    let part = |kind: &str, key: &str, value: Json| {
        Json::Object([("type".to_owned(), Json::from(kind)), (key.to_owned(), value)].into_iter().collect())
    };
    let (mut parts, mut step) = (Vec::new(), None);
    for call in calls {
        let own = call.get("step").cloned();
        if step.is_some() && step != own {
            parts.push(start());
        }
        step = own.or(Some(Json::Null));
        parts.push(part("tool-invocation", "toolInvocation", call));
    }
    // The words of the whole message were said when the calls had returned.
    if let Some(said) =
        message.get("content").filter(|said| said.as_str().is_some_and(|text| !text.trim().is_empty()))
    {
        let said = part("text", "text", said.clone());
        parts.push(said);
    }
    if !parts.is_empty() {
        message.insert("parts", Json::Array(parts));
        message.insert("content", "");
    }
    message
}

/// A message whose parts call something, with all that it says in them: a text beside them repeats theirs, or is none of them.
fn said_in_parts(mut message: Object) -> Object {
    let Some(Json::Array(mut parts)) = message.get("parts").cloned() else { return message };
    let is_plain = matches!(message.get("content"), Some(Json::String(_)));
    if !is_plain || !parts.iter().any(is_call) {
        return message;
    }
    if let Some(Json::String(text)) = message.remove("content").filter(|_| !parts.iter().any(says))
        && !text.trim().is_empty()
    {
        let said = Object::from_iter([
            ("type".to_owned(), Json::from("text")),
            ("text".to_owned(), Json::from(text)),
        ]);
        let at = if parts.iter().any(is_done) { parts.len() } else { 0 };
        parts.insert(at, Json::Object(said));
        message.insert("parts", Json::Array(parts));
    }
    message
}

fn kind(part: &Json) -> &str {
    part.get("type").and_then(Json::as_str).unwrap_or_default()
}

fn is_start(part: &Json) -> bool {
    kind(part) == "step-start"
}

fn says(part: &Json) -> bool {
    kind(part) == "text"
}

/// What begins a step.
fn start() -> Json {
    Json::Object([("type".to_owned(), Json::from("step-start"))].into_iter().collect())
}

fn is_call(part: &Json) -> bool {
    kind(part).starts_with("tool-") || kind(part) == "dynamic-tool"
}

/// Whether a part is a call that has returned, or that was denied.
fn is_done(part: &Json) -> bool {
    is_call(part)
        && (matches!(state(part), Some("output-available" | "output-error" | "result"))
            || part.as_object().is_some_and(question::is_denied))
}

/// Whether a part is a call after which the model was asked again, or could not be before somebody approved.
fn ends(part: &Json) -> bool {
    is_done(part) || is_call(part) && matches!(state(part), Some("approval-requested" | "approval-responded"))
}

fn state(part: &Json) -> Option<&str> {
    part.get("toolInvocation").unwrap_or(part).get("state")?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_is_a_message() {
        const FOUND: &str =
            r#"{"type":"tool-find","toolCallId":"1","state":"output-available","input":{},"output":7}"#;
        const CALL: &str = r#"{"type":"tool-drop","toolCallId":"2","state":"input-available","input":{}}"#;
        const OLD: &str = r#"{"type":"tool-invocation","toolInvocation":{"state":"result","toolName":"f","args":{},"result":1}}"#;
        const DENIED: &str = r#"{"type":"tool-drop","toolCallId":"3","state":"output-denied","input":{}}"#;
        const ASKED: &str =
            r#"{"type":"tool-drop","toolCallId":"4","state":"approval-requested","input":{}}"#;
        const START: &str = r#"{"type":"step-start"}"#;
        const TEXT: &str = r#"{"type":"text","text":"So"}"#;
        for (parts, steps) in [
            (format!("{START},{FOUND},{START},{CALL}"), vec![format!("{FOUND}"), format!("{CALL}")]),
            (format!("{FOUND},{TEXT}"), vec![FOUND.to_owned(), TEXT.to_owned()]),
            (format!("{OLD},{TEXT}"), vec![OLD.to_owned(), TEXT.to_owned()]),
            // A denied call has returned; one that waits for approval has not, but the next step begins all the same.
            (format!("{START},{DENIED},{START},{CALL}"), vec![DENIED.to_owned(), CALL.to_owned()]),
            (format!("{START},{ASKED},{START},{CALL}"), vec![ASKED.to_owned(), format!("{START},{CALL}")]),
            // Calls in parallel are one step, and so is what is said before them.
            (format!("{START},{TEXT},{FOUND},{FOUND}"), vec![format!("{START},{TEXT},{FOUND},{FOUND}")]),
            (format!("{TEXT},{CALL}"), vec![format!("{TEXT},{CALL}")]),
        ] {
            let message = format!(r#"{{"role":"assistant","parts":[{parts}]}}"#);
            let found: Vec<String> = of(Json::parse(&message).unwrap())
                .iter()
                .map(|step| step.get("parts").unwrap().to_string())
                .collect();
            let expected: Vec<String> = steps.iter().map(|step| format!("[{step}]")).collect();
            assert_eq!(found, expected, "{parts}");
        }
    }
}
