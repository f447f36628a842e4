//! Between polars frames and records.

use polars::prelude::*;

use super::{Kind, Record, Schema, text};
use crate::domain::{Json, Number, Object};

/// A column's values as JSON.
pub(super) fn values(series: &Series) -> Vec<Json> {
    if let Ok(texts) = series.str() {
        return texts.iter().map(|text| text.map_or(Json::Null, Json::from)).collect();
    }
    (0..series.len()).map(|row| series.get(row).map_or(Json::Null, |value| json(&value))).collect()
}

/// A frame's rows.
pub(super) fn records(frame: &DataFrame) -> Vec<Record> {
    let mut records = vec![Record { cells: Vec::with_capacity(frame.width()), item: None }; frame.height()];
    for column in frame.columns() {
        for (record, value) in records.iter_mut().zip(values(column.as_materialized_series())) {
            record.cells.push(Some(value));
        }
    }
    records
}

/// Nothing is lost where JSON can say it; times and the like become their usual text, numbers that JSON has no word
/// for (NaN, infinities) null.
fn json(value: &AnyValue<'_>) -> Json {
    match value {
        AnyValue::Null => Json::Null,
        AnyValue::Boolean(value) => Json::Bool(*value),
        AnyValue::Float16(_) => {
            value.extract::<f32>().map_or(Json::Null, |value| text::number(&format!("{value:?}")))
        }
        AnyValue::Float32(value) => text::number(&format!("{value:?}")),
        AnyValue::Float64(value) => Number::from_f64(*value).map_or(Json::Null, Json::Number),
        AnyValue::List(series) | AnyValue::Array(series, _) => Json::Array(values(series)),
        AnyValue::Struct(..) | AnyValue::StructOwned(_) => object(value),
        AnyValue::Binary(bytes) => text::bytes(bytes),
        AnyValue::BinaryOwned(bytes) => text::bytes(bytes),
        AnyValue::Date(days) => text::date(*days),
        AnyValue::Datetime(at, unit, zone) => text::datetime(*at, *unit, zone.is_some()),
        AnyValue::DatetimeOwned(at, unit, zone) => text::datetime(*at, *unit, zone.is_some()),
        AnyValue::Time(nanoseconds) => text::time(*nanoseconds),
        AnyValue::Duration(length, unit) => text::duration(*length, *unit),
        AnyValue::Decimal(digits, _, scale) => text::decimal(*digits, *scale),
        value if value.is_integer() => text::integer(value),
        // Strings and categories.
        value => match value.get_str() {
            Some(text) => Json::from(text),
            None => Json::from(value.to_string()),
        },
    }
}

fn object(value: &AnyValue<'_>) -> Json {
    let names: Vec<String> = match value {
        AnyValue::Struct(_, _, fields) => fields.iter().map(|field| field.name.to_string()).collect(),
        AnyValue::StructOwned(owned) => owned.1.iter().map(|field| field.name.to_string()).collect(),
        _ => Vec::new(),
    };
    let mut object = Object::new();
    for (name, value) in names.into_iter().zip(value._iter_struct_av()) {
        object.insert(name, json(&value));
    }
    Json::Object(object)
}

/// A frame with `schema`'s columns. A value that its column's kind cannot hold becomes null: kinds are found by reading
/// every value first.
pub(super) fn from_records(schema: &Schema, records: &[Record]) -> PolarsResult<DataFrame> {
    let columns = schema.columns.iter().enumerate().map(|(at, column)| {
        let cells = records.iter().map(|record| record.cells.get(at).and_then(Option::as_ref));
        let name = PlSmallStr::from_str(&column.name);
        let series = match &column.kind {
            Kind::Bool => Series::new(name, cells.map(as_bool).collect::<Vec<_>>()),
            Kind::Int => Series::new(name, cells.map(as_int).collect::<Vec<_>>()),
            Kind::Float => Series::new(name, cells.map(as_float).collect::<Vec<_>>()),
            Kind::Text | Kind::Words | Kind::Json => {
                Series::new(name, cells.map(as_text).collect::<Vec<_>>())
            }
            Kind::Typed(_) => {
                Series::new(name, cells.map(as_text).collect::<Vec<_>>()).cast(&column.kind.dtype())?
            }
        };
        Ok(series.into_column())
    });
    DataFrame::new(records.len(), columns.collect::<PolarsResult<Vec<_>>>()?)
}

/// A text column that holds `value` throughout.
pub(super) fn constant(name: &str, value: Option<&str>, rows: usize) -> Column {
    let value = value.map_or(AnyValue::Null, |text| AnyValue::StringOwned(text.into()));
    Column::new_scalar(name.into(), Scalar::new(DataType::String, value), rows)
}

fn as_bool(cell: Option<&Json>) -> Option<bool> {
    match cell? {
        Json::Bool(value) => Some(*value),
        _ => None,
    }
}

fn as_int(cell: Option<&Json>) -> Option<i64> {
    match cell? {
        Json::Number(number) => number.as_i64(),
        _ => None,
    }
}

fn as_float(cell: Option<&Json>) -> Option<f64> {
    match cell? {
        Json::Number(number) => Some(number.as_f64()),
        _ => None,
    }
}

/// Texts as they are, other values as compact JSON.
fn as_text(cell: Option<&Json>) -> Option<String> {
    match cell? {
        Json::Null => None,
        Json::String(text) => Some(text.clone()),
        value => Some(value.to_string()),
    }
}
