//! Fuzzy equality of values.

use super::case::Special;
use super::options::{FuzzyOptions, Options};
use super::pattern::Pattern;
use crate::domain::{Json, Number, Object};
use crate::score::assignment::pair_up;
use crate::score::equality::{Equality, every_member};

/// About-equal, by 0.5.0's rules or by ours.
#[derive(Clone, Copy)]
pub(super) struct Fuzzy<'a> {
    pub options: FuzzyOptions,
    pub patterns: &'a [Pattern<'a>],
    /// Whether the peer's generosity is wanted: texts contain each other either way, arrays are matched greedily, text
    /// reads as a number or truth value by its beginning.
    pub as_peer: bool,
}

/// Whether a value is about what is expected, by the usual settings: texts in any case that contain the expected one, arrays in any
/// order, numbers within a thousandth.
pub fn is_about_equal(expected: &Json, given: &Json) -> bool {
    Fuzzy { options: Options::default().fuzzy, patterns: &[], as_peer: false }.matches(expected, given)
}

impl Fuzzy<'_> {
    pub(super) fn matches(self, expected: &Json, given: &Json) -> bool {
        match (expected, given) {
            (Json::Object(wanted), given) => match Special::of(wanted) {
                Some(special) => self.special(special, given),
                None => given.as_object().is_some_and(|given| self.objects(wanted, given)),
            },
            (Json::Null, given) => given.is_null(),
            (_, Json::Null) => false,
            (Json::String(expected), Json::String(given)) => self.texts(expected, given),
            (Json::Number(expected), Json::Number(given)) => {
                numbers(expected, given, self.options.numeric_tolerance)
            }
            (Json::Array(expected), Json::Array(given)) => self.arrays(expected, given),
            (Json::Bool(expected), Json::Bool(given)) => expected == given,
            _ => self.options.coerce_types && self.coerced(expected, given),
        }
    }

    fn special(self, special: Special, given: &Json) -> bool {
        match (special, given) {
            (Special::Pattern { source, flags }, Json::String(text)) => {
                self.patterns.iter().any(|pattern| pattern.is(source, flags) && pattern.matches(text))
            }
            (Special::NonemptyString, Json::String(text)) => !text.is_empty(),
            (Special::PositiveNumber, Json::Number(number)) => number.as_f64() > 0.0,
            _ => false,
        }
    }

    fn texts(self, expected: &str, given: &str) -> bool {
        if expected == given {
            return true;
        }
        let FuzzyOptions { substring, case_insensitive, .. } = self.options;
        if !self.as_peer && expected.is_empty() {
            return false;
        }
        let contains = |outer: &str, inner: &str| match case_insensitive {
            true => contains_in_any_case(outer, inner),
            false => outer.contains(inner),
        };
        match substring {
            true => contains(given, expected) || (self.as_peer && contains(expected, given)),
            false if case_insensitive => is_same_in_any_case(expected, given),
            false => false,
        }
    }

    fn arrays(self, expected: &[Json], given: &[Json]) -> bool {
        if !self.options.ignore_array_order {
            let pairs = expected.iter().zip(given);
            return expected.len() == given.len() && pairs.into_iter().all(|(e, g)| self.matches(e, g));
        }
        if expected.len() > given.len() {
            return false;
        }
        if !self.as_peer {
            return self.every_item_finds_its_own(expected, given);
        }
        let mut used = vec![false; given.len()];
        expected.iter().all(|expected| {
            let found = (0..given.len()).find(|at| !used[*at] && self.matches(expected, &given[*at]));
            found.inspect(|at| used[*at] = true).is_some()
        })
    }

    fn every_item_finds_its_own(self, expected: &[Json], given: &[Json]) -> bool {
        if expected.iter().zip(given).all(|(expected, given)| self.matches(expected, given)) {
            return true;
        }
        let fits: Vec<bool> = expected
            .iter()
            .flat_map(|expected| given.iter().map(move |given| self.matches(expected, given)))
            .collect();
        let pairs = pair_up(expected.len(), given.len(), |row, column| fits[row * given.len() + column]);
        pairs.iter().all(Option::is_some)
    }

    fn objects(self, expected: &Object, given: &Object) -> bool {
        every_member(expected, given, |expected, given| self.matches(expected, given))
    }

    fn coerced(self, expected: &Json, given: &Json) -> bool {
        match (expected, given) {
            (Json::Bool(expected), Json::String(text)) => self.truth(text) == Some(*expected),
            (Json::String(text), Json::Number(number)) | (Json::Number(number), Json::String(text)) => {
                self.number_in(text) == Some(number.as_f64())
            }
            _ => false,
        }
    }

    fn truth(self, text: &str) -> Option<bool> {
        match text.to_lowercase().as_str() {
            "true" | "1" => Some(true),
            _ if self.as_peer => Some(false),
            "false" | "0" => Some(false),
            _ => None,
        }
    }

    fn number_in(self, text: &str) -> Option<f64> {
        if self.as_peer {
            parse_float(text)
        } else {
            Number::parse(text.trim()).map(|number| number.as_f64())
        }
    }
}

