//! Parses JavaScript source code into values, as the peer's patterns do; everything else stays a text.

use super::failure::Exception;
use super::java::unwrapped;
use super::literal::{constructor, fractional, next_line, skip, until, whole};
use super::number::{float, int, number_or_text};
use super::rules::Rules;
use super::value::Value;
use crate::python::{is_space, strip};

/// The value of `text` as the declared type `name`, whose elements are of type `inner`.
pub fn convert<'t>(
    text: &'t str,
    name: &str,
    inner: Option<&str>,
    rules: Rules,
) -> Result<Value<'t>, Exception> {
    let number = |found: Option<&'t str>, read: fn(&str) -> Result<Value<'static>, Exception>| match found {
        Some(digits) => read(digits),
        None => Ok(Value::text(text)),
    };
    let read = match name {
        "String" => Ok(Value::text(unquoted(text).unwrap_or(text))),
        "integer" => number(whole(text, &[]), int),
        "float" => number(fractional(text, &[], false), float),
        // The peer cuts off the line break in place of the letter.
        "Bigint" if rules == Rules::Peer && text.ends_with("n\n") && whole(text, &['n']).is_some() => {
            Err(Exception::ValueError)
        }
        "Bigint" => number(whole(text, &['n']), int),
        "Boolean" => Ok(boolean(text).unwrap_or(Value::text(text))),
        "array" => array(text, inner, rules),
        "dict" => Ok(dict(text, MAX_NESTING)),
        _ => Ok(Value::text(text)),
    };
    read.or_else(|crash| if rules == Rules::Own { Ok(Value::text(text)) } else { Err(crash) })
}

/// Dicts in dicts beyond this stay texts. The peer's pattern cuts them off at the first `}` anyway.
const MAX_NESTING: usize = 64;

fn boolean(text: &str) -> Option<Value<'static>> {
    match text {
        "true" => Some(Value::Bool(true)),
        "false" => Some(Value::Bool(false)),
        _ => None,
    }
}

/// Without the quotes around it; a lone quote is both of them.
fn unquoted(text: &str) -> Option<&str> {
    let is_quoted = |quote: char| text.starts_with(quote) && text.ends_with(quote);
    (is_quoted('"') || is_quoted('\'')).then(|| unwrapped(text))
}

/// `[..]` or `new Array(..)`, whatever follows it. Two levels are read without regard to the declared type.
fn array<'t>(text: &'t str, inner: Option<&str>, rules: Rules) -> Result<Value<'t>, Exception> {
    let text = strip(text);
    if let Some(lists) = list_of_lists(text) {
        return Ok(lists);
    }
    let element = |item: &'t str| match inner {
        Some(inner) => convert(strip(item), inner, None, rules),
        None => Ok(by_shape(item)),
    };
    let bracketed = text.strip_prefix('[');
    if bracketed.is_some_and(|rest| skip(rest).starts_with(']')) {
        return Ok(Value::List(Vec::new()));
    }
    let items = bracketed.and_then(|rest| until(rest, "]"));
    let items = items.or_else(|| until(constructor(text, "Array")?.strip_prefix('(')?, ")"));
    let Some((items, _)) = items else { return Ok(Value::text(text)) };
    items.split(',').map(element).collect::<Result<_, _>>().map(Value::List)
}

fn list_of_lists(text: &str) -> Option<Value<'_>> {
    let (start, close) = match text.strip_prefix('[') {
        Some(rest) => (text.len() - skip(rest).len(), ']'),
        None => {
            let rest = constructor(text, "Array")?.strip_prefix('(')?;
            (text.len() - skip(rest).len(), ')')
        }
    };
    let end = end_of_lists(text, start, close)?;
    let mut rest = &text[..end];
    let mut lists = Vec::new();
    while let Some(at) = rest.find('[') {
        rest = &rest[at + 1..];
        let Some((items, after)) = until(rest, "]") else {
            // Other brackets in this line are as open.
            rest = next_line(rest);
            continue;
        };
        let items = strip(items);
        // The outer bracket begins the first match.
        let items = if lists.is_empty() { items.strip_prefix('[').unwrap_or(items) } else { items };
        lists.push(Value::List(items.split(',').map(by_shape).collect()));
        rest = after;
    }
    Some(Value::List(lists))
}

