//! Calls in lists of a peer's, written as somebody else writes them: their arguments are read under the names that vendors and
//! frameworks give them, and never passed over. What cannot be told to be arguments or anything else is an error where it counts.

use std::borrow::Cow;

use super::ScoreError;
use crate::domain::{Json, Object};

/// How a scorer reads calls.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    /// Its lists of calls.
    pub lists: &'static [&'static str],
    /// Its name for the name of a call's tool.
    pub name: &'static str,
    /// Its names for the arguments of a call, the usual one first.
    pub arguments: &'static [&'static str],
    /// Whether a peer's numbers are wanted: then its own key is read as it stands, and what it does not know is no error.
    pub as_peer: bool,
}

/// A call, whoever wrote it.
#[derive(Debug, Clone)]
pub(super) struct Written<'a> {
    pub name: &'a str,
    /// `None` where there is no word of them. An error if they cannot be told: they stand under two names, or an object stands under a
    /// name that says nothing.
    pub arguments: Result<Option<Cow<'a, Json>>, ScoreError>,
    /// Whether the name and the arguments stand where the scorer has them, as it reads them.
    is_own: bool,
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
const NAMES: [&str; 4] = ["name", "toolName", "tool_name", "tool"];
/// What `type` says of a tool, as DeepEval has it.
const KINDS: [Option<&str>; 2] = [Some("FUNCTION"), Some("MCP")];
/// What holds a whole call: OpenAI's chat completions and its older calls, Gemini, Bedrock.
const WHOLE: [&str; 5] = ["function", "functionCall", "function_call", "toolUse", "tool_use"];
/// Other members of calls that may hold objects.
const OTHERS: [&str; 41] = [
    "mock",
    "mocks",
    "mock_output",
    "description",
    "span",
    "trace",
    "tags",
    "input_raw",
    "result",
    "results",
    "tool_result",
    "toolResult",
    "output",
    "tool_output",
    "toolOutput",
    "mock_tool_output",
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
    "extras",
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
    /// If a call's arguments cannot be told.
    pub(super) fn of<'a>(&self, record: &'a Object) -> Result<Cow<'a, Object>, ScoreError> {
        self.of_compared(record, "", |_, _| true)
    }

    /// The same where arguments may be of no account: `counts` says of a list and of the tool of a call in it whether they are compared
    /// with others. `within` is what comes before the lists' names in errors.
    pub(super) fn of_compared<'a>(
        &self,
        record: &'a Object,
        within: &str,
        counts: impl Fn(&str, &str) -> bool,
    ) -> Result<Cow<'a, Object>, ScoreError> {
        let mut whole = Cow::Borrowed(record);
        for key in self.lists {
            for (at, call) in record.get(key).and_then(Json::as_array).unwrap_or_default().iter().enumerate()
            {
                let Some(call) = call.as_object() else { continue };
                let path = format!("{within}{key}[{at}]");
                let Some(call) = self.call(call, &path, |tool| counts(key, tool))? else { continue };
                if let Some(Json::Array(calls)) = whole.to_mut().get_mut(key) {
                    calls[at] = Json::Object(call);
                }
            }
        }
        Ok(whole)
    }

    /// The calls in a list of `record`.
    pub(super) fn calls<'a>(&self, record: &'a Object, list: &str) -> impl Iterator<Item = Written<'a>> {
        let calls = record.get(list).and_then(Json::as_array).unwrap_or_default().iter();
        calls.filter_map(move |call| self.read(call.as_object()?, list))
    }

    /// A call in this form; `None` where it is in it already, and where it has no name.
    fn call(
        &self,
        call: &Object,
        path: &str,
        counts: impl Fn(&str) -> bool,
    ) -> Result<Option<Object>, ScoreError> {
        let Some(Written { name, arguments, is_own }) = self.read(call, path) else { return Ok(None) };
        let is_unreadable = |found: &Json| !matches!(found, Json::Object(_) | Json::Null);
        let arguments = match arguments {
            Err(error) if self.as_peer || counts(name) => return Err(error),
            Err(_) => None,
            // What it could not read and need not.
            Ok(Some(found)) if is_unreadable(&found) && !is_own && !self.as_peer && !counts(name) => None,
            Ok(found) => found,
        };
        let kind = call.get("type").and_then(Json::as_str);
        if is_own && (self.as_peer || kind.is_none() || KINDS.contains(&kind)) {
            return Ok(None);
        }
        // The rest of it: its id, and what the call returned.
        let mut read = call.clone();
        // What kind of message it is, which is no kind of tool.
        let is_kind = |key: &str, value: &Json| key == "type" && !KINDS.contains(&value.as_str());
        read.retain(|key, value| {
            !NAMES.contains(&key) && !WHOLE.contains(&key) && !self.is_arguments(key) && !is_kind(key, value)
        });
        if !self.as_peer && kind.is_some_and(|kind| kind.eq_ignore_ascii_case("MCP")) {
            read.insert("type", "MCP");
        }
        read.insert(self.name, name);
        if let Some(arguments) = arguments {
            read.insert(self.arguments[0], arguments.into_owned());
        }
        Ok(Some(read))
    }

    /// The name and the arguments of a call in any form; `None` where it has no name.
    pub(super) fn read<'a>(&self, call: &'a Object, path: &str) -> Option<Written<'a>> {
        let inner = self.inner(call);
        let name = self.name_of(inner.unwrap_or(call))?;
        let (arguments, stand) = match self.arguments_of(call, inner, path) {
            Ok(Some((arguments, stand))) => (Ok(Some(arguments)), stand),
            Ok(None) => (Ok(None), true),
            Err(error) => (Err(error), false),
        };
        let is_named = call.get(self.name).is_some_and(|name| self.as_peer || name.as_str().is_some());
        let is_own = stand && inner.is_none() && is_named;
        Some(Written { name, arguments, is_own })
    }

    fn name_of<'a>(&self, call: &'a Object) -> Option<&'a str> {
        std::iter::once(self.name).chain(NAMES).find_map(|key| call.get(key)?.as_str())
    }

    /// The call that `call` holds under a name of its own, if that is the one.
    fn inner<'a>(&self, call: &'a Object) -> Option<&'a Object> {
        if self.as_peer {
            return if call.contains_key(self.name) { None } else { whole(call) };
        }
        let inner = whole(call)?;
        let is_full = |(_, value): (&str, &Json)| parsed(value).is_none_or(|value| !value.is_empty());
        match self.name_of(call) {
            None => Some(inner),
            // Both are named alike, and only one says with which arguments.
            Some(name) => {
                let is_same = self.name_of(inner) == Some(name);
                (is_same && !self.given(call).any(is_full)).then_some(inner)
            }
        }
    }

    /// What stands under the names of arguments, the scorer's own first.
    fn given<'a>(&self, call: &'a Object) -> impl Iterator<Item = (&'static str, &'a Json)> {
        let own = self.arguments;
        let others = ARGUMENTS.into_iter().filter(move |key| !own.contains(key));
        let keys = own.iter().copied().chain(others);
        keys.filter_map(move |key| Some((key, call.get(key).filter(|value| !value.is_null())?)))
    }

    /// The arguments of a call, and whether they stand under the scorer's own key as it reads them.
    fn arguments_of<'a>(
        &self,
        call: &'a Object,
        inner: Option<&'a Object>,
        path: &str,
    ) -> Result<Option<(Cow<'a, Json>, bool)>, ScoreError> {
        let named = inner.unwrap_or(call);
        let outer = inner.filter(|_| !self.as_peer).map(|_| call);
        let mut given = self.given(named).chain(outer.into_iter().flat_map(|call| self.given(call)));
        let Some((key, value)) = given.next() else {
            if let Some(key) = self.unknown(named, outer) {
                return Err(ScoreError::invalid(format!(
                    "`{path}` has no `{0}`, and it cannot be told whether its `{key}` holds them: rename it to `{0}`, or leave it out",
                    self.arguments[0]
                )));
            }
            // To say that there are none is not to say nothing.
            let said = self.arguments.iter().chain(&ARGUMENTS).find_map(|key| Some((*key, named.get(key)?)));
            return Ok(said
                .filter(|_| !self.as_peer)
                .map(|(key, null)| (Cow::Borrowed(null), self.arguments.contains(&key))));
        };
        let is_own = self.arguments.contains(&key);
        let is_another = |(other, beside): &(&str, &Json)| match (self.as_peer, is_own) {
            (false, _) => are_others(value, beside),
            (true, false) => !beside.is_equivalent(value),
            // An object without members may stand beside the arguments that another key holds.
            (true, true) => {
                !self.arguments.contains(other)
                    && value.as_object().is_some_and(Object::is_empty)
                    && parsed(beside).is_some_and(|beside| !beside.is_empty())
            }
        };
        if let Some((other, _)) = given.find(is_another) {
            return Err(ScoreError::invalid(match other == key {
                true => format!("`{path}` has two different `{key}`: keep one"),
                false => {
                    format!("`{path}` has other arguments under `{key}` than under `{other}`: keep one")
                }
            }));
        }
        let is_text = value.as_str().is_some();
        if is_own && (!is_text || self.as_peer && call.contains_key(self.name)) {
            let is_alone = self.arguments.iter().filter(|key| named.contains_key(key)).count() == 1;
            return Ok(Some((Cow::Borrowed(value), is_alone || self.as_peer)));
        }
        let is_empty = !self.as_peer && is_none(value) && (!is_own || inner.is_some());
        let read = match parsed(value) {
            _ if is_empty => Some(Cow::Owned(Json::Object(Object::new()))),
            Some(Cow::Owned(object)) => Some(Cow::Owned(Json::Object(object))),
            Some(Cow::Borrowed(_)) | None => None,
        };
        let stands = is_own && read.is_none();
        Ok(Some((read.unwrap_or(Cow::Borrowed(value)), stands)))
    }

    /// A member that may hold the arguments of a call, under a name that says nothing.
    fn unknown<'a>(&self, named: &'a Object, outer: Option<&'a Object>) -> Option<&'a str> {
        let outer = outer.into_iter().flat_map(Object::iter).filter(|(key, _)| !WHOLE.contains(key));
        let is_unknown = |(key, value): &(&str, &Json)| {
            !self.is_arguments(key) && !OTHERS.contains(key) && parsed(value).is_some()
        };
        named.iter().chain(outer).filter(|_| !self.as_peer).find(is_unknown).map(|(key, _)| key)
    }

    fn is_arguments(&self, key: &str) -> bool {
        self.arguments.contains(&key) || ARGUMENTS.contains(&key)
    }
}

