//! gpt-oss: `<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"a":1}<|call|>`.
//!
//! A message has a head, which may name a recipient, and a content. Without a recipient, the content is an answer or a thought.

use memchr::memmem;

use super::Reader;
use super::elements::head;
use super::tagged::{Found, starts_with_tag};
use super::tokens::with_object;
use crate::domain::{Arguments, Flag, Object, ToolCall};

const CONTENT: &str = "<|message|>";

/// What a content ends with.
const ENDS: &[&str] = &["<|end|>", "<|call|>", "<|return|>", "<|start|>", "<|channel|>"];

/// What stands before the name of an application's tool.
const NAMESPACE: &str = "functions.";

/// A message of the assistant's, behind the mark that opens it.
pub(super) fn message(reader: &mut Reader, rest: &str) -> Option<Found> {
    let (head, content) = head(rest, CONTENT)?;
    let end = content_end(content);
    let Some(recipient) = recipient(head) else {
        return Some((Vec::new(), rest.len() - content.len() + end));
    };
    let name = recipient.strip_prefix(NAMESPACE).unwrap_or(recipient);
    let said = content[..end].trim();
    if said.starts_with('{') || head.contains("json") {
        return with_object(reader, name, None, rest, content);
    }
    // Others write their marks into such messages.
    if starts_with_tag(said) {
        return Some((Vec::new(), rest.len() - content.len()));
    }
    // Tools of the model's own take free text.
    if !super::elements::is_tool_name(name) {
        return None;
    }
    let arguments = reader.plain_input(name, said);
    let call = ToolCall { name: name.to_owned(), arguments, id: None };
    Some((vec![call], rest.len() - content.len() + end))
}

/// The message at the start of a text, of whose head only the end is there: ` to=functions.f<|channel|>commentary
/// json<|message|>{"a":1}`.
pub(super) fn headless(reader: &mut Reader, text: &str) -> Option<Found> {
    let begun = text.trim_start();
    begun.strip_prefix("to=")?;
    let (calls, length) = message(reader, begun)?;
    Some((calls, text.len() - begun.len() + length))
}

/// What a tool returned.
pub(super) fn result(_: &mut Reader, rest: &str) -> Option<Found> {
    let (_, content) = head(rest, CONTENT)?;
    Some((Vec::new(), rest.len() - content.len() + content_end(content)))
}

/// The same where a server took the tokens out: `commentary to=functions.f json{"a":1}`. Of Kimi's calls,
/// `functions.f:0{"a":1}` is left.
pub(super) fn without_tokens(reader: &mut Reader, text: &str) -> Option<Vec<ToolCall>> {
    let mut calls = Vec::new();
    let mut at = 0;
    while let Some(next) = memmem::find(&text.as_bytes()[at..], NAMESPACE.as_bytes()) {
        let before = &text[..at + next];
        let rest = &text[at + next + NAMESPACE.len()..];
        at += next + NAMESPACE.len();
        let end =
            rest.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.')).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let after = after.trim_start();
        let digits = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let body = match after.strip_prefix(':') {
            Some(index) if digits(index) > 0 => Some(&index[digits(index)..]),
            _ if before.ends_with("to=") => Some(after.strip_prefix("json").unwrap_or(after)),
            _ => None,
        };
        let Some(body) = body.filter(|body| body.trim_start().starts_with('{')) else { continue };
        let (more, length) = with_object(reader, name, None, body, body)?;
        calls.extend(more);
        at = text.len() - body.len() + length;
    }
    (!calls.is_empty()).then_some(calls)
}

/// Whom a message is for, if that is a tool.
fn recipient(head: &str) -> Option<&str> {
    let (_, told) = head.split_once("to=")?;
    let end = told.find(|c: char| c.is_whitespace() || c == '<').unwrap_or(told.len());
    Some(&told[..end]).filter(|name| !matches!(*name, "" | "assistant" | "user" | "all"))
}

fn content_end(content: &str) -> usize {
    let mut tokens = memmem::find_iter(content.as_bytes(), b"<|");
    tokens.find(|at| ENDS.iter().any(|end| content[*at..].starts_with(end))).unwrap_or(content.len())
}

impl Reader<'_> {
    /// A plain text as the arguments of the tool `name`, under the only parameter that it has.
    pub(super) fn plain_input(&mut self, name: &str, text: &str) -> Arguments {
        self.flags.insert(Flag::StringToolInput);
        let mut arguments = Object::new();
        arguments.insert(self.only_parameter(name).unwrap_or("input"), text);
        self.parsed(arguments)
    }
}
