//! A case of vitest-evals: the expected tools, the calls, and the patterns in the expectations.

use super::options::{Options, Params};
use super::pattern::Pattern;
use crate::domain::{Json, Object};
use crate::score::{ScoreError, setting};

/// A case, borrowed from its record.
#[derive(Debug, Clone)]
pub struct Case<'a> {
    pub expected: Vec<Call<'a>>,
    pub called: Vec<Call<'a>>,
    /// All regular expressions that fuzzy expectations hold, each once.
    pub(super) patterns: Vec<Pattern<'a>>,
}

/// An expected tool or a call.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Call<'a> {
    pub name: &'a str,
    /// `None` where there are none, which is not the same as null.
    pub arguments: Option<&'a Json>,
}

impl<'a> Case<'a> {
    /// Reads a case; an error names the key and what it should hold.
    pub fn read(record: &'a Object, options: &Options) -> Result<Case<'a>, ScoreError> {
        let expected = calls(record, "expectedTools")?;
        let mut patterns = Vec::new();
        if options.params == Params::Fuzzy {
            for arguments in expected.iter().filter_map(|tool| tool.arguments) {
                collect(arguments, &mut patterns)?;
            }
        }
        Ok(Case { expected, called: calls(record, "toolCalls")?, patterns })
    }
}

fn calls<'a>(record: &'a Object, key: &str) -> Result<Vec<Call<'a>>, ScoreError> {
    let list = match record.get(key) {
        None | Some(Json::Null) => &[],
        Some(Json::Array(list)) => list.as_slice(),
        Some(other) => return Err(ScoreError::invalid(setting::wrong(key, "a list", other))),
    };
    let read = |(at, json): (usize, &'a Json)| match json {
        // Later versions of the peer take bare names.
        Json::String(name) => Ok(Call { name, arguments: None }),
        Json::Object(call) => match (call.get("name"), call.get("toolName")) {
            (Some(Json::String(name)), _) => Ok(Call { name, arguments: call.get("arguments") }),
            // As the AI SDK writes calls, in its versions 4 and 5.
            (None, Some(Json::String(name))) => {
                Ok(Call { name, arguments: call.get("args").or_else(|| call.get("input")) })
            }
            _ => Err(ScoreError::invalid(format!("`{key}[{at}]` has no `name`"))),
        },
        other => Err(ScoreError::invalid(setting::wrong(&format!("{key}[{at}]"), "an object", other))),
    };
    list.iter().enumerate().map(read).collect()
}

fn collect<'a>(json: &'a Json, patterns: &mut Vec<Pattern<'a>>) -> Result<(), ScoreError> {
    match json {
        Json::Array(items) => items.iter().try_for_each(|item| collect(item, patterns)),
        Json::Object(object) => match Special::of(object) {
            Some(Special::Pattern { source, flags }) => {
                if !patterns.iter().any(|pattern| pattern.is(source, flags)) {
                    patterns.push(Pattern::new(source, flags).map_err(ScoreError::invalid)?);
                }
                Ok(())
            }
            Some(Special::Unknown(name)) => {
                let message = format!(
                    "there is no validator `{name}`; the validators are: nonempty_string, positive_number"
                );
                Err(ScoreError::invalid(message))
            }
            Some(_) => Ok(()),
            None => object.values().try_for_each(|value| collect(value, patterns)),
        },
        _ => Ok(()),
    }
}

/// What JSON cannot hold, as expectations write it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Special<'a> {
    Pattern { source: &'a str, flags: &'a str },
    NonemptyString,
    PositiveNumber,
    Unknown(&'a str),
}

impl<'a> Special<'a> {
    /// `{"$regex": …, "$flags": …}` or `{"$validator": …}`.
    pub(super) fn of(object: &'a Object) -> Option<Special<'a>> {
        let (key, value) = object.iter().next()?;
        if !key.starts_with('$') {
            return None;
        }
        match (key, value.as_str()?) {
            ("$regex", source) => {
                let flags = object.get("$flags").and_then(Json::as_str).unwrap_or_default();
                Some(Special::Pattern { source, flags })
            }
            ("$validator", "nonempty_string") => Some(Special::NonemptyString),
            ("$validator", "positive_number") => Some(Special::PositiveNumber),
            ("$validator", name) => Some(Special::Unknown(name)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_as_the_ai_sdk_writes_them() {
        for call in [
            r#"{"name": "look", "arguments": {"at": 1}}"#,
            r#"{"type": "tool-call", "toolCallId": "1", "toolName": "look", "args": {"at": 1}}"#,
            r#"{"type": "tool-call", "toolCallId": "1", "toolName": "look", "input": {"at": 1}}"#,
        ] {
            let record = Json::parse(&format!(r#"{{"toolCalls": [{call}]}}"#)).unwrap();
            let case = Case::read(record.as_object().unwrap(), &Options::default()).unwrap();
            let called = case.called[0];
            assert_eq!((called.name, called.arguments.is_some()), ("look", true), "{call}");
        }
    }
}