/// A member of an expected call that seems to say with which arguments, and is not read: one under a name that somebody gives to
/// arguments, or where nothing else is said of them, any object under a name that is not `known`.
pub(super) fn passed_over<'a>(call: &'a Object, own: &str, known: &[&str]) -> Option<&'a str> {
    let wanted = call.get(own).filter(|value| !value.is_null());
    let says_nothing = !known.iter().any(|key| call.get(key).is_some_and(|value| !value.is_null()));
    let is_passed_over = |(key, value): &(&str, &Json)| match ARGUMENTS.contains(key) {
        _ if value.is_null() || *key == own || known.contains(key) => false,
        true => wanted.is_none_or(|wanted| are_others(wanted, value)),
        false => wanted.is_none() && says_nothing && !OTHERS.contains(key) && parsed(value).is_some(),
    };
    call.iter().find(is_passed_over).map(|(key, _)| key)
}

/// The call that `call` holds under a name of its own.
pub(super) fn whole(call: &Object) -> Option<&Object> {
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

/// Whether a text says that there are no arguments, as some providers put it.
fn is_none(value: &Json) -> bool {
    value.as_str().is_some_and(|text| matches!(text.trim(), "" | "null"))
}

/// Whether what stands beside arguments are other ones. A word or a number beside an object of them is something else.
fn are_others(value: &Json, beside: &Json) -> bool {
    let is_empty = |value: &Json| is_none(value) || parsed(value).is_some_and(|value| value.is_empty());
    match (parsed(value), parsed(beside)) {
        _ if is_empty(value) && is_empty(beside) => false,
        (Some(value), Some(beside)) => !value.is_equivalent(&beside),
        (Some(value), None) => match beside {
            Json::Array(items) => !items.is_empty(),
            beside => value.is_empty() && !is_none(beside),
        },
        (None, Some(_)) => true,
        (None, None) => !value.is_equivalent(beside),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORM: Form = Form { lists: &["calls"], name: "name", arguments: &["arguments"], as_peer: false };

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
            r#"{"tool": "f", "tool_input": {"n": 1}, "log": "{"}"#,
            r#"{"name": null, "toolName": "f", "args": {"n": 1}}"#,
            r#"{"name": "f", "arguments": {"n": 1}, "args": "{\"n\": 1.0}", "input": "What is n?", "params": "", "kwargs": null}"#,
            r#"{"function": {"name": "f"}, "args": {"n": 1}}"#,
            r#"{"function": {"name": "f", "arguments": "{\"n\": 1}"}, "args": {"n": 1}, "index": 0}"#,
            r#"{"name": "f", "function": {"name": "f", "arguments": {"n": 1}}}"#,
        ] {
            assert_eq!(read(FORM, call).as_deref(), Ok(r#""f" {"n":1}"#), "{call}");
        }
        for (call, expected) in [
            (r#"{"name": "f"}"#, r#""f" null"#),
            (r#"{"name": "f", "arguments": {}, "args": {}}"#, r#""f" {}"#),
            (r#"{"name": "f", "args": {}}"#, r#""f" {}"#),
            (r#"{"name": "f", "output": {"n": 1}, "status": "done"}"#, r#""f" null"#),
            (r#"{"name": "f", "arguments": "no JSON"}"#, r#""f" "no JSON""#),
            // No arguments as OpenAI's servers and those like them say it.
            (r#"{"function": {"name": "f", "arguments": ""}}"#, r#""f" {}"#),
            (r#"{"function": {"name": "f", "arguments": " null\n"}}"#, r#""f" {}"#),
            (r#"{"name": "f", "args": ""}"#, r#""f" {}"#),
            (r#"{"name": "f", "arguments": ""}"#, r#""f" """#),
            (r#"{"name": "f", "args": null}"#, r#""f" null"#),
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
            (
                r#"{"name": "f", "arguments": {"n": 1}, "args": {"n": 2}}"#,
                "under `arguments` than under `args`",
            ),
            (r#"{"name": "f", "arguments": {"n": 1}, "args": {}}"#, "under `arguments` than under `args`"),
            (r#"{"name": "f", "arguments": {"n": 1}, "args": [2]}"#, "under `arguments` than under `args`"),
            (r#"{"name": "f", "arguments": {}, "input": "n = 2"}"#, "under `arguments` than under `input`"),
            (
                r#"{"function": {"name": "f", "arguments": "{\"n\": 1}"}, "args": {"n": 2}}"#,
                "under `arguments` than under `args`",
            ),
            (
                r#"{"function": {"name": "f", "arguments": "{\"n\": 1}"}, "arguments": {"n": 2}}"#,
                "two different `arguments`",
            ),
            (r#"{"function": {"name": "f"}, "payload": {"n": 2}}"#, "its `payload`"),
            (r#"{"name": "g", "function": {"name": "f", "arguments": {"n": 1}}}"#, "its `function`"),
        ] {
            let why = read(FORM, call).unwrap_err();
            assert!(why.starts_with("`calls[0]` has") && why.contains(part), "{why}");
        }
        let peer = Form { as_peer: true, ..FORM };
        assert_eq!(read(peer, r#"{"name": "f", "payload": {"n": 1}}"#).as_deref(), Ok(r#""f" null"#));
        let text = r#"{"name": "f", "arguments": "{\"n\": 1}"}"#;
        assert_eq!(read(peer, text).as_deref(), Ok(r#""f" "{\"n\": 1}""#));
        let beside = r#"{"name": "f", "arguments": {"n": 1}, "args": {"n": 2}}"#;
        assert_eq!(read(peer, beside).as_deref(), Ok(r#""f" {"n":1}"#));
    }

    #[test]
    fn what_is_not_compared_is_no_error() {
        let record = r#"{"calls": [{"name": "f", "payload": {"n": 1}}, {"name": "g", "args": "no JSON"}, {"name": "h", "args": {"n": 1}}]}"#;
        let record = Json::parse(record).unwrap();
        let record = record.as_object().unwrap();
        let why = |compared: &str| {
            FORM.of_compared(record, "test.", |list, tool| list == "calls" && tool == compared)
                .map_err(|why| why.message)
        };
        assert!(why("f").unwrap_err().starts_with("`test.calls[0]` has no"));
        let read = why("h").unwrap();
        let arguments: Vec<String> = read
            .get("calls")
            .unwrap()
            .as_array()
            .unwrap()
            .iter()
            .map(|call| call.get("arguments").unwrap_or(&Json::Null).to_string())
            .collect();
        assert_eq!(arguments, ["null", "null", r#"{"n":1}"#]);
    }

    #[test]
    fn a_kind_of_message_is_no_kind_of_tool() {
        for (call, kind) in [
            (r#"{"name": "f", "type": "tool_use", "arguments": {}}"#, "null"),
            (r#"{"name": "f", "type": "function", "arguments": {}}"#, "null"),
            (r#"{"name": "f", "type": "MCP", "arguments": {}}"#, r#""MCP""#),
            (r#"{"name": "f", "type": "mcp", "args": {}}"#, r#""MCP""#),
            (r#"{"name": "f", "type": 7, "arguments": {}}"#, "7"),
        ] {
            let record = Json::parse(&format!(r#"{{"calls": [{call}]}}"#)).unwrap();
            let read = FORM.of(record.as_object().unwrap()).unwrap();
            let read = &read.get("calls").unwrap().as_array().unwrap()[0];
            assert_eq!(read.get("type").unwrap_or(&Json::Null).to_string(), kind, "{call}");
        }
    }

    #[test]
    fn what_would_be_passed_over() {
        for (call, found) in [
            (r#"{"tool_name": "f", "args": {"n": 1}}"#, Some("args")),
            (r#"{"tool_name": "f", "required_params": {"n": 2}, "args": {"n": 1}}"#, Some("args")),
            (r#"{"tool_name": "f", "required_params": {"n": 1}, "args": {"n": 1}}"#, None),
            (r#"{"tool_name": "f", "wanted": {"n": 1}}"#, Some("wanted")),
            (r#"{"tool_name": "f", "metadata": {"n": 1}, "args": null, "note": "n is 1"}"#, None),
            (r#"{"tool_name": "f", "checks": {}, "wanted": {"n": 1}}"#, None),
        ] {
            let call = Json::parse(call).unwrap();
            let read = passed_over(call.as_object().unwrap(), "required_params", &["checks"]);
            assert_eq!(read, found, "{call}");
        }
    }
}
