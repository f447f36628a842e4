//! One step of a trajectory: an actual or expected call, in a common form for all peers.

use std::borrow::Cow;

use crate::domain::{Json, Object};
use crate::score::forms::{Form, Written};
use crate::score::{ScoreError, setting};

/// One step of a trajectory.
#[derive(Debug, Clone, PartialEq)]
pub struct Step<'a> {
    pub tool: &'a str,
    /// `None` where they are not recorded or not expected.
    pub arguments: Option<Cow<'a, Json>>,
    /// Why the arguments cannot be told, which is an error where they are compared.
    pub unclear: Option<ScoreError>,
    /// Steps of one turn have no order among themselves.
    pub turn: usize,
}

/// How calls are written that nobody's exact numbers are wanted of.
const FORM: Form = Form { lists: &[], name: "name", arguments: &["args"], as_peer: false };

/// Keys of a call's name and of its arguments as the peers have them.
const NAMES: [&str; 3] = ["name", "tool_name", "tool"];
const ARGUMENTS: [&str; 5] = ["args", "arguments", "input", "tool_input", "input_parameters"];

impl<'a> Step<'a> {
    /// A step of this name alone.
    pub(super) fn named(tool: &'a str) -> Step<'a> {
        Step { tool, arguments: None, unclear: None, turn: 0 }
    }

    /// A call in one of the forms that peers record: `{"name", "args"}`, `{"tool_name", "tool_input"}`, OpenAI's `{"function"}`; and
    /// unless it is to be read `as_peer`, in the forms of other vendors.
    pub(super) fn of_call(path: &str, json: &'a Json, as_peer: bool) -> Result<Step<'a>, ScoreError> {
        let wrong = || ScoreError::invalid(setting::wrong(path, "a call with a name and arguments", json));
        let object = json.as_object().ok_or_else(wrong)?;
        Step::of_object(path, object, as_peer).ok_or_else(wrong)
    }

    /// The same of its members; `None` where it has no name.
    pub(super) fn of_object(path: &str, object: &'a Object, as_peer: bool) -> Option<Step<'a>> {
        if !as_peer {
            let read = FORM.read(object, path)?;
            let repeats = |json: &Json| json.repeats_a_key();
            return Some(Step::of(read, |value| match parsed(value) {
                Cow::Owned(json) if repeats(&json) => Cow::Borrowed(value),
                read => read,
            }));
        }
        let call = object.get("function").and_then(Json::as_object).unwrap_or(object);
        let tool = NAMES.iter().find_map(|key| call.get(key)?.as_str())?;
        let arguments = ARGUMENTS.iter().find_map(|key| call.get(key)).map(parsed);
        Some(Step { arguments, ..Step::named(tool) })
    }

    /// A call as it was read, its arguments taken by `parse` where they stand there as they are.
    pub(super) fn of(read: Written<'a>, parse: impl Fn(&'a Json) -> Cow<'a, Json>) -> Step<'a> {
        let (arguments, unclear) = match read.arguments {
            Ok(Some(Cow::Borrowed(value))) => (Some(parse(value)), None),
            Ok(arguments) => (arguments, None),
            Err(why) => (None, Some(why)),
        };
        Step { arguments, unclear, ..Step::named(read.name) }
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
