//! A test case with its run: the expected calls, the actual ones, and the budgets.

use super::validator::Validator;
use crate::domain::{Json, Number, Object, nearest};
use crate::score::functions::Asking;
use crate::score::{ScoreError, setting};

/// A test case and its run, borrowed from the record.
#[derive(Debug, Clone)]
pub struct Case<'a> {
    pub expectations: Vec<Expectation<'a>>,
    /// Whether the expected calls must come in the order of the expectations. Ours, like the two bans.
    pub ordered: bool,
    pub should_not_call_tools: bool,
    /// Tools that must not be called.
    pub forbidden_tools: Vec<&'a str>,
    /// Calls that must not be made with exactly these arguments.
    pub not_calls: Vec<Call<'a>>,
    /// Words that the response must have, in any case.
    pub expected_output_contains: Vec<&'a str>,
    pub max_tool_calls: f64,
    pub max_latency_ms: Number,
    pub calls: Vec<Call<'a>>,
    pub response: &'a str,
    pub latency_ms: Option<Number>,
}

/// An expected call.
#[derive(Debug, Clone)]
pub struct Expectation<'a> {
    pub tool_name: &'a str,
    /// Values by parameter; null for any value. `None` for none.
    pub required_params: Option<&'a Object>,
    pub forbidden_params: Vec<&'a str>,
    /// The parameters that a call may have beside those that are required or have a validator; none of them has any other. `None` where
    /// all may be there. Ours.
    pub optional_params: Option<Vec<&'a str>>,
    pub param_validators: Vec<(&'a str, Validator<'a>)>,
}

/// A call that was made.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    pub name: &'a str,
    pub input: Option<&'a Object>,
    /// Whether its arguments could not be read: then it is nothing that was expected or banned, and no call too many.
    pub unreadable: bool,
    /// Whether its tool refused the arguments: then it answers no expectation either.
    pub refused: bool,
    /// Whether the driver, who knows the definitions, says that it is one of those that are banned, though it may be written otherwise.
    pub forbidden: bool,
}

impl Call<'_> {
    pub(super) fn param(&self, name: &str) -> Option<&Json> {
        self.input?.get(name)
    }

    /// Whether it can be what was expected.
    pub(super) fn is_made(&self) -> bool {
        !self.unreadable && !self.refused
    }
}

impl<'a> Expectation<'a> {
    /// An error if a validator takes too long on a call.
    pub(super) fn can_check(&self, call: &Call<'_>) -> Result<(), ScoreError> {
        if call.name != self.tool_name {
            return Ok(());
        }
        let mut given = self
            .param_validators
            .iter()
            .filter_map(|(param, validator)| call.param(param).map(|value| (param, validator, value)));
        given.try_for_each(|(param, validator, value)| validator.can_check(param, value))
    }

    /// The parameters of a call that it may not have; null is as good as absent.
    pub(super) fn added<'c>(&self, call: &Call<'c>) -> Vec<&'c str> {
        let Some(optional) = &self.optional_params else { return Vec::new() };
        let is_known = |name: &str| {
            optional.contains(&name)
                || self.forbidden_params.contains(&name)
                || self.required_params.is_some_and(|params| params.contains_key(name))
                || self.param_validators.iter().any(|(param, _)| *param == name)
        };
        let given = call.input.into_iter().flat_map(Object::iter);
        given.filter(|(name, value)| !value.is_null() && !is_known(name)).map(|(name, _)| name).collect()
    }
}

impl<'a> Case<'a> {
    /// Lets the validators that are functions ask.
    pub(super) fn ask(&mut self, whom: &'a Asking<'a>) {
        let validators =
            self.expectations.iter_mut().flat_map(|expectation| &mut expectation.param_validators);
        validators.for_each(|(_, validator)| validator.ask(whom));
    }

    /// Whether a function has a say in it.
    pub(super) fn has_functions(&self) -> bool {
        let mut validators = self.expectations.iter().flat_map(|expectation| &expectation.param_validators);
        validators.any(|(_, validator)| matches!(validator, Validator::Function { .. }))
    }

