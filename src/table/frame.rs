//! Between polars frames and records.

use polars::prelude::*;

use super::arrow::is_json;
use super::{Kind, Record, Schema, text};
use crate::domain::{Json, Number};

/// A column's values as JSON; `file` is the type that it has in its file, if it comes from one.
pub(super) fn values(series: &Series, file: Option<&ArrowDataType>) -> Vec<Json> {
    if let Ok(texts) = series.str()
        && !file.is_some_and(is_json)
    {
        return texts.iter().map(|text| text.map_or(Json::Null, Json::from)).collect();
    }
    (0..series.len()).map(|row| series.get(row).map_or(Json::Null, |value| json(&value, file))).collect()
}

/// A frame's rows.
pub(super) fn records(frame: &DataFrame, schema: &Schema) -> Vec<Record> {
    let mut records = vec![Record { cells: Vec::with_capacity(frame.width()), item: None }; frame.height()];
    for (at, column) in frame.columns().iter().enumerate() {
        let file = schema.columns.get(at).and_then(|column| column.kind.file());
        for (record, value) in records.iter_mut().zip(values(column.as_materialized_series(), file)) {
            record.cells.push(Some(value));
        }
    }
    records
}

/// Nothing is lost where JSON can say it; times and the like become their usual text, numbers that JSON has no word
/// for (NaN, infinities) null.
fn json(value: &AnyValue<'_>, file: Option<&ArrowDataType>) -> Json {
    if file.is_some_and(is_json) {
        // A text that is no JSON after all stays what it is.
        let text = json(value, None);
        return text.as_str().and_then(|text| Json::parse(text).ok()).unwrap_or(text);
    }
    match value {
        AnyValue::Null => Json::Null,
        AnyValue::Boolean(value) => Json::Bool(*value),
        AnyValue::Float16(_) => {
            value.extract::<f32>().map_or(Json::Null, |value| text::number(&format!("{value:?}")))
        }
        AnyValue::Float32(value) => text::number(&format!("{value:?}")),
        AnyValue::Float64(value) => Number::from_f64(*value).map_or(Json::Null, Json::Number),
        AnyValue::List(entries) if is_map(file) => map(entries, inner(file)),
        AnyValue::List(series) | AnyValue::Array(series, _) => Json::Array(values(series, inner(file))),
        AnyValue::Struct(..) | AnyValue::StructOwned(_) => object(value, file),
        AnyValue::Binary(bytes) => text::bytes(bytes),
        AnyValue::BinaryOwned(bytes) => text::bytes(bytes),
        AnyValue::Date(days) => text::date(*days),
        AnyValue::Datetime(at, unit, zone) => text::datetime(*at, *unit, zone.map(|zone| zone.as_str())),
        AnyValue::DatetimeOwned(at, unit, zone) => {
            text::datetime(*at, *unit, zone.as_ref().map(|zone| zone.as_str()))
        }
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

/// A struct has the fields of all rows, whatever this row has of them: a field without a value is one that the row does
/// not have. No file tells it from a null that somebody wrote, and nobody passes a null as often as rows differ.
fn object(value: &AnyValue<'_>, file: Option<&ArrowDataType>) -> Json {
    let names: Vec<&PlSmallStr> = match value {
        AnyValue::Struct(_, _, fields) => fields.iter().map(|field| &field.name).collect(),
        AnyValue::StructOwned(owned) => owned.1.iter().map(|field| &field.name).collect(),
        _ => Vec::new(),
    };
    let fields = names.into_iter().zip(value._iter_struct_av()).enumerate();
    let present = fields.filter(|(_, (_, value))| !value.is_null());
    Json::Object(
        present.map(|(at, (name, value))| (name.to_string(), json(&value, member(file, at)))).collect(),
    )
}

/// A map has the keys of its own row only, so a null in it was written there.
fn map(entries: &Series, file: Option<&ArrowDataType>) -> Json {
    let entry = |row| {
        let entry = entries.get(row).ok()?;
        let mut parts = entry._iter_struct_av();
        let key = match json(&parts.next()?, member(file, 0)) {
            Json::String(key) => key,
            key => key.to_string(),
        };
        Some((key, parts.next().map_or(Json::Null, |value| json(&value, member(file, 1)))))
    };
    Json::Object((0..entries.len()).filter_map(entry).collect())
}

fn is_map(file: Option<&ArrowDataType>) -> bool {
    matches!(file.map(ArrowDataType::to_storage), Some(ArrowDataType::Map(..)))
}

/// The type of a list's items.
fn inner(file: Option<&ArrowDataType>) -> Option<&ArrowDataType> {
    use ArrowDataType::{FixedSizeList, LargeList, List, Map};
    match file?.to_storage() {
        List(inner) | LargeList(inner) | FixedSizeList(inner, _) | Map(inner, _) => Some(&inner.dtype),
        _ => None,
    }
}

/// The type of a struct's field.
fn member(file: Option<&ArrowDataType>, at: usize) -> Option<&ArrowDataType> {
    match file?.to_storage() {
        ArrowDataType::Struct(members) => members.get(at).map(|member| &member.dtype),
        _ => None,
    }
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
            Kind::Text | Kind::Words | Kind::Json | Kind::OtherKeys(_) => {
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
