//! Python literals as dataframes and SDKs print them: `[{'name': 'f', 'arguments': {'a': True}}]`.
//!
//! The values of call syntax are read here too; they differ in a few words and in bare keys. Nothing is ever evaluated.

use super::escapes::unescape;
use super::python_float;
use crate::domain::{Json, Number, Object};

/// Whose spelling of literals is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// What `ast.literal_eval` reads, and `array(…)` as numpy prints it.
    Python,
    /// The same, and objects printed by their constructor: `Function(arguments='{}', name='f')`.
    Repr,
    /// The arguments of call syntax, which models write as Python, Java or JavaScript.
    Call,
}

impl Dialect {
    /// The words that stand for a value.
    fn word(self, word: &str) -> Option<Json> {
        Some(match (word, self) {
            ("True", _) | ("true", Dialect::Call) => Json::Bool(true),
            ("False", _) | ("false", Dialect::Call) => Json::Bool(false),
            ("None", _) | ("null" | "undefined", Dialect::Call) => Json::Null,
            // JSON has no such numbers.
            ("nan" | "inf", Dialect::Python | Dialect::Repr) => Json::from(word),
            _ => return None,
        })
    }
}

/// The literal that makes up the whole of `text`.
pub(super) fn whole(text: &str, dialect: Dialect) -> Option<Json> {
    let mut scanner = Scanner::new(text, dialect);
    let value = scanner.value(0)?;
    scanner.skip_space();
    scanner.at_end().then_some(value)
}

/// The literals that make up `text`, one after another, separated by commas, semicolons or lines.
pub(super) fn sequence(text: &str, dialect: Dialect) -> Option<Vec<Json>> {
    let mut scanner = Scanner::new(text, dialect);
    let mut values = Vec::new();
    loop {
        values.push(scanner.value(0)?);
        let separated = scanner.separator();
        scanner.skip_space();
        if scanner.at_end() {
            return Some(values);
        }
        if !separated {
            return None;
        }
    }
}

/// Whether the literals that make up `text` hold a number that JSON does not have.
pub(super) fn holds_nan(text: &str, dialect: Dialect) -> bool {
    if !text.contains("nan") && !text.contains("inf") {
        return false;
    }
    let mut scanner = Scanner::new(text, dialect);
    while scanner.value(0).is_some() && scanner.separator() {}
    scanner.met_nan
}

