//! JSON into values with places, as a document or as lines.

use super::node::{Fault, Mark, Member, Node, Read, Value};
use crate::domain::Json;

/// Reads one JSON value; places are counted from `base`.
pub(super) fn read(text: &str, base: Mark) -> Read<Node> {
    // The strict parser looks at everything first, so that the walk below meets nothing but JSON.
    Json::parse(text).map_err(|error| Fault::at(base + error.offset, format!("not JSON: {error}")))?;
    Walk { text, at: 0, base }.value()
}

/// Reads a JSON object a line: cases, and lines that hold what a document has beside its cases.
///
/// `{"suite": {…}}`, `{"defaults": {…}}` and `{"mock": {…}}` may stand anywhere; blank lines say nothing.
pub(super) fn read_lines(text: &str) -> Read<Node> {
    let (mut members, mut cases, mut mocks): (Vec<Member>, Vec<Node>, Vec<Node>) = Default::default();
    let mut base = 0;
    for line in text.split_inclusive('\n') {
        let start = base;
        base += line.len();
        if line.trim().is_empty() {
            continue;
        }
        // An error counts lines from its own text on.
        let node = read(line.trim_end(), start)
            .map_err(|fault| Fault { message: fault.message.replace(" at line 1,", " at"), ..fault })?;
        let is_header = |key: &str| ["suite", "defaults", "mock"].contains(&key);
        match node.value {
            Value::Table(entries) if entries.iter().any(|member| is_header(&member.key)) => {
                for member in entries {
                    match member.key.as_str() {
                        "suite" => {
                            let Value::Table(settings) = member.value.value else {
                                return Err(Fault::at(
                                    member.at,
                                    "`suite` must be an object with `name`, `system` and `tools`",
                                ));
                            };
                            members.extend(settings);
                        }
                        "defaults" => members.push(member),
                        "mock" => mocks.push(member.value),
                        other => {
                            let message = format!(
                                "a line with `suite`, `defaults` or `mock` is not a case: move `{other}` to a line of its own case"
                            );
                            return Err(Fault::at(member.at, message));
                        }
                    }
                }
            }
            _ => cases.push(node),
        }
    }
    for (at, member) in members.iter().enumerate() {
        if ["cases", "mocks"].contains(&member.key.as_str()) {
            let message =
                format!("unknown key `{}`: in JSON lines, every case and every `mock` is a line", member.key);
            return Err(Fault::at(member.at, message));
        }
        if members[..at].iter().any(|earlier| earlier.key == member.key) {
            return Err(Fault::at(member.at, format!("`{}` is set twice", member.key)));
        }
    }
    for (key, items) in [("mocks", mocks), ("cases", cases)] {
        let at = items.first().map_or(0, |item| item.at);
        if !items.is_empty() {
            members.push(Member { key: key.to_owned(), at, value: Node { at, value: Value::List(items) } });
        }
    }
    Ok(Node { at: 0, value: Value::Table(members) })
}

/// Goes through a text that is JSON.
struct Walk<'a> {
    text: &'a str,
    at: usize,
    base: Mark,
}

impl Walk<'_> {
    fn value(&mut self) -> Read<Node> {
        self.skip(b"");
        let at = self.base + self.at;
        let value = match self.peek() {
            Some(b'[') => {
                let mut items = Vec::new();
                self.skip(b"[");
                while self.peek().is_some_and(|byte| byte != b']') {
                    items.push(self.value()?);
                    self.skip(b",");
                }
                self.at += 1;
                Value::List(items)
            }
            Some(b'{') => {
                let mut members: Vec<Member> = Vec::new();
                self.skip(b"{");
                while self.peek().is_some_and(|byte| byte != b'}') {
                    let at = self.base + self.at;
                    let key = self.scalar()?;
                    self.skip(b":");
                    let value = self.value()?;
                    self.skip(b",");
                    let Json::String(key) = key else { return Err(Fault::at(at, "not JSON")) };
                    members.push(Member { key, at, value });
                }
                self.at += 1;
                once_each(&members)?;
                Value::Table(members)
            }
            _ => match self.scalar()? {
                Json::Bool(truth) => Value::Bool(truth),
                Json::Number(number) => Value::Number(number),
                Json::String(text) => Value::Text(text),
                _ => Value::Null,
            },
        };
        Ok(Node { at, value })
    }

    fn scalar(&mut self) -> Read<Json> {
        let rest = &self.text[self.at..];
        let (value, end) = Json::parse_prefix(rest)
            .map_err(|error| Fault::at(self.base + self.at, format!("not JSON: {error}")))?;
        self.at += end;
        Ok(value)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Passes white space, one of these marks if it is there, and white space again.
    fn skip(&mut self, marks: &[u8]) {
        let mut left = 1;
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => {}
                _ if left > 0 && marks.contains(&byte) => left -= 1,
                _ => return,
            }
            self.at += 1;
        }
    }
}

/// An error for a key that comes twice: readers would disagree about which counts.
pub(super) fn once_each(members: &[Member]) -> Read<()> {
    let mut seen = std::collections::HashSet::with_capacity(members.len());
    match members.iter().find(|member| !seen.insert(member.key.as_str())) {
        Some(member) => Err(Fault::at(member.at, format!("`{}` is set twice", member.key))),
        None => Ok(()),
    }
}
