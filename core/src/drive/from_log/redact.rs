//! Texts that must not be written: every match of a pattern becomes a word, the same wherever the same text stands, and another for
//! another text. Values that were equal stay equal, and those that differed still differ.

use std::cell::RefCell;

use regex_lite::{Captures, Regex};

use crate::domain::{Arguments, Json, Message, Number, Object, ToolCall};

/// Patterns of texts that must not be written. None by default.
#[derive(Debug, Clone, Default)]
pub struct Redaction {
    patterns: Vec<Regex>,
    /// What was met so far: its number is its place.
    met: RefCell<Vec<String>>,
}

/// A pattern that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPattern {
    /// It is not a regular expression. The pattern itself is not shown: it may hold what it is to hide.
    #[error("pattern {number} cannot be read: {why}")]
    Unreadable {
        /// Which one, from 1.
        number: usize,
        /// What is wrong with it.
        why: String,
    },
    /// It matches the empty text, and so every place of every text.
    #[error("pattern {number} matches the empty text, which is everywhere")]
    Empty {
        /// Which one, from 1.
        number: usize,
    },
}

impl Redaction {
    /// Reads regular expressions.
    ///
    /// # Errors
    /// If one cannot be read, or matches the empty text.
    pub fn new<S: AsRef<str>>(patterns: &[S]) -> Result<Redaction, BadPattern> {
        let read = |(at, pattern): (usize, &S)| {
            let number = at + 1;
            let pattern = Regex::new(pattern.as_ref())
                .map_err(|error| BadPattern::Unreadable { number, why: error.to_string() })?;
            if pattern.is_match("") { Err(BadPattern::Empty { number }) } else { Ok(pattern) }
        };
        let patterns = patterns.iter().enumerate().map(read).collect::<Result<_, _>>()?;
        Ok(Redaction { patterns, met: RefCell::default() })
    }

    /// A text without its matches.
    pub fn text(&self, text: &str) -> String {
        self.patterns.iter().fold(text.to_owned(), |text, pattern| {
            pattern.replace_all(&text, |found: &Captures<'_>| self.word(&found[0])).into_owned()
        })
    }

    /// What stands in the place of a match: a number for each text that was met.
    fn word(&self, found: &str) -> String {
        let mut met = self.met.borrow_mut();
        let at = met.iter().position(|known| known == found).unwrap_or_else(|| {
            met.push(found.to_owned());
            met.len() - 1
        });
        format!("[redacted {}]", at + 1)
    }

    pub(super) fn message(&self, message: &Message) -> Message {
        Message {
            content: self.text(&message.content),
            tool_calls: message.tool_calls.iter().map(|call| self.call(call)).collect(),
            ..message.clone()
        }
    }

    pub(super) fn call(&self, call: &ToolCall) -> ToolCall {
        let arguments = match &call.arguments {
            Arguments::Malformed(text) => Arguments::Malformed(self.text(text)),
            // The names of parameters are the tool's own.
            Arguments::Parsed(arguments) => Arguments::Parsed(
                arguments.iter().map(|(name, value)| (name.to_owned(), self.json(value))).collect(),
            ),
        };
        ToolCall { arguments, ..call.clone() }
    }

    fn json(&self, json: &Json) -> Json {
        match json {
            Json::String(text) => Json::String(self.text(text)),
            Json::Array(items) => Json::Array(items.iter().map(|item| self.json(item)).collect()),
            Json::Object(object) => {
                // Keys of a map may be addresses as well as its values.
                let member = |(key, value): (&str, &Json)| (self.text(key), self.json(value));
                Json::Object(object.iter().map(member).collect::<Object>())
            }
            // A card's number is as secret without quotation marks.
            Json::Number(number) if self.hides(number) => Json::from(self.word(number.as_str())),
            other => other.clone(),
        }
    }

    fn hides(&self, number: &Number) -> bool {
        self.patterns.iter().any(|pattern| pattern.is_match(number.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_go_wherever_they_stand() {
        let redaction = Redaction::new(&[r"[\w.]+@[\w.]+", r"\d{16}"]).unwrap();
        assert_eq!(redaction.text("write to ann@example.org"), "write to [redacted 1]");
        let arguments =
            Json::parse(r#"{"to":["ann@example.org"],"card":1234567812345678,"map":{"a@b.c":{"n":1}}}"#)
                .unwrap();
        let Json::Object(arguments) = arguments else { panic!("an object") };
        let call = redaction.call(&ToolCall::new("send", arguments));
        assert_eq!(
            Json::Object(call.parsed().unwrap().clone()).to_string(),
            r#"{"to":["[redacted 1]"],"card":"[redacted 2]","map":{"[redacted 3]":{"n":1}}}"#
        );
    }

    #[test]
    fn bad_patterns_are_named_by_their_number() {
        assert!(Redaction::new(&["a", "("]).unwrap_err().to_string().starts_with("pattern 2 cannot be read"));
        assert_eq!(Redaction::new(&["x*"]).unwrap_err(), BadPattern::Empty { number: 1 });
    }
}
