//! Parses Java source code into values, as the peer's patterns do; everything else stays a text.

use super::dict::dict;
use super::failure::Exception;
use super::literal::{constructor, first_closed, fractional, next_line, skip, some_until, until, whole};
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
    let unchanged = Value::text(text);
    let number = |found: Option<&'t str>, read: fn(&str) -> Result<Value<'static>, Exception>| match found {
        Some(digits) => {
            read(digits).or_else(|crash| if rules == Rules::Own { Ok(Value::text(text)) } else { Err(crash) })
        }
        None => Ok(Value::text(text)),
    };
    match name {
        "byte" | "short" | "integer" => number(whole(text, &[]), int),
        "long" => number(whole(text, &['l', 'L']), int),
        "float" => number(fractional(text, &['f', 'F'], true), float),
        "double" => number(fractional(text, &[], true), float),
        "boolean" => Ok(boolean(text).unwrap_or(unchanged)),
        "Array" => array(text, inner, rules),
        "ArrayList" => list(text, inner, rules),
        "HashMap" => Ok(map(text).unwrap_or(unchanged)),
        "Set" | "Hashtable" | "Queue" | "Stack" if rules == Rules::Peer => {
            Err(Exception::NotImplementedError)
        }
        _ => Ok(unchanged),
    }
}

fn boolean(text: &str) -> Option<Value<'static>> {
    match text {
        "true" => Some(Value::Bool(true)),
        "false" => Some(Value::Bool(false)),
        _ => None,
    }
}

/// What follows the head of a constructor, wherever `head` finds one.
fn bodies<'t>(text: &'t str, head: impl Fn(&'t str) -> Option<&'t str>) -> impl Iterator<Item = &'t str> {
    text.match_indices("new").filter_map(move |(at, _)| head(&text[at..]))
}

/// `new int[]{1, 2}`
fn array<'t>(text: &'t str, inner: Option<&str>, rules: Rules) -> Result<Value<'t>, Exception> {
    let opened = bodies(text, |text| {
        let rest = constructor(text, "")?;
        let after_name = rest.trim_start_matches(is_word);
        let body = skip(after_name.strip_prefix("[]")?).strip_prefix('{')?;
        (after_name.len() < rest.len()).then_some(body)
    });
    let Some((items, _)) = first_closed(opened, |body| until(body, "}")) else {
        return Ok(Value::text(text));
    };
    let items = items.split(',').map(strip).filter(|item| !item.is_empty());
    items.map(|item| element(item, inner, rules)).collect::<Result<_, _>>().map(Value::List)
}

/// `new ArrayList<T>(Arrays.asList(..))`, `new ArrayList<T>() {{ add(..); }}` or `new ArrayList<T>()`
fn list<'t>(text: &'t str, inner: Option<&str>, rules: Rules) -> Result<Value<'t>, Exception> {
    let element = |item: &'t str| {
        let item = strip(item);
        match inner {
            Some("String" | "char") => Ok(Value::text(unwrapped(item))),
            _ => element(item, inner, rules),
        }
    };
    let created = |text: &'t str| {
        constructor(text, "ArrayList")?.strip_prefix('<')?.trim_start_matches(is_word).strip_prefix('>')
    };
    let copied = bodies(text, |text| created(text)?.strip_prefix("(Arrays.asList("));
    if let Some((items, _)) = first_closed(copied, |body| some_until(body, "))")) {
        return items.split(',').map(element).collect::<Result<_, _>>().map(Value::List);
    }
    let filled =
        bodies(text, |text| Some(skip(skip(created(text)?.strip_prefix("()")?).strip_prefix("{{")?)));
    if let Some(mut body) = one_line_block(text, filled) {
        let mut items = Vec::new();
        while let Some(at) = body.find("add(") {
            let Some((item, rest)) = some_until(&body[at + "add(".len()..], ")") else { break };
            items.push(element(item)?);
            body = rest;
        }
        return Ok(Value::List(items));
    }
    let empty = bodies(text, |text| created(text)?.strip_prefix("()")).next();
    Ok(if empty.is_some() { Value::List(Vec::new()) } else { Value::text(text) })
}

