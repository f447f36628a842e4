//! Parses almost-JSON: single quotes, bare keys, loose commas, Python literals, nested quotes, missing ends.

use std::ops::Range;

use super::fold::fold;

/// Almost-JSON.
#[derive(Debug)]
pub(super) enum LenientJson {
    Object(Vec<(String, LenientJson)>),
    List(Vec<LenientJson>),
    /// A string, or a bare word, number or constant.
    Text(String),
}

/// Deeper values are not read.
const DEPTH: usize = 32;

/// Reads one value; its end is found by reading, never by searching for a bracket.
pub(super) struct Reader<'t> {
    text: &'t str,
    pub at: usize,
    /// The text ended inside a value.
    pub cut: bool,
    /// Where comments stand, of which JSON has none.
    pub remarks: Vec<Range<usize>>,
}

impl<'t> Reader<'t> {
    /// At byte `at` of `text`.
    pub fn at(text: &'t str, at: usize) -> Reader<'t> {
        Reader { text, at, cut: false, remarks: Vec::new() }
    }

    /// `None` for what is no JSON at all. RightContext a cut, what was whole before it.
    pub fn value(&mut self) -> Option<LenientJson> {
        self.value_in(0)
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next().map(|c| fold(c).unwrap_or(' '))
    }

    fn next(&mut self) -> Option<char> {
        let c = self.text[self.at..].chars().next()?;
        self.at += c.len_utf8();
        Some(fold(c).unwrap_or(' '))
    }

    fn skip_space(&mut self) {
        loop {
            while self.peek().is_some_and(char::is_whitespace) {
                self.next();
            }
            let rest = &self.text[self.at..];
            if !rest.starts_with(['/', '#']) {
                return;
            }
            let Some(length) = remark(rest) else { return };
            self.remarks.push(self.at..self.at + length);
            self.at += length;
            // Its end is out of sight, and what follows may belong to it.
            if length >= MAX_REMARK - 4 {
                self.cut = true;
                self.at = self.text.len();
            }
        }
    }

    fn value_in(&mut self, depth: usize) -> Option<LenientJson> {
        self.skip_space();
        match self.peek() {
            None => {
                self.cut = true;
                None
            }
            Some('{') if depth < DEPTH => self.object(depth),
            Some('[') if depth < DEPTH => self.list(depth),
            Some('{' | '[') => None,
            Some(quote @ ('"' | '\'')) => self.string(quote).map(LenientJson::Text),
            Some(_) => self.bare().map(LenientJson::Text),
        }
    }

    fn object(&mut self, depth: usize) -> Option<LenientJson> {
        self.next();
        let mut fields = Vec::new();
        loop {
            self.skip_space();
            match self.peek() {
                Some('}') => {
                    self.next();
                    return Some(LenientJson::Object(fields));
                }
                Some(',') => {
                    self.next();
                    continue;
                }
                None => self.cut = true,
                Some(_) => {
                    let key = self.key();
                    if let (Some(key), false) = (key, self.cut) {
                        if let Some(value) = self.value_in(depth + 1) {
                            fields.push((key, value));
                        } else if !self.cut {
                            return None;
                        }
                    } else if !self.cut {
                        return None;
                    }
                }
            }
            if self.cut {
                return Some(LenientJson::Object(fields));
            }
        }
    }

    fn list(&mut self, depth: usize) -> Option<LenientJson> {
        self.next();
        let mut items = Vec::new();
        loop {
            self.skip_space();
            match self.peek() {
                Some(']') => {
                    self.next();
                    return Some(LenientJson::List(items));
                }
                Some(',') => {
                    self.next();
                    continue;
                }
                None => self.cut = true,
                Some(_) => match self.value_in(depth + 1) {
                    Some(item) => items.push(item),
                    None if self.cut => {}
                    None => return None,
                },
            }
            if self.cut {
                return Some(LenientJson::List(items));
            }
        }
    }

    /// A key and its colon.
    fn key(&mut self) -> Option<String> {
        let key = match self.peek()? {
            quote @ ('"' | '\'') => self.string(quote)?,
            c if c.is_alphanumeric() || c == '_' => {
                let start = self.at;
                while self.peek().is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ')) {
                    self.next();
                }
                self.text[start..self.at].trim().to_owned()
            }
            _ => return None,
        };
        self.skip_space();
        match self.next() {
            Some(':') => Some(key),
            Some('=') => {
                if self.peek() == Some('>') {
                    self.next();
                }
                Some(key)
            }
            Some(_) => None,
            None => {
                self.cut = true;
                None
            }
        }
    }

    /// A string that ends at a quotation mark behind which a value can end; others are quotations inside it.
    fn string(&mut self, quote: char) -> Option<String> {
        self.next();
        let mut text = String::new();
        loop {
            let start = self.at;
            let Some(c) = self.next() else {
                self.cut = true;
                return None;
            };
            match c {
                '\\' => match self.next() {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some('r') => text.push('\r'),
                    Some('u') => text.push(self.escape()),
                    Some(escaped) => text.push(escaped),
                    None => {}
                },
                c if c == quote && self.may_end() => return Some(text),
                _ => text.push_str(&self.text[start..self.at]),
            }
        }
    }

    fn escape(&mut self) -> char {
        let digits = self.text.get(self.at..self.at + 4);
        match digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) {
            Some(code) => {
                self.at += 4;
                char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            None => 'u',
        }
    }

    fn may_end(&self) -> bool {
        let rest = &self.text[self.at..];
        // White space without end would be paid for at every quotation mark.
        let mut ahead =
            rest.chars().take(64).map(|c| fold(c).unwrap_or(' ')).skip_while(|c| c.is_whitespace());
        match ahead.next() {
            Some('/') => matches!(ahead.next(), Some('/' | '*')),
            Some('#') => rest.starts_with([' ', '\t']),
            None | Some(',' | '}' | ']' | ':' | '=') => true,
            Some('"' | '\'') => !rest.starts_with(['"', '\'']),
            Some(_) => false,
        }
    }

    /// A word, number or constant without quotes; it may have spaces, but is never empty.
    fn bare(&mut self) -> Option<String> {
        const LIMIT: usize = 80;
        let start = self.at;
        while let Some(c) = self.peek() {
            match c {
                ',' | '}' | ']' | '\n' => {
                    let word = self.text[start..self.at].trim();
                    return (!word.is_empty()).then(|| word.to_owned());
                }
                '{' | '[' | '"' | ':' => return None,
                '/' | '#'
                    if self.text[start..self.at].ends_with([' ', '\t'])
                        && remark(&self.text[self.at..]).is_some() =>
                {
                    let word = self.text[start..self.at].trim();
                    return (!word.is_empty()).then(|| word.to_owned());
                }
                _ if self.at - start > LIMIT => return None,
                _ => self.next(),
            };
        }
        self.cut = true;
        None
    }
}

/// Longer ones are none: they would be looked for again and again in hostile text.
const MAX_REMARK: usize = 400;

/// The length of the comment that `text` begins with.
fn remark(text: &str) -> Option<usize> {
    let text = &text[..text.floor_char_boundary(MAX_REMARK)];
    if let Some(inner) = text.strip_prefix("/*") {
        return inner.find("*/").map(|end| end + 4);
    }
    (text.starts_with("//") || text.starts_with('#')).then(|| text.find('\n').unwrap_or(text.len()))
}
