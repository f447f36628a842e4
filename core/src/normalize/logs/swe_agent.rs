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
    let mut steps_in_history = 0;
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
        steps_in_history += usize::from(!is_demo && role == "assistant");
        // The demonstrations at the beginning are another run's.
        if is_demo && steps_in_history == 0 {
            shared = elements.len();
        }
    }
    let steps = value::take(&mut record, "trajectory").unwrap_or(Json::Null);
    let steps = steps.as_array().unwrap_or_default();
    // What came of the last step was shown to no model.
    let last = steps_in_history.checked_sub(1).and_then(|at| steps.get(at));
    let result = awaited(&elements).and_then(|id| observation(last?, id));
    elements.extend(result);
    // Of a run that broke off, steps may be missing in the history.
    for step in steps.iter().skip(steps_in_history) {
        let text = |key: &str| step.get(key).and_then(Json::as_str).filter(|text| !text.trim().is_empty());
        let (Some(action), Some(_)) = (text("action"), text("response")) else { continue };
        let said = Json::from(text("thought").unwrap_or_default());
        elements.push(Json::Object(value::calling("assistant", said, vec![command(action.to_owned())])));
        elements.extend(observation(step, None));
    }
    let id = value::text(&record, &["instance_id"]);
    Transcript { id, elements, opening: Opening::Repeated(shared), ..Transcript::default() }.entries(context)
}

/// The id of the first call of the last element, if nothing has come of it yet; a command has none.
fn awaited(elements: &[Json]) -> Option<Option<&Json>> {
    let call = elements.last()?.get("tool_calls")?.as_array()?.first()?;
    Some(call.get("id"))
}

/// What came of a step.
fn observation(step: &Json, call_id: Option<&Json>) -> Option<Json> {
    let said = step.get("observation").filter(|said| said.as_str().is_some())?;
    let mut result = Object::new();
    result.insert("role", "tool");
    if let Some(id) = call_id {
        result.insert("tool_call_id", id.clone());
    }
    result.insert("content", said.clone());
    Some(Json::Object(result))
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
