//! Cases whose calls are written as somebody else writes them.

use std::borrow::Cow;

use crate::domain::{Json, Object};
use crate::score::ScoreError;
use crate::score::forms::{Form, passed_over};

/// How the calls that were made are read.
pub(super) const CALLS: Form =
    Form { lists: &["tool_calls"], name: "name", arguments: &["input"], as_peer: false };
/// How those are read that must not be made.
const BANNED: Form =
    Form { lists: &["not_calls"], name: "tool_name", arguments: &["params"], as_peer: false };
/// What an expected call may say beside the values that its parameters should have.
const CHECKS: [&str; 3] = ["forbidden_params", "optional_params", "param_validators"];
const WANTED: &str = "required_params";

/// A record with its calls as the article has them.
///
/// # Errors
/// If arguments cannot be told that are compared, and if an expected call has some that would not be read.
pub(super) fn read(record: &Object) -> Result<Cow<'_, Object>, ScoreError> {
    let test = record.get("test").and_then(Json::as_object);
    let expected = test.and_then(|test| test.get("expected_tool_calls")?.as_array()).unwrap_or_default();
    for (at, call) in expected.iter().enumerate() {
        if let Some(key) = call.as_object().and_then(|call| passed_over(call, WANTED, &CHECKS)) {
            return Err(ScoreError::invalid(format!(
                "`test.expected_tool_calls[{at}].{key}` is not read: write what is expected of the arguments in `{WANTED}`"
            )));
        }
    }
    // An expected call that says nothing of its parameters may have any; banned are calls with exactly these.
    let compares = |call: &Json| {
        let says = |key: &str| call.get(key).is_some_and(|value| !value.is_null());
        says(WANTED) || CHECKS.into_iter().any(says)
    };
    let is_banned =
        |tool: &str| test.is_some_and(|test| BANNED.calls(test, "not_calls").any(|call| call.name == tool));
    let is_compared = |tool: &str| {
        let named = |call: &&Json| call.get("tool_name").and_then(Json::as_str) == Some(tool);
        expected.iter().filter(named).any(compares) || is_banned(tool)
    };
    let mut read = CALLS.of_compared(record, "", |_, tool| is_compared(tool))?;
    if let Some(test) = test
        && let Cow::Owned(test) = BANNED.of_compared(test, "test.", |_, _| true)?
    {
        read.to_mut().insert("test", Json::Object(test));
    }
    Ok(read)
}
