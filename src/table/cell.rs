//! Converts optional values to table cells.

use crate::domain::{Json, Number};

/// A text, or null.
pub fn text(text: Option<&str>) -> Json {
    text.map_or(Json::Null, Json::from)
}

/// A number with places, or null; NaN and the infinities are null, as JSON has no word for them.
pub fn float(number: Option<f64>) -> Json {
    number.and_then(Number::from_f64).map_or(Json::Null, Json::Number)
}

/// A whole number, or null.
pub fn int(number: Option<u64>) -> Json {
    number.map_or(Json::Null, |number| Json::Number(number.into()))
}