    /// Reads a record with `test`, `tool_calls`, `response` and `latency_ms`; an error names the key and what it should hold.
    pub fn read(record: &'a Object) -> Result<Case<'a>, ScoreError> {
        let test = match record.get("test") {
            Some(Json::Object(test)) => test,
            other => return Err(wrong("test", "an object", other.unwrap_or(&Json::Null))),
        };
        let expectations = list("test.expected_tool_calls", test.get("expected_tool_calls"))?;
        let not_calls = list("test.not_calls", test.get("not_calls"))?;
        let calls = list("tool_calls", record.get("tool_calls"))?;
        Ok(Case {
            expectations: expectations
                .iter()
                .enumerate()
                .map(|(at, json)| expectation(&format!("test.expected_tool_calls[{at}]"), json))
                .collect::<Result<_, _>>()?,
            ordered: boolean("test.ordered", test.get("ordered"))?,
            should_not_call_tools: boolean("test.should_not_call_tools", test.get("should_not_call_tools"))?,
            forbidden_tools: strings("test.forbidden_tools", test.get("forbidden_tools"))?,
            not_calls: not_calls
                .iter()
                .enumerate()
                .map(|(at, json)| call(&format!("test.not_calls[{at}]"), json, ("tool_name", "params")))
                .collect::<Result<_, _>>()?,
            expected_output_contains: strings(
                "test.expected_output_contains",
                test.get("expected_output_contains"),
            )?,
            max_tool_calls: number("test.max_tool_calls", test.get("max_tool_calls"))?
                .map_or(5.0, Number::as_f64),
            max_latency_ms: number("test.max_latency_ms", test.get("max_latency_ms"))?
                .map_or_else(|| Number::from(10_000_u64), Number::clone),
            calls: calls
                .iter()
                .enumerate()
                .map(|(at, json)| call(&format!("tool_calls[{at}]"), json, ("name", "input")))
                .collect::<Result<_, _>>()?,
            response: match record.get("response") {
                None | Some(Json::Null) => "",
                Some(Json::String(response)) => response,
                Some(other) => return Err(wrong("response", "text", other)),
            },
            latency_ms: match record.get("latency_ms") {
                // As tables of text have it.
                Some(Json::String(text)) if Number::parse(text).is_some() => Number::parse(text),
                latency => number("latency_ms", latency)?.cloned(),
            },
        })
    }

    pub(super) fn is_late(&self) -> bool {
        self.latency_ms.as_ref().is_some_and(|latency| latency.as_f64() > self.max_latency_ms.as_f64())
    }

    /// The keywords that the response does not have.
    pub(super) fn missing_keywords(&self) -> Vec<&'a str> {
        if self.expected_output_contains.is_empty() {
            return Vec::new();
        }
        let response = self.response.to_lowercase();
        let is_missing = |keyword: &&&str| !response.contains(&keyword.to_lowercase());
        self.expected_output_contains.iter().filter(is_missing).copied().collect()
    }

    /// The share of the keywords that the response has.
    pub(super) fn content(&self, missing: &[&str]) -> f64 {
        match self.expected_output_contains.len() {
            0 => 1.0,
            all => (all - missing.len()) as f64 / all as f64,
        }
    }
}

/// Keys of a test that say what must be, or must not.
const EXPECTING: [&str; 7] = [
    "should_not_call_tools",
    "expected_output_contains",
    "max_tool_calls",
    "max_latency_ms",
    "forbidden_tools",
    "not_calls",
    "ordered",
];
/// Its other keys that are read.
const READ: [&str; 2] = ["expected_tool_calls", "threshold"];
/// Keys of users' own that are near others.
const OWN: [&str; 3] = ["tool_calls", "order", "required_parameters"];
/// Keys of an expected call.
const OF_CALL: [&str; 5] =
    ["tool_name", "required_params", "forbidden_params", "optional_params", "param_validators"];

/// An error if a test asks for less than was meant: it expects nothing at all, or a key of it is nearly one that is read.
pub(super) fn said(record: &Object) -> Result<(), ScoreError> {
    let Some(test) = record.get("test").and_then(Json::as_object) else { return Ok(()) };
    let misspelt = |path: &str, object: &Object, known: &[&str]| {
        // What says the opposite, or has a remedy of its own, is no slip of the pen.
        let is_own = |key: &str| key.starts_with("min_") || OWN.contains(&key);
        let unknown = object.iter().map(|(key, _)| key).filter(|key| !known.contains(key) && !is_own(key));
        let mut near = unknown.filter_map(|key| Some((key, nearest(key, known.iter().copied())?)));
        near.next().map_or(Ok(()), |(key, meant)| {
            Err(ScoreError::invalid(format!("`{path}.{key}` is not read; did you mean `{meant}`?")))
        })
    };
    misspelt("test", test, &[&EXPECTING[..], &READ].concat())?;
    let expected = list("test.expected_tool_calls", test.get("expected_tool_calls"))?;
    for (at, call) in expected.iter().enumerate() {
        if let Some(call) = call.as_object() {
            misspelt(&format!("test.expected_tool_calls[{at}]"), call, &OF_CALL)?;
        }
    }
    let says = |key: &&str| test.get(key).is_some_and(|value| !value.is_null());
    if expected.is_empty() && !EXPECTING.iter().any(says) {
        return Err(ScoreError::invalid(
            "`test` expects nothing, so that any run would pass: write `expected_tool_calls`, or `\"should_not_call_tools\": true`",
        ));
    }
    Ok(())
}

