//! Rows of Azure AI's evaluators for agents, whose `response` is a list of messages that continues `query`.
//!
//! ```json
//! {"query": [{"role": "user", "content": [{"type": "text", "text": "Oslo?"}]}],
//!  "response": [{"role": "assistant", "content": [{"type": "tool_call", "tool_call_id": "c1", "name": "f", "arguments": {}}]},
//!               {"role": "tool", "tool_call_id": "c1", "content": [{"type": "tool_result", "tool_result": "Sunny."}]}],
//!  "tool_definitions": [{"name": "f", "parameters": {}}]}
//! ```
//!
//! A row whose `response` is a text is a row of a table.

use super::context::Context;
use super::entry::Entries;
use super::format::LogFormat;
use super::transcript::{Opening, Transcript};
use super::value;
use crate::domain::{Json, Object, Role};
use crate::normalize::question;

pub(super) const AZURE: LogFormat = LogFormat {
    name: "azure_evaluation",
    sign: "`query` beside a list of messages in `response`",
    matches,
    read,
    unmatched: None,
};

fn matches(record: &Object) -> bool {
    let speaks = |message: &Json| message.as_object().and_then(question::speaker) == Some(Role::Assistant);
    let answers = |messages: &[Json]| {
        !messages.is_empty()
            && messages.iter().all(|message| message.get("role").is_some())
            && messages.iter().any(speaks)
    };
    record.contains_key("query")
        && match record.get("response") {
            Some(Json::Array(messages)) => answers(messages),
            Some(text @ Json::String(_)) => value::unfolded(text.clone()).as_array().is_some_and(answers),
            _ => false,
        }
}

fn read(mut record: Object, context: &Context) -> Entries {
    let mut messages = |key| value::take(&mut record, key).map(value::messages).unwrap_or_default();
    let (asked, answered) = (messages("query"), messages("response"));
    let transcript = Transcript {
        id: value::text(&record, &["id"]),
        opening: Opening::Given(asked.len()),
        elements: asked.into_iter().chain(answered).map(message).collect(),
        tools: value::tools(value::take(&mut record, "tool_definitions")),
        ..Transcript::default()
    };
    transcript.entries(context)
}

/// A message as chats write it.
fn message(mut message: Json) -> Json {
    let Json::Object(object) = &mut message else { return message };
    let Some(Json::Array(parts)) = object.get_mut("content") else { return message };
    if let [Json::Object(only)] = parts.as_mut_slice()
        && let Some(result) = only.remove("tool_result")
    {
        object.insert("content", result);
        return message;
    }
    for part in parts.iter_mut().filter_map(as_object) {
        if let Some(Json::Object(mut call)) = part.remove("tool_call") {
            if !call.contains_key("type") {
                call.insert("type", "function");
            }
            *part = call;
        } else if let Some(id) = part.remove("tool_call_id") {
            part.insert("id", id);
        }
    }
    message
}

fn as_object(json: &mut Json) -> Option<&mut Object> {
    match json {
        Json::Object(object) => Some(object),
        _ => None,
    }
}
