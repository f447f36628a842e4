//! How Python parses numbers and white space.

use std::borrow::Cow;

use crate::domain::Number;

/// More digits than these Python refuses to read as an integer.
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

/// Whether it is a decimal digit of some script.
pub fn is_digit(char: char) -> bool {
    digit(char).is_some()
}

/// `char.isspace()`.
pub fn is_space(char: char) -> bool {
    char.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&char)
}

/// `text.strip()`.
pub fn strip(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// The text with all digits in ASCII, an underscore between two digits left out; `None` where an underscore stands elsewhere.
///
/// Unlike `strip`, numbers take the separators U+001C to U+001F for letters, which is what Rust's white space says too.
fn plain(text: &str) -> Option<Cow<'_, str>> {
    let text = text.trim();
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

/// `int(text)`, as Python writes it back: no plus sign, no leading zero. `None` where Python raises `ValueError`.
pub fn int(text: &str) -> Option<Number> {
    let text = plain(text)?;
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.strip_prefix('+').unwrap_or(&text)),
    };
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number || digits.len() > MAX_DIGITS {
        return None;
    }
    match digits.trim_start_matches('0') {
        "" => Some(Number::from(0_i64)),
        significant => Number::parse(&format!("{sign}{significant}")),
    }
}

/// `float(text)`, which knows `nan` and `inf`. `None` where Python raises `ValueError`.
pub fn float(text: &str) -> Option<f64> {
    plain(text)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        let zeros = "0".repeat(4299);
        for (text, whole, fractional) in [
            (" 5\n", Some("5"), Some("5.0")),
            ("\u{3000}5\u{85}", Some("5"), Some("5.0")),
            ("\u{1c}5", None, None),
            ("+5", Some("5"), Some("5.0")),
            ("-0", Some("0"), Some("-0.0")),
            ("007", Some("7"), Some("7.0")),
            ("1_000", Some("1000"), Some("1000.0")),
            ("٣", Some("3"), Some("3.0")),
            ("𝟗", Some("9"), Some("9.0")),
            ("-99999999999999999999999", Some("-99999999999999999999999"), Some("-1e23")),
            ("00000000000000000000000000005", Some("5"), Some("5.0")),
            (&format!("{zeros}7"), Some("7"), Some("7.0")),
            (&format!("{zeros}77"), None, Some("77.0")),
            ("1_000.5", None, Some("1000.5")),
            ("٣.٥", None, Some("3.5")),
            ("１e３", None, Some("1000.0")),
            ("1e1_0", None, Some("10000000000.0")),
            (".5", None, Some("0.5")),
            ("5.", None, Some("5.0")),
            ("1e3", None, Some("1000.0")),
            ("1e999", None, Some("inf")),
            ("-Infinity", None, Some("-inf")),
            ("+nan", None, Some("NaN")),
            ("nan(5)", None, None),
            ("1__0", None, None),
            ("_1", None, None),
            ("1_", None, None),
            ("1._5", None, None),
            ("1_e5", None, None),
            ("0x10", None, None),
            ("+ 5", None, None),
            ("--5", None, None),
            ("1 2", None, None),
            ("", None, None),
            ("²", None, None),
        ] {
            assert_eq!(int(text).as_ref().map(Number::as_str), whole, "int({text:?})");
            let float = float(text).map(|value| format!("{value:?}"));
            assert_eq!(float.as_deref(), fractional, "float({text:?})");
        }
    }
}
