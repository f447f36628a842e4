//! Numbers in source code, parsed as Python does.

use std::borrow::Cow;

use super::failure::Exception;
use super::value::Value;
use crate::python;

/// `int(text)`.
pub fn int(text: &str) -> Result<Value<'static>, Exception> {
    let number = python::int(text).ok_or(Exception::ValueError)?;
    Ok(match number.as_i64() {
        Some(small) => Value::Int(small),
        None => Value::BigInt(Cow::Owned(number.as_str().to_owned())),
    })
}

/// `float(text)`.
pub fn float(text: &str) -> Result<Value<'static>, Exception> {
    python::float(text).map(Value::Float).ok_or(Exception::ValueError)
}

/// What `int(text)` makes of it, else `float(text)`, else the text.
pub fn number_or_text(text: &str) -> Value<'static> {
    int(text).or_else(|_| float(text)).unwrap_or_else(|_| Value::Str(Cow::Owned(text.to_owned())))
}
