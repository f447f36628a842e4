//! Reads verdicts out of JSON and almost-JSON: single quotes, bare keys, loose commas, Python literals, cut ends.

use std::ops::Range;

use super::fold::{fold, folded};
use super::names::Names;

/// A JSON object or list found in a reply.
#[derive(Debug)]
pub(super) struct Found {
    pub at: Range<usize>,
    pub says: Says,
    pub explanation: Option<String>,
}

/// What a value says about the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Says {
    Nothing,
    Rail(usize),
    /// A verdict's field holds something that is no rail.
    NoRail,
    /// Verdicts that differ.
    Several,
    /// The text ends before a verdict.
    Cut,
}

/// Almost-JSON.
#[derive(Debug)]
enum Loose {
    Object(Vec<(String, Loose)>),
    List(Vec<Loose>),
    /// A string, or a bare word, number or constant.
    Text(String),
}

/// Deeper values are not read.
const DEPTH: usize = 32;

/// All objects of `text` and, at its start, a list.
pub(super) fn find(text: &str, names: &Names) -> Vec<Found> {
    let mut found = Vec::new();
    let mut at = text.len() - text.trim_start().len();
    // Each failed attempt is paid for, so that hostile text stays cheap.
    let mut budget = 64 * text.len() + 1024;
    while let Some(step) = text[at..].find(['{', '[']) {
        at += step;
        let list = text[at..].starts_with('[');
        if list && !(at == 0 || text[..at].trim().is_empty() || opens_list(&text[at..])) {
            at += 1;
            continue;
        }
        let mut reader = Reader { text, at, cut: false };
        let value = reader.value(0);
        budget = budget.saturating_sub(reader.at - at);
        match value {
            Some(value) if holds_fields(&value) => {
                let says = match says(&value, names, 0) {
                    Says::Nothing | Says::NoRail if reader.cut => Says::Cut,
                    says => says,
                };
                found.push(Found { at: at..reader.at, says, explanation: explanation(&value, 0) });
                at = reader.at;
            }
            _ => at += 1,
        }
        if budget == 0 || reader.cut {
            break;
        }
    }
    found
}

/// Whether `[` begins a list of objects or strings rather than an aside.
fn opens_list(text: &str) -> bool {
    text[1..].trim_start().starts_with(['{', '"', '\'', '“'])
}

fn holds_fields(value: &Loose) -> bool {
    match value {
        Loose::Object(fields) => !fields.is_empty(),
        Loose::List(items) => !items.is_empty(),
        Loose::Text(_) => false,
    }
}

/// Keys of the last word, of a verdict, and of wrappers around one; letter case and separators aside.
const OVERALL: [&str; 13] = [
    "overall",
    "overalllabel",
    "overallverdict",
    "overalljudgment",
    "overalljudgement",
    "overallresult",
    "final",
    "finallabel",
    "finalverdict",
    "finalanswer",
    "finaljudgment",
    "finaljudgement",
    "finaldecision",
];
const VERDICT: [&str; 22] = [
    "label",
    "verdict",
    "judgment",
    "judgement",
    "classification",
    "decision",
    "answer",
    "result",
    "response",
    "rating",
    "prediction",
    "grade",
    "evaluation",
    "assessment",
    "conclusion",
    "output",
    "outcome",
    "score",
    "category",
    "class",
    "correctness",
    "determination",
];
const WRAPPER: [&str; 6] = ["data", "json", "content", "arguments", "properties", "value"];
const EXPLANATION: [&str; 14] = [
    "explanation",
    "reasoning",
    "reason",
    "reasons",
    "rationale",
    "justification",
    "analysis",
    "thought",
    "thoughts",
    "chainofthought",
    "comment",
    "feedback",
    "why",
    "explain",
];

fn plain(key: &str) -> String {
    folded(key).chars().filter(|c| c.is_alphanumeric()).collect()
}