/// About-equal by the rules of 0.4.0, which had no options: texts contain the expected one in any case, numbers are within
/// a thousandth, items of an array may be used again. It knew no
/// patterns: a regular expression was an object without keys, a function equal to nothing.
pub(super) fn matches_v04(expected: &Json, given: &Json) -> bool {
    match (expected, given) {
        (Json::String(expected), Json::String(given)) => contains_in_any_case(given, expected),
        (Json::Number(expected), Json::Number(given)) => numbers(expected, given, 0.001),
        (Json::Object(expected), given) if Special::of(expected).is_some() => {
            let is_pattern = matches!(Special::of(expected), Some(Special::Pattern { .. }));
            is_pattern && matches!(given, Json::Object(_) | Json::Array(_))
        }
        (Json::Object(expected), Json::Object(given)) => every_member(expected, given, matches_v04),
        (Json::Object(expected), Json::Array(given)) => expected
            .iter()
            .all(|(key, expected)| at_index(given, key).is_some_and(|given| matches_v04(expected, given))),
        (Json::Array(expected), Json::Array(given)) => {
            expected.iter().all(|expected| given.iter().any(|given| matches_v04(expected, given)))
        }
        (expected, given) => Equality::JavaScript.values(expected, given),
    }
}

/// The item that JavaScript finds by a key: the index as it would write it.
pub(super) fn at_index<'a>(items: &'a [Json], key: &str) -> Option<&'a Json> {
    let is_canonical = key == "0" || (!key.starts_with(['0', '+']) && !key.is_empty());
    items.get(key.parse::<usize>().ok().filter(|_| is_canonical)?)
}

/// Within the tolerance, relative to the expected number and absolute.
fn numbers(expected: &Number, given: &Number, tolerance: f64) -> bool {
    if expected == given {
        return true;
    }
    let (expected, given) = (expected.as_f64(), given.as_f64());
    expected == given || (expected - given).abs() <= (expected.abs() * tolerance).max(tolerance)
}

fn contains_in_any_case(outer: &str, inner: &str) -> bool {
    /// Up to here a search at every place costs less than two copies.
    const SHORT: usize = 32;
    if inner.len() <= SHORT && outer.is_ascii() && inner.is_ascii() {
        return inner.is_empty()
            || outer.as_bytes().windows(inner.len()).any(|part| part.eq_ignore_ascii_case(inner.as_bytes()));
    }
    outer.to_lowercase().contains(&inner.to_lowercase())
}

fn is_same_in_any_case(a: &str, b: &str) -> bool {
    match a.is_ascii() && b.is_ascii() {
        true => a.eq_ignore_ascii_case(b),
        false => a.to_lowercase() == b.to_lowercase(),
    }
}

/// JavaScript's `parseFloat`: the number that a text begins with, white space aside.
fn parse_float(text: &str) -> Option<f64> {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() && c != '\u{85}' || c == '\u{feff}');
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let sign = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    if text[sign..].starts_with("Infinity") {
        return Some(if bytes.first() == Some(&b'-') { f64::NEG_INFINITY } else { f64::INFINITY });
    }
    let whole = digits(sign);
    let mut end = sign + whole;
    let mut fraction = 0;
    if bytes.get(end) == Some(&b'.') {
        fraction = digits(end + 1);
        if whole + fraction > 0 {
            end += 1 + fraction;
        }
    }
    if whole + fraction == 0 {
        return None;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let from = end + 1 + sign;
        let exponent = if from <= bytes.len() { digits(from) } else { 0 };
        if exponent > 0 {
            end = from + exponent;
        }
    }
    text[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_is_no_object() {
        let options = super::super::Options::default().fuzzy;
        for as_peer in [true, false] {
            let fuzzy = Fuzzy { options, patterns: &[], as_peer };
            for (expected, given) in [
                ("{}", "[]"),
                (r#"{"0":1}"#, "[1]"),
                ("[1]", r#"{"0":1}"#),
                (r#"{"a":{"0":1}}"#, r#"{"a":[1]}"#),
            ] {
                let read = |text| Json::parse(text).unwrap();
                assert!(!fuzzy.matches(&read(expected), &read(given)), "{expected} {given}");
            }
        }
    }

    #[test]
    fn parse_float_as_javascript() {
        for (text, number) in [
            ("42px", Some(42.0)),
            ("  -3.5e2x", Some(-350.0)),
            (".5", Some(0.5)),
            ("5.", Some(5.0)),
            ("1e", Some(1.0)),
            ("1e+", Some(1.0)),
            ("+7", Some(7.0)),
            ("-Infinity!", Some(f64::NEG_INFINITY)),
            ("\u{feff}1", Some(1.0)),
            ("", None),
            (".", None),
            ("-", None),
            ("e5", None),
            ("inf", None),
            ("1_000", Some(1.0)),
        ] {
            assert_eq!(parse_float(text), number, "{text:?}");
        }
    }
}
