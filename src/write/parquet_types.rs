//! Columns in Parquet: what the file says of them, and how the frame library wants them in memory to write them.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use polars::prelude::{ArrowDataType, ArrowField, ArrowSchema, ArrowTimeUnit, PolarsResult};
use polars_arrow::io::ipc::read::deserialize_schema;
use polars_arrow::io::ipc::write::{default_ipc_fields, schema_to_bytes};
use polars_parquet::parquet::schema::Repetition;
use polars_parquet::parquet::schema::types::{GroupConvertedType, GroupLogicalType};
use polars_parquet::write::{
    KeyValue, ParquetType, SchemaDescriptor, schema_to_metadata_key, to_parquet_type,
};

use crate::table::Pandas;
use crate::table::arrow::{map_field, map_types, storage};

/// Bytes before a schema's message: a mark, and its length.
const PREFIX: usize = 8;

/// What readers that know Arrow are told: `schema`, as far as a Parquet file can hold it. Maps within other types become
/// lists of keys and values.
pub(super) fn told(schema: &ArrowSchema) -> ArrowSchema {
    let change = |dtype| match dtype {
        ArrowDataType::Time32(ArrowTimeUnit::Second) => ArrowDataType::Time32(ArrowTimeUnit::Millisecond),
        ArrowDataType::Map(entries, _) => ArrowDataType::List(entries),
        other => other,
    };
    let field = |field: &ArrowField| {
        let changed = map_field(field, &change);
        match (&field.dtype, changed.dtype) {
            (ArrowDataType::Map(_, sorted), ArrowDataType::List(entries)) => {
                ArrowField { dtype: ArrowDataType::Map(entries, *sorted), ..field.clone() }
            }
            (_, dtype) => ArrowField { dtype, ..field.clone() },
        }
    };
    schema.iter_values().map(field).map(|field| (field.name.clone(), field)).collect()
}

/// The types in memory of the columns of a [`told`] schema. Parquet itself sees no difference.
pub(super) fn in_memory(told: &ArrowSchema) -> ArrowSchema {
    use ArrowDataType::{
        Binary, BinaryView, Date32, Date64, LargeBinary, LargeList, LargeUtf8, List, Map, Timestamp, Utf8,
        Utf8View,
    };
    map_types(told, &|dtype| match storage(dtype) {
        Utf8 | Utf8View => LargeUtf8,
        Binary | BinaryView => LargeBinary,
        List(item) => LargeList(item),
        Map(entries, _) => LargeList(Box::new(ArrowField { is_nullable: false, ..*entries })),
        Date64 => Date32,
        Timestamp(ArrowTimeUnit::Second, zone) => Timestamp(ArrowTimeUnit::Millisecond, zone),
        other => other,
    })
}

/// What every reader is told of the columns of a [`told`] schema that are `in_memory` so.
///
/// The frame library has no words for maps. But where they stand, a list of keys and values has the same levels, so that
/// it can write their values.
pub(super) fn descriptor(told: &ArrowSchema, in_memory: &ArrowSchema) -> PolarsResult<SchemaDescriptor> {
    let columns = told.iter_values().zip(in_memory.iter_values()).map(|(told, field)| {
        match (&told.dtype, &field.dtype) {
            (ArrowDataType::Map(..), ArrowDataType::LargeList(entries)) => map_type(field, entries),
            _ => to_parquet_type(field),
        }
    });
    Ok(SchemaDescriptor::new("root".into(), columns.collect::<PolarsResult<_>>()?))
}

/// What the file says besides: the columns of a [`told`] schema as Arrow has them, and the note for `pandas`, if there is
/// one. That stands in the former too: pyarrow looks nowhere else.
pub(super) fn notes(told: &ArrowSchema, pandas: Option<String>) -> Vec<KeyValue> {
    let mut columns = schema_to_metadata_key(told);
    let Some(note) = pandas else { return vec![columns] };
    if let Some(with_note) = columns.value.as_deref().and_then(|value| with_note(value, &note)) {
        columns.value = Some(with_note);
    }
    vec![columns, KeyValue { key: Pandas::KEY.to_owned(), value: Some(note) }]
}

/// An encoded schema with one more note: the library has no words for these where columns are nested.
fn with_note(encoded: &str, note: &str) -> Option<String> {
    let message = STANDARD.decode(encoded).ok()?;
    let (schema, ..) = deserialize_schema(message.get(PREFIX..)?).ok()?;
    let notes = [(Pandas::KEY.into(), note.into())].into_iter().collect();
    let message = schema_to_bytes(&schema, &default_ipc_fields(schema.iter_values()), Some(&notes));
    let length = u32::try_from(message.len()).ok()?;
    Some(STANDARD.encode([&[0xff; 4], &length.to_le_bytes()[..], &message].concat()))
}

fn map_type(field: &ArrowField, entries: &ArrowField) -> PolarsResult<ParquetType> {
    let members = match &entries.dtype {
        ArrowDataType::Struct(members) => members.iter().map(to_parquet_type).collect::<PolarsResult<_>>()?,
        _ => vec![to_parquet_type(entries)?],
    };
    let repetition = if field.is_nullable { Repetition::Optional } else { Repetition::Required };
    let entries =
        ParquetType::from_group("key_value".into(), Repetition::Repeated, None, None, members, None);
    Ok(ParquetType::from_group(
        field.name.clone(),
        repetition,
        Some(GroupConvertedType::Map),
        Some(GroupLogicalType::Map),
        vec![entries],
        None,
    ))
}
