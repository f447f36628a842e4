//! Redacts texts: every match of a pattern becomes a placeholder. Equal texts get the same placeholder, and different texts
//! different ones.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use regex_lite::Regex;

use crate::domain::{Arguments, Json, Message, Number, Object, ToolCall};

/// Patterns of texts that must not be written. None by default.
#[derive(Debug, Clone, Default)]
pub struct Redaction {
    patterns: Vec<Regex>,
    met: RefCell<Met>,
}

/// What was met so far.
#[derive(Debug, Clone, Default)]
struct Met {
    /// What stands in the place of each text, and of each that is to be as many digits.
    words: HashMap<(String, Option<usize>), String>,
    /// These words, which are not hidden again.
    given: HashSet<String>,
    /// Numbers, and words like ours, that the log itself holds.
    spared: HashSet<String>,
    /// The patterns that matched something, by their place.
    matching: HashSet<usize>,
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

    /// Numbers of the log that stays as it is, and words that look like ours: none of them stands for another text.
    pub(super) fn spare(&self, text: &str) {
        let numbers = text.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
        let words = text.match_indices(WORD).filter_map(|(at, word)| {
            let rest = &text[at + word.len()..];
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            rest[digits..].starts_with(']').then(|| &text[at..=at + word.len() + digits])
        });
        self.met.borrow_mut().spared.extend(numbers.chain(words).map(str::to_owned));
    }

    /// Whether a text that stays as it is holds something that is to be hidden.
    pub(super) fn finds(&self, text: &str) -> bool {
        self.hides_some() && self.text(text) != text
    }

    /// Whether there is anything to hide.
    pub(super) fn hides_some(&self) -> bool {
        !self.patterns.is_empty()
    }

    /// The patterns that have matched nothing so far: which ones, from 1.
    pub(super) fn idle(&self) -> Vec<usize> {
        let met = self.met.borrow();
        (0..self.patterns.len()).filter(|at| !met.matching.contains(at)).map(|at| at + 1).collect()
    }

    /// A text without its matches. JSON within it may write a letter as an escape, and JSON within that JSON the escape as one.
    pub fn text(&self, text: &str) -> String {
        self.without(text, &[])
    }

    /// The text without what is found in it at any depth, but for what lies in one of the `kept` places. All is found before anything
    /// is replaced, so that nothing is found in what was put in.
    fn without(&self, text: &str, kept: &[Range<usize>]) -> String {
        let mut found: Vec<Found> = Vec::new();
        let mut reading = Reading::of(text);
        loop {
            for (number, pattern) in self.patterns.iter().enumerate() {
                for one in pattern.find_iter(&reading.text) {
                    self.met.borrow_mut().matching.insert(number);
                    let at = reading.place(one.range());
                    if !kept.iter().any(|kept| kept.start <= at.start && at.end <= kept.end) {
                        found.push(Found { at, depth: reading.depth, reads: one.as_str().to_owned() });
                    }
                }
            }
            match reading.unescaped().filter(|deeper| deeper.depth <= MAX_DEPTH) {
                Some(deeper) => reading = deeper,
                None => break,
            }
        }
        let mut left = String::with_capacity(text.len());
        let mut at = 0;
        for Found { at: place, reads, .. } in merged(found, text) {
            left.push_str(&text[at..place.start]);
            left.push_str(&self.word(&reads));
            at = place.end;
        }
        left.push_str(&text[at..]);
        left
    }

    /// What stands in the place of a match: a number for each text that was met.
    fn word(&self, found: &str) -> String {
        // A number stays one of as many digits: whoever is told it can still call a tool with it, and JSON stays JSON.
        let digits = Some(found.len()).filter(|_| found.bytes().all(|byte| byte.is_ascii_digit()));
        self.stand_in(found, digits)
    }

    fn stand_in(&self, found: &str, digits: Option<usize>) -> String {
        let Met { words, given, spared, .. } = &mut *self.met.borrow_mut();
        let key = (found.to_owned(), digits);
        if let Some(word) = words.get(&key) {
            return word.clone();
        }
        let word = match digits {
            None => (words.len() + 1..)
                .map(|number| format!("{WORD}{number}]"))
                .find(|word| !spared.contains(word) && !given.contains(word))
                .unwrap_or_default(),
            // Of few digits there are few numbers; then they are more.
            Some(digits) => (words.len() as u64 + 1..)
                .map(|number| format!("9{number:0>rest$}", rest = digits.saturating_sub(1)))
                .find(|word| !spared.contains(word) && !given.contains(word))
                .unwrap_or_default(),
        };
        given.insert(word.clone());
        words.insert(key, word.clone());
        word
    }