fn expectation<'a>(path: &str, json: &'a Json) -> Result<Expectation<'a>, ScoreError> {
    let object = json.as_object().ok_or_else(|| wrong(path, "an object", json))?;
    let validators = member(path, object, "param_validators")?;
    Ok(Expectation {
        tool_name: name(path, object, "tool_name")?,
        required_params: member(path, object, "required_params")?,
        forbidden_params: match object.get("forbidden_params") {
            Some(Json::Array(none)) if none.is_empty() => Vec::new(),
            other => strings(&format!("{path}.forbidden_params"), other)?,
        },
        optional_params: match object.get("optional_params") {
            None | Some(Json::Null) => None,
            // No list of texts is empty elsewhere.
            Some(Json::Array(none)) if none.is_empty() => Some(Vec::new()),
            some => Some(strings(&format!("{path}.optional_params"), some)?),
        },
        param_validators: validators
            .into_iter()
            .flat_map(Object::iter)
            .map(|(param, json)| {
                Ok((param, Validator::read(&format!("{path}.param_validators.{param}"), json)?))
            })
            .collect::<Result<_, ScoreError>>()?,
    })
}

/// A call, under its keys for the name and the arguments.
fn call<'a>(path: &str, json: &'a Json, (tool, arguments): (&str, &str)) -> Result<Call<'a>, ScoreError> {
    let object = json.as_object().ok_or_else(|| wrong(path, "an object", json))?;
    Ok(Call {
        name: name(path, object, tool)?,
        input: member(path, object, arguments)?,
        unreadable: object.get("input_raw").is_some_and(|raw| !raw.is_null()),
        refused: object.get("refused") == Some(&Json::Bool(true)),
        forbidden: object.get("forbidden") == Some(&Json::Bool(true)),
    })
}

pub(super) fn wrong(path: &str, allowed: &str, value: &Json) -> ScoreError {
    ScoreError::invalid(setting::wrong(path, allowed, value))
}

fn name<'a>(path: &str, object: &'a Object, key: &str) -> Result<&'a str, ScoreError> {
    let value = object.get(key).unwrap_or(&Json::Null);
    value.as_str().ok_or_else(|| wrong(&format!("{path}.{key}"), "text", value))
}

fn member<'a>(path: &str, object: &'a Object, key: &str) -> Result<Option<&'a Object>, ScoreError> {
    match object.get(key) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::Object(member)) => Ok(Some(member)),
        Some(other) => Err(wrong(&format!("{path}.{key}"), "an object", other)),
    }
}

pub(super) fn list<'a>(path: &str, value: Option<&'a Json>) -> Result<&'a [Json], ScoreError> {
    match value {
        None | Some(Json::Null) => Ok(&[]),
        Some(Json::Array(items)) => Ok(items),
        Some(other) => Err(wrong(path, "a list", other)),
    }
}

fn boolean(path: &str, value: Option<&Json>) -> Result<bool, ScoreError> {
    value
        .filter(|value| !value.is_null())
        .map_or(Ok(false), |value| setting::boolean(path, value).map_err(ScoreError::invalid))
}

fn strings<'a>(path: &str, value: Option<&'a Json>) -> Result<Vec<&'a str>, ScoreError> {
    value
        .filter(|value| !value.is_null())
        .map_or(Ok(Vec::new()), |value| setting::strings(path, value).map_err(ScoreError::invalid))
}

fn number<'a>(path: &str, value: Option<&'a Json>) -> Result<Option<&'a Number>, ScoreError> {
    match value {
        None | Some(Json::Null) => Ok(None),
        Some(Json::Number(number)) => Ok(Some(number)),
        Some(other) => Err(wrong(path, "a number", other)),
    }
}
