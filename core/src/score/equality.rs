//! Equality of JSON values: Python's, JavaScript's, and JSON's own with types.
//!
//! Scorers say which one they mean; none of them is `Json`'s `==`, which compares the text of numbers.

use std::collections::HashMap;

use crate::domain::{Json, Number, Object};

/// Whose idea of equality counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Equality {
    /// `==` on what `json.loads` gives: `True` is `1`, integers have all their digits, and an integer equals a float only if it
    /// has exactly the float's value.
    Python,
    /// Deep equality on what `JSON.parse` gives: all numbers are doubles, and types differ.
    JavaScript,
    /// What JSON means: types differ, numbers count by their exact decimal value, so that `1` is `1.0` and no digit is lost.
    Json,
}

impl Equality {
    /// Whether two values are equal; arrays in order, objects in any.
    pub fn values(self, a: &Json, b: &Json) -> bool {
        match (a, b) {
            (Json::Null, Json::Null) => true,
            (Json::Bool(a), Json::Bool(b)) => a == b,
            (Json::Bool(truth), Json::Number(number)) | (Json::Number(number), Json::Bool(truth)) => {
                self == Equality::Python && number.as_f64() == f64::from(u8::from(*truth))
            }
            (Json::Number(a), Json::Number(b)) => self.numbers(a, b),
            (Json::String(a), Json::String(b)) => a == b,
            (Json::Array(a), Json::Array(b)) => self.arrays(a, b),
            (Json::Object(a), Json::Object(b)) => self.objects(a, b),
            _ => false,
        }
    }

    /// Whether two arrays are equal, item by item.
    pub(crate) fn arrays(self, a: &[Json], b: &[Json]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.values(a, b))
    }

    /// Whether two objects have the same keys with equal values, in any order.
    pub fn objects(self, a: &Object, b: &Object) -> bool {
        a.len() == b.len() && every_member(a, b, |a, b| self.values(a, b))
    }

    /// Whether two numbers are equal.
    pub(crate) fn numbers(self, a: &Number, b: &Number) -> bool {
        if a == b {
            return true;
        }
        match self {
            Equality::JavaScript => a.as_f64() == b.as_f64(),
            Equality::Json => Decimal::of(a) == Decimal::of(b),
            Equality::Python => match (a.is_integer(), b.is_integer()) {
                (true, true) => digits_of_integer(a) == digits_of_integer(b),
                (false, false) => a.as_f64() == b.as_f64(),
                (true, false) => integer_is_float(a, b.as_f64()),
                (false, true) => integer_is_float(b, a.as_f64()),
            },
        }
    }
}

/// An integer's text, of which `-0` is the only spelling that is not unique.
fn digits_of_integer(number: &Number) -> &str {
    match number.as_str() {
        "-0" => "0",
        text => text,
    }
}

/// Whether an integer has exactly a double's value; a double writes out as an integer without loss.
fn integer_is_float(integer: &Number, float: f64) -> bool {
    integer.as_f64() == float
        && float.is_finite()
        && float.fract() == 0.0
        && (float.abs() < 9_007_199_254_740_992.0 || format!("{float:.0}") == integer.as_str())
}

/// A number's exact value: the digits from the first to the last that is not 0, and the power of ten of the last.
#[derive(Debug)]
struct Decimal<'a> {
    negative: bool,
    /// May hold a point.
    digits: &'a str,
    /// `None` where the exponent is beyond reason.
    exponent: Option<i64>,
}

impl<'a> Decimal<'a> {
    fn of(number: &'a Number) -> Decimal<'a> {
        let text = number.as_str();
        let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let digits = mantissa.trim_start_matches(['0', '.']);
        if digits.is_empty() {
            return Decimal { negative: false, digits, exponent: Some(0) };
        }
        // What trails may be zeros on both sides of the point.
        let point = mantissa.find('.');
        let kept = match point {
            Some(_) => mantissa.trim_end_matches(['0', '.']),
            None => mantissa.trim_end_matches('0'),
        };
        let whole_digits = point.unwrap_or(mantissa.len()) as i64;
        let fraction_kept = i64::from(kept.contains('.'));
        let power = whole_digits - (kept.len() as i64 - fraction_kept);
        let digits = kept.trim_start_matches(['0', '.']);
        let exponent = exponent.parse::<i64>().ok().and_then(|exponent| exponent.checked_add(power));
        Decimal { negative, digits, exponent }
    }
}

impl PartialEq for Decimal<'_> {
    fn eq(&self, other: &Decimal<'_>) -> bool {
        let digits = |text: &str| text.bytes().filter(|byte| *byte != b'.').collect::<Vec<u8>>();
        self.negative == other.negative
            && self.exponent.is_some()
            && self.exponent == other.exponent
            && (self.digits == other.digits || digits(self.digits) == digits(other.digits))
    }
}

