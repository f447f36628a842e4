//! The peer's operations on accepted answers that may not be lists: count, iterate, look into.
//!
//! Accepted values are lists in every published answer; in answers written by hand they may be anything, and the official
//! checker crashes with some. By our own rules a value that is no list is the only accepted one.

use std::borrow::Cow;
use std::slice;

use super::failure::Exception;
use super::rules::Rules;
use super::value::{Value, get};

type Values<'v> = Cow<'v, [Value<'v>]>;

/// The values that are visited one after the other.
pub fn visited<'v>(answer: &'v Value<'v>, rules: Rules) -> Result<Values<'v>, Exception> {
    match answer {
        Value::List(items) => Ok(Cow::Borrowed(items)),
        single if rules == Rules::Own => Ok(Cow::Borrowed(slice::from_ref(single))),
        Value::Tuple(items) => Ok(Cow::Borrowed(items)),
        Value::Str(text) => Ok(characters(text)),
        Value::Dict(entries) => Ok(entries.iter().map(|(key, _)| key.clone()).collect()),
        _ => Err(Exception::TypeError),
    }
}

/// The values that are at the places 0, 1 and so on.
pub fn indexed<'v>(answer: &'v Value<'v>, rules: Rules) -> Result<Values<'v>, Exception> {
    match answer {
        Value::Dict(entries) if rules == Rules::Peer && entries.is_empty() => Ok(Cow::Borrowed(&[])),
        Value::Dict(_) if rules == Rules::Peer => Err(Exception::KeyError),
        other => visited(other, rules),
    }
}

/// How many there are.
pub fn count(answer: &Value<'_>) -> Result<usize, Exception> {
    match answer {
        Value::List(items) | Value::Tuple(items) => Ok(items.len()),
        Value::Str(text) => Ok(text.chars().count()),
        Value::Dict(entries) => Ok(entries.len()),
        _ => Err(Exception::TypeError),
    }
}

/// Whether `""` is among them: what is asked for may be left out.
pub fn is_optional(answer: &Value<'_>, rules: Rules) -> Result<bool, Exception> {
    match answer {
        Value::List(items) | Value::Tuple(items) => Ok(items.iter().any(Value::is_marker)),
        single if rules == Rules::Own => Ok(single.is_marker()),
        // Every string contains the empty one.
        Value::Str(_) => Ok(true),
        Value::Dict(entries) => Ok(get(entries, "").is_some()),
        _ => Err(Exception::TypeError),
    }
}

fn characters(text: &str) -> Values<'_> {
    text.char_indices().map(|(at, char)| Value::text(&text[at..at + char.len_utf8()])).collect()
}
