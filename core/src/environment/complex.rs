//! Complex numbers, as far as powers of negative numbers need them.

use std::fmt;

use super::ToolError;
use crate::python::write_float;

/// A complex number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Complex {
    /// The real part.
    pub real: f64,
    /// The imaginary part.
    pub imaginary: f64,
}

impl Complex {
    /// `base ** exponent` of a negative base and an exponent with a fraction.
    pub(super) fn power(base: f64, exponent: f64) -> Result<Complex, ToolError> {
        let length = base.abs().powf(exponent);
        let (sine, cosine) = (std::f64::consts::PI * exponent).sin_cos();
        let power = Complex { real: length * cosine, imaginary: length * sine };
        let overflows = power.real.is_infinite() || power.imaginary.is_infinite();
        if overflows { Err(ToolError::ComplexOutOfRange) } else { Ok(power) }
    }
}

/// As Python's `str` writes it: `(1e-16+2j)`, `2.5j`.
impl fmt::Display for Complex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (real, imaginary) = (short(self.real), short(self.imaginary));
        if self.real == 0.0 && self.real.is_sign_positive() {
            return write!(f, "{imaginary}j");
        }
        let plus = if imaginary.starts_with('-') { "" } else { "+" };
        write!(f, "({real}{plus}{imaginary}j)")
    }
}

/// A part of a complex number: whole numbers have no point there.
fn short(part: f64) -> String {
    let mut text = String::new();
    write_float(&mut text, part);
    let whole = text.strip_suffix(".0").map(str::len);
    text.truncate(whole.unwrap_or(text.len()));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_python_writes_them() {
        for (base, exponent, expected) in [
            (-2.0, 2.5, "(1.7319121124709869e-15+5.656854249492381j)"),
            (-1.0, 0.5, "(6.123233995736766e-17+1j)"),
            (-8.0, -0.5, "(2.1648901405887335e-17-0.3535533905932738j)"),
            (-1e-200, 1.5, "(-1.8369702e-316-1e-300j)"),
            (-1e-300, 1.5, "(-0-0j)"),
            (-4.0, 1e-320, "(1+3.142e-320j)"),
            (-0.5, 1074.5, "5e-324j"),
            (-0.5, 1075.5, "-0j"),
            (-1e16, 1.0000001, "(-1.0000036841428882e+16-3141604229.981574j)"),
        ] {
            assert_eq!(Complex::power(base, exponent).unwrap().to_string(), expected, "{base} ** {exponent}");
        }
        assert_eq!(Complex::power(-1e300, 1.5), Err(ToolError::ComplexOutOfRange));
    }
}
