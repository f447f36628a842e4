//! Parses values of logs: JSON in strings, timestamps in a dozen notations.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use crate::domain::{Cell, Json, Object, RowError, RowErrorCode, Slot};
use crate::normalize::python_literal::{self, Dialect};
use crate::normalize::question;

/// How many times exporters encode what was encoded before.
const MAX_ENCODINGS: usize = 4;

/// The value that a string holds as JSON, or in Python's spelling, however often it was encoded; other strings and values
/// stay as they are.
pub(super) fn unfolded(value: Json) -> Json {
    let mut value = value;
    for _ in 0..MAX_ENCODINGS {
        let Json::String(text) = &value else { break };
        let trimmed = text.trim_start();
        if !trimmed.starts_with(['{', '[', '"']) {
            break;
        }
        match Json::parse(text).ok().or_else(|| python_literal::whole(text, Dialect::Repr)) {
            Some(inner) => value = inner,
            None => break,
        }
    }
    value
}

/// Whether a text begins like an object or a list of them, though nothing can be read out of it.
pub(super) fn is_broken(text: &str) -> bool {
    matches!(unfolded(Json::from(text)), Json::String(inner) if first_quote(&inner).is_some())
}

/// Whether a text is broken because its end is missing.
pub(super) fn breaks_off(text: &str) -> bool {
    // A cut within a word, a number or an escape is noticed where that begins.
    const MAX_TOKEN_LENGTH: usize = 6;
    let Json::String(inner) = unfolded(Json::from(text)) else { return false };
    match (first_quote(&inner), Json::parse(&inner)) {
        (Some('\''), _) => !inner.trim_end().ends_with([']', '}']),
        (Some(_), Err(error)) => error.offset + MAX_TOKEN_LENGTH >= inner.len(),
        _ => false,
    }
}

/// What opens the first key, if a text begins like an object or a list of them.
fn first_quote(text: &str) -> Option<char> {
    let text = text.trim_start();
    // JSON within a JSON string begins with a quotation mark.
    let text = text.strip_prefix('"').unwrap_or(text);
    let item = text.strip_prefix('[').map_or(text, str::trim_start);
    item.strip_prefix('{')?.trim_start().chars().next().filter(|quote| ['"', '\'', '\\'].contains(quote))
}

/// Takes a value out of `object`, unfolded; null counts as absent.
pub(super) fn take(object: &mut Object, key: &str) -> Option<Json> {
    object.remove(key).map(unfolded).filter(|value| !value.is_null())
}

/// Takes the first of `keys` that is there and not null, unfolded.
pub(super) fn take_first(object: &mut Object, keys: &[&str]) -> Option<Json> {
    keys.iter().find_map(|key| take(object, key))
}

/// Takes an object out of `object`.
pub(super) fn take_object(object: &mut Object, key: &str) -> Option<Object> {
    match take(object, key)? {
        Json::Object(inner) => Some(inner),
        _ => None,
    }
}

/// The value at the end of a path of keys.
pub(super) fn at<'a>(object: &'a Object, path: &[&str]) -> Option<&'a Json> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(object.get(first)?, |value, key| value.get(key)).filter(|value| !value.is_null())
}

/// The text at the end of a path of keys; blank counts as absent.
pub(super) fn text(object: &Object, path: &[&str]) -> Option<String> {
    at(object, path)?.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned)
}

/// Whether a value stands under one of these keys.
pub(super) fn has(object: &Object, keys: &[&str]) -> bool {
    keys.iter().any(|key| match object.get(key) {
        None | Some(Json::Null) => false,
        Some(Json::Array(items)) => !items.is_empty(),
        Some(Json::String(text)) => !text.is_empty() && text != "null",
        Some(_) => true,
    })
}

/// The text or number under a key, as text; blank counts as absent.
pub(super) fn name(object: &Object, key: &str) -> Option<String> {
    match object.get(key)? {
        Json::String(text) if !text.trim().is_empty() => Some(text.clone()),
        Json::Number(number) => Some(number.as_str().to_owned()),
        _ => None,
    }
}

