//! Parquet's column types, before the frame library maps them to its own.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use polars::io::parquet::metadata::FileMetadataRef;
use polars::prelude::{ArrowDataType, ArrowField, ArrowSchema, ArrowTimeUnit};
use polars_arrow::io::ipc::read::deserialize_schema;
use polars_parquet::parquet::metadata::FileMetadata;
use polars_parquet::parquet::schema::types::{
    GroupConvertedType, GroupLogicalType, ParquetType, PrimitiveConvertedType, PrimitiveLogicalType,
};
use polars_parquet::read::infer_schema;
use polars_parquet::write::schema_to_metadata_key;

use crate::table::Pandas;
use crate::table::arrow::{map_types, marked_json, storage};

/// Where writers that know Arrow keep the schema they had.
const ARROW_SCHEMA: &str = "ARROW:schema";

/// The columns of a file with this footer, which are `read` to the frame library.
pub(super) fn schema(footer: &FileMetadata, noted: Option<&ArrowSchema>, read: &ArrowSchema) -> ArrowSchema {
    // A note has no word for texts that are JSON.
    let known = noted.filter(|noted| noted.iter_names().eq(read.iter_names())).unwrap_or(read);
    let columns = known.iter_values().zip(footer.schema_descr.fields());
    let fields = columns.map(|(field, column)| as_the_file_says(field, column));
    fields.map(|field| (field.name.clone(), field)).collect()
}

/// `footer` with a note of the Arrow schema that the frame library can follow: it knows no extension types, takes for
/// seconds what Parquet holds as milliseconds, and for bytes what is JSON.
pub(super) fn readable(footer: &FileMetadataRef, noted: Option<&ArrowSchema>) -> FileMetadataRef {
    let Some(noted) = noted else { return with_json_as_text(footer) };
    let readable = map_types(noted, &|dtype| match storage(dtype) {
        ArrowDataType::Time32(ArrowTimeUnit::Second) => ArrowDataType::Time32(ArrowTimeUnit::Millisecond),
        other => other,
    });
    if readable == *noted {
        return Arc::clone(footer);
    }
    let mut footer = (**footer).clone();
    for entry in footer.key_value_metadata.iter_mut().flatten().filter(|entry| entry.key == ARROW_SCHEMA) {
        *entry = schema_to_metadata_key(&readable);
    }
    Arc::new(footer)
}

/// `footer`, with a note where it has columns of JSON.
fn with_json_as_text(footer: &FileMetadataRef) -> FileMetadataRef {
    // What is wrong with the columns is said by whoever reads them.
    let Ok(read) = infer_schema(footer) else { return Arc::clone(footer) };
    let texts = map_types(&schema(footer, None, &read), &|dtype| match storage(dtype) {
        ArrowDataType::Map(entries, _) => ArrowDataType::LargeList(entries),
        other => other,
    });
    if texts == read {
        return Arc::clone(footer);
    }
    let mut footer = (**footer).clone();
    footer.key_value_metadata.get_or_insert_default().push(schema_to_metadata_key(&texts));
    Arc::new(footer)
}

/// The Arrow schema that the file's writer noted.
pub(super) fn noted(footer: &FileMetadata) -> Option<ArrowSchema> {
    let entries = footer.key_value_metadata.as_ref()?;
    let encoded = entries.iter().find(|entry| entry.key == ARROW_SCHEMA)?.value.as_ref()?;
    let bytes = STANDARD.decode(encoded).ok()?;
    // A message of the stream format, whose length stands before it; older writers leave that out.
    let message = if bytes.starts_with(&[0xff; 4]) { bytes.get(8..)? } else { &bytes };
    deserialize_schema(message).ok().map(|(schema, ..)| schema)
}

/// What pandas noted, if it wrote the file.
pub(super) fn pandas(footer: &FileMetadata) -> Option<Pandas> {
    let entries = footer.key_value_metadata.as_ref()?;
    Pandas::read(entries.iter().find(|entry| entry.key == Pandas::KEY)?.value.as_ref()?)
}

/// `field` with the types for which the frame library has others: maps, which are lists of keys and values to it, and
/// texts that are JSON.
fn as_the_file_says(field: &ArrowField, column: &ParquetType) -> ArrowField {
    if let ParquetType::PrimitiveType(leaf) = column {
        let is_json = leaf.logical_type == Some(PrimitiveLogicalType::Json)
            || leaf.converted_type == Some(PrimitiveConvertedType::Json);
        let dtype = match &field.dtype {
            // The frame library takes JSON for bytes where nobody says that it is text.
            ArrowDataType::Binary | ArrowDataType::LargeBinary | ArrowDataType::BinaryView if is_json => {
                marked_json(ArrowDataType::Utf8View)
            }
            text @ (ArrowDataType::Utf8 | ArrowDataType::LargeUtf8 | ArrowDataType::Utf8View) if is_json => {
                marked_json(text.clone())
            }
            other => other.clone(),
        };
        return ArrowField { dtype, ..field.clone() };
    }
    let ParquetType::GroupType { logical_type, converted_type, fields, .. } = column else {
        return field.clone();
    };
    let is_map = *logical_type == Some(GroupLogicalType::Map)
        || matches!(converted_type, Some(GroupConvertedType::Map | GroupConvertedType::MapKeyValue));
    let dtype = match (&field.dtype, fields.as_slice()) {
        (ArrowDataType::LargeList(entry), [repeated]) if is_map => {
            ArrowDataType::Map(Box::new(as_the_file_says(entry, repeated)), false)
        }
        (ArrowDataType::Map(entry, sorted), [repeated]) => {
            ArrowDataType::Map(Box::new(as_the_file_says(entry, repeated)), *sorted)
        }
        (ArrowDataType::LargeList(item), [ParquetType::GroupType { fields, .. }]) if fields.len() == 1 => {
            ArrowDataType::LargeList(Box::new(as_the_file_says(item, &fields[0])))
        }
        (ArrowDataType::List(item), [ParquetType::GroupType { fields, .. }]) if fields.len() == 1 => {
            ArrowDataType::List(Box::new(as_the_file_says(item, &fields[0])))
        }
        (ArrowDataType::FixedSizeList(item, size), [ParquetType::GroupType { fields, .. }])
            if fields.len() == 1 =>
        {
            ArrowDataType::FixedSizeList(Box::new(as_the_file_says(item, &fields[0])), *size)
        }
        (ArrowDataType::Struct(members), fields) if members.len() == fields.len() => {
            ArrowDataType::Struct(members.iter().zip(fields).map(|(a, b)| as_the_file_says(a, b)).collect())
        }
        (dtype, _) => dtype.clone(),
    };
    ArrowField { dtype, ..field.clone() }
}
