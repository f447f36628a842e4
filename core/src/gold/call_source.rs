//! Calls written in Java or JavaScript, with their arguments as source code.

use crate::domain::{Json, Object, ToolCall};

/// The calls of `[Name.method(parameter=source, ...), ...]`, with or without the brackets. An argument that is a text
/// literal and nothing else loses its quotes; any other stays as it is written. `None` where the text is anything else, or
/// an argument has no name.
pub(super) fn calls(text: &str) -> Option<Vec<ToolCall>> {
    let text = text.trim().trim_matches('`').trim();
    let inside = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let pieces = split(inside, ',')?;
    let calls: Option<Vec<ToolCall>> =
        pieces.into_iter().map(str::trim).filter(|piece| !piece.is_empty()).map(call).collect();
    calls.filter(|calls| !calls.is_empty())
}

fn call(text: &str) -> Option<ToolCall> {
    let text = text.trim_end_matches(';').trim_end();
    let (name, arguments) = text.strip_suffix(')')?.split_once('(')?;
    let is_name =
        |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_.-$".contains(c));
    is_name(name).then_some(())?;
    let mut read = Object::new();
    for argument in split(arguments, ',')?.into_iter().map(str::trim).filter(|argument| !argument.is_empty())
    {
        let (parameter, source) = argument.split_once('=')?;
        let parameter = parameter.trim();
        is_name(parameter).then_some(())?;
        read.insert(parameter, Json::from(unquoted(source.trim())));
    }
    Some(ToolCall::new(name, read))
}

/// Without the quotes around it, if it is one text from the first to the last.
fn unquoted(source: &str) -> &str {
    let mut chars = source.chars();
    let quote = chars.next().filter(|c| "\"'".contains(*c));
    match quote {
        Some(quote) if source.len() > 1 && end_of_text(source, quote) == Some(source.len()) => {
            &source[1..source.len() - 1]
        }
        _ => source,
    }
}

/// Where the text ends that begins with `quote` at the start of `source`, after its quote.
fn end_of_text(source: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in source.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return Some(at + c.len_utf8()),
            _ => {}
        }
    }
    None
}

/// The pieces between separators that are within no brackets and no texts; `None` where brackets or quotes stay open.
fn split(text: &str, separator: char) -> Option<Vec<&str>> {
    let mut pieces = Vec::new();
    let mut open = Vec::new();
    let (mut start, mut at) = (0, 0);
    while let Some(c) = text[at..].chars().next() {
        match c {
            '"' | '\'' | '`' => {
                at += end_of_text(&text[at..], c)?;
                continue;
            }
            '(' => open.push(')'),
            '[' => open.push(']'),
            '{' => open.push('}'),
            // Of types, as in `HashMap<String, Object>`.
            '<' if text[at + 1..].starts_with(|next: char| next.is_uppercase() || next == '>') => {
                open.push('>')
            }
            '>' if open.last() == Some(&'>') => {
                open.pop();
            }
            ')' | ']' | '}' if open.pop() != Some(c) => return None,
            c if c == separator && open.is_empty() => {
                pieces.push(&text[start..at]);
                start = at + c.len_utf8();
            }
            _ => {}
        }
        at += c.len_utf8();
    }
    pieces.push(&text[start..]);
    open.is_empty().then_some(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_stay_source_code() {
        for (text, expected) in [
            ("A.b(c=d, e=5L)", Some(r#"A.b {"c":"d","e":"5L"}"#)),
            (
                "[f(a=new int[]{1, 2}, b=\"x, (y\", c='q')]",
                Some(r#"f {"a":"new int[]{1, 2}","b":"x, (y","c":"q"}"#),
            ),
            ("f(a={x: 1, y: [2]}), g()", Some(r#"f {"a":"{x: 1, y: [2]}"} g {}"#)),
            (
                "f(m=new HashMap<String, Object>() {{ put(\"k\", 1); }})",
                Some(r#"f {"m":"new HashMap<String, Object>() {{ put(\"k\", 1); }}"}"#),
            ),
            ("f(a=\"x\" + \"y\")", Some(r#"f {"a":"\"x\" + \"y\""}"#)),
            ("f(1)", None),
            ("I cannot do that (sorry)", None),
            ("f(a=(1)", None),
            ("f(a=\"x)", None),
            ("", None),
            ("[]", None),
        ] {
            let found = calls(text).map(|calls| {
                let shown = |call: &ToolCall| {
                    format!("{} {}", call.name, call.parsed().map(ToString::to_string).unwrap_or_default())
                };
                calls.iter().map(shown).collect::<Vec<_>>().join(" ")
            });
            assert_eq!(found.as_deref(), expected, "{text}");
        }
        for part in ["(", "f(", "\"", "f(a=", "{", "é("] {
            let _ = calls(&part.repeat(10_000));
        }
    }
}