/// Takes the value at the end of a path of keys, unfolded on the way; null counts as absent.
pub(super) fn take_at(object: &mut Object, path: &[&str]) -> Option<Json> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(take(object, first)?, |value, key| match value {
        Json::Object(mut inner) => take(&mut inner, key),
        _ => None,
    })
}

/// The one fragment that belongs to the record whose `field` is `id`; the same fragment may be there several times.
pub(super) fn only(fragments: Vec<Object>, field: &str, id: &str) -> Result<Object, RowError> {
    let mut fragments = fragments.into_iter();
    let refused = |code, why| Err(RowError::new(code, format!("{field}: {why}: {}", RowError::excerpt(id))));
    match fragments.next() {
        None => refused(RowErrorCode::NoMatchingQuestion, "no input has the question of this id"),
        Some(first) if fragments.any(|other| other != first) => {
            refused(RowErrorCode::DuplicateId, "several questions have this id")
        }
        Some(first) => Ok(first),
    }
}

/// Whether there is an object or array under `key`, be it within a string.
pub(super) fn holds_structure(object: &Object, key: &str) -> bool {
    object.get(key).is_some_and(is_structure)
}

/// Whether a value is an object or array, be it within a string.
pub(super) fn is_structure(value: &Json) -> bool {
    match value {
        Json::Object(_) | Json::Array(_) => true,
        Json::String(text) => text.trim_start().starts_with(['{', '[']),
        _ => false,
    }
}

/// Whether a record is a row of a table, whatever else it holds: a question beside the calls to judge.
pub(super) fn is_row(record: &Object) -> bool {
    ["tool_call", "tool_calls"].iter().any(|key| record.contains_key(key)) && asks(record)
}

/// Whether a record has a column that tables keep questions in.
pub(super) fn asks(record: &Object) -> bool {
    Slot::Question.aliases().iter().any(|key| record.contains_key(key))
}

/// Definitions as a cell; empty ones that exporters write where there were none count as absent.
pub(super) fn tools(value: Option<Json>) -> Cell {
    match value {
        None | Some(Json::Null) => Cell::Missing,
        Some(Json::Object(object)) if object.is_empty() => Cell::Missing,
        Some(value) => Cell::from(value),
    }
}

/// A message as chats write it.
pub(super) fn message(role: &str, content: impl Into<Json>) -> Json {
    let mut message = Object::new();
    message.insert("role", role);
    message.insert("content", content);
    Json::Object(message)
}

/// A message as chats write it, with the calls that stand beside what is said.
pub(super) fn calling(role: &str, content: Json, calls: Vec<Json>) -> Object {
    let mut message =
        Object::from_iter([("role".to_owned(), Json::from(role)), ("content".to_owned(), content)]);
    if !calls.is_empty() {
        message.insert("tool_calls", Json::Array(calls));
    }
    message
}

/// A list's messages, be it within a string; a lone text is the user's, a blank one nobody's.
pub(super) fn messages(value: Json) -> Vec<Json> {
    match value {
        Json::Null => Vec::new(),
        Json::Array(items) => items,
        Json::String(text) if text.trim().is_empty() => Vec::new(),
        Json::String(text) => question::conversation_in(&text).unwrap_or_else(|| vec![message("user", text)]),
        other => vec![other],
    }
}

/// An instant: RFC 3339, ISO 8601 without a zone (UTC), or a number of seconds, milli-, micro- or nanoseconds since 1970,
/// told apart by its size.
pub(super) fn instant(value: &Json) -> Option<Timestamp> {
    match value {
        Json::Number(number) => since_epoch(number.as_str()),
        Json::String(text) => {
            let text = text.trim();
            since_epoch(text).or_else(|| written(text))
        }
        _ => None,
    }
}

fn written(text: &str) -> Option<Timestamp> {
    if let Ok(instant) = text.parse() {
        return Some(instant);
    }
    let text = text.strip_suffix("UTC").map_or(text, str::trim_end);
    let civil: DateTime = text.parse().ok()?;
    civil.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
}

