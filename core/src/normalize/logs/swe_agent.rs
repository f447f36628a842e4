//! SWE-agent's trajectories (`.traj`): the history of messages that the model was sent, and what it did.
//!
//! ```json
//! {"environment": "…", "trajectory": [{"action": "ls", "observation": "a.py", "response": "…"}], "history": [
//!     {"role": "user", "content": "Fix it.", "message_type": "observation"},
//!     {"role": "assistant", "content": "…", "action": "ls", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}]},
//!     {"role": "tool", "content": "a.py", "tool_call_ids": ["c1"], "message_type": "observation"}], "info": {}}
//! ```
//!
//! Models without function calling write a command; it is read as a call of `bash`.

use super::context::Context;
use super::entry::{Entries, Skip, skipped};
use super::format::LogFormat;
use super::transcript::{Opening, Transcript};
use super::value;
use crate::domain::{Json, Object};

pub(super) const TRAJECTORY: LogFormat = LogFormat {
    name: "swe_agent",
    sign: "lists `trajectory` and `history`",
    matches: |record| {
        ["trajectory", "history"].iter().all(|key| record.get(key).is_some_and(|it| it.as_array().is_some()))
    },
    read,
    unmatched: None,
};

fn read(mut record: Object, context: &Context) -> Entries {
    let history = match record.remove("history") {
        Some(Json::Array(history)) if !history.is_empty() => history,
        _ => return skipped(Skip::NoOutput),
    };
    let (mut elements, mut shared, mut awaits_result) = (Vec::new(), 0, false);
    let mut begun = false;
    for message in history {
        let Json::Object(mut message) = message else {
            elements.push(message);
            continue;
        };
        let role = value::text(&message, &["role"]).unwrap_or_default();
        let is_demo = message.get("is_demo") == Some(&Json::Bool(true));
        let calls = message.get("tool_calls").and_then(Json::as_array).unwrap_or_default();
        let action = value::text(&message, &["action"]);
        match role.as_str() {
            "assistant" if calls.is_empty() && !is_demo && action.is_some() => {
                let said = message.remove("thought").unwrap_or(Json::from(""));
                let said = if said.is_null() { Json::from("") } else { said };
                let call = command(action.unwrap_or_default());
                elements.push(Json::Object(value::calling("assistant", said, vec![call])));
                awaits_result = true;
            }
            "user" if awaits_result => {
                awaits_result = false;
                let mut result = Object::new();
                result.insert("role", "tool");
                result.insert("content", message.remove("content").unwrap_or(Json::Null));
                elements.push(Json::Object(result));
            }
            "tool" => {
                if let Some(Json::Array(ids)) = message.remove("tool_call_ids")
                    && let Some(id) = ids.into_iter().next()
                {
                    message.insert("tool_call_id", id);
                }
                elements.push(Json::Object(message));
            }
            _ => elements.push(Json::Object(message)),
        }
        begun |= !is_demo && role == "assistant";
        // The demonstrations at the beginning are another run's.
        if is_demo && !begun {
            shared = elements.len();
        }
    }
    let id = value::text(&record, &["instance_id"]);
    Transcript { id, elements, opening: Opening::Repeated(shared), ..Transcript::default() }.entries(context)
}

fn command(command: String) -> Json {
    let mut arguments = Object::new();
    arguments.insert("command", command);
    let mut function = Object::new();
    function.insert("name", "bash");
    function.insert("arguments", Json::Object(arguments));
    let mut call = Object::new();
    call.insert("type", "function");
    call.insert("function", Json::Object(function));
    Json::Object(call)
}
