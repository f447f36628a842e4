//! A float as Python prints it: `2.50` is `2.5`, `1e3` is `1000.0`.

use crate::domain::Number;
use crate::python::write_float;

/// The spelling of a number with a fraction or exponent that Python prints for it; the number itself when it is too large
/// for Python, which would print no number at all.
pub(super) fn printed(number: &Number) -> Number {
    let mut spelling = String::new();
    write_float(&mut spelling, number.as_f64());
    Number::parse(&spelling).unwrap_or_else(|| number.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_as_python_does() {
        for (written, expected) in [
            ("2.50", "2.5"),
            ("1e3", "1000.0"),
            ("-0.0", "-0.0"),
            ("0.1000000000000000055", "0.1"),
            ("9007199254740993.0", "9007199254740992.0"),
            ("0.0001", "0.0001"),
            ("0.00001", "1e-05"),
            ("0.000012345", "1.2345e-05"),
            ("1234567890123456.7", "1234567890123456.8"),
            ("1e15", "1000000000000000.0"),
            ("1E16", "1e+16"),
            ("1.5e300", "1.5e+300"),
            ("5e-324", "5e-324"),
            ("1e-400", "0.0"),
            ("1e400", "1e400"),
        ] {
            assert_eq!(printed(&Number::parse(written).unwrap()).as_str(), expected, "{written}");
        }
    }
}