    /// What a tool returned or a message says: JSON is JSON afterwards.
    pub(super) fn content(&self, content: &str) -> String {
        let structure = |text: &str| {
            Json::parse(text).ok().filter(|json| matches!(json, Json::Object(_) | Json::Array(_)))
        };
        let text = self.text(content);
        let Some(json) = structure(content).map(|json| self.json(&json)) else { return text };
        // As it was written, where that holds the same.
        if structure(&text).as_ref() == Some(&json) {
            return text;
        }
        // A match that reaches over several values is in none of them; what was put in stays.
        let json = json.to_string();
        let given = self.met.borrow().given.clone();
        let kept: Vec<Range<usize>> = given
            .iter()
            .flat_map(|word| json.match_indices(word.as_str()).map(|(at, word)| at..at + word.len()))
            .collect();
        self.without(&json, &kept)
    }

    fn id(&self, id: Option<&String>) -> Option<String> {
        id.map(|id| self.text(id))
    }

    /// A number without its matches, which is a number.
    fn number(&self, number: &Number) -> Json {
        let text = self.text(number.as_str());
        let digits = number.as_str().bytes().filter(u8::is_ascii_digit).count();
        let number =
            Number::parse(&text).or_else(|| Number::parse(&self.stand_in(number.as_str(), Some(digits))));
        number.map_or(Json::from(text), Json::Number)
    }

