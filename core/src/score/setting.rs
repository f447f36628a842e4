//! One option of a scorer: its allowed values, and its error message.

use std::fmt::{self, Write};

use crate::domain::Json;

/// Settings that a scorer does not have, or cannot use. `key` is the setting, and `value` what it holds, shortened to a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "fields are explained once for all variants")]
pub enum SettingError {
    /// A setting that holds what it cannot.
    #[error("`{key}` must be {allowed}, but is {value}")]
    Value { key: String, allowed: String, value: String },
    /// A setting that there is not.
    #[error("there is no setting `{key}`; the settings are: {known}")]
    Unknown { key: String, known: String },
    /// A function that nobody has given.
    #[error("`{key}`: {why}")]
    Function { key: String, why: String },
    /// A peer whose numbers the scorer cannot give.
    #[error("`{peer}` is not a peer of this scorer; its peers are: {known}")]
    Peer { peer: String, known: String },
    /// A setting of the BFCL scorer.
    #[error(transparent)]
    Bfcl(#[from] super::bfcl::OptionError),
}

/// `value` as a boolean.
pub(super) fn boolean(key: &str, value: &Json) -> Result<bool, SettingError> {
    match value {
        Json::Bool(value) => Ok(*value),
        other => Err(wrong(key, "true or false", other)),
    }
}

/// `value` as a finite number.
pub(super) fn number(key: &str, value: &Json) -> Result<f64, SettingError> {
    match value {
        Json::Number(number) if number.as_f64().is_finite() => Ok(number.as_f64()),
        other => Err(wrong(key, "a number", other)),
    }
}

/// `value` as a number from 0 to 1.
pub(super) fn share(key: &str, value: &Json) -> Result<f64, SettingError> {
    number(key, value)
        .ok()
        .filter(|share| (0.0..=1.0).contains(share))
        .ok_or_else(|| wrong(key, "a number from 0 to 1", value))
}

/// `value` as an array of strings.
pub(super) fn strings<'a>(key: &str, value: &'a Json) -> Result<Vec<&'a str>, SettingError> {
    value
        .as_array()
        .and_then(|items| items.iter().map(Json::as_str).collect())
        .ok_or_else(|| wrong(key, "a list of strings", value))
}

/// One of several words.
pub(super) fn one_of<T: Copy>(key: &str, value: &Json, words: &[(&str, T)]) -> Result<T, SettingError> {
    let word = value.as_str();
    words.iter().find(|(name, _)| Some(*name) == word).map(|(_, choice)| *choice).ok_or_else(|| {
        let names: Vec<String> = words.iter().map(|(name, _)| format!("`{name}`")).collect();
        wrong(key, &names.join(" or "), value)
    })
}

/// A setting that holds what it cannot.
pub(super) fn wrong(key: &str, allowed: &str, value: &Json) -> SettingError {
    SettingError::Value { key: key.to_owned(), allowed: allowed.to_owned(), value: shown(value) }
}

/// A setting that there is not.
pub(super) fn unknown(key: &str, known: &[&str]) -> SettingError {
    SettingError::Unknown { key: key.to_owned(), known: known.join(", ") }
}

/// A peer that a scorer cannot stand in for.
pub(super) fn unknown_peer(peer: &str, known: &[&str]) -> SettingError {
    let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    SettingError::Peer { peer: peer.to_owned(), known }
}

/// A value for a message: no longer than a line.
pub(super) fn shown(value: &Json) -> String {
    let mut line = Line(String::new());
    if write!(line, "{value}").is_err() {
        line.0.push('…');
    }
    line.0
}

/// Text that takes no more than fits, so that little is written of what is long.
struct Line(String);

impl fmt::Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        const MAX_LENGTH: usize = 60;
        let room = MAX_LENGTH.saturating_sub(self.0.len());
        let end = text.floor_char_boundary(room);
        self.0.push_str(&text[..end]);
        if end < text.len() { Err(fmt::Error) } else { Ok(()) }
    }
}
