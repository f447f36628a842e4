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
        // A number stays one of as many digits: whoever is told it can still call a tool with it, and JSON stays JSON.
        match found.bytes().all(|byte| byte.is_ascii_digit()) {
            true => format!("9{:0>rest$}", at + 1, rest = found.len() - 1),
            false => format!("[redacted {}]", at + 1),
        }
    }

    /// What a tool returned or a message says: JSON is JSON afterwards.
    pub(super) fn content(&self, content: &str) -> String {
        let text = self.text(content);
        let structure = |text: &str| {
            Json::parse(text).ok().filter(|json| matches!(json, Json::Object(_) | Json::Array(_)))
        };
        let Some(json) = structure(content).filter(|_| text != content && structure(&text).is_none()) else {
            return text;
        };
        let json = self.json(&json).to_string();
        // A match that reaches over several values is in none of them.
        let is_left = self.met.borrow().iter().any(|met| json.contains(met));
        if is_left { text } else { json }
    }

    fn id(&self, id: Option<&String>) -> Option<String> {
        id.map(|id| self.text(id))
    }

    /// A number without its matches, which is a number.
    fn number(&self, number: &Number) -> Json {
        let text = self.text(number.as_str());
        let digits =
            || number.as_str().bytes().filter(u8::is_ascii_digit).map(char::from).collect::<String>();
        let number = Number::parse(&text).or_else(|| Number::parse(&self.word(&digits())));
        number.map_or(Json::from(text), Json::Number)
    }

    pub(super) fn message(&self, message: &Message) -> Message {
        Message {
            content: self.content(&message.content),
            tool_call_id: self.id(message.tool_call_id.as_ref()),
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
        ToolCall { arguments, id: self.id(call.id.as_ref()), ..call.clone() }
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
            Json::Number(number) if self.hides(number) => self.number(number),
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
    use crate::domain::Role;

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
            r#"{"to":["[redacted 1]"],"card":9000000000000002,"map":{"[redacted 3]":{"n":1}}}"#
        );
    }

    #[test]
    fn numbers_stay_numbers_and_json_stays_json() {
        let redaction = Redaction::new(&[r"\d{7}", r"-\d+\.\d+", r#""k":"[^"]*""#]).unwrap();
        assert_eq!(redaction.content(r#"{"n":5551234,"m":"5551234"}"#), r#"{"n":9000001,"m":"9000001"}"#);
        assert_eq!(redaction.text("call 5551234 or 5559999"), "call 9000001 or 9000002");
        let number = |text: &str| redaction.json(&Json::parse(text).unwrap()).to_string();
        assert_eq!(number("5551234"), "9000001");
        assert!(Number::parse(&number("-12.5")).is_some());
        assert!(Json::parse(&redaction.content(r#"{"n":-12.5}"#)).is_ok());
        // Rather no JSON than a secret.
        assert_eq!(redaction.content(r#"{"k":"secret","n":1}"#), r#"{[redacted 5],"n":1}"#);
        let mut call = ToolCall::new("send", Object::new());
        call.id = Some("call_5551234".to_owned());
        assert_eq!(redaction.call(&call).id.as_deref(), Some("call_9000001"));
        let result = Message { tool_call_id: call.id, ..Message::new(Role::Tool, "ok") };
        assert_eq!(redaction.message(&result).tool_call_id.as_deref(), Some("call_9000001"));
    }

    #[test]
    fn bad_patterns_are_named_by_their_number() {
        assert!(Redaction::new(&["a", "("]).unwrap_err().to_string().starts_with("pattern 2 cannot be read"));
        assert_eq!(Redaction::new(&["x*"]).unwrap_err(), BadPattern::Empty { number: 1 });
    }
}
