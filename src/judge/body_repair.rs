//! Repairs bodies that are almost JSON, as other readers do; never guesses.
//!
//! Servers in Python write `NaN` and `Infinity`, some put a byte order mark or a line end around the body, and text that was cut
//! within a character holds half of a surrogate pair. The meaning of such a body is clear all the same, and it was paid for.

use std::borrow::Cow;
use std::ops::Range;

use serde::de::IgnoredAny;

/// Bytes behind the body that can be no second value. Chosen: a line end, a zero byte, a bracket too many.
const MOST_BEHIND: usize = 16;
const REPLACEMENT: &str = "\\ufffd";
const NULL: &str = "null";
/// Keys of what a model called: what is no JSON there is no detail of the answer but what the model said.
const CALLED: [&str; 3] = ["arguments", "input", "args"];

/// `body` repaired to JSON, if it is almost JSON and its meaning is clear; else unchanged.
pub(super) fn readable(body: Cow<'_, str>) -> Cow<'_, str> {
    let is_json = |text: &str| serde_json::from_str::<IgnoredAny>(text).is_ok();
    // A parser that passes over values passes over half of a pair as well.
    let has_surrogates = |text: &str| text.contains("\\ud") || text.contains("\\uD");
    if is_json(&body) && !has_surrogates(&body) {
        return body;
    }
    match repaired(&body) {
        Some(repaired) if is_json(&repaired) => Cow::Owned(repaired),
        _ => body,
    }
}

/// `None` where there is nothing to be done.
fn repaired(body: &str) -> Option<String> {
    let text = body.trim_start_matches('\u{feff}').trim_start();
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let (mut out, mut copied) = (String::with_capacity(text.len()), 0);
    // The key of the value that follows, and those of the values around it.
    let (mut key, mut around): (&str, Vec<&str>) = ("", Vec::new());
    let mut changed = text.len() < body.len();
    let mut put = |out: &mut String, place: Range<usize>, instead: &str| {
        out.push_str(&text[copied..place.start]);
        out.push_str(instead);
        copied = place.end;
        changed = true;
    };
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                let end = end_of_string(bytes, at);
                for half in half_pairs(bytes, at..end) {
                    put(&mut out, half, REPLACEMENT);
                }
                let is_key = text[end..].trim_start().starts_with(':');
                key = if is_key { text[at..end].trim_matches('"') } else { "" };
                at = end;
                continue;
            }
            b'{' | b'[' => around.push(std::mem::take(&mut key)),
            b'}' | b']' => {
                around.pop();
                key = "";
            }
            b',' => key = "",
            b'N' | b'I' | b'-' => {
                if let Some(word) =
                    ["NaN", "Infinity", "-Infinity"].iter().find(|word| text[at..].starts_with(**word))
                {
                    if around.iter().chain([&key]).any(|key| CALLED.contains(key)) {
                        return None;
                    }
                    put(&mut out, at..at + word.len(), NULL);
                    at += word.len();
                    continue;
                }
            }
            _ => {}
        }
        at += 1;
        if around.is_empty() {
            break;
        }
    }
    let behind = text[at..].trim();
    if !behind.is_empty() {
        // Another value, or a piece of one: which of the two is meant is not known.
        if behind.len() > MOST_BEHIND || behind.contains(['{', '[', '"']) {
            return None;
        }
        put(&mut out, at..text.len(), "");
    }
    out.push_str(&text[copied..]);
    changed.then_some(out)
}

/// Behind the quotation mark that ends the string that begins `at`.
fn end_of_string(bytes: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while end < bytes.len() {
        match bytes[end] {
            b'\\' => end += 2,
            b'"' => return end + 1,
            _ => end += 1,
        }
    }
    bytes.len()
}

/// The position of half a surrogate pair in a string.
fn half_pairs(bytes: &[u8], string: Range<usize>) -> Vec<Range<usize>> {
    let unit = |at: usize| {
        let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let mut halves = Vec::new();
    let mut at = string.start;
    while at < string.end {
        match (bytes[at], unit(at)) {
            (b'\\', Some(0xd800..=0xdbff)) if matches!(unit(at + 6), Some(0xdc00..=0xdfff)) => at += 12,
            (b'\\', Some(0xd800..=0xdfff)) => {
                halves.push(at..at + 6);
                at += 6;
            }
            (b'\\', _) => at += 2,
            _ => at += 1,
        }
    }
    halves
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_plain_is_read() {
        for (body, expected) in [
            (r#"{"a": 1}"#, r#"{"a": 1}"#),
            ("\u{feff}{\"a\": 1}", r#"{"a": 1}"#),
            (r#"{"a": NaN, "b": [Infinity, -Infinity, -1]}"#, r#"{"a": null, "b": [null, null, -1]}"#),
            (r#"{"a": "NaN", "b": NaN}"#, r#"{"a": "NaN", "b": null}"#),
            (r#"{"a": "\" NaN", "b": NaN}"#, r#"{"a": "\" NaN", "b": null}"#),
            (r#"[{"input": 1}, NaN]"#, r#"[{"input": 1}, null]"#),
            ("{\"a\": 1}\0", r#"{"a": 1}"#),
            (r#"{"a": 1}}"#, r#"{"a": 1}"#),
            (r#"{"a": "x\ud83d"}"#, r#"{"a": "x\ufffd"}"#),
            (r#"{"a": "\udc00\ud83d\ude00"}"#, r#"{"a": "\ufffd\ud83d\ude00"}"#),
            (r#"{"a": "\\ud83d", "b": NaN}"#, r#"{"a": "\\ud83d", "b": null}"#),
        ] {
            assert_eq!(readable(Cow::Borrowed(body)), expected, "{body}");
        }
    }

    #[test]
    fn what_is_not_plain_stays() {
        for body in [
            "",
            "NaN of them",
            // A call's own arguments are what the model said.
            r#"{"input": {"x": [NaN]}}"#,
            r#"{"function": {"arguments": NaN}}"#,
            "correct",
            r#"{"a": 1} {"a": 2}"#,
            r#"{"a": 1} and then some more words"#,
            r#"{"a": NaNa}"#,
            r#"{"a": Nan}"#,
            r#"{"a": NaN"#,
            r#"{"a": "NaN"#,
            r#"{"a": "\ud8"#,
            "data: {\"a\": 1}",
            &"[".repeat(100_000),
        ] {
            assert_eq!(readable(Cow::Borrowed(body)), body);
        }
    }
}