    pub(super) fn message(&self, message: &Message) -> Message {
        Message {
            name: self.id(message.name.as_ref()),
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
            Json::String(text) => Json::String(self.content(text)),
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

/// How the words begin that stand for texts.
const WORD: &str = "[redacted ";

/// Escapes of escapes beyond this are nobody's JSON.
const MAX_DEPTH: usize = 6;

/// A match: where it is written, at which depth of escapes, and how it reads.
#[derive(Debug, Clone)]
struct Found {
    at: Range<usize>,
    depth: usize,
    reads: String,
}

/// The places to replace, in order and apart from each other: those that overlap are one.
fn merged(mut found: Vec<Found>, text: &str) -> Vec<Found> {
    found.sort_by_key(|found| (found.at.start, std::cmp::Reverse(found.at.end)));
    let mut merged: Vec<Found> = Vec::new();
    for next in found {
        let Some(last) = merged.last_mut().filter(|last| next.at.start < last.at.end) else {
            merged.push(next);
            continue;
        };
        // `nann@…`, which reads `ann@…` where `\n` is an end of line.
        if next.depth > last.depth && next.at.start - last.at.start == 1 && next.at.end >= last.at.end {
            *last = next;
        } else if next.at.end > last.at.end {
            let at = last.at.start..next.at.end;
            *last = Found { reads: text[at.clone()].to_owned(), at, ..next };
        } else if next.at == last.at && next.depth > last.depth {
            *last = next;
        }
    }
    merged
}

/// A text as it is written, and as it reads once its escapes are letters.
struct Reading<'a> {
    written: &'a str,
    text: String,
    /// Where in what is written each byte of the text begins; none if it reads as it is written.
    places: Vec<usize>,
    /// How often escapes became letters.
    depth: usize,
}

impl<'a> Reading<'a> {
    fn of(written: &'a str) -> Reading<'a> {
        Reading { written, text: written.to_owned(), places: Vec::new(), depth: 0 }
    }

    /// The place in what is written of a part of the text.
    fn place(&self, part: Range<usize>) -> Range<usize> {
        match self.places.as_slice() {
            [] => part,
            places => places[part.start]..places.get(part.end).copied().unwrap_or(self.written.len()),
        }
    }

    /// With the escapes of JSON as letters, if it has any.
    fn unescaped(&self) -> Option<Reading<'a>> {
        if !self.text.contains('\\') {
            return None;
        }
        let mut text = String::with_capacity(self.text.len());
        let mut places = Vec::with_capacity(self.text.len());
        let mut rest = self.text.as_str();
        while let Some(first) = rest.chars().next() {
            let at = self.text.len() - rest.len();
            let (letter, length) = escape(rest).unwrap_or((first, first.len_utf8()));
            text.push(letter);
            places.resize(text.len(), self.place(at..at).start);
            rest = &rest[length..];
        }
        (text != self.text).then_some(Reading { text, places, depth: self.depth + 1, ..*self })
    }
}

/// The letter of the escape that the text begins with, and the length of the escape.
fn escape(text: &str) -> Option<(char, usize)> {
    let unit = |text: &str| u16::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok();
    let simple = match text.strip_prefix('\\')?.chars().next()? {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'u' => {
            let units = [unit(text), text.get(6..).and_then(unit)];
            let letter = char::decode_utf16(units.into_iter().flatten()).next()?.ok()?;
            return Some((letter, 6 * letter.len_utf16()));
        }
        letter @ ('"' | '\\' | '/') => letter,
        _ => return None,
    };
    Some((simple, 2))
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
    fn words_like_ours_stand_for_nothing_else() {
        let redaction = Redaction::new(&["secret", "other"]).unwrap();
        redaction.spare("[redacted 1] and [redacted it] and [redacted");
        assert_eq!(redaction.text("[redacted 1]: secret, other"), "[redacted 1]: [redacted 2], [redacted 3]");
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
    fn escapes_hide_nothing() {
        let redaction = Redaction::new(&[r"[\w.]+@[\w.]+", r#"say "\w+""#, "Zoë Ø 😀"]).unwrap();
        for (text, without) in [
            (r#"{"to": "ann\u0040example.org"}"#, r#"{"to": "[redacted 1]"}"#),
            (r#"{"in":"{\"to\":\"ann\\u0040example.org\"}"}"#, r#"{"in":"{\"to\":\"[redacted 1]\"}"}"#),
            (r#"sent {"to": "ann\u0040example.org"} by mail"#, r#"sent {"to": "[redacted 1]"} by mail"#),
            (r#"{"w":"say \"mellon\""}"#, r#"{"w":"[redacted 2]"}"#),
            (r#"and {"w": "{\"w\":\"say \\\"mellon\\\"\"}"}"#, r#"and {"w": "{\"w\":\"[redacted 2]\"}"}"#),
            (r#"[1, "Zo\u00eb \u00D8 \ud83d\ude00!"]"#, r#"[1, "[redacted 3]!"]"#),
            (r"C:\users\new \ud83d \u12", r"C:\users\new \ud83d \u12"),
        ] {
            assert_eq!(redaction.content(text), without, "{text}");
        }
        let call = ToolCall {
            arguments: Arguments::Malformed(r#"{"to":"ann\u0040example.org""#.to_owned()),
            ..ToolCall::new("send", Object::new())
        };
        assert_eq!(
            redaction.call(&call).arguments,
            Arguments::Malformed(r#"{"to":"[redacted 1]""#.to_owned())
        );
        let named = Message { name: Some("ann@example.org".to_owned()), ..Message::new(Role::User, "hi") };
        assert_eq!(redaction.message(&named).name.as_deref(), Some("[redacted 1]"));
    }

    #[test]
    fn what_is_equal_stays_equal_and_nothing_is_found_in_what_was_put_in() {
        let redaction = Redaction::new(&[r"[\w.]+@[\w.]+", r"\d+"]).unwrap();
        let plain = redaction.text("ann@example.org");
        for text in
            ["\"a\\nann@example.org\"", r#"{"to": "ann@example.org", "x": "\"q\""}"#, r"say\nann@example.org"]
        {
            assert!(redaction.content(text).contains(&plain), "{text}: {}", redaction.content(text));
        }
        // Hostile text takes no time that its length does not ask for.
        let deep = format!("\\u005c{}", "u005c".repeat(20_000));
        assert_eq!(redaction.text(&deep).matches("005").count(), 0);
    }

    #[test]
    fn numbers_that_differ_still_differ() {
        let redaction = Redaction::new(&[r"-?\d+(\.\d+)?"]).unwrap();
        let numbers: Vec<String> = ["12.5", "1.25", "-125", "125", "5", "7", "12.5"]
            .iter()
            .map(|number| redaction.json(&Json::parse(number).unwrap()).to_string())
            .collect();
        assert_eq!(numbers[0], numbers[6]);
        let different: HashSet<&String> = numbers[..6].iter().collect();
        assert_eq!(different.len(), 6, "{numbers:?}");
        // Nor is one that was put in one of the log.
        let redaction = Redaction::new(&[r"5\d{6}"]).unwrap();
        redaction.spare("9000001, 9000002");
        assert_eq!(redaction.text("5550001 9000001 5550002"), "9000003 9000001 9000004");
        let redaction = Redaction::new(&[r"\d+"]).unwrap();
        let hidden: HashSet<String> = (0..300).map(|number| redaction.text(&number.to_string())).collect();
        assert_eq!(hidden.len(), 300);
    }

    #[test]
    fn bad_patterns_are_named_by_their_number() {
        assert!(Redaction::new(&["a", "("]).unwrap_err().to_string().starts_with("pattern 2 cannot be read"));
        assert_eq!(Redaction::new(&["x*"]).unwrap_err(), BadPattern::Empty { number: 1 });
    }
}
