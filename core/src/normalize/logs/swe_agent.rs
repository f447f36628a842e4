//! SWE-agent's trajectories (`.traj`): the messages that the model was sent, and its actions.
//!
//! ```json
//! {"environment": "…", "trajectory": [{"action": "ls", "observation": "a.py", "response": "…"}], "history": [
//!     {"role": "user", "content": "Fix it.", "message_type": "observation"},
//!     {"role": "assistant", "content": "…", "action": "ls", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}]},
//!     {"role": "tool", "content": "a.py", "tool_call_ids": ["c1"], "message_type": "observation"}], "info": {}}
//! ```
//!
//! Models without function calling write a command; it is read as a call of `bash`. The history may lack steps that the
//! trajectory has, so the step of a message is found by its action and its text, never by its number.

use super::context::Context;
use super::entry::{Entries, Skip, chained, skipped, unreadable};
use super::format::LogFormat;
use super::transcript::{Opening, Transcript};
use super::value;
use crate::domain::{Json, Object, RowError, RowErrorCode};

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
    let mut said: Vec<Said> = Vec::new();
    for message in history {
        let Json::Object(mut message) = message else {
            elements.push(message);
            continue;
        };
        let role = value::text(&message, &["role"]).unwrap_or_default();
        let is_demo = message.get("is_demo") == Some(&Json::Bool(true));
        let calls = message.get("tool_calls").and_then(Json::as_array).unwrap_or_default();
        let action = value::text(&message, &["action"]);
        if !is_demo && role == "assistant" {
            said.push(Said::of(&message));
        }
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
        // The demonstrations at the beginning are another run's.
        if is_demo && said.is_empty() {
            shared = elements.len();
        }
    }
    let steps = value::take(&mut record, "trajectory").unwrap_or(Json::Null);
    let steps = steps.as_array().unwrap_or_default();
    let known = steps_within(&said, steps);
    // What came of the last step was shown to no model.
    let last = known.and_then(|known| steps.get(known.checked_sub(1)?));
    let result = awaited(&elements).and_then(|id| observation(last?, id));
    elements.extend(result);
    // Of a run that broke off, steps may be missing in the history.
    for step in steps.iter().skip(known.unwrap_or(steps.len())).filter(|step| is_action(step)) {
        let text = |key: &str| step.get(key).and_then(Json::as_str).unwrap_or_default();
        let call = command(text("action").to_owned());
        elements.push(Json::Object(value::calling("assistant", Json::from(text("thought")), vec![call])));
        elements.extend(observation(step, None));
    }
    let lost = steps.iter().filter(|step| is_action(step)).count().saturating_sub(said.len());
    let id = value::text(&record, &["instance_id"]);
    let read = Transcript { id, elements, opening: Opening::Repeated(shared), ..Transcript::default() };
    let unplaced = (known.is_none() && lost > 0).then(|| {
        let why = format!(
            "the history lacks {lost} of the steps in `trajectory`, and which ones cannot be told, since its messages differ from all steps"
        );
        unreadable(RowError::new(RowErrorCode::UnrecognisedRecord, why))
    });
    chained(std::iter::once(read.entries(context)).chain(unplaced))
}

/// What a message of the assistant's does and says.
struct Said {
    action: Option<String>,
    words: Option<String>,
    thought: Option<String>,
}

impl Said {
    fn of(message: &Object) -> Said {
        let text = |key| value::text(message, &[key]).and_then(|text| trimmed(&text).map(str::to_owned));
        Said { action: text("action"), words: text("content"), thought: text("thought") }
    }

    /// Whether a step does and says the same.
    fn is(&self, step: &Json) -> bool {
        self.does(step) && self.words.is_some() && self.words.as_deref() == text(step, "response")
    }

    /// Whether a step does the same, or, where one of them does nothing, thinks or says it.
    fn is_like(&self, step: &Json) -> bool {
        let same = |own: &Option<String>, key| own.is_some() && own.as_deref() == text(step, key);
        match (&self.action, text(step, "action")) {
            (Some(_), Some(_)) => self.does(step),
            _ => same(&self.thought, "thought") || same(&self.words, "response"),
        }
    }

    fn does(&self, step: &Json) -> bool {
        self.action.as_deref() == text(step, "action")
    }
}

fn text<'a>(step: &'a Json, key: &str) -> Option<&'a str> {
    trimmed(step.get(key)?.as_str()?)
}

fn trimmed(text: &str) -> Option<&str> {
    Some(text.trim()).filter(|text| !text.is_empty())
}

/// Whether the model did something in a step.
fn is_action(step: &Json) -> bool {
    ["action", "response"].iter().all(|key| text(step, key).is_some())
}

/// How many steps there are up to the one that the last message is; `None` if a message is none of the steps.
fn steps_within(said: &[Said], steps: &[Json]) -> Option<usize> {
    said.iter().try_fold(0, |from, said| {
        let left = &steps[from..];
        let at = left
            .iter()
            .position(|step| said.is(step))
            .or_else(|| left.iter().position(|step| said.is_like(step)));
        Some(from + at? + 1)
    })
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
