//! How Python writes a value: `repr`, `str` and `json.dumps`.

use std::fmt::Write;

use crate::domain::{Json, Number};

/// Appends `repr(value)`: `{'a': [True, None, 1e+16]}`.
pub fn write_repr(out: &mut String, value: &Json) {
    match value {
        Json::Null => out.push_str("None"),
        Json::Bool(true) => out.push_str("True"),
        Json::Bool(false) => out.push_str("False"),
        Json::Number(number) => write_number(out, number),
        Json::String(text) => write_quoted(out, text),
        Json::Array(items) => write_list(out, items, write_repr),
        Json::Object(object) => {
            out.push('{');
            for (at, (key, value)) in object.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                write_quoted(out, key);
                out.push_str(": ");
                write_repr(out, value);
            }
            out.push('}');
        }
    }
}

/// Appends `str(value)`: strings as they are, everything else as `repr` has it.
pub fn write_str(out: &mut String, value: &Json) {
    match value {
        Json::String(text) => out.push_str(text),
        other => write_repr(out, other),
    }
}

/// Appends a list with its items as `write` writes them: `[a, b]`.
pub fn write_list<T>(out: &mut String, items: impl IntoIterator<Item = T>, write: impl Fn(&mut String, T)) {
    out.push('[');
    for (at, item) in items.into_iter().enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        write(out, item);
    }
    out.push(']');
}

/// Appends `repr` of a string: single quotes unless only single quotes occur, what cannot be printed escaped.
pub fn write_quoted(out: &mut String, text: &str) {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.push(quote);
    // Most text is plain, and then there is nothing to decide character by character.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b'\\' && byte != b'\'') {
        out.push_str(text);
        out.push(quote);
        return;
    }
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == quote => out.extend(['\\', c]),
            ' '..='~' => out.push(c),
            c if c.is_alphanumeric() || is_printable(c) => out.push(c),
            c => _ = write_escape(out, c),
        }
    }
    out.push(quote);
}

fn write_escape(out: &mut String, c: char) -> std::fmt::Result {
    match u32::from(c) {
        code @ 0..=0xff => write!(out, "\\x{code:02x}"),
        code @ 0x100..=0xffff => write!(out, "\\u{code:04x}"),
        code => write!(out, "\\U{code:08x}"),
    }
}

/// Whether Python prints a character as it is: all but control, format, private, unassigned and separator characters.
///
/// Rust escapes the same when it debugs a string, except that it escapes a *first* character that combines too, so the
/// character is looked at in second place.
fn is_printable(c: char) -> bool {
    let mut text = [b'a', 0, 0, 0, 0];
    let length = 1 + c.encode_utf8(&mut text[1..]).len();
    std::str::from_utf8(&text[..length]).is_ok_and(|text| text.escape_debug().nth(1) == Some(c))
}

/// Appends a number: integers with all their digits, floats as [`write_float`] does.
fn write_number(out: &mut String, number: &Number) {
    match number.as_str() {
        "-0" => out.push('0'),
        integer if number.is_integer() => out.push_str(integer),
        _ => write_float(out, number.as_f64()),
    }
}

/// Appends `repr` of a float: the fewest digits that read back the same, with an exponent below 0.0001 and from 10¹⁶ on.
pub fn write_float(out: &mut String, value: f64) {
    if value.is_nan() {
        return out.push_str("nan");
    }
    out.push_str(if value.is_sign_negative() { "-" } else { "" });
    if value.is_infinite() {
        return out.push_str("inf");
    }
    let (digits, power) = shortest(value.abs());
    let (first, rest) = digits.split_at(1);
    _ = match usize::try_from(power) {
        Ok(power @ 0..16) => {
            let (whole, fraction) = digits.split_at(digits.len().min(power + 1));
            let fraction = if fraction.is_empty() { "0" } else { fraction };
            let width = power + 1;
            write!(out, "{whole:0<width$}.{fraction}")
        }
        Err(_) if power >= -4 => {
            let zeros = power.unsigned_abs() as usize - 1;
            write!(out, "0.{:0<zeros$}{digits}", "")
        }
        _ => {
            let point = if rest.is_empty() { "" } else { "." };
            let sign = if power < 0 { '-' } else { '+' };
            write!(out, "{first}{point}{rest}e{sign}{:02}", power.abs())
        }
    };
}

/// The fewest digits that read back the same, and the power of ten of the first one. Of two such numbers that are equally near,
/// Python takes the even one and Rust the upper one: rounding to as many digits, which Rust does to even, tells which it is.
fn shortest(value: f64) -> (String, i32) {
    let parts = |scientific: &str| {
        let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
        (mantissa.replace('.', ""), exponent.parse().unwrap_or(0))
    };
    let (digits, power) = parts(&format!("{value:e}"));
    let rounded = format!("{value:.*e}", digits.len().saturating_sub(1));
    if rounded.parse() == Ok(value) { parts(&rounded) } else { (digits, power) }
}

/// Appends `json.dumps` of a float: infinities and NaN by JavaScript's names, which are not JSON.
pub fn write_json_float(out: &mut String, value: f64) {
    if value.is_nan() {
        out.push_str("NaN");
    } else if value.is_infinite() {
        out.push_str(if value < 0.0 { "-Infinity" } else { "Infinity" });
    } else {
        write_float(out, value);
    }
}

/// Appends a number as `json.dumps` does.
fn write_json_number(out: &mut String, number: &Number) {
    if number.is_integer() { write_number(out, number) } else { write_json_float(out, number.as_f64()) }
}

