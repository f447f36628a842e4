//! Calls between a model's own tags: `<tool_call>{"name":"f","arguments":{"a":1}}</tool_call>`.
//!
//! The end of a value is found by parsing it, never by searching for the closing tag: strings may hold that.

use super::Reader;
use crate::domain::{Arguments, Calls, Flag, Json, ToolCall};
use crate::normalize::call_syntax;
use crate::normalize::python_literal::{is_word, is_word_start};

/// How one kind of model marks its calls.
struct Tag {
    open: &'static str,
    read: fn(&mut Reader, &str) -> Option<Found>,
}

/// The calls behind an opening tag, and how many bytes they take.
type Found = (Vec<ToolCall>, usize);

const TAGS: &[Tag] = &[
    Tag { open: "<tool_call>", read: json },
    Tag { open: "<|tool_call_start|>", read: json_or_syntax },
    Tag { open: "<|tool_call|>", read: json },
    Tag { open: "<function_call>", read: json },
    Tag { open: "[TOOL_CALLS]", read: json },
    Tag { open: "<|python_tag|>", read: python_tag },
    Tag { open: "<function=", read: function },
    Tag { open: "<invoke ", read: invoke },
];

impl Reader<'_> {
    /// The calls behind the tags in `text`; what stands outside them is the reply's prose.
    pub(super) fn tagged(&mut self, text: &str) -> Option<Vec<ToolCall>> {
        let mut calls = Vec::new();
        let mut rest = text;
        while let Some(at) = rest.find(['<', '[']) {
            rest = &rest[at..];
            match tag_of(rest) {
                Some(tag) => {
                    rest = &rest[tag.open.len()..];
                    let (more, length) = (tag.read)(self, rest)?;
                    calls.extend(more);
                    rest = &rest[length..];
                }
                None => rest = &rest[1..],
            }
        }
        (!calls.is_empty()).then_some(calls)
    }
}

fn tag_of(text: &str) -> Option<&'static Tag> {
    TAGS.iter().find(|tag| text.starts_with(tag.open))
}

fn starts_with_tag(text: &str) -> bool {
    tag_of(text).is_some()
}

/// The JSON objects and arrays at the start of `text`, and where they end, in bytes.
fn leading_json_values(text: &str) -> Option<(Vec<Json>, usize)> {
    let mut values = Vec::new();
    let mut rest = text.trim_start();
    let mut end = 0;
    while rest.starts_with(['{', '[']) && !starts_with_tag(rest) {
        let (value, length) = Json::parse_prefix(rest).ok()?;
        values.push(value);
        end = text.len() - rest.len() + length;
        rest = text[end..].trim_start_matches(|c: char| c.is_whitespace() || c == ',' || c == ';');
    }
    (!values.is_empty()).then_some((values, end))
}

/// One or several JSON values. A tag right behind the tag brings its calls itself.
fn json(reader: &mut Reader, rest: &str) -> Option<Found> {
    if starts_with_tag(rest.trim_start()) {
        return Some((Vec::new(), 0));
    }
    let (values, end) = leading_json_values(rest)?;
    let mut calls = Vec::new();
    for value in values {
        match reader.value(&value) {
            Ok(Calls::Parsed(more)) => calls.extend(more),
            _ => return None,
        }
    }
    Some((calls, end))
}

fn json_or_syntax(reader: &mut Reader, rest: &str) -> Option<Found> {
    json(reader, rest).or_else(|| {
        let (calls, end) = call_syntax::prefix(rest)?;
        Some((calls.into_iter().map(|call| reader.written_call(call)).collect(), end))
    })
}

/// Llama's tag. It writes the calls of built-in tools as a method: `brave_search.call(query='x')`.
fn python_tag(reader: &mut Reader, rest: &str) -> Option<Found> {
    let (mut calls, end) = json_or_syntax(reader, rest)?;
    for call in &mut calls {
        let tool = call.name.strip_suffix(".call").filter(|tool| !tool.is_empty());
        if let Some(tool) = tool.filter(|_| reader.definition(&call.name).is_none()) {
            call.name = tool.to_owned();
        }
    }
    Some((calls, end))
}

/// `f>{"a":1}</function>`, `f><parameter=a>1</parameter></function>`
fn function(reader: &mut Reader, rest: &str) -> Option<Found> {
    let (name, body) = rest.split_once('>')?;
    let name = name.trim().trim_matches('"');
    if !name.starts_with(is_word_start)
        || !name.chars().all(|c| is_word(c) || matches!(c, '.' | '-' | ':' | '/'))
    {
        return None;
    }
    let (arguments, body) = match body.trim_start().starts_with('{') {
        true => {
            let (value, end) = Json::parse_prefix(body).ok()?;
            let Json::Object(object) = value else { return None };
            (reader.parsed(object), &body[end..])
        }
        false => parameters(reader, body)?,
    };
    let call = ToolCall { name: name.to_owned(), arguments, id: None };
    Some((vec![call], rest.len() - body.len()))
}

/// `name="f"><parameter name="a">1</parameter></invoke>`
fn invoke(reader: &mut Reader, rest: &str) -> Option<Found> {
    let (attributes, body) = rest.split_once('>')?;
    let name = name_attribute(attributes)?.to_owned();
    let (arguments, body) = parameters(reader, body)?;
    Some((vec![ToolCall { name, arguments, id: None }], rest.len() - body.len()))
}

/// The `<parameter>` elements at the start of `body`, and what follows them. Their values are texts by nature, so what is
/// JSON is read as JSON and flagged.
fn parameters<'a>(reader: &mut Reader, mut body: &'a str) -> Option<(Arguments, &'a str)> {
    let mut entries = Vec::new();
    while let Some(element) = body.trim_start().strip_prefix("<parameter") {
        let (head, after) = element.split_once('>')?;
        let name = head.strip_prefix('=').map(str::trim).or_else(|| name_attribute(head))?;
        let (value, after) = after.split_once("</parameter>")?;
        let value = value.strip_prefix('\n').unwrap_or(value);
        let value = value.strip_suffix('\n').unwrap_or(value);
        entries.push((name.to_owned(), Json::parse(value).unwrap_or_else(|_| Json::from(value))));
        body = after;
    }
    if !entries.is_empty() {
        reader.flags.insert(Flag::XmlArguments);
    }
    Some((reader.parsed(entries.into_iter().collect()), body))
}

/// The value of `name="…"` in an element's attributes.
fn name_attribute(attributes: &str) -> Option<&str> {
    let (_, value) = attributes.split_once("name=")?;
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    value[1..].split_once(quote).map(|(name, _)| name).filter(|name| !name.trim().is_empty())
}
