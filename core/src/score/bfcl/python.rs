//! How Python reads numbers and white space in a text.

use std::borrow::Cow;

use super::failure::Exception;
use super::value::Value;

/// From this many digits on Python refuses to read an integer.
const MAX_DIGITS: usize = 4300;

/// The zeros of all runs of decimal digits in Unicode 14; after each one follow its other nine digits.
const ZEROS: [u32; 66] = [
    0x30, 0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xDE6, 0xE50,
    0xED0, 0xF20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40,
    0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10, 0x104A0, 0x10D30, 0x11066,
    0x110F0, 0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650, 0x116C0, 0x11730, 0x118E0, 0x11950,
    0x11C50, 0x11D50, 0x11DA0, 0x16A60, 0x16AC0, 0x16B50, 0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6,
    0x1E140, 0x1E2F0, 0x1E950, 0x1FBF0,
];

/// The value of a decimal digit of any script, as ASCII.
fn digit(char: char) -> Option<char> {
    if char.is_ascii() {
        return char.is_ascii_digit().then_some(char);
    }
    let code = u32::from(char);
    let zero = ZEROS[..ZEROS.partition_point(|zero| *zero <= code)].last()?;
    char::from_digit(code - zero, 10)
}

pub fn is_digit(char: char) -> bool {
    digit(char).is_some()
}

pub fn is_space(char: char) -> bool {
    char.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&char)
}

pub fn strip(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// The text with all digits in ASCII, an underscore between two digits left out; `None` where an underscore stands elsewhere.
fn plain(text: &str) -> Option<Cow<'_, str>> {
    let text = strip(text);
    if text.is_ascii() && !text.contains('_') {
        return Some(Cow::Borrowed(text));
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut after_digit = false;
    while let Some(char) = chars.next() {
        if char == '_' {
            if !after_digit || !chars.peek().is_some_and(|next| is_digit(*next)) {
                return None;
            }
            after_digit = false;
            continue;
        }
        after_digit = is_digit(char);
        out.push(digit(char).unwrap_or(char));
    }
    Some(Cow::Owned(out))
}

/// `int(text)`.
pub fn int(text: &str) -> Result<Value<'static>, Exception> {
    let text = plain(text).ok_or(Exception::ValueError)?;
    if let Ok(small) = text.parse() {
        return Ok(Value::Int(small));
    }
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.strip_prefix('+').unwrap_or(&text)),
    };
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number || digits.len() > MAX_DIGITS {
        return Err(Exception::ValueError);
    }
    let significant = digits.trim_start_matches('0');
    // Many zeros before a small number.
    if let Ok(small) = format!("{sign}{}", if significant.is_empty() { "0" } else { significant }).parse() {
        return Ok(Value::Int(small));
    }
    Ok(Value::BigInt(Cow::Owned(format!("{sign}{significant}"))))
}

/// `float(text)`, which knows `nan` and `inf`.
pub fn float(text: &str) -> Result<Value<'static>, Exception> {
    plain(text).and_then(|text| text.parse().ok()).map(Value::Float).ok_or(Exception::ValueError)
}

/// What `int(text)` makes of it, else `float(text)`, else the text.
pub fn number_or_text(text: &str) -> Value<'static> {
    int(text).or_else(|_| float(text)).unwrap_or_else(|_| Value::Str(Cow::Owned(text.to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        for (text, expected) in [
            (" 5\n", "5"),
            ("+5", "5"),
            ("-0", "0"),
            ("007", "7"),
            ("1_000", "1000"),
            ("٣", "3"),
            ("𝟗", "9"),
            ("-99999999999999999999999", "-99999999999999999999999"),
            ("00000000000000000000000000005", "5"),
            ("1_000.5", "1000.5"),
            (".5", "0.5"),
            ("5.", "5.0"),
            ("1e3", "1000.0"),
            ("-Infinity", "-inf"),
            ("nan", "NaN"),
            ("1__0", "\"1__0\""),
            ("_1", "\"_1\""),
            ("1_", "\"1_\""),
            ("0x10", "\"0x10\""),
            ("", "\"\""),
            ("²", "\"²\""),
        ] {
            assert_eq!(number_or_text(text).to_string(), expected, "{text:?}");
        }
        assert_eq!(int(&"9".repeat(4301)), Err(Exception::ValueError));
    }
}
