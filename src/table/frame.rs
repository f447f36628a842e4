//! Converts between polars frames and records.

use polars::prelude::*;

use super::arrow::{is_json, is_padded};
use super::{Kind, Record, Schema, text};
use crate::domain::{Json, Number};

/// How a column is read.
#[derive(Clone, Copy)]
pub(super) struct Reading<'a> {
    /// The type that it has in its file, if it comes from one.
    pub file: Option<&'a ArrowDataType>,
    pub blanks: Blanks,
}

/// What becomes of fields without a value. A struct has the fields of all rows, whatever this row has of them, and no file tells a
/// field that the row does not have from a null that somebody wrote.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Blanks {
    /// They are absent: nobody passes a null as often as rows differ.
    Absent,
    /// They are null, for whoever can tell from elsewhere which they are.
    Null,
}

/// A column's values as JSON.
pub(super) fn values(series: &Series, reading: Reading<'_>) -> Vec<Json> {
    if let Ok(texts) = series.str()
        && !reading.file.is_some_and(is_json)
    {
        return texts.iter().map(|text| text.map_or(Json::Null, Json::from)).collect();
    }
    (0..series.len()).map(|row| series.get(row).map_or(Json::Null, |value| reading.json(&value))).collect()
}

/// A frame's rows.
pub(super) fn records(frame: &DataFrame, schema: &Schema) -> Vec<Record> {
    let mut records = vec![Record { cells: Vec::with_capacity(frame.width()), item: None }; frame.height()];
    for (at, column) in frame.columns().iter().enumerate() {
        let file = schema.columns.get(at).and_then(|column| column.kind.file());
        let reading = Reading { file, blanks: Blanks::Absent };
        for (record, value) in records.iter_mut().zip(values(column.as_materialized_series(), reading)) {
            record.cells.push(Some(value));
        }
    }
    records
}

impl Reading<'_> {
    /// Nothing is lost where JSON can say it; times and the like become their usual text, numbers that JSON has no word
    /// for (NaN, infinities) null.
    fn json(self, value: &AnyValue<'_>) -> Json {
        if self.file.is_some_and(is_json) {
            return self.of_text(Reading { file: None, ..self }.json(value));
        }
        match value {
            AnyValue::Null => Json::Null,
            AnyValue::Boolean(value) => Json::Bool(*value),
            AnyValue::Float16(_) => {
                value.extract::<f32>().map_or(Json::Null, |value| text::number(&format!("{value:?}")))
            }
            AnyValue::Float32(value) => text::number(&format!("{value:?}")),
            AnyValue::Float64(value) => Number::from_f64(*value).map_or(Json::Null, Json::Number),
            AnyValue::List(entries) if self.is_map() => self.inner().map(entries),
            AnyValue::List(series) | AnyValue::Array(series, _) => Json::Array(values(series, self.inner())),
            AnyValue::Struct(..) | AnyValue::StructOwned(_) => self.object(value),
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

    /// What a text that is to be JSON holds; one that is no JSON after all stays what it is.
    fn of_text(self, text: Json) -> Json {
        let Some(Ok(json)) = text.as_str().map(Json::parse) else { return text };
        match self.file.is_some_and(is_padded) && self.blanks == Blanks::Absent {
            true => json.without_nulls(),
            false => json,
        }
    }

    fn object(self, value: &AnyValue<'_>) -> Json {
        let names: Vec<&PlSmallStr> = match value {
            AnyValue::Struct(_, _, fields) => fields.iter().map(|field| &field.name).collect(),
            AnyValue::StructOwned(owned) => owned.1.iter().map(|field| &field.name).collect(),
            _ => Vec::new(),
        };
        let fields = names.into_iter().zip(value._iter_struct_av()).enumerate();
        let wanted = fields.filter(|(_, (_, value))| self.blanks == Blanks::Null || !value.is_null());
        Json::Object(
            wanted.map(|(at, (name, value))| (name.to_string(), self.member(at).json(&value))).collect(),
        )
    }

    /// A map has the keys of its own row only, so a null in it was written there.
    fn map(self, entries: &Series) -> Json {
        let entry = |row| {
            let entry = entries.get(row).ok()?;
            let mut parts = entry._iter_struct_av();
            let key = match self.member(0).json(&parts.next()?) {
                Json::String(key) => key,
                key => key.to_string(),
            };
            Some((key, parts.next().map_or(Json::Null, |value| self.member(1).json(&value))))
        };
        Json::Object((0..entries.len()).filter_map(entry).collect())
    }

    fn is_map(self) -> bool {
        matches!(self.file.map(ArrowDataType::to_storage), Some(ArrowDataType::Map(..)))
    }

    /// The items of a list.
    fn inner(self) -> Self {
        use ArrowDataType::{FixedSizeList, LargeList, List, Map};
        let file = self.file.and_then(|file| match file.to_storage() {
            List(inner) | LargeList(inner) | FixedSizeList(inner, _) | Map(inner, _) => Some(&inner.dtype),
            _ => None,
        });
        Reading { file, ..self }
    }

    /// A field of a struct.
    fn member(self, at: usize) -> Self {
        let file = self.file.and_then(|file| match file.to_storage() {
            ArrowDataType::Struct(members) => members.get(at).map(|member| &member.dtype),
            _ => None,
        });
        Reading { file, ..self }
    }
}

/// Whether a column may have fields without a value.
pub(super) fn may_have_blanks(dtype: &DataType, file: &ArrowDataType) -> bool {
    is_padded(file) || has_structs(dtype)
}

fn has_structs(dtype: &DataType) -> bool {
    match dtype {
        DataType::Struct(_) => true,
        DataType::List(inner) | DataType::Array(inner, _) => has_structs(inner),
        _ => false,
    }
}

/// The texts of a padded column without the fields that their rows may not have had.
pub(super) fn without_blanks(column: &Column) -> PolarsResult<Column> {
    let stripped = |text: &str| match Json::parse(text) {
        Ok(json) => json.without_nulls().to_string(),
        Err(_) => text.to_owned(),
    };
    let texts = column.str()?.iter().map(|text| text.map(stripped));
    Ok(Series::new(column.name().clone(), texts.collect::<Vec<_>>()).into_column())
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
            Kind::Text | Kind::Words | Kind::Json | Kind::Padded | Kind::OtherKeys(_) => {
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
