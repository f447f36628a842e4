//! Arguments by the rules of pydantic 1; [`Input`](super::Input) has the table.

use super::error::{Fault, FieldError, InvalidArguments, ToolError};
use crate::domain::{Json, Number, Object};
use crate::python;

/// Longer texts the peer refuses to read as integers, counted in characters.
const MAX_INTEGER_TEXT: usize = 4300;

/// Reads the fields of a tool one after another and collects what is wrong with them.
pub struct Arguments<'a> {
    fields: &'a Object,
    errors: Vec<FieldError>,
}

impl<'a> Arguments<'a> {
    pub fn new(fields: &'a Object) -> Arguments<'a> {
        Arguments { fields, errors: Vec::new() }
    }

    /// The value of a field that `read` reads; `None` if something is wrong with it.
    fn field<T>(&mut self, field: &'static str, read: fn(&Json) -> Result<T, Fault>) -> Option<T> {
        let value = match self.fields.get(field) {
            None => Err(Fault::Missing),
            Some(Json::Null) => Err(Fault::Null),
            Some(value) => read(value),
        };
        value.map_err(|fault| self.errors.push(FieldError { field, fault })).ok()
    }

    pub fn text(&mut self, field: &'static str) -> Option<String> {
        self.field(field, text)
    }

    pub fn integer(&mut self, field: &'static str) -> Option<Number> {
        self.field(field, integer)
    }

    /// An integer beyond the range of floats is not collected with other errors: in the peer it escapes from the checks.
    pub fn number(&mut self, field: &'static str) -> Result<Option<f64>, ToolError> {
        match self.fields.get(field) {
            Some(Json::Number(value)) if value.is_integer() && value.as_f64().is_infinite() => {
                Err(ToolError::IntegerTooLarge)
            }
            _ => Ok(self.field(field, number)),
        }
    }

    /// All that was wrong with the fields of `tool`.
    pub fn error(self, tool: &'static str) -> ToolError {
        ToolError::InvalidArguments(InvalidArguments { tool, errors: self.errors })
    }
}

fn text(value: &Json) -> Result<String, Fault> {
    match value {
        Json::Null | Json::Array(_) | Json::Object(_) => Err(Fault::NotText),
        Json::Bool(_) | Json::Number(_) | Json::String(_) => {
            let mut text = String::new();
            python::write_str(&mut text, value);
            Ok(text)
        }
    }
}

fn integer(value: &Json) -> Result<Number, Fault> {
    let read = match value {
        Json::Bool(truth) => Some(Number::from(i64::from(*truth))),
        Json::Number(number) => whole(number),
        Json::String(text) if text.chars().nth(MAX_INTEGER_TEXT).is_some() => None,
        Json::String(text) => python::int(text),
        Json::Null | Json::Array(_) | Json::Object(_) => None,
    };
    read.ok_or(Fault::NotInteger)
}

/// `int` of a number: a float loses its fraction and keeps all digits of its value.
fn whole(number: &Number) -> Option<Number> {
    let text = match number.as_f64() {
        _ if number.is_integer() => number.as_str().to_owned(),
        value if value.is_finite() => format!("{:.0}", value.trunc()),
        _ => return None,
    };
    Number::parse(if text == "-0" { "0" } else { &text })
}

fn number(value: &Json) -> Result<f64, Fault> {
    let read = match value {
        Json::Bool(truth) => Some(f64::from(u8::from(*truth))),
        Json::Number(number) => Some(number.as_f64()),
        Json::String(text) => python::float(text),
        Json::Null | Json::Array(_) | Json::Object(_) => None,
    };
    read.ok_or(Fault::NotNumber)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What each kind of field makes of a value; `-` where it refuses it. Checked against pydantic 1.10.
    #[test]
    fn rules() {
        let spaces = format!("\"{}5\"", " ".repeat(4300));
        let fitting = format!("\"{}5\"", " ".repeat(4299));
        for (value, as_integer, as_number, as_text) in [
            ("21", "21", "21.0", "21"),
            ("-0", "0", "-0.0", "0"),
            ("-0.5", "0", "-0.5", "-0.5"),
            ("-0.0", "0", "-0.0", "-0.0"),
            ("21.7", "21", "21.7", "21.7"),
            ("-21.7", "-21", "-21.7", "-21.7"),
            ("5.0", "5", "5.0", "5.0"),
            ("1e2", "100", "100.0", "100.0"),
            ("1e22", "10000000000000000000000", "1e22", "1e+22"),
            ("1e23", "99999999999999991611392", "1e23", "1e+23"),
            ("1e-400", "0", "0.0", "0.0"),
            ("1e400", "-", "inf", "inf"),
            (
                "123456789012345678901",
                "123456789012345678901",
                "1.2345678901234568e20",
                "123456789012345678901",
            ),
            ("true", "1", "1.0", "True"),
            ("false", "0", "0.0", "False"),
            ("null", "-", "-", "-"),
            ("[]", "-", "-", "-"),
            ("[1]", "-", "-", "-"),
            ("{}", "-", "-", "-"),
            (r#""""#, "-", "-", ""),
            (r#""x""#, "-", "-", "x"),
            (r#""21.0""#, "-", "21.0", "21.0"),
            (r#"" 35 ""#, "35", "35.0", " 35 "),
            (r#""+1_000""#, "1000", "1000.0", "+1_000"),
            (r#""٣""#, "3", "3.0", "٣"),
            (r#""1e3""#, "-", "1000.0", "1e3"),
            (r#""nan""#, "-", "NaN", "nan"),
            (r#""-inf""#, "-", "-inf", "-inf"),
            (r#""True""#, "-", "-", "True"),
            (&spaces, "-", "5.0", &spaces[1..4302]),
            (&fitting, "5", "5.0", &fitting[1..4301]),
        ] {
            let json = Json::parse(value).unwrap();
            let shown = |read: Result<String, Fault>| read.unwrap_or_else(|_| "-".to_owned());
            assert_eq!(shown(integer(&json).map(|n| n.as_str().to_owned())), as_integer, "integer {value}");
            // Rust writes floats with other exponents than Python.
            assert_eq!(shown(number(&json).map(|n| format!("{n:?}"))), as_number, "number {value}");
            assert_eq!(shown(text(&json)), as_text, "text {value}");
        }
    }

    #[test]
    fn an_integer_beyond_floats_is_not_a_fault_of_its_field() {
        for (digits, expected) in [(308, Ok(Some(1e308))), (309, Err(ToolError::IntegerTooLarge))] {
            let mut fields = Object::new();
            fields.insert("a", Json::Number(Number::parse(&format!("1{}", "0".repeat(digits))).unwrap()));
            assert_eq!(Arguments::new(&fields).number("a"), expected);
            assert!(Arguments::new(&fields).integer("a").is_some());
        }
    }
}
