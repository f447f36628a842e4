//! Calls in lists of a peer's, written as somebody else writes them: their arguments are read under the names that vendors and
//! frameworks give them, and never passed over. What cannot be told to be arguments or anything else is an error.

use std::borrow::Cow;

use super::ScoreError;
use crate::domain::{Json, Object};

/// How a scorer reads calls.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    /// Its lists of calls.
    pub lists: &'static [&'static str],
    /// Its names for the arguments of a call, the usual one first.
    pub arguments: &'static [&'static str],
    /// Whether a peer's numbers are wanted: then its own key is read as it stands, and what it does not know is no error.
    pub as_peer: bool,
}

/// Others' names for the arguments of a call.
const ARGUMENTS: [&str; 11] = [
    "arguments",
    "args",
    "input",
    "parameters",
    "params",
    "input_parameters",
    "inputParameters",
    "tool_input",
    "toolInput",
    "tool_args",
    "kwargs",
];
/// Others' names for the name of a call's tool.
const NAMES: [&str; 2] = ["toolName", "tool_name"];
/// What `type` says of a tool, as DeepEval has it.
const KINDS: [Option<&str>; 2] = [Some("FUNCTION"), Some("MCP")];
/// What holds a whole call: OpenAI's chat completions and its older calls, Gemini, Bedrock.
const WHOLE: [&str; 5] = ["function", "functionCall", "function_call", "toolUse", "tool_use"];
/// Other members of calls that may hold objects.
const OTHERS: [&str; 30] = [
    "input_raw",
    "result",
    "results",
    "tool_result",
    "toolResult",
    "output",
    "response",
    "returned",
    "observation",
    "content",
    "error",
    "metadata",
    "meta",
    "_meta",
    "annotations",
    "usage",
    "timing",
    "extra",
    "additional_kwargs",
    "response_metadata",
    "providerMetadata",
    "provider_metadata",
    "providerOptions",
    "provider_specific_fields",
    "callProviderMetadata",
    "cache_control",
    "caller",
    "config",
    "extra_content",
    "attributes",
];

impl Form {
    /// `record` with its calls in this form. What is not a call in another form stays as it is.
    ///
    /// # Errors
    /// If a call's arguments cannot be told: they stand under two names, or an object stands under a name that says nothing.
    pub(super) fn of<'a>(&self, record: &'a Object) -> Result<Cow<'a, Object>, ScoreError> {
        let mut whole = Cow::Borrowed(record);
        for key in self.lists {
            for (at, call) in record.get(key).and_then(Json::as_array).unwrap_or_default().iter().enumerate()
            {
                let Some(call) = call.as_object() else { continue };
                let path = format!("{key}[{at}]");
                let Some(call) = self.call(call, &path)? else { continue };
                if let Some(Json::Array(calls)) = whole.to_mut().get_mut(key) {
                    calls[at] = Json::Object(call);
                }
            }
        }
        Ok(whole)
    }

    /// A call in this form; `None` where it is in it already, and where it has no name.
    fn call(&self, call: &Object, path: &str) -> Result<Option<Object>, ScoreError> {
        let inner = if call.contains_key("name") { None } else { whole(call) };
        let named = inner.unwrap_or(call);
        let name = std::iter::once("name").chain(NAMES).find_map(|key| named.get(key)?.as_str());
        let Some(name) = name else { return Ok(None) };
        let own = self.arguments.iter().find(|key| named.get(key).is_some_and(|value| !value.is_null()));
        let found = match own {
            Some(key) => self.own(named, key, path, !self.as_peer || !call.contains_key("name"))?,
            None => self.other(named, path)?,
        };
        if inner.is_none() && found.is_none() && call.contains_key("name") {
            return Ok(None);
        }
        // The rest of the outer one: its id, and what the call returned.
        let mut read = call.clone();
        // What kind of message it is, which is no kind of tool.
        let is_kind = |key: &str, value: &Json| key == "type" && !KINDS.contains(&value.as_str());
        read.retain(|key, value| {
            !NAMES.contains(&key) && !WHOLE.contains(&key) && !self.is_arguments(key) && !is_kind(key, value)
        });
        read.insert("name", name);
        if let Some(arguments) = found.or_else(|| own.and_then(|key| named.get(key).cloned())) {
            read.insert(self.arguments[0], arguments);
        }
        Ok(Some(read))
    }

    /// The arguments under the scorer's own `key`, where they are to be read otherwise than as they stand: `text` says whether a text is.
    fn own(&self, call: &Object, key: &str, path: &str, text: bool) -> Result<Option<Json>, ScoreError> {
        let value = call.get(key).unwrap_or(&Json::Null);
        // An object without members may stand beside the arguments that another key holds.
        if value.as_object().is_some_and(Object::is_empty) {
            let full =
                |other: &&&str| call.get(other).and_then(parsed).is_some_and(|value| !value.is_empty());
            if let Some(other) = ARGUMENTS.iter().filter(|other| !self.arguments.contains(other)).find(full) {
                return Err(two(path, key, other));
            }
        }
        Ok(match value {
            Json::String(_) if text => parsed(value).map(|value| Json::Object(value.into_owned())),
            _ => None,
        })
    }

    /// The arguments under a name that others give them.
    fn other(&self, call: &Object, path: &str) -> Result<Option<Json>, ScoreError> {
        let given = ARGUMENTS.iter().filter(|key| !self.arguments.contains(key));
        let mut given = given.filter_map(|key| Some((key, call.get(key).filter(|value| !value.is_null())?)));
        if let Some((first, value)) = given.next() {
            if let Some((second, _)) = given.find(|(_, other)| !other.is_equivalent(value)) {
                return Err(two(path, first, second));
            }
            let read = parsed(value).map(|value| Json::Object(value.into_owned()));
            return Ok(Some(read.unwrap_or_else(|| value.clone())));
        }
        let is_unknown = |(key, value): &(&str, &Json)| {
            !self.is_arguments(key) && !OTHERS.contains(key) && parsed(value).is_some()
        };
        match call.iter().find(is_unknown).filter(|_| !self.as_peer) {
            Some((key, _)) => Err(ScoreError::invalid(format!(
                "`{path}` has no `{0}`, and it cannot be told whether its `{key}` holds them: rename it to `{0}`, or leave it out",
                self.arguments[0]
            ))),
            None => Ok(None),
        }
    }

    fn is_arguments(&self, key: &str) -> bool {
        self.arguments.contains(&key) || ARGUMENTS.contains(&key)
    }
}

