//! One setting of a settings file: its key, its value, its line.

use serde::de::DeserializeOwned;

#[derive(Debug, Clone)]
pub struct Entry {
    pub key: String,
    pub value: toml::Value,
    /// From 1.
    pub line: usize,
}

impl Entry {
    /// The value, as what it is meant to be.
    ///
    /// # Errors
    /// In words that show no text of it.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, String> {
        self.value.clone().try_into().map_err(|error: toml::de::Error| without_text(error.message()))
    }
}

/// What a parser says of a text, without the text: headers and passwords may be in it.
pub fn without_text(message: &str) -> String {
    const MAX_LENGTH: usize = 600;
    // As in `invalid type: string "…", expected a map`.
    let said = match message.split_once("string \"").map(|(before, rest)| (before, rest.rsplit_once('"'))) {
        Some((before, Some((_, after)))) => format!("{before}string{after}"),
        _ => message.to_owned(),
    };
    // A name may be of any length, and has its own line breaks.
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    said.chars().take(MAX_LENGTH).collect()
}
