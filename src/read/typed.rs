//! What Parquet and Arrow have in common: frames, under the columns of the whole table.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use polars::prelude::*;
use polars_arrow::datatypes::{ArrowDataType, ArrowSchema};

use super::{ReadError, SLICE_BYTES, SLICE_ROWS};
use crate::table::{self, Batch, Column as TableColumn, Kind, Rows};

/// The columns that a file with this Arrow schema has.
pub(super) fn schema(path: &Path, arrow: &ArrowSchema) -> Result<table::Schema, ReadError> {
    for field in arrow.iter_values() {
        if let Some(unknown) = unknown_within(field.dtype()) {
            return Err(ReadError::UnknownType {
                path: path.to_owned(),
                name: field.name.to_string(),
                kind: format!("{unknown:?}"),
            });
        }
    }
    let schema = shielded(path, || Ok(Schema::from_arrow_schema(arrow)))?;
    let column = |(name, dtype): (&PlSmallStr, &DataType)| TableColumn {
        name: name.to_string(),
        kind: Kind::Typed(dtype.clone()),
    };
    Ok(table::Schema { columns: schema.iter().map(column).collect() })
}

/// The first type within `dtype` that frames have no equal of.
fn unknown_within(dtype: &ArrowDataType) -> Option<&ArrowDataType> {
    match dtype {
        ArrowDataType::Union(_) | ArrowDataType::Interval(_) | ArrowDataType::Unknown => Some(dtype),
        ArrowDataType::List(field)
        | ArrowDataType::LargeList(field)
        | ArrowDataType::FixedSizeList(field, _)
        | ArrowDataType::Map(field, _) => unknown_within(field.dtype()),
        ArrowDataType::Struct(fields) => fields.iter().find_map(|field| unknown_within(field.dtype())),
        ArrowDataType::Dictionary(_, values, _) => unknown_within(values),
        ArrowDataType::Extension(extension) => unknown_within(&extension.inner),
        _ => None,
    }
}

/// A file's rows as a batch of the whole table: columns that the file lacks are null.
pub(super) fn batch(path: &Path, frame: &DataFrame, schema: &Arc<table::Schema>) -> Result<Batch, ReadError> {
    let columns = schema.columns.iter().map(|column| match frame.column(&column.name) {
        Ok(present) => present.clone(),
        Err(_) => Column::full_null(column.name.as_str().into(), frame.height(), &column.kind.dtype()),
    });
    let frame = DataFrame::new(frame.height(), columns.collect())
        .map_err(|error| ReadError::malformed(path, error))?;
    Ok(Batch { schema: Arc::clone(schema), rows: Rows::Frame(frame) })
}

/// How many rows of `bytes` over `rows` make a slice.
pub(super) fn slice_rows(bytes: usize, rows: usize) -> usize {
    (SLICE_BYTES / (bytes / rows.max(1)).max(1)).clamp(64, SLICE_ROWS)
}

/// Runs a decoder that may panic on a damaged file, and says so instead.
pub(super) fn shielded<T>(
    path: &Path,
    decode: impl FnOnce() -> Result<T, ReadError>,
) -> Result<T, ReadError> {
    catch_unwind(AssertUnwindSafe(decode))
        .unwrap_or_else(|_| Err(ReadError::malformed(path, "the file is damaged, its decoder broke down")))
}