/// The call that `call` holds under a name of its own.
fn whole(call: &Object) -> Option<&Object> {
    WHOLE.iter().find_map(|key| call.get(key)?.as_object()).filter(|inner| inner.contains_key("name"))
}

/// An object, or a text that holds one.
fn parsed(value: &Json) -> Option<Cow<'_, Object>> {
    match value {
        Json::Object(object) => Some(Cow::Borrowed(object)),
        Json::String(text) if text.trim_start().starts_with('{') => match Json::parse(text) {
            Ok(Json::Object(object)) if !object.repeats_a_key() => Some(Cow::Owned(object)),
            _ => None,
        },
        _ => None,
    }
}

fn two(path: &str, one: &str, other: &str) -> ScoreError {
    ScoreError::invalid(format!("`{path}` has other arguments under `{one}` than under `{other}`: keep one"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORM: Form = Form { lists: &["calls"], arguments: &["arguments"], as_peer: false };

    fn read(form: Form, call: &str) -> Result<String, String> {
        let record = Json::parse(&format!(r#"{{"calls": [{call}]}}"#)).unwrap();
        let read = form.of(record.as_object().unwrap()).map_err(|error| error.message)?;
        let call = &read.get("calls").unwrap().as_array().unwrap()[0];
        Ok(format!("{} {}", call.get("name").unwrap(), call.get("arguments").unwrap_or(&Json::Null)))
    }

    #[test]
    fn arguments_under_others_names() {
        for call in [
            r#"{"name": "f", "arguments": {"n": 1}}"#,
            r#"{"name": "f", "arguments": "{\"n\": 1}"}"#,
            r#"{"name": "f", "args": {"n": 1}, "id": "1", "result": {"m": 2}}"#,
            r#"{"name": "f", "arguments": null, "args": {"n": 1}}"#,
            r#"{"name": "f", "args": {"n": 1}, "input": {"n": 1}}"#,
            r#"{"type": "tool_use", "id": "1", "name": "f", "input": {"n": 1}}"#,
            r#"{"name": "f", "parameters": {"n": 1}}"#,
            r#"{"name": "f", "params": "{\"n\": 1}"}"#,
            r#"{"name": "f", "input_parameters": {"n": 1}}"#,
            r#"{"toolName": "f", "arguments": {"n": 1}}"#,
            r#"{"tool_name": "f", "tool_input": {"n": 1}}"#,
            r#"{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{\"n\": 1}"}}"#,
            r#"{"functionCall": {"name": "f", "args": {"n": 1}}}"#,
            r#"{"toolUse": {"toolUseId": "1", "name": "f", "input": {"n": 1}}}"#,
        ] {
            assert_eq!(read(FORM, call).as_deref(), Ok(r#""f" {"n":1}"#), "{call}");
        }
        for (call, expected) in [
            (r#"{"name": "f"}"#, r#""f" null"#),
            (r#"{"name": "f", "arguments": {}, "args": {}}"#, r#""f" {}"#),
            (r#"{"name": "f", "args": {}}"#, r#""f" {}"#),
            (r#"{"name": "f", "output": {"n": 1}, "status": "done"}"#, r#""f" null"#),
            (r#"{"name": "f", "arguments": "no JSON"}"#, r#""f" "no JSON""#),
            (r#"{"name": "f", "args": "{\"n\": 1, \"n\": 2}"}"#, r#""f" "{\"n\": 1, \"n\": 2}""#),
        ] {
            assert_eq!(read(FORM, call).as_deref(), Ok(expected), "{call}");
        }
    }

    #[test]
    fn nothing_is_guessed() {
        for (call, part) in [
            (r#"{"name": "f", "payload": {"n": 1}}"#, "its `payload`"),
            (r#"{"name": "f", "payload": "{\"n\": 1}"}"#, "its `payload`"),
            (r#"{"name": "f", "args": {"n": 1}, "input": {"n": 2}}"#, "under `args` than under `input`"),
            (r#"{"name": "f", "arguments": {}, "args": {"n": 2}}"#, "under `arguments` than under `args`"),
        ] {
            let why = read(FORM, call).unwrap_err();
            assert!(why.starts_with("`calls[0]` has") && why.contains(part), "{why}");
        }
        let peer = Form { as_peer: true, ..FORM };
        assert_eq!(read(peer, r#"{"name": "f", "payload": {"n": 1}}"#).as_deref(), Ok(r#""f" null"#));
        let text = r#"{"name": "f", "arguments": "{\"n\": 1}"}"#;
        assert_eq!(read(peer, text).as_deref(), Ok(r#""f" "{\"n\": 1}""#));
    }
}
