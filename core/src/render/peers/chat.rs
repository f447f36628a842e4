//! Joins an evaluator's messages into the one text that a judge is sent.

use serde::Deserialize;
use serde_json::Value;

/// A message of a prompt.
#[derive(Debug, Deserialize)]
pub(super) struct Message {
    role: String,
    content: Value,
}

/// The messages in order, with an empty line between them. Roles are written only where one of them is the assistant's: an
/// example of an answer would be taken for an instruction.
///
/// # Errors
/// If there is nothing in them, or something other than text.
pub(super) fn text(messages: &[Message]) -> Result<String, String> {
    let texts = messages.iter().map(|message| content(&message.content)).collect::<Result<Vec<_>, _>>()?;
    if texts.iter().all(|text| text.trim().is_empty()) {
        return Err("it has no message with a text".to_owned());
    }
    let names_roles = has_examples(messages);
    let written = messages.iter().zip(texts).map(|(message, text)| match names_roles {
        true => format!("{}:\n{text}", message.role),
        false => text,
    });
    Ok(written.collect::<Vec<_>>().join("\n\n"))
}

/// What is said of more than one message; `None` of one.
pub(super) fn note(messages: &[Message]) -> Option<String> {
    let roles: Vec<&str> = messages.iter().map(|message| message.role.as_str()).collect();
    let how = if has_examples(messages) { ", each after its role" } else { "" };
    (roles.len() > 1).then(|| {
        format!("its {} messages ({}) are sent as one, in order{how}", roles.len(), roles.join(", "))
    })
}

fn has_examples(messages: &[Message]) -> bool {
    messages.iter().any(|message| !matches!(message.role.as_str(), "system" | "developer" | "user"))
}

/// A text, a part with a text, or a list of such parts.
fn content(content: &Value) -> Result<String, String> {
    match content {
        Value::String(text) => Ok(text.clone()),
        Value::Array(parts) => Ok(parts.iter().map(self::content).collect::<Result<Vec<_>, _>>()?.join("\n")),
        Value::Object(part) => match part.get("text") {
            Some(Value::String(text)) => Ok(text.clone()),
            _ => {
                let kind = part.get("type").and_then(Value::as_str).unwrap_or("without a type");
                Err(format!("a message has a part `{kind}`; only text is carried over"))
            }
        },
        _ => Err("a message has a content that is not text".to_owned()),
    }
}
