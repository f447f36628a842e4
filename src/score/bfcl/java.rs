//! Java source code as values, as far as the peer's patterns go: what none of them knows stays a text.

use super::failure::Exception;
use super::literal::{constructor, fractional, skip, some_until, until, whole};
use super::python::{float, int, number_or_text, strip};
use super::rules::Rules;
use super::value::{Value, insert};

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

/// The first place at which `read` finds its constructor.
fn anywhere<'t, T>(text: &'t str, read: impl Fn(&'t str) -> Option<T>) -> Option<T> {
    text.match_indices("new").find_map(|(at, _)| read(&text[at..]))
}

/// `new int[]{1, 2}`
fn array<'t>(text: &'t str, inner: Option<&str>, rules: Rules) -> Result<Value<'t>, Exception> {
    let items = anywhere(text, |text| {
        let rest = constructor(text, "")?;
        let after_name = rest.trim_start_matches(is_word);
        let body = skip(after_name.strip_prefix("[]")?).strip_prefix('{')?;
        (after_name.len() < rest.len()).then(|| until(body, "}"))?
    });
    let Some((items, _)) = items else { return Ok(Value::text(text)) };
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
    let copied = anywhere(text, |text| some_until(created(text)?.strip_prefix("(Arrays.asList(")?, "))"));
    if let Some((items, _)) = copied {
        return items.split(',').map(element).collect::<Result<_, _>>().map(Value::List);
    }
    let added = anywhere(text, |text| {
        let body = skip(skip(created(text)?.strip_prefix("()")?).strip_prefix("{{")?);
        let first = body.chars().next()?.len_utf8();
        let body = strip(&body[..first + body[first..].find("}}")?]);
        (!body.contains('\n')).then_some(body)
    });
    if let Some(mut body) = added {
        let mut items = Vec::new();
        while let Some(at) = body.find("add(") {
            let Some((item, rest)) = some_until(&body[at + "add(".len()..], ")") else { break };
            items.push(element(item)?);
            body = rest;
        }
        return Ok(Value::List(items));
    }
    let empty = anywhere(text, |text| created(text)?.strip_prefix("()"));
    Ok(if empty.is_some() { Value::List(Vec::new()) } else { Value::text(text) })
}

/// `new HashMap<K, V>() {{ put("k", v); }}` or `new HashMap<K, V>()`
fn map(text: &str) -> Option<Value<'_>> {
    let filled = anywhere(text, |text| {
        let rest = constructor(text, "HashMap<")?;
        rest.match_indices('>').find_map(|(at, _)| {
            let body = skip(skip(&rest[at + 1..]).strip_prefix("()")?).strip_prefix('{')?;
            let body = skip(body);
            let body = skip(body.strip_prefix('{').unwrap_or(body));
            Some(&body[..body.find('}')?])
        })
    });
    let Some(mut body) = filled else {
        return anywhere(text, |text| {
            let rest = constructor(text, "HashMap<")?.split('\n').next()?;
            rest.match_indices('>').find(|(at, _)| skip(&rest[at + 1..]).starts_with("()"))
        })
        .map(|_| Value::Dict(Vec::new()));
    };
    let mut entries = Vec::new();
    while let Some(at) = body.find("put(\"") {
        body = &body[at + "put(\"".len()..];
        if let Some((key, value, rest)) = put(body) {
            insert(&mut entries, Value::text(key), by_shape(strip(value)));
            body = rest;
        }
    }
    Some(Value::Dict(entries))
}

/// The key, the value and what follows `put("`.
fn put(text: &str) -> Option<(&str, &str, &str)> {
    let line = text.split('\n').next()?;
    line.match_indices("\",").find_map(|(at, _)| {
        let (value, rest) = until(skip(&text[at + 2..]), ")")?;
        Some((&text[..at], value, rest))
    })
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