fn since_epoch(text: &str) -> Option<Timestamp> {
    // Up to these sizes a number counts seconds, milli- and microseconds: until the year 5138 each.
    const UNITS: [(f64, i32); 3] = [(1e11, 9), (1e14, 6), (1e17, 3)];
    const MAX_SECONDS: f64 = 1e20;
    let size: f64 = text.parse().ok().filter(|size: &f64| size.abs() < MAX_SECONDS)?;
    let digits = UNITS.iter().find(|(most, _)| size.abs() < *most).map_or(0, |(_, digits)| *digits);
    let unit = 10_i128.pow(digits.unsigned_abs());
    let nanoseconds = match text.parse::<i128>() {
        Ok(whole) => whole.checked_mul(unit)?,
        // A double of seconds is exact to the microsecond at best.
        Err(_) => ((size * unit as f64 / 1e3).round() as i128).checked_mul(1000)?,
    };
    Timestamp::from_nanosecond(nanoseconds).ok()
}

/// From `start` to `end`, in seconds; `None` when that is before.
pub(super) fn seconds_between(start: Option<Timestamp>, end: Option<Timestamp>) -> Option<f64> {
    let passed: SignedDuration = end?.duration_since(start?);
    (!passed.is_negative()).then(|| passed.as_secs_f64())
}

/// A number, be it within a string.
pub(super) fn number(value: &Json) -> Option<f64> {
    match value {
        Json::Number(number) => Some(number.as_f64()),
        Json::String(text) => text.trim().parse().ok(),
        _ => None,
    }
    .filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_in_all_spellings() {
        let expected: Timestamp = "2025-06-15T15:06:40.25Z".parse().unwrap();
        for json in [
            "1750000000.25",
            "1750000000250",
            "1750000000250000",
            "1750000000250000000",
            "\"1750000000250000000\"",
            "\"2025-06-15T15:06:40.250Z\"",
            "\"2025-06-15T17:06:40.250+02:00\"",
            "\"2025-06-15T15:06:40.25\"",
            "\"2025-06-15 15:06:40.250000\"",
            "\"2025-06-15 15:06:40.250000 UTC\"",
            "\"2025-06-15 15:06:40.250000+00:00\"",
        ] {
            assert_eq!(instant(&Json::parse(json).unwrap()), Some(expected), "{json}");
        }
        for json in ["\"\"", "\"yesterday\"", "null", "1e300", "\"nan\"", "true"] {
            assert_eq!(instant(&Json::parse(json).unwrap()), None, "{json}");
        }
    }

    #[test]
    fn knows_json_that_was_cut() {
        for (text, broken, cut) in [
            (r#"[{"role": "us"#, true, true),
            (r#" [ { "role"#, true, true),
            (r#"[{"a": tr"#, true, true),
            (r#""[{\"role\": \"us"#, true, true),
            (r#""[{\"role\": \"us""#, true, true),
            (r#"{"a":"#, true, true),
            ("[{'role': 'us", true, true),
            ("[{'role': us}]", true, false),
            (r#"{"a": NaN, "b": "some more text"}"#, true, false),
            (r#"{"a": 1} is what was found."#, true, false),
            (r#"{"a": 1}"#, false, false),
            ("[urgent] call me", false, false),
            ("{name}, hello", false, false),
            ("", false, false),
        ] {
            assert_eq!((is_broken(text), breaks_off(text)), (broken, cut), "{text}");
        }
    }

    #[test]
    fn strings_unfold_to_what_they_hold() {
        for (json, expected) in [
            (r#""[1]""#, "[1]"),
            (r#""\"[1]\"""#, "[1]"),
            (r#""{'a': True}""#, r#"{"a":true}"#),
            (r#""[half""#, r#""[half""#),
            (r#""plain""#, r#""plain""#),
            ("7", "7"),
        ] {
            assert_eq!(unfolded(Json::parse(json).unwrap()).to_string(), expected, "{json}");
        }
    }
}
