//! Numbers in typed files that JSON lacks: NaN and the infinities.

use polars::prelude::*;

/// Which rows of a column have such a number, at any depth; `None` where its type holds none.
pub(super) fn rows(series: &Series) -> Option<Vec<bool>> {
    if !holds_floats(series.dtype()) {
        return None;
    }
    let within = |row| series.get(row).is_ok_and(|value| is_within(&value));
    Some((0..series.len()).map(within).collect())
}

/// What the numbers of a column are called where no JSON is needed, in rows where they are not finite; `None` if all are.
pub(super) fn words(series: &Series) -> Option<Vec<Option<&'static str>>> {
    if !series.dtype().is_float() {
        return None;
    }
    let word = |row| series.get(row).ok().as_ref().and_then(float).and_then(word);
    let words: Vec<Option<&str>> = (0..series.len()).map(word).collect();
    words.iter().any(Option::is_some).then_some(words)
}

/// As polars and pandas write and read it.
fn word(value: f64) -> Option<&'static str> {
    match value {
        f64::INFINITY => Some("inf"),
        f64::NEG_INFINITY => Some("-inf"),
        value if value.is_nan() => Some("NaN"),
        _ => None,
    }
}

fn holds_floats(dtype: &DataType) -> bool {
    match dtype {
        DataType::List(inner) | DataType::Array(inner, _) => holds_floats(inner),
        DataType::Struct(fields) => fields.iter().any(|field| holds_floats(field.dtype())),
        other => other.is_float(),
    }
}

fn is_within(value: &AnyValue<'_>) -> bool {
    match value {
        AnyValue::List(items) | AnyValue::Array(items, _) => {
            rows(items).is_some_and(|rows| rows.contains(&true))
        }
        AnyValue::Struct(..) | AnyValue::StructOwned(_) => {
            value._iter_struct_av().any(|value| is_within(&value))
        }
        other => float(other).is_some_and(|value| !value.is_finite()),
    }
}

fn float(value: &AnyValue<'_>) -> Option<f64> {
    match value {
        AnyValue::Float64(value) => Some(*value),
        AnyValue::Float32(value) => Some(f64::from(*value)),
        AnyValue::Float16(_) => value.extract::<f32>().map(f64::from),
        _ => None,
    }
}
