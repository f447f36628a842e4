//! Columns in Parquet: what the file says of them, and how the frame library wants them in memory to write them.

use polars::prelude::{ArrowDataType, ArrowField, ArrowSchema, ArrowTimeUnit, PolarsResult};
use polars_parquet::parquet::schema::Repetition;
use polars_parquet::parquet::schema::types::{GroupConvertedType, GroupLogicalType};
use polars_parquet::write::{ParquetType, SchemaDescriptor, to_parquet_type};

/// What readers that know Arrow are told: `schema`, as far as a Parquet file can hold it.
pub(super) fn told(schema: &ArrowSchema) -> ArrowSchema {
    changed(schema, &|dtype| match dtype {
        ArrowDataType::Time32(ArrowTimeUnit::Second) => ArrowDataType::Time32(ArrowTimeUnit::Millisecond),
        other => other.clone(),
    })
}

/// The types in memory of the columns of a [`told`] schema. Parquet itself sees no difference.
pub(super) fn in_memory(told: &ArrowSchema) -> ArrowSchema {
    use ArrowDataType::{
        Binary, BinaryView, Date32, Date64, LargeBinary, LargeList, LargeUtf8, List, Map, Timestamp, Utf8,
        Utf8View,
    };
    changed(told, &|dtype| match dtype {
        Utf8 | Utf8View => LargeUtf8,
        Binary | BinaryView => LargeBinary,
        List(item) => LargeList(item.clone()),
        Map(entries, _) => LargeList(Box::new(ArrowField { is_nullable: false, ..(**entries).clone() })),
        Date64 => Date32,
        Timestamp(ArrowTimeUnit::Second, zone) => Timestamp(ArrowTimeUnit::Millisecond, zone.clone()),
        other => other.clone(),
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

/// `schema` with every type within it changed by `change`. Maps within other types become lists.
fn changed(schema: &ArrowSchema, change: &dyn Fn(&ArrowDataType) -> ArrowDataType) -> ArrowSchema {
    let field = |field: &ArrowField| match &field.dtype {
        ArrowDataType::Map(entries, sorted) => {
            let map = ArrowDataType::Map(Box::new(changed_field(entries, change)), *sorted);
            ArrowField { dtype: change(&map), ..field.clone() }
        }
        _ => changed_field(field, change),
    };
    schema.iter_values().map(field).map(|field| (field.name.clone(), field)).collect()
}

fn changed_field(field: &ArrowField, change: &dyn Fn(&ArrowDataType) -> ArrowDataType) -> ArrowField {
    use ArrowDataType::{FixedSizeList, LargeList, List, Map, Struct};
    let within = |inner: &ArrowField| Box::new(changed_field(inner, change));
    let dtype = match &field.dtype {
        Map(inner, _) | List(inner) => List(within(inner)),
        LargeList(inner) => LargeList(within(inner)),
        FixedSizeList(inner, size) => FixedSizeList(within(inner), *size),
        Struct(members) => Struct(members.iter().map(|member| changed_field(member, change)).collect()),
        other => other.clone(),
    };
    ArrowField { dtype: change(&dtype), ..field.clone() }
}