/// A place in a text. Every method that returns `None` has met something that is no literal.
pub(super) struct Scanner<'a> {
    text: &'a str,
    pub(super) at: usize,
    dialect: Dialect,
    met_nan: bool,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str, dialect: Dialect) -> Scanner<'a> {
        Scanner { text, at: 0, dialect, met_nan: false }
    }

    pub(super) fn value(&mut self, depth: usize) -> Option<Json> {
        self.skip_space();
        match self.peek()? {
            b'[' => self.items(b']', depth).map(|(items, _)| Json::Array(items)),
            b'(' => self.parentheses(depth),
            b'{' => self.braces(depth),
            b'-' | b'.' | b'0'..=b'9' => self.number(),
            b'+' if self.dialect == Dialect::Call => self.number(),
            _ if self.string_prefix().is_some() => self.strings(),
            _ => self.word(depth),
        }
    }

    /// The values up to `close`, and whether a comma followed the last one.
    fn items(&mut self, close: u8, depth: usize) -> Option<(Vec<Json>, bool)> {
        if depth >= Json::MAX_DEPTH {
            return None;
        }
        self.at += 1;
        let mut items = Vec::new();
        let mut comma = false;
        loop {
            self.skip_space();
            if self.take(close) {
                return Some((items, comma));
            }
            if !items.is_empty() && !comma {
                return None;
            }
            items.push(self.value(depth + 1)?);
            self.skip_space();
            comma = self.take(b',');
        }
    }

    /// A tuple, or one value in parentheses: as in Python, the comma makes the tuple.
    fn parentheses(&mut self, depth: usize) -> Option<Json> {
        let (mut items, comma) = self.items(b')', depth)?;
        match items.len() {
            1 if !comma => items.pop(),
            _ => Some(Json::Array(items)),
        }
    }

    /// A dict or a set.
    fn braces(&mut self, depth: usize) -> Option<Json> {
        if depth >= Json::MAX_DEPTH {
            return None;
        }
        self.at += 1;
        let mut entries = Vec::new();
        let mut members = Vec::new();
        loop {
            self.skip_space();
            if self.take(b'}') {
                break;
            }
            let key = match self.bare_key() {
                Some(key) => Json::from(key),
                None => self.value(depth + 1)?,
            };
            self.skip_space();
            if self.take(b':') {
                entries.push((key_text(key)?, self.value(depth + 1)?));
                self.skip_space();
            } else {
                members.push(key);
            }
            if !self.take(b',') && self.peek()? != b'}' {
                return None;
            }
        }
        match (entries.is_empty(), members.is_empty()) {
            (_, true) => Some(Json::Object(entries.into_iter().collect())),
            (true, false) => Some(Json::Array(members)),
            (false, false) => None,
        }
    }

    /// An unquoted key, as JavaScript has them.
    fn bare_key(&mut self) -> Option<&'a str> {
        if self.dialect != Dialect::Call {
            return None;
        }
        let start = self.at;
        let key = self.identifier();
        self.skip_space();
        if key.is_some() && self.peek() == Some(b':') {
            return key;
        }
        self.at = start;
        None
    }

    fn word(&mut self, depth: usize) -> Option<Json> {
        let word = self.identifier()?;
        if let Some(value) = self.dialect.word(word) {
            self.met_nan |= matches!(word, "nan" | "inf");
            return Some(value);
        }
        if self.dialect == Dialect::Call || self.peek() != Some(b'(') || depth >= Json::MAX_DEPTH {
            return None;
        }
        match (word, self.dialect) {
            ("array", _) => self.array(depth),
            (_, Dialect::Repr) => self.constructor(depth),
            _ => None,
        }
    }

    /// `([…], dtype=object)`, the rest of a numpy array.
    fn array(&mut self, depth: usize) -> Option<Json> {
        self.at += 1;
        let value = self.value(depth + 1)?;
        self.skip_space();
        if self.take(b',') {
            self.skip_space();
            self.rest_of("dtype")?;
            self.take(b'=').then_some(())?;
            self.take(b'\'');
            self.identifier()?;
            self.take(b'\'');
            self.skip_space();
        }
        (self.take(b')') && matches!(value, Json::Array(_))).then_some(value)
    }

    /// `(name=value, …)`, the rest of a printed object.
    fn constructor(&mut self, depth: usize) -> Option<Json> {
        self.at += 1;
        let mut fields = Vec::new();
        loop {
            self.skip_space();
            if self.take(b')') {
                return Some(Json::Object(fields.into_iter().collect::<Object>()));
            }
            let name = self.identifier()?.to_owned();
            self.take(b'=').then_some(())?;
            fields.push((name, self.value(depth + 1)?));
            self.skip_space();
            if !self.take(b',') && self.peek()? != b')' {
                return None;
            }
        }
    }

    fn number(&mut self) -> Option<Json> {
        if self.dialect == Dialect::Call {
            let _sign = self.take(b'+');
        }
        let start = self.at;
        let negative = self.take(b'-');
        if let Some(radix) = self.radix() {
            return self.in_radix(radix, negative);
        }
        if negative && self.dialect != Dialect::Call && self.rest_of("inf").is_some() {
            self.met_nan = true;
            return Some(Json::from("-inf"));
        }
        let whole = self.digits();
        let fraction = self.take(b'.').then(|| self.digits());
        if whole.is_empty() && fraction.is_none_or(str::is_empty) {
            return None;
        }
        let exponent = self.at;
        if self.take(b'e') || self.take(b'E') {
            let _sign = self.take(b'+') || self.take(b'-');
            if self.digits().is_empty() {
                return None;
            }
        }
        let end = self.at;
        let integer = fraction.is_none() && exponent == end;
        let suffix = match self.peek() {
            Some(b'l' | b'L') => integer,
            Some(b'f' | b'F' | b'd' | b'D') => self.dialect == Dialect::Call,
            _ => false,
        };
        self.at += usize::from(suffix);
        if self.text[self.at..].starts_with(|c: char| is_word(c) || c == '.') {
            return None;
        }
        let (whole, fraction) = (whole.replace('_', ""), fraction.map(|digits| digits.replace('_', "")));
        let number = Number::parse(&self.text[start..end]).or_else(|| {
            // `.5` and `5.` are no JSON: the digit they leave out is written.
            let sign = if negative { "-" } else { "" };
            let or_zero = |digits: &str| if digits.is_empty() { "0" } else { digits }.to_owned();
            let fraction = fraction.map(|digits| format!(".{}", or_zero(&digits))).unwrap_or_default();
            Number::parse(&format!("{sign}{}{fraction}{}", or_zero(&whole), &self.text[exponent..end]))
        });
        number.map(|number| Json::Number(if integer { number } else { python_float::printed(&number) }))
    }

    /// Digits; in calls, single underscores may separate them.
    fn digits(&mut self) -> &'a str {
        let start = self.at;
        let is_digit = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_digit());
        loop {
            let separates = self.at > start && self.peek() == Some(b'_') && self.dialect == Dialect::Call;
            let goes_on = is_digit(self.peek()) || separates && is_digit(self.byte(self.at + 1));
            if !goes_on {
                return &self.text[start..self.at];
            }
            self.at += 1;
        }
    }

    /// Steps over `0x`, `0o` or `0b`, which calls may have.
    fn radix(&mut self) -> Option<u32> {
        let (Dialect::Call, Some(b'0')) = (self.dialect, self.peek()) else { return None };
        let radix = match self.byte(self.at + 1)? {
            b'x' | b'X' => 16,
            b'o' | b'O' => 8,
            b'b' | b'B' => 2,
            _ => return None,
        };
        self.at += 2;
        Some(radix)
    }

    /// The digits of a whole number that is not written in decimal.
    fn in_radix(&mut self, radix: u32, negative: bool) -> Option<Json> {
        let rest = &self.text[self.at..];
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        self.at += end;
        let magnitude = u128::from_str_radix(&rest[..end], radix).ok()?;
        let sign = if negative && magnitude != 0 { "-" } else { "" };
        Number::parse(&format!("{sign}{magnitude}")).map(Json::Number)
    }

    /// One string, or several that follow one another and so are one.
    fn strings(&mut self) -> Option<Json> {
        let mut out = String::new();
        while let Some(raw) = self.string_prefix() {
            self.at += usize::from(!self.at_quote());
            let content = self.string_extent()?;
            if raw {
                out.push_str(content)
            } else {
                unescape(content, &mut out)?
            }
            self.skip_space();
        }
        Some(Json::String(out))
    }

    /// If a string starts here: whether it is raw.
    fn string_prefix(&self) -> Option<bool> {
        if self.at_quote() {
            return Some(false);
        }
        let raw = match self.peek()? {
            b'r' | b'R' => true,
            b'u' | b'U' => false,
            _ => return None,
        };
        matches!(self.byte(self.at + 1), Some(b'\'' | b'"')).then_some(raw)
    }

    pub(super) fn at_quote(&self) -> bool {
        match self.peek() {
            Some(b'\'' | b'"') => true,
            Some(b'`') => self.dialect == Dialect::Call,
            _ => false,
        }
    }

    /// Steps over the string that starts here, at its quote, and gives what stands between its quotes.
    pub(super) fn string_extent(&mut self) -> Option<&'a str> {
        let bytes = self.text.as_bytes();
        let quote = self.peek()?;
        let triple = quote != b'`' && bytes[self.at..].starts_with(&[quote; 3]);
        let quotes: &[u8] = if triple { &[quote; 3] } else { &[quote] };
        self.at += quotes.len();
        let start = self.at;
        loop {
            match self.peek()? {
                b'\\' => self.at = (self.at + 2).min(bytes.len()),
                byte if byte == quote && bytes[self.at..].starts_with(quotes) => {
                    let content = &self.text[start..self.at];
                    self.at += quotes.len();
                    return Some(content);
                }
                _ => self.at += 1,
            }
        }
    }

    pub(super) fn identifier(&mut self) -> Option<&'a str> {
        let rest = &self.text[self.at..];
        if !rest.starts_with(is_word_start) {
            return None;
        }
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        self.at += end;
        Some(&rest[..end])
    }

    /// A comma, a semicolon or a new line.
    pub(super) fn separator(&mut self) -> bool {
        let start = self.at;
        self.skip_space();
        self.take(b',') || self.take(b';') || self.text[start..self.at].contains('\n')
    }

    fn rest_of(&mut self, word: &str) -> Option<()> {
        self.text[self.at..].starts_with(word).then(|| self.at += word.len())
    }

    pub(super) fn skip_space(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.byte(self.at)
    }

    pub(super) fn take(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    pub(super) fn at_end(&self) -> bool {
        self.at >= self.text.len()
    }
}

pub(super) fn is_word_start(c: char) -> bool {
    c == '_' || c.is_alphabetic()
}

pub(super) fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// A dict's key as JSON has it; containers cannot be keys.
fn key_text(key: Json) -> Option<String> {
    match key {
        Json::String(text) => Some(text),
        Json::Array(_) | Json::Object(_) => None,
        scalar => Some(scalar.to_string()),
    }
}

#[cfg(test)]
mod tests;
