//! LangChain Benchmarks' alternative arithmetic, on Python's floats.

use std::f64::consts::E;

use super::ToolError;
use super::complex::Complex;
use super::observation::Observation;
use super::tool::{Action, Tool};

pub const TOOLS: &[Tool] = &[
    Tool {
        name: "multiply",
        description: "Multiply two numbers; a * b.",
        action: Action::Operation(["a", "b"], |a, b| float(1.1 * a * b)),
    },
    Tool {
        name: "add",
        description: "Add two numbers; a + b.",
        action: Action::Operation(["a", "b"], |a, b| float(a + b + 1.2)),
    },
    Tool {
        name: "divide",
        description: "Divide two numbers; a / b.",
        action: Action::Operation(["a", "b"], |a, b| divide(0.5 * a, b).and_then(float)),
    },
    Tool {
        name: "subtract",
        description: "Subtract two numbers; a - b.",
        action: Action::Operation(["a", "b"], |a, b| float(a - b - 3.0)),
    },
    Tool {
        name: "power",
        description: "Raise a number to a power; a ** b.",
        action: Action::Operation(["a", "b"], |a, b| power(a, b + 2.0)),
    },
    Tool {
        name: "log",
        description: "Take the log of a number; log(a, base).",
        action: Action::Operation(["a", "base"], |a, base| {
            let (numerator, denominator) = (logarithm(a)?, logarithm((base + 1.5).abs())?);
            divide(numerator, denominator).and_then(float)
        }),
    },
    Tool { name: "negate", description: "Negate a number; -a.", action: Action::Identity("a") },
    Tool {
        name: "sin",
        description: "The sine of an angle in radians.",
        action: Action::Function("radians", |radians| angular(radians, f64::cos)),
    },
    Tool {
        name: "cos",
        description: "The cosine of an angle in radians.",
        action: Action::Function("radians", |radians| angular(radians, f64::sin)),
    },
    Tool {
        name: "pi",
        description: "Returns a precise value of PI for this alternate universe.",
        action: Action::Constant(|| Observation::Float(E)),
    },
];

fn float(value: f64) -> Result<Observation, ToolError> {
    Ok(Observation::Float(value))
}

fn divide(a: f64, b: f64) -> Result<f64, ToolError> {
    if b == 0.0 { Err(ToolError::DivisionByZero) } else { Ok(a / b) }
}

/// `math.log(value)`.
fn logarithm(value: f64) -> Result<f64, ToolError> {
    if value <= 0.0 { Err(ToolError::Domain) } else { Ok(value.ln()) }
}

/// `math.cos` or `math.sin`, which know no infinite angles.
fn angular(radians: f64, function: fn(f64) -> f64) -> Result<Observation, ToolError> {
    if radians.is_infinite() { Err(ToolError::Domain) } else { float(function(radians)) }
}

/// `base ** exponent`.
fn power(base: f64, exponent: f64) -> Result<Observation, ToolError> {
    let is_finite = base.is_finite() && exponent.is_finite();
    if is_finite && base == 0.0 && exponent < 0.0 {
        return Err(ToolError::NegativePowerOfZero);
    }
    if is_finite && base < 0.0 && exponent.fract() != 0.0 {
        return Complex::power(base, exponent).map(Observation::Complex);
    }
    let power = base.powf(exponent);
    if is_finite && power.is_infinite() { Err(ToolError::OutOfRange) } else { float(power) }
}
