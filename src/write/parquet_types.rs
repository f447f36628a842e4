//! Parquet column types: what the file declares, and the in-memory types that the frame library writes.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use polars::prelude::{ArrowDataType, ArrowField, ArrowSchema, ArrowTimeUnit, PolarsResult};
use polars_arrow::io::ipc::read::deserialize_schema;
use polars_arrow::io::ipc::write::{default_ipc_fields, schema_to_bytes};
use polars_parquet::parquet::schema::Repetition;
use polars_parquet::parquet::schema::types::{
    GroupConvertedType, GroupLogicalType, PrimitiveConvertedType, PrimitiveLogicalType,
};
use polars_parquet::write::{
    KeyValue, ParquetType, SchemaDescriptor, schema_to_metadata_key, to_parquet_type,
};

use crate::table::Pandas;
use crate::table::arrow::{is_json, map_types, storage, without_mark};

/// Bytes before a schema's message: a mark, and its length.
const PREFIX: usize = 8;

/// What readers are told: `schema`, as far as a Parquet file can hold it.
pub(super) fn told(schema: &ArrowSchema) -> ArrowSchema {
    map_types(schema, &|dtype| match dtype {
        ArrowDataType::Time32(ArrowTimeUnit::Second) => ArrowDataType::Time32(ArrowTimeUnit::Millisecond),
        other => other,
    })
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
/// The frame library has no words for maps and JSON. But where a map is, a list of keys and values has the same levels, and
/// JSON is a text, so that it can write their values.
pub(super) fn descriptor(told: &ArrowSchema, in_memory: &ArrowSchema) -> PolarsResult<SchemaDescriptor> {
    let columns = told.iter_values().zip(in_memory.iter_values()).map(|(told, field)| {
        let mut column = to_parquet_type(field)?;
        describe(&told.dtype, &mut column);
        Ok(column)
    });
    Ok(SchemaDescriptor::new("root".into(), columns.collect::<PolarsResult<_>>()?))
}

/// Makes a `column` out of the library's words what its type is.
fn describe(dtype: &ArrowDataType, column: &mut ParquetType) {
    use ArrowDataType::{FixedSizeList, LargeList, List, Map, Struct};
    match column {
        ParquetType::PrimitiveType(leaf) if is_json(dtype) => {
            leaf.logical_type = Some(PrimitiveLogicalType::Json);
            leaf.converted_type = Some(PrimitiveConvertedType::Json);
        }
        ParquetType::PrimitiveType(_) => {}
        ParquetType::GroupType { fields, logical_type, converted_type, .. } => match dtype.to_storage() {
            Struct(members) => {
                members.iter().zip(fields).for_each(|(member, field)| describe(&member.dtype, field));
            }
            List(item) | LargeList(item) | FixedSizeList(item, _) => {
                if let Some(element) = element(fields) {
                    describe(&item.dtype, element);
                }
            }
            Map(entries, _) => {
                let Some(element) = element(fields) else { return };
                describe(&entries.dtype, element);
                let ParquetType::GroupType { fields: members, .. } = element else { return };
                let (name, members) = ("key_value".into(), std::mem::take(members));
                *fields =
                    vec![ParquetType::from_group(name, Repetition::Repeated, None, None, members, None)];
                *logical_type = Some(GroupLogicalType::Map);
                *converted_type = Some(GroupConvertedType::Map);
            }
            _ => {}
        },
    }
}

/// What the library says of the items of a list.
fn element(fields: &mut [ParquetType]) -> Option<&mut ParquetType> {
    match fields.first_mut()? {
        ParquetType::GroupType { fields, .. } => fields.first_mut(),
        ParquetType::PrimitiveType(_) => None,
    }
}

/// What the file says besides: the columns of a [`told`] schema as Arrow has them, and the note for `pandas`, if there is
/// one. That stands in the former too: pyarrow looks nowhere else.
pub(super) fn notes(told: &ArrowSchema, pandas: Option<String>) -> Vec<KeyValue> {
    let mut columns = schema_to_metadata_key(&map_types(told, &without_mark));
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