/// Appends `json.dumps(value, ensure_ascii=False)`: `{"a": [1, 6.2]}`.
pub fn write_json(out: &mut String, value: &Json) {
    match value {
        Json::Array(items) => write_list(out, items, write_json),
        Json::Object(object) => {
            out.push('{');
            for (at, (key, value)) in object.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                write_json_string(out, key);
                out.push_str(": ");
                write_json(out, value);
            }
            out.push('}');
        }
        scalar => write_indented(out, scalar, 0),
    }
}

/// Appends `json.dumps(value, indent=4, ensure_ascii=False)`, every line but the first shifted by `margin`.
pub fn write_indented(out: &mut String, value: &Json, margin: usize) {
    match value {
        Json::Null => out.push_str("null"),
        Json::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Json::Number(number) => write_json_number(out, number),
        Json::String(text) => write_json_string(out, text),
        Json::Array(items) if items.is_empty() => out.push_str("[]"),
        Json::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                new_line(out, at, margin + 4);
                write_indented(out, item, margin + 4);
            }
            new_line(out, 0, margin);
            out.push(']');
        }
        Json::Object(object) => write_indented_object(out, object, margin),
    }
}

/// [`write_indented`] for an object.
pub fn write_indented_object(out: &mut String, object: &crate::domain::Object, margin: usize) {
    if object.is_empty() {
        return out.push_str("{}");
    }
    out.push('{');
    for (at, (key, value)) in object.iter().enumerate() {
        new_line(out, at, margin + 4);
        write_json_string(out, key);
        out.push_str(": ");
        write_indented(out, value, margin + 4);
    }
    new_line(out, 0, margin);
    out.push('}');
}

/// Appends `json.dumps(value, sort_keys=True)`.
pub fn write_sorted_json(out: &mut String, value: &Json) {
    match value {
        Json::Array(items) => write_list(out, items, write_sorted_json),
        Json::Object(object) => {
            let mut members: Vec<_> = object.iter().collect();
            members.sort_by_key(|(key, _)| *key);
            out.push('{');
            for (at, (key, value)) in members.into_iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                write_sorted_json(out, &Json::from(key));
                out.push_str(": ");
                write_sorted_json(out, value);
            }
            out.push('}');
        }
        Json::String(text) => {
            let mut quoted = String::new();
            write_json_string(&mut quoted, text);
            for c in quoted.chars() {
                match c {
                    ' '..='~' => out.push(c),
                    c => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| _ = write!(out, "\\u{unit:04x}")),
                }
            }
        }
        scalar => write_indented(out, scalar, 0),
    }
}

fn new_line(out: &mut String, at: usize, margin: usize) {
    if at > 0 {
        out.push(',');
    }
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', margin));
}

fn write_json_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\0'..' ' => _ = write!(out, "\\u{:04x}", u32::from(c)),
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_python_writes_it() {
        for (json, repr) in [
            (r#"{"a":[true,false,null,{}]}"#, "{'a': [True, False, None, {}]}"),
            (r#""it's""#, r#""it's""#),
            (r#""it's \"so\"""#, r#"'it\'s "so"'"#),
            (
                r#""a\nb\\\u0000\u007f\u00a0\u0301é\u200b\ud83d\ude80""#,
                "'a\\nb\\\\\\x00\\x7f\\xa0\u{301}é\\u200b🚀'",
            ),
            (r#""\udb40\udc01""#, "'\\U000e0001'"),
            (
                "[1.0,-0.0,-0,1e16,1e15,0.0001,0.00001,1.5e-7]",
                "[1.0, -0.0, 0, 1e+16, 1000000000000000.0, 0.0001, 1e-05, 1.5e-07]",
            ),
            ("[123456789012345678901234567890,1e400,2.50]", "[123456789012345678901234567890, inf, 2.5]"),
            (
                "[1000000000000001.25,1000000000000001.75,-5e15,0.000123,9007199254740993.0]",
                "[1000000000000001.2, 1000000000000001.8, -5000000000000000.0, 0.000123, 9007199254740992.0]",
            ),
            ("[1e3,5e-324,1.5e300,-1e400,1e-400]", "[1000.0, 5e-324, 1.5e+300, -inf, 0.0]"),
        ] {
            let mut out = String::new();
            write_repr(&mut out, &Json::parse(json).unwrap());
            assert_eq!(out, repr);
        }
        let mut out = String::new();
        write_indented(&mut out, &Json::parse(r#"{"a":[1,[]],"b":{}}"#).unwrap(), 4);
        assert_eq!(
            out,
            "{\n        \"a\": [\n            1,\n            []\n        ],\n        \"b\": {}\n    }"
        );
    }

    #[test]
    fn as_json() {
        let json = r#"{"a":[1,-0,6.20,1e400,-1e400,1e22,"é\n\u0001",null],"b":{},"c":[]}"#;
        let mut out = String::new();
        write_json(&mut out, &Json::parse(json).unwrap());
        assert_eq!(
            out,
            r#"{"a": [1, 0, 6.2, Infinity, -Infinity, 1e+22, "é\n\u0001", null], "b": {}, "c": []}"#
        );
        for (value, repr, json) in
            [(f64::NAN, "nan", "NaN"), (f64::INFINITY, "inf", "Infinity"), (-0.0, "-0.0", "-0.0")]
        {
            let mut out = String::new();
            write_float(&mut out, value);
            write_json_float(&mut out, value);
            assert_eq!(out, format!("{repr}{json}"));
        }
    }
}
