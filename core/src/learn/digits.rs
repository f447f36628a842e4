//! Rounds numbers to a few significant digits, so that model files stay small.

use serde_json::Value;

/// The number with this many significant digits that is nearest to `value`. It never turns the order of two numbers around.
pub(super) fn rounded(value: f64, digits: usize) -> f64 {
    let text = format!("{value:.*e}", digits.saturating_sub(1));
    // Written and read back: no power of ten is multiplied, so nothing is lost beyond the digits.
    text.parse().unwrap_or(value)
}

/// As JSON, with the fewest digits that give the same single-precision number again.
pub(super) fn single(value: f32) -> Value {
    let shortest: f64 = value.to_string().parse().unwrap_or(f64::from(value));
    Value::from(shortest)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn few_digits() {
        for (value, digits, expected) in [
            (0.123_456, 4, 0.1235),
            (-123_456.0, 3, -123_000.0),
            (9.99996, 5, 10.0),
            (0.0, 4, 0.0),
            (1.0, 4, 1.0),
            (1e-30, 2, 1e-30),
        ] {
            assert_eq!(rounded(value, digits), expected);
        }
        assert_eq!(single(0.1).to_string(), "0.1");
        assert_eq!(single(-1234.5).to_string(), "-1234.5");
    }

    proptest! {
        #[test]
        fn singles_survive(bits in any::<u32>()) {
            let value = f32::from_bits(bits);
            prop_assume!(value.is_finite());
            let text = single(value).to_string();
            let read: Value = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(read.as_f64().unwrap() as f32, value);
        }

        #[test]
        fn order_is_kept(a in -1e30..1e30f64, b in -10.0..10.0f64, digits in 1_usize..6) {
            for (low, high) in [(a.min(b), a.max(b)), (b.min(0.999 * b), b.max(0.999 * b))] {
                prop_assert!(rounded(low, digits) <= rounded(high, digits));
            }
        }
    }
}
