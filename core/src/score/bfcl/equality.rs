//! Equality of two values: as in Python, or as in JSON.

use super::rules::Rules;
use super::value::Value;

/// In Python `1 == 1.0 == True`, in JSON a boolean is no number. Integers and floats compare exactly in both, whatever
/// their size; a tuple never equals a list, NaN nothing.
pub fn equal(a: &Value<'_>, b: &Value<'_>, rules: Rules) -> bool {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Str(a), Value::Str(b)) => a == b,
        (Value::None, Value::None) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Bool(_), _) | (_, Value::Bool(_)) if rules == Rules::Own => false,
        (Value::List(a), Value::List(b)) | (Value::Tuple(a), Value::Tuple(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b, rules))
        }
        (Value::Dict(a), Value::Dict(b)) => a.len() == b.len() && within(a, b, rules),
        _ => match (Numeric::of(a), Numeric::of(b)) {
            (Some(a), Some(b)) => a.equals(b),
            _ => false,
        },
    }
}

type Entry<'a> = (Value<'a>, Value<'a>);

/// Whether `b` has all entries of `a`. Both are likely in the same order, so a key is looked for at its own place first.
fn within(a: &[Entry<'_>], b: &[Entry<'_>], rules: Rules) -> bool {
    a.iter().enumerate().all(|(at, (key, value))| {
        let same = |entry: &&Entry<'_>| equal(&entry.0, key, rules);
        b.get(at)
            .filter(same)
            .or_else(|| b.iter().find(same))
            .is_some_and(|(_, other)| equal(value, other, rules))
    })
}

#[derive(Clone, Copy)]
enum Numeric<'v> {
    Small(i64),
    Big(&'v str),
    Float(f64),
}

impl<'v> Numeric<'v> {
    fn of(value: &'v Value<'_>) -> Option<Numeric<'v>> {
        Some(match value {
            Value::Bool(value) => Numeric::Small(i64::from(*value)),
            Value::Int(value) => Numeric::Small(*value),
            Value::BigInt(digits) => Numeric::Big(digits),
            Value::Float(value) => Numeric::Float(*value),
            _ => return None,
        })
    }

    fn equals(self, other: Numeric<'_>) -> bool {
        match (self, other) {
            (Numeric::Small(a), Numeric::Small(b)) => a == b,
            (Numeric::Big(a), Numeric::Big(b)) => a == b,
            (Numeric::Float(a), Numeric::Float(b)) => a == b,
            (Numeric::Small(_), Numeric::Big(_)) | (Numeric::Big(_), Numeric::Small(_)) => false,
            (Numeric::Small(whole), Numeric::Float(float))
            | (Numeric::Float(float), Numeric::Small(whole)) => {
                is_whole(float) && fits(float) && float as i64 == whole
            }
            // Rust writes all digits of a float, so its text is its exact value.
            (Numeric::Big(digits), Numeric::Float(float)) | (Numeric::Float(float), Numeric::Big(digits)) => {
                is_whole(float) && !fits(float) && format!("{float:.0}") == digits
            }
        }
    }
}

fn is_whole(float: f64) -> bool {
    float.is_finite() && float.fract() == 0.0
}

/// Within 64 bits.
fn fits(float: f64) -> bool {
    const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;
    (-TWO_TO_63..TWO_TO_63).contains(&float)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Json;

    #[test]
    fn equalities() {
        for (a, b, python, json) in [
            ("1", "1.0", true, true),
            ("1", "true", true, false),
            ("0.0", "false", true, false),
            ("-0.0", "0", true, true),
            ("-0", "0", true, true),
            ("null", "false", false, false),
            ("\"1\"", "1", false, false),
            ("[1,[true]]", "[1.0,[1]]", true, false),
            ("{\"a\":1,\"b\":2}", "{\"b\":2.0,\"a\":1}", true, true),
            ("{\"a\":1}", "{\"a\":1,\"b\":2}", false, false),
            ("9007199254740993", "9007199254740992.0", false, false),
            ("9007199254740992", "9007199254740992.0", true, true),
            ("9223372036854775808", "9223372036854775808.0", true, true),
            ("9223372036854775807", "9223372036854775808.0", false, false),
            ("-9223372036854775808", "-9223372036854775808.0", true, true),
            ("1000000000000000000000000000000", "1e30", false, false),
            ("1000000000000000019884624838656", "1e30", true, true),
            ("1000000000000000000000", "1e21", true, true),
            ("1000000000000000000000", "1000000000000000000000", true, true),
            ("1000000000000000000000", "1e999", false, false),
        ] {
            let (left, right) = (Json::parse(a).unwrap(), Json::parse(b).unwrap());
            let (left, right) = (Value::read(&left), Value::read(&right));
            for (rules, expected) in [(Rules::Peer, python), (Rules::Own, json)] {
                assert_eq!(equal(&left, &right, rules), expected, "{a} {b} {rules:?}");
                assert_eq!(equal(&right, &left, rules), expected, "{b} {a} {rules:?}");
            }
        }
    }
}
