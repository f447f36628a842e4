//! One step of a trajectory: an actual or expected call, in a common form for all peers.

use std::borrow::Cow;

use crate::domain::{Json, Object};
use crate::score::{ScoreError, setting};

/// One step of a trajectory.
#[derive(Debug, Clone, PartialEq)]
pub struct Step<'a> {
    pub tool: &'a str,
    /// `None` where they are not recorded or not expected.
    pub arguments: Option<Cow<'a, Json>>,
    /// Steps of one turn have no order among themselves.
    pub turn: usize,
}

/// Keys of a call's name and of its arguments, over all the forms in which calls are written.
const NAMES: [&str; 3] = ["name", "tool_name", "tool"];
const ARGUMENTS: [&str; 5] = ["args", "arguments", "input", "tool_input", "input_parameters"];

impl<'a> Step<'a> {
    /// A call in one of the forms that peers record: `{"name", "args"}`, `{"tool_name", "tool_input"}`, OpenAI's `{"function"}`.
    pub(super) fn of_call(path: &str, json: &'a Json) -> Result<Step<'a>, ScoreError> {
        let wrong = || ScoreError::invalid(setting::wrong(path, "a call with a name and arguments", json));
        let object = json.as_object().ok_or_else(wrong)?;
        let call = object.get("function").and_then(Json::as_object).unwrap_or(object);
        let tool = NAMES.iter().find_map(|key| call.get(key)?.as_str()).ok_or_else(wrong)?;
        let arguments = ARGUMENTS.iter().find_map(|key| call.get(key)).map(parsed);
        Ok(Step { tool, arguments, turn: 0 })
    }

    /// The arguments as an object, which none are too; an error for arguments of another kind.
    pub(super) fn members(&self) -> Result<Option<&Object>, ()> {
        match self.arguments.as_deref() {
            None | Some(Json::Null) => Ok(None),
            Some(Json::Object(arguments)) => Ok(Some(arguments)),
            Some(_) => Err(()),
        }
    }
}

/// Arguments out of the text that holds them as JSON; other text stays a text, which equals no object.
fn parsed(value: &Json) -> Cow<'_, Json> {
    match value {
        Json::String(text) if text.trim().is_empty() => Cow::Owned(Json::Object(Object::new())),
        Json::String(text) => Json::parse(text).map_or(Cow::Borrowed(value), Cow::Owned),
        other => Cow::Borrowed(other),
    }
}
