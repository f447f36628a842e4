//! A JSON number that keeps the text it was written with.

use std::borrow::Cow;

/// From here on, not every whole number is a double.
const WHOLE: f64 = 9_007_199_254_740_992.0;

/// A number as written: `300`, `300.0` and `3e2` are three different texts, and 30 digits stay 30 digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Number(Box<str>);

impl Number {
    /// `text` must match the number grammar of RFC 8259; the parser guarantees it.
    pub(super) fn from_valid(text: &str) -> Number {
        Number(text.into())
    }

    /// A number from its JSON text; `None` if `text` is not a JSON number.
    pub fn parse(text: &str) -> Option<Number> {
        (super::parse::number_end(text.as_bytes(), 0) == Some(text.len())).then(|| Number::from_valid(text))
    }

    /// The number as its source spells it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The value in the one spelling that all writers of it share: `4.0` and `4e0` are `4`, `2.50` is `2.5`. What a double cannot
    /// hold, and what would need many zeros, stays as written.
    pub fn plain(&self) -> Cow<'_, str> {
        let value = self.as_f64();
        if value == 0.0 {
            return Cow::Borrowed("0");
        }
        if self.is_integer() || !(1e-6..WHOLE).contains(&value.abs()) {
            return Cow::Borrowed(self.as_str());
        }
        Cow::Owned(value.to_string())
    }

    /// Whether both are the same number, however they are written. Integers are compared digit by digit, others as doubles.
    pub fn is_equivalent(&self, other: &Number) -> bool {
        self == other
            || if self.is_integer() && other.is_integer() {
                self.as_f64() == 0.0 && other.as_f64() == 0.0
            } else {
                self.as_f64() == other.as_f64()
            }
    }

    /// Written without fraction and exponent.
    pub fn is_integer(&self) -> bool {
        !self.0.contains(['.', 'e', 'E'])
    }

    /// The nearest double; infinite when out of range.
    pub fn as_f64(&self) -> f64 {
        self.0.parse().unwrap_or(f64::NAN)
    }

    /// The value, if it is written as an integer that fits.
    pub fn as_i64(&self) -> Option<i64> {
        self.0.parse().ok()
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Number {
        Number(value.to_string().into())
    }
}

impl From<u64> for Number {
    fn from(value: u64) -> Number {
        Number(value.to_string().into())
    }
}

impl Number {
    /// A finite double in its shortest spelling; `None` for NaN and the infinities, which JSON cannot write.
    pub fn from_f64(value: f64) -> Option<Number> {
        value.is_finite().then(|| Number(format!("{value:?}").into()))
    }
}
