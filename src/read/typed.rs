//! The common parts of Parquet and Arrow: frames with the columns of the whole table.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use polars::prelude::*;
use polars_arrow::datatypes::{ArrowDataType, ArrowSchema};

use super::{ReadError, SLICE_BYTES, SLICE_ROWS, slice_rows as rows_of_width};
use crate::table::{self, Batch, Column as TableColumn, Kind, Rows, Typed};

/// The columns of a file, which are `arrow` to the frame library and `file` in the file.
pub(super) fn columns(
    path: &Path,
    arrow: &ArrowSchema,
    file: &ArrowSchema,
) -> Result<Vec<TableColumn>, ReadError> {
    refuse_unreadable(path, arrow)?;
    let frame = shielded(path, || Ok(Schema::from_arrow_schema(arrow)))?;
    let column = |(field, dtype): (&ArrowField, &DataType)| TableColumn {
        name: field.name.to_string(),
        kind: Kind::Typed(Typed::new(field, dtype.clone())),
    };
    Ok(file.iter_values().zip(frame.iter_values()).map(column).collect())
}

/// An error if any column, or anything within it, is of a type that no frame can hold.
pub(super) fn refuse_unreadable(path: &Path, schema: &ArrowSchema) -> Result<(), ReadError> {
    refuse(path, schema, &|dtype| {
        use ArrowDataType::{Decimal256, Interval, Union, Unknown};
        // Frames hold 38 digits.
        matches!(dtype, Union(_) | Interval(_) | Unknown | Decimal256(39.., _))
    })
}

/// An error if any column, or anything within it, is of an `unreadable` type.
pub(super) fn refuse(
    path: &Path,
    schema: &ArrowSchema,
    unreadable: &dyn Fn(&ArrowDataType) -> bool,
) -> Result<(), ReadError> {
    let found =
        |field: &ArrowField| Some((field.name.to_string(), first_within(&field.dtype, unreadable)?.clone()));
    match schema.iter_values().find_map(found) {
        Some((name, dtype)) => {
            Err(ReadError::UnknownType { path: path.to_owned(), name, kind: format!("{dtype:?}") })
        }
        None => Ok(()),
    }
}

