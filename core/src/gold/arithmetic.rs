//! Plain arithmetic in expected calls: `1/6`, `500*500`.

use crate::domain::{Json, Number};

/// The value of numbers joined by `+ - * / // % **` and parentheses, as Python computes it: `/` gives a float, the others
/// an integer where both sides are. `None` for anything else, for what overflows and for what divides by zero.
pub fn evaluate(source: &str) -> Option<Json> {
    let mut parser = Parser { rest: source, depth: 0 };
    let value = parser.sum()?;
    parser.rest.trim().is_empty().then_some(())?;
    Some(Json::Number(match value {
        Value::Whole(whole) => Number::parse(&whole.to_string())?,
        Value::Float(float) => Number::from_f64(float)?,
    }))
}

/// Parentheses and signs in one another beyond this are nobody's arithmetic.
const MAX_DEPTH: usize = 64;

#[derive(Clone, Copy)]
enum Value {
    Whole(i128),
    Float(f64),
}

struct Parser<'s> {
    rest: &'s str,
    depth: usize,
}

impl Parser<'_> {
    fn take(&mut self, operator: &str) -> bool {
        let rest = self.rest.trim_start();
        let found = rest.strip_prefix(operator);
        self.rest = found.unwrap_or(rest);
        found.is_some()
    }

    fn sum(&mut self) -> Option<Value> {
        let mut left = self.product()?;
        loop {
            left = if self.take("+") {
                both(left, self.product()?, i128::checked_add, |a, b| a + b)?
            } else if self.take("-") {
                both(left, self.product()?, i128::checked_sub, |a, b| a - b)?
            } else {
                return Some(left);
            };
        }
    }

    fn product(&mut self) -> Option<Value> {
        let mut left = self.signed()?;
        loop {
            left = if self.take("//") {
                let right = divisor(self.signed()?)?;
                both(left, right, floor_of_quotient, |a, b| (a / b).floor())?
            } else if self.take("/") {
                let right = divisor(self.signed()?)?;
                Value::Float(float(left) / float(right))
            } else if self.take("%") {
                let right = divisor(self.signed()?)?;
                both(
                    left,
                    right,
                    |a, b| Some(a - b * floor_of_quotient(a, b)?),
                    |a, b| a - b * (a / b).floor(),
                )?
            } else if self.take("*") {
                both(left, self.signed()?, i128::checked_mul, |a, b| a * b)?
            } else {
                return Some(left);
            };
        }
    }

    fn signed(&mut self) -> Option<Value> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let value = if self.take("-") {
            match self.signed()? {
                Value::Whole(whole) => Value::Whole(whole.checked_neg()?),
                Value::Float(float) => Value::Float(-float),
            }
        } else if self.take("+") {
            self.signed()?
        } else {
            self.power()?
        };
        self.depth -= 1;
        Some(value)
    }

    fn power(&mut self) -> Option<Value> {
        let base = self.atom()?;
        if !self.take("**") {
            return Some(base);
        }
        match (base, self.signed()?) {
            (Value::Whole(base), Value::Whole(power)) if power >= 0 => {
                base.checked_pow(u32::try_from(power).ok()?).map(Value::Whole)
            }
            (base, power) => Some(Value::Float(float(base).powf(float(power)))),
        }
    }

    fn atom(&mut self) -> Option<Value> {
        if self.take("(") {
            self.depth += 1;
            let inside = if self.depth > MAX_DEPTH { None } else { self.sum() };
            self.depth -= 1;
            return inside.filter(|_| self.take(")"));
        }
        let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let rest = self.rest.trim_start();
        let mut end = digits(rest);
        if rest[end..].starts_with('.') {
            end += 1 + digits(&rest[end + 1..]);
        }
        let (number, after) = rest.split_at(end);
        self.rest = after;
        if number.contains('.') {
            number.parse().ok().map(Value::Float)
        } else {
            number.parse().ok().map(Value::Whole)
        }
    }
}

fn float(value: Value) -> f64 {
    match value {
        Value::Whole(whole) => whole as f64,
        Value::Float(float) => float,
    }
}

fn divisor(value: Value) -> Option<Value> {
    (float(value) != 0.0).then_some(value)
}

fn floor_of_quotient(a: i128, b: i128) -> Option<i128> {
    let quotient = a.checked_div(b)?;
    Some(if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient })
}

fn both(
    left: Value,
    right: Value,
    whole: fn(i128, i128) -> Option<i128>,
    floats: fn(f64, f64) -> f64,
) -> Option<Value> {
    match (left, right) {
        (Value::Whole(left), Value::Whole(right)) => whole(left, right).map(Value::Whole),
        (left, right) => Some(Value::Float(floats(float(left), float(right)))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_arithmetic_is_computed_as_python_does() {
        for (source, expected) in [
            ("1/6", Some("0.16666666666666666")),
            ("500*500", Some("250000")),
            ("2*3+4", Some("10")),
            ("2+3*(4-1)", Some("11")),
            ("6/2", Some("3.0")),
            ("-7//2", Some("-4")),
            ("-7 % 3", Some("2")),
            ("2**10", Some("1024")),
            ("2**-1", Some("0.5")),
            ("-2**2", Some("-4")),
            ("1.5*2", Some("3.0")),
            ("0.05/12", Some("0.004166666666666667")),
            ("1/0", None),
            ("10**60", None),
            ("x*2", None),
            ("2*", None),
            ("", None),
            ("(1", None),
            ("1 2", None),
            ("f(2)", None),
            ("[1]*3", None),
        ] {
            assert_eq!(evaluate(source).map(|value| value.to_string()).as_deref(), expected, "{source}");
        }
        assert_eq!(evaluate(&"(".repeat(100_000)), None);
        assert_eq!(evaluate(&"-".repeat(100_000)), None);
    }
}