fn says(value: &Loose, names: &Names, depth: usize) -> Says {
    match value {
        Loose::Text(text) => {
            match names.exactly(text.trim().trim_matches(['*', '"', '\'', '`', '.', '!', ' '])) {
                Some(rail) => Says::Rail(rail),
                None => names.exactly(text).map_or(Says::NoRail, Says::Rail),
            }
        }
        Loose::List(items) => agree(items.iter().map(|item| says(item, names, depth + 1))),
        Loose::Object(fields) => {
            let under = |keys: &[&str]| {
                let verdicts = fields.iter().filter(|(key, _)| keys.contains(&plain(key).as_str()));
                agree(verdicts.map(|(_, value)| says(value, names, depth + 1)))
            };
            match (under(&OVERALL), under(&VERDICT)) {
                (Says::Nothing, Says::Nothing) => {}
                (Says::Nothing, says) => return says,
                (says, _) => return says,
            }
            let nested = fields.iter().filter(|(key, value)| {
                let key = plain(key);
                let wraps = fields.len() == 1 || WRAPPER.contains(&key.as_str());
                let per_call = ["call", "toolcall", "evaluation", "judg", "verdict", "label", "result"]
                    .iter()
                    .any(|prefix| key.starts_with(prefix));
                holds_fields(value) && (wraps || per_call)
            });
            agree(nested.map(|(_, value)| says(value, names, depth + 1)))
        }
    }
}

/// What several values say together: a rail only if all that say anything say that rail.
fn agree(all: impl Iterator<Item = Says>) -> Says {
    all.fold(Says::Nothing, |so_far, next| match (so_far, next) {
        (so_far, Says::Nothing) => so_far,
        (Says::Nothing, next) => next,
        (so_far, next) if so_far == next => so_far,
        _ => Says::Several,
    })
}

fn explanation(value: &Loose, depth: usize) -> Option<String> {
    let Loose::Object(fields) = value else { return None };
    let here = fields.iter().find_map(|(key, value)| match value {
        Loose::Text(text) if EXPLANATION.contains(&plain(key).as_str()) => Some(text.trim().to_owned()),
        _ => None,
    });
    let nested = || fields.iter().find_map(|(_, value)| explanation(value, depth + 1));
    here.or_else(nested).filter(|text| !text.is_empty())
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    /// The text ended inside a value.
    cut: bool,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next().map(|c| fold(c).unwrap_or(' '))
    }

    fn next(&mut self) -> Option<char> {
        let c = self.text[self.at..].chars().next()?;
        self.at += c.len_utf8();
        Some(fold(c).unwrap_or(' '))
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.next();
        }
    }

    /// `None` for what is no JSON at all. After a cut, what was whole before it.
    fn value(&mut self, depth: usize) -> Option<Loose> {
        self.skip_space();
        match self.peek() {
            None => {
                self.cut = true;
                None
            }
            Some('{') if depth < DEPTH => self.object(depth),
            Some('[') if depth < DEPTH => self.list(depth),
            Some('{' | '[') => None,
            Some(quote @ ('"' | '\'')) => self.string(quote).map(Loose::Text),
            Some(_) => self.bare().map(Loose::Text),
        }
    }

    fn object(&mut self, depth: usize) -> Option<Loose> {
        self.next();
        let mut fields = Vec::new();
        loop {
            self.skip_space();
            match self.peek() {
                Some('}') => {
                    self.next();
                    return Some(Loose::Object(fields));
                }
                Some(',') => {
                    self.next();
                    continue;
                }
                None => self.cut = true,
                Some(_) => {
                    let key = self.key();
                    if let (Some(key), false) = (key, self.cut) {
                        if let Some(value) = self.value(depth + 1) {
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
                return Some(Loose::Object(fields));
            }
        }
    }

    fn list(&mut self, depth: usize) -> Option<Loose> {
        self.next();
        let mut items = Vec::new();
        loop {
            self.skip_space();
            match self.peek() {
                Some(']') => {
                    self.next();
                    return Some(Loose::List(items));
                }
                Some(',') => {
                    self.next();
                    continue;
                }
                None => self.cut = true,
                Some(_) => match self.value(depth + 1) {
                    Some(item) => items.push(item),
                    None if self.cut => {}
                    None => return None,
                },
            }
            if self.cut {
                return Some(Loose::List(items));
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
        let mut ahead = rest.chars().take(64).map(|c| fold(c).unwrap_or(' '));
        match ahead.find(|c| !c.is_whitespace()) {
            None | Some(',' | '}' | ']' | ':' | '=') => true,
            Some('"' | '\'') => !rest.starts_with(['"', '\'']),
            Some(_) => false,
        }
    }

    /// A word, number or constant without quotes; it may have spaces.
    fn bare(&mut self) -> Option<String> {
        const LIMIT: usize = 80;
        let start = self.at;
        while let Some(c) = self.peek() {
            match c {
                ',' | '}' | ']' | '\n' => return Some(self.text[start..self.at].trim().to_owned()),
                '{' | '[' | '"' | ':' => return None,
                _ if self.at - start > LIMIT => return None,
                _ => self.next(),
            };
        }
        self.cut = true;
        None
    }
}