/// Where a list of lists ends whose first inner list begins at `start`: after `close`, with all inner lists before it
/// bracketed and separated by commas. An inner list may hold brackets itself; each ends as early as lets the rest fit, and
/// as many as fit are taken. Worked out from the end, so that it takes one pass.
fn end_of_lists(text: &str, start: usize, close: char) -> Option<usize> {
    let chars: Vec<(usize, char)> = text.char_indices().filter(|(at, _)| *at >= start).collect();
    if chars.first()?.1 != '[' {
        return None;
    }
    let count = chars.len();
    // The first place from here on that is no white space.
    let mut solid = vec![count; count + 2];
    // Where it all ends if the first `]` that lets the rest fit is looked for from here.
    let mut inside: Vec<Option<usize>> = vec![None; count + 2];
    // Where it all ends if an inner list has ended just before here.
    let mut after: Vec<Option<usize>> = vec![None; count + 2];
    for (at, (offset, char)) in chars.iter().enumerate().rev() {
        solid[at] = if is_space(*char) { solid[at + 1] } else { at };
        inside[at] = match char {
            '\n' => None,
            ']' => after[solid[at + 1]].or(inside[at + 1]),
            _ => inside[at + 1],
        };
        after[at] = match char {
            ',' => {
                let next = solid[at + 1];
                chars.get(next).filter(|(_, char)| *char == '[').and_then(|_| inside[next + 1])
            }
            char if *char == close => Some(offset + char.len_utf8()),
            _ => None,
        };
    }
    inside[1]
}

/// `{key: value}` up to the first `}`, whatever follows it.
fn dict(text: &str, depth: usize) -> Value<'_> {
    let text = strip(text);
    let Some((mut rest, _)) = text.strip_prefix('{').and_then(|rest| until(rest, "}")) else {
        return Value::text(text);
    };
    let mut entries = Vec::new();
    while let Some(colon) = rest.find(':') {
        if colon == 0 {
            rest = &rest[1..];
            continue;
        }
        let (key, value) = (&rest[..colon], skip(&rest[colon + 1..]));
        let (value, after) = separated(value);
        let key = strip(key).trim_matches(['\'', '"']);
        entries.push((Value::text(key), entry(strip(value), depth)));
        rest = after;
    }
    super::dict::dict(entries)
}

fn entry(value: &str, depth: usize) -> Value<'_> {
    let is_in = |open, close| value.starts_with(open) && value.ends_with(close);
    if is_in('[', ']') {
        array(value, None, Rules::Own).unwrap_or(Value::text(value))
    } else if is_in('{', '}') && depth > 0 {
        dict(value, depth - 1)
    } else {
        by_shape(value.trim_matches(['\'', '"']))
    }
}

/// The text before the first comma that a further key follows, and what follows that comma; else all of it.
fn separated(text: &str) -> (&str, &str) {
    for (comma, _) in text.match_indices(',') {
        let rest = &text[comma + 1..];
        let piece = rest.split(',').next().unwrap_or(rest);
        let Some(colon) = piece.rfind(':') else { continue };
        // The key begins after white space, of which one character is its own where nothing else is before the colon.
        let space = piece.len() - skip(piece).len();
        let key = piece[..colon].char_indices().map(|(at, _)| at).take_while(|at| *at <= space).last();
        if let Some(key) = key {
            return (&text[..comma], &rest[key..]);
        }
    }
    (text, "")
}

/// A value of no declared type.
fn by_shape(text: &str) -> Value<'_> {
    let text = strip(text);
    boolean(text).or_else(|| unquoted(text).map(Value::text)).unwrap_or_else(|| number_or_text(text))
}
