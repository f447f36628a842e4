//! A strict RFC 8259 parser: keeps the text of numbers, bounds the depth, gives errors with their position.

use memchr::memchr2;

use super::{Json, Number, Object};

/// Why a text is not JSON, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} at line {line}, column {column}")]
pub struct JsonError {
    what: &'static str,
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    /// In bytes, from the start of the text.
    pub offset: usize,
}

const TOO_DEEP: &str = "nesting deeper than 128 levels";

impl JsonError {
    /// Whether the value nests deeper than [`Json::MAX_DEPTH`].
    pub fn is_too_deep(&self) -> bool {
        self.what == TOO_DEEP
    }

    fn at(text: &str, offset: usize, what: &'static str) -> JsonError {
        let before = String::from_utf8_lossy(&text.as_bytes()[..offset.min(text.len())]);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        JsonError { what, line, column, offset }
    }
}

pub(super) fn whole(text: &str) -> Result<Json, JsonError> {
    let (json, end) = prefix(text)?;
    let rest = skip_space(text.as_bytes(), end);
    if rest < text.len() {
        return Err(JsonError::at(text, rest, "something after the value"));
    }
    Ok(json)
}

pub(super) fn prefix(text: &str) -> Result<(Json, usize), JsonError> {
    let mut parser = Parser { text, bytes: text.as_bytes(), at: 0 };
    match parser.value(0) {
        Ok(json) => Ok((json, parser.at)),
        Err(what) => Err(JsonError::at(text, parser.at, what)),
    }
}

struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
}

type Parsed<T> = Result<T, &'static str>;

impl Parser<'_> {
    fn value(&mut self, depth: usize) -> Parsed<Json> {
        self.skip_space();
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => self.string().map(Json::String),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(b'n') => self.word("null", Json::Null),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) => Err("expected a JSON value"),
            None => Err("the text ends where a JSON value should stand"),
        }
    }

    fn object(&mut self, depth: usize) -> Parsed<Json> {
        if depth >= Json::MAX_DEPTH {
            return Err(TOO_DEEP);
        }
        self.at += 1;
        let mut entries = Vec::new();
        self.skip_space();
        if self.take(b'}') {
            return Ok(Json::Object(Object::new()));
        }
        loop {
            self.skip_space();
            if self.peek() != Some(b'"') {
                return Err("expected a key in double quotes");
            }
            let key = self.string()?;
            self.skip_space();
            if !self.take(b':') {
                return Err("expected `:` after a key");
            }
            entries.push((key, self.value(depth + 1)?));
            self.skip_space();
            if self.take(b'}') {
                return Ok(Json::Object(Object::from_text(entries)));
            }
            if !self.take(b',') {
                return Err("expected `,` or `}` in an object");
            }
        }
    }

    fn array(&mut self, depth: usize) -> Parsed<Json> {
        if depth >= Json::MAX_DEPTH {
            return Err(TOO_DEEP);
        }
        self.at += 1;
        let mut items = Vec::new();
        self.skip_space();
        if self.take(b']') {
            return Ok(Json::Array(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.skip_space();
            if self.take(b']') {
                return Ok(Json::Array(items));
            }
            if !self.take(b',') {
                return Err("expected `,` or `]` in an array");
            }
        }
    }

    fn number(&mut self) -> Parsed<Json> {
        let start = self.at;
        self.at = number_end(self.bytes, start).ok_or("a malformed number")?;
        // `01` would otherwise read as `0` with something after it, far from its cause.
        if self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            return Err("a number with a leading zero");
        }
        Ok(Json::Number(Number::from_valid(&self.text[start..self.at])))
    }

    /// Most of a log is text in strings, and much of that is JSON in strings, so what is plain is taken in one piece.
    fn string(&mut self) -> Parsed<String> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = &self.bytes[self.at..];
            let plain = memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
            // All bytes are looked at together, which is faster than to stop at the first.
            if rest[..plain].iter().fold(false, |any, byte| any | (*byte < 0x20)) {
                self.at += rest.iter().position(|byte| *byte < 0x20).unwrap_or(0);
                return Err("a control character in a string");
            }
            let text = &self.text[self.at..self.at + plain];
            self.at += plain;
            match self.peek() {
                None => return Err("a string that is never closed"),
                Some(b'"') => {
                    self.at += 1;
                    if out.is_empty() {
                        return Ok(text.to_owned());
                    }
                    out.push_str(text);
                    return Ok(out);
                }
                Some(_) => {
                    if out.capacity() == 0 {
                        out.reserve(2 * plain + 64);
                    }
                    out.push_str(text);
                    self.at += 1;
                    out.push(self.escape()?);
                }
            }
        }
    }

    fn escape(&mut self) -> Parsed<char> {
        let byte = self.peek().ok_or("a string that is never closed")?;
        self.at += 1;
        Ok(match byte {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode_escape(),
            _ => return Err("an unknown escape in a string"),
        })
    }

    fn unicode_escape(&mut self) -> Parsed<char> {
        const LONE: &str = "half of a surrogate pair in a string";
        let first = self.four_hex()?;
        let code = match first {
            0xD800..=0xDBFF => {
                if !(self.take(b'\\') && self.take(b'u')) {
                    return Err(LONE);
                }
                let second = self.four_hex()?;
                if !(0xDC00..=0xDFFF).contains(&second) {
                    return Err(LONE);
                }
                0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)
            }
            _ => first,
        };
        char::from_u32(code).ok_or(LONE)
    }

    fn four_hex(&mut self) -> Parsed<u32> {
        let digits = self.bytes.get(self.at..self.at + 4).ok_or("a cut \\u escape")?;
        let mut code = 0;
        for &digit in digits {
            code = code * 16 + (digit as char).to_digit(16).ok_or("a malformed \\u escape")?;
        }
        self.at += 4;
        Ok(code)
    }

    fn word(&mut self, word: &str, value: Json) -> Parsed<Json> {
        if !self.bytes[self.at..].starts_with(word.as_bytes()) {
            return Err("expected a JSON value");
        }
        self.at += word.len();
        Ok(value)
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    fn skip_space(&mut self) {
        self.at = skip_space(self.bytes, self.at);
    }
}

fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
        at += 1;
    }
    at
}

/// Where the JSON number that starts at `start` ends; `None` if none starts there.
pub(super) fn number_end(bytes: &[u8], start: usize) -> Option<usize> {
    let digits = |mut at: usize| {
        let first = at;
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        (at > first).then_some(at)
    };
    let mut at = start + usize::from(bytes.get(start) == Some(&b'-'));
    at = if bytes.get(at) == Some(&b'0') { at + 1 } else { digits(at)? };
    if bytes.get(at) == Some(&b'.') {
        at = digits(at + 1)?;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1;
        at += usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
        at = digits(at)?;
    }
    Some(at)
}