/// The first of several ends of `text`, cut before the first `}}` that leaves something, without a line break in it but for
/// those right before the braces.
fn one_line_block<'t>(text: &'t str, mut bodies: impl Iterator<Item = &'t str>) -> Option<&'t str> {
    // Where the braces are, where the block before them ends, and where the last line break in it is.
    let mut known: Option<(usize, usize, Option<usize>)> = None;
    bodies.find_map(|body| {
        let start = text.len() - body.len();
        let least = start + body.chars().next()?.len_utf8();
        let (_, end, line_break) = match known {
            Some(known) if least <= known.0 => known,
            _ => {
                let braces = least + text[least..].find("}}")?;
                let end = text[..braces].trim_end_matches(is_space).len();
                *known.insert((braces, end, text[..end].rfind('\n')))
            }
        };
        line_break.is_none_or(|line_break| line_break < start).then(|| &text[start..end.max(start)])
    })
}

/// `new HashMap<K, V>() {{ put("k", v); }}` or `new HashMap<K, V>()`
fn map(text: &str) -> Option<Value<'_>> {
    // What comes between the brackets may be anything, so where the first head leads nowhere, none does.
    let filled = bodies(text, |text| constructor(text, "HashMap<")).next().and_then(|rest| {
        let mut blocks = rest.match_indices('>').filter_map(|(at, _)| {
            let block = skip(skip(&rest[at + 1..]).strip_prefix("()")?).strip_prefix('{')?;
            let block = skip(block);
            Some(skip(block.strip_prefix('{').unwrap_or(block)))
        });
        let block = blocks.next()?;
        Some(&block[..block.find('}')?])
    });
    let Some(mut block) = filled else {
        let heads = bodies(text, |text| constructor(text, "HashMap<"));
        let empty = first_closed(heads, |rest| {
            let line = rest.split('\n').next()?;
            line.match_indices('>').find(|(at, _)| skip(&rest[at + 1..]).starts_with("()"))
        });
        return empty.map(|_| Value::Dict(Vec::new()));
    };
    let mut entries = Vec::new();
    while let Some(at) = block.find("put(\"") {
        let rest = &block[at + "put(\"".len()..];
        block = match put(rest) {
            Some((key, value, rest)) => {
                entries.push((Value::text(key), by_shape(strip(value))));
                rest
            }
            // Others in this line would need the same end.
            None => next_line(rest),
        };
    }
    Some(dict(entries))
}

/// The key, the value and what follows them, after `put("`.
fn put(text: &str) -> Option<(&str, &str, &str)> {
    let split = |at: usize| {
        let (value, rest) = until(skip(&text[at + 2..]), ")")?;
        Some((&text[..at], value, rest))
    };
    let (key, _) = until(text, "\",")?;
    // Of the further commas in this line only the last one can lead to another line.
    split(key.len()).or_else(|| split(text.split('\n').next()?.rfind("\",")?))
}

/// An element of a list, whose type the definition need not say.
fn element<'t>(item: &'t str, inner: Option<&str>, rules: Rules) -> Result<Value<'t>, Exception> {
    match inner {
        Some(inner) => convert(item, inner, None, rules),
        None => Ok(by_shape(item)),
    }
}

/// A value of no declared type.
fn by_shape(text: &str) -> Value<'_> {
    if let Some(value) = boolean(text) {
        return value;
    }
    if text.starts_with('"') && text.ends_with('"') {
        return Value::text(unwrapped(text));
    }
    let long = whole(text, &['l', 'L']).and_then(|digits| int(digits).ok());
    let short = || fractional(text, &['f', 'F'], true).and_then(|digits| float(digits).ok());
    long.or_else(short).unwrap_or_else(|| number_or_text(text))
}

/// Without its first and its last character.
pub fn unwrapped(text: &str) -> &str {
    let mut chars = text.chars();
    let last = chars.next_back().and(chars.next());
    if last.is_some() { chars.as_str() } else { "" }
}

fn is_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}