fn first_within<'a>(
    dtype: &'a ArrowDataType,
    wanted: &dyn Fn(&ArrowDataType) -> bool,
) -> Option<&'a ArrowDataType> {
    use ArrowDataType::{Dictionary, Extension, FixedSizeList, LargeList, List, Map, Struct};
    match dtype {
        found if wanted(found) => Some(found),
        List(field) | LargeList(field) | FixedSizeList(field, _) | Map(field, _) => {
            first_within(&field.dtype, wanted)
        }
        Struct(fields) => fields.iter().find_map(|field| first_within(&field.dtype, wanted)),
        Dictionary(_, values, _) => first_within(values, wanted),
        Extension(extension) => first_within(&extension.inner, wanted),
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

/// To decode a few rows takes as long as a few more, which then are there already.
const DECODED_BYTES: usize = 4 * SLICE_BYTES;

/// How many rows of `bytes` over `rows` are decoded at once.
pub(super) fn slice_rows(bytes: usize, rows: usize) -> usize {
    (DECODED_BYTES / (bytes / rows.max(1)).max(1)).clamp(1, SLICE_ROWS)
}

/// A frame on its way out in slices that share its memory. Texts that a frame holds once, for many rows, become as many
/// texts later: it is these that a slice holds few of.
#[derive(Default)]
pub(super) struct Cuts {
    frame: DataFrame,
    at: usize,
    /// What a row holds beside texts, about.
    beside_texts: usize,
}

impl Cuts {
    pub(super) fn new(frame: DataFrame) -> Cuts {
        let others = frame.columns().iter().filter(|column| !is_text(column.dtype()));
        // Of all rows: what a slice shares with the others, each slice would count for itself.
        let sizes = others.map(|column| column.as_materialized_series().estimated_size());
        let beside_texts = sizes.map(|size| size / frame.height().max(1)).sum();
        Cuts { frame, at: 0, beside_texts }
    }

    pub(super) fn next(&mut self) -> Option<DataFrame> {
        let ahead = self.frame.slice(i64::try_from(self.at).ok()?, rows_of_width(self.frame.width()));
        if ahead.height() == 0 {
            // Its memory is free before more is read.
            *self = Cuts::default();
            return None;
        }
        let mut left = SLICE_BYTES;
        let fits = row_bytes(&ahead, self.beside_texts).into_iter().take_while(|bytes| {
            let fits = *bytes <= left;
            left = left.saturating_sub(*bytes);
            fits
        });
        let rows = fits.count().max(1);
        self.at += rows;
        Some(ahead.head(Some(rows)))
    }
}

fn is_text(dtype: &DataType) -> bool {
    matches!(dtype, DataType::String | DataType::Categorical(..) | DataType::Enum(..))
}

/// The bytes of each row's texts, and of what else it holds, about.
fn row_bytes(frame: &DataFrame, beside_texts: usize) -> Vec<usize> {
    let mut sizes = vec![beside_texts; frame.height()];
    for column in frame.columns().iter().filter(|column| is_text(column.dtype())) {
        let series = column.as_materialized_series();
        let length = |row| series.get(row).ok().and_then(|value| value.get_str().map(str::len));
        sizes.iter_mut().enumerate().for_each(|(row, size)| *size += length(row).unwrap_or(0));
    }
    sizes
}

/// Decoders at work that may panic.
static DECODING: AtomicUsize = AtomicUsize::new(0);

/// Whether a panic may be one of a decoder, which becomes an error: a program need not show it.
#[cfg(feature = "cli")]
pub fn is_decoding() -> bool {
    DECODING.load(Ordering::Relaxed) > 0
}

/// Runs a decoder that may panic on a damaged file, and says so instead.
pub(super) fn shielded<T>(
    path: &Path,
    decode: impl FnOnce() -> Result<T, ReadError>,
) -> Result<T, ReadError> {
    DECODING.fetch_add(1, Ordering::Relaxed);
    let decoded = catch_unwind(AssertUnwindSafe(decode));
    DECODING.fetch_sub(1, Ordering::Relaxed);
    decoded.unwrap_or_else(|_| {
        let why = "the file cannot be decoded: it is damaged, or of a form that this program cannot read; write it anew, or \
                   as JSON Lines";
        Err(ReadError::malformed(path, why))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The heights of the slices that a frame of such texts is cut into.
    fn heights(texts: Series) -> Vec<usize> {
        let mut cuts = Cuts::new(DataFrame::new(texts.len(), vec![texts.into_column()]).unwrap());
        std::iter::from_fn(|| cuts.next()).map(|slice| slice.height()).collect()
    }

    #[test]
    fn a_slice_holds_few_long_texts_or_many_short_ones() {
        let texts = |count: usize, bytes: usize| Series::new("t".into(), vec!["x".repeat(bytes); count]);
        assert_eq!(heights(texts(5000, 10)), [SLICE_ROWS, SLICE_ROWS, 5000 - 2 * SLICE_ROWS]);
        assert_eq!(heights(texts(5, SLICE_BYTES / 2)), [2, 2, 1]);
        assert_eq!(heights(texts(2, 2 * SLICE_BYTES)), [1, 1]);
        assert!(heights(texts(0, 0)).is_empty());
    }

    #[test]
    fn a_text_shared_by_many_rows_counts_in_each() {
        let categories = DataType::from_categories(Categories::global());
        let texts = Series::new("t".into(), vec!["x".repeat(SLICE_BYTES / 4); 6]).cast(&categories).unwrap();
        assert_eq!(heights(texts), [4, 2]);
    }
}