/// Whether `given` has every key of `expected`, with a value that passes the test.
pub(super) fn every_member(expected: &Object, given: &Object, test: impl Fn(&Json, &Json) -> bool) -> bool {
    // Mostly the order is the same too, and then nothing need be looked up.
    let mut next = given.iter().peekable();
    let mut members = None;
    expected.iter().all(|(key, wanted)| {
        let found = match next.next_if(|(other, _)| *other == key) {
            Some((_, value)) => Some(value),
            None => members.get_or_insert_with(|| Members::of(given)).get(key),
        };
        found.is_some_and(|value| test(wanted, value))
    })
}

/// Looks members up by key; a large object is indexed first, so that comparing hostile ones stays linear.
pub(super) struct Members<'a> {
    object: &'a Object,
    index: Option<HashMap<&'a str, &'a Json>>,
}

impl<'a> Members<'a> {
    /// From this size on, an index is worth its making.
    const LARGE: usize = 32;

    pub(super) fn of(object: &'a Object) -> Members<'a> {
        let index = (object.len() >= Self::LARGE).then(|| object.iter().collect());
        Members { object, index }
    }

    pub(super) fn get(&self, key: &str) -> Option<&'a Json> {
        match &self.index {
            Some(index) => index.get(key).copied(),
            None => self.object.get(key),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json {
        Json::parse(text).unwrap()
    }

    #[test]
    fn three_answers_to_one_question() {
        // The two values, then what Python, JavaScript and JSON say.
        for (a, b, python, javascript, typed) in [
            ("1", "1.0", true, true, true),
            ("1", "true", true, false, false),
            ("0.0", "false", true, false, false),
            ("2", "true", false, false, false),
            ("-0", "0", true, true, true),
            ("-0.0", "0", true, true, true),
            ("9007199254740993", "9007199254740992", false, true, false),
            ("9007199254740993", "9007199254740992.0", false, true, false),
            ("9007199254740992", "9007199254740992.0", true, true, true),
            ("1e21", "1000000000000000000000", true, true, true),
            ("1e23", "100000000000000000000000", false, true, true),
            ("1e400", "1e401", true, true, false),
            ("0.1", "0.10", true, true, true),
            ("0.1", "1e-1", true, true, true),
            ("100", "1E+2", true, true, true),
            ("120", "1.2e2", true, true, true),
            ("0.012", "12e-3", true, true, true),
            ("1.0e99999999999999999999", "1e99999999999999999999", true, true, false),
            ("0.1", "0.1000000000000000055511151231257827", true, true, false),
            ("\"é\"", "\"e\u{301}\"", false, false, false),
            ("null", "{}", false, false, false),
            ("[]", "{}", false, false, false),
            ("[1,2]", "[2,1]", false, false, false),
            (r#"{"a":1,"b":[true]}"#, r#"{"b":[1],"a":1.0}"#, true, false, false),
            (r#"{"a":null}"#, r#"{"b":null}"#, false, false, false),
        ] {
            let (a, b) = (json(a), json(b));
            for (equality, expected) in
                [(Equality::Python, python), (Equality::JavaScript, javascript), (Equality::Json, typed)]
            {
                assert_eq!(equality.values(&a, &b), expected, "{equality:?}: {a} and {b}");
                assert_eq!(equality.values(&b, &a), expected, "{equality:?}: {b} and {a}");
            }
        }
    }

    #[test]
    fn large_objects_in_another_order() {
        let members = |keys: &mut dyn Iterator<Item = usize>| {
            Json::Object(keys.map(|key| (format!("k{key}"), Json::Bool(true))).collect())
        };
        let (a, b) = (members(&mut (0..50_000)), members(&mut (0..50_000).rev()));
        assert!(Equality::Json.values(&a, &b));
    }
}
