//! Placeholder texts in the place of a value that nobody gave.

use super::grounding::MAX_TIME_LENGTH;

/// Whether a text stands in for a value; `folded` is that text, [folded](crate::reading::words::fold).
pub(super) fn is_placeholder(text: &str, folded: &str) -> bool {
    let trimmed = text.trim();
    let bracketed = [('<', '>'), ('{', '}'), ('[', ']')].iter().any(|(open, close)| {
        trimmed.starts_with(*open)
            && trimmed.ends_with(*close)
            && trimmed.len() < 40
            && !trimmed.contains(['"', ',', ':', '='])
            && trimmed.chars().filter(char::is_ascii_digit).count() < 2
            && trimmed.len() > 2
    });
    bracketed
        || trimmed.starts_with("your_")
        || trimmed.starts_with("YOUR_")
        || (trimmed.len() <= MAX_TIME_LENGTH && folded.contains(" your "))
        || [" placeholder ", " dummy ", " xxx ", " example com ", " lorem ipsum "]
            .iter()
            .any(|part| folded.contains(part))
        || PLACEHOLDERS.contains(&folded.trim())
}

#[rustfmt::skip]
const PLACEHOLDERS: &[&str] = &[
    "unknown", "n a", "na", "none", "null", "undefined", "string", "tbd", "todo", "not specified",
    "unspecified", "not provided", "john doe", "jane doe", "foo", "bar", "test", "example", "sample",
    "user", "123 main st", "123 main street", "user id", "value",
];
