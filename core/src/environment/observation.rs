//! The result of a call as the agent sees it.

use std::fmt;

use super::complex::Complex;
use crate::domain::{Json, Number};
use crate::python::{write_json, write_json_float};

/// What a tool returned.
#[derive(Debug, Clone, PartialEq)]
pub enum Observation {
    /// A text, an integer or a list.
    Value(Json),
    /// A float, perhaps infinite or not a number.
    Float(f64),
    /// A power of a negative number.
    Complex(Complex),
}

impl Observation {
    /// As JSON, which has no infinite numbers, no NaN and no complex ones: these as the texts that Python writes.
    pub fn to_json(&self) -> Json {
        match self {
            Observation::Value(value) => value.clone(),
            Observation::Float(value) => {
                Number::from_f64(*value).map_or_else(|| self.written(), Json::Number)
            }
            Observation::Complex(_) => self.written(),
        }
    }

    fn written(&self) -> Json {
        Json::from(self.to_string())
    }

    pub(super) fn text(text: impl Into<String>) -> Observation {
        Observation::Value(Json::String(text.into()))
    }
}

/// The text that the model sees: texts as they are, complex numbers as Python's `str` writes them, all else as
/// `json.dumps(…, ensure_ascii=False)` does.
impl fmt::Display for Observation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        match self {
            Observation::Value(Json::String(text)) => return f.write_str(text),
            Observation::Value(value) => write_json(&mut out, value),
            Observation::Float(value) => write_json_float(&mut out, *value),
            Observation::Complex(value) => return write!(f, "{value}"),
        }
        f.write_str(&out)
    }
}
