//! Parquet, in slices of rows. Columns keep their types.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use polars::prelude::*;

use super::{Input, ReadError, SLICE_BYTES, SLICE_ROWS, Slices};
use crate::table::{self, Batch, Column as TableColumn, Kind, Rows};

fn open(path: &Path) -> Result<ParquetReader<File>, ReadError> {
    let file = File::open(path).map_err(|error| ReadError::io(path, &error))?;
    Ok(ParquetReader::new(file))
}

fn explain(path: &Path, error: &PolarsError) -> ReadError {
    ReadError::malformed(path, format!("no readable Parquet file, perhaps cut short ({error})"))
}

/// The file's columns and its number of rows.
pub(super) fn schema(input: &Input) -> Result<(table::Schema, u64), ReadError> {
    let mut reader = open(&input.path)?;
    let arrow = reader.schema().map_err(|error| explain(&input.path, &error))?;
    let rows = reader.num_rows().map_err(|error| explain(&input.path, &error))?;
    let column = |(name, dtype): (&PlSmallStr, &DataType)| TableColumn {
        name: name.to_string(),
        kind: Kind::Typed(dtype.clone()),
    };
    let columns = Schema::from_arrow_schema(&arrow).iter().map(column).collect();
    Ok((table::Schema { columns }, rows as u64))
}

/// The file's rows, under the columns of `schema`: those that the file lacks are null.
pub(super) fn slices(input: &Input, schema: &Arc<table::Schema>) -> Result<Slices, ReadError> {
    let own = self::schema(input)?.0;
    let present = schema.names().filter(|name| own.position(name).is_some()).map(str::to_owned).collect();
    let mut reader = open(&input.path)?;
    let rows = reader.num_rows().map_err(|error| explain(&input.path, &error))?;
    let bytes: usize = reader
        .get_metadata()
        .map_err(|error| explain(&input.path, &error))?
        .row_groups
        .iter()
        .map(|group| group.total_byte_size())
        .sum();
    // Sizes before decoding are a lower bound: texts repeated in a dictionary count once.
    let slice = (SLICE_BYTES / (bytes / rows.max(1)).max(1)).clamp(64, SLICE_ROWS);
    Ok(Box::new(ParquetSlices {
        path: input.path.clone(),
        schema: Arc::clone(schema),
        present,
        at: 0,
        rows,
        slice,
    }))
}

struct ParquetSlices {
    path: PathBuf,
    schema: Arc<table::Schema>,
    present: Vec<String>,
    at: usize,
    rows: usize,
    slice: usize,
}

impl ParquetSlices {
    fn read(&self, rows: usize) -> Result<Batch, ReadError> {
        let explain = |error| explain(&self.path, &error);
        let mut frame = open(&self.path)?
            .with_columns(Some(self.present.clone()))
            .with_slice(Some((self.at, rows)))
            .finish()
            .map_err(explain)?;
        let columns = self.schema.columns.iter().map(|column| match frame.column(&column.name) {
            Ok(present) => present.clone(),
            Err(_) => {
                let dtype = match &column.kind {
                    Kind::Typed(dtype) => dtype.clone(),
                    _ => DataType::String,
                };
                Column::full_null(column.name.as_str().into(), frame.height(), &dtype)
            }
        });
        frame = DataFrame::new(frame.height(), columns.collect()).map_err(explain)?;
        Ok(Batch { schema: Arc::clone(&self.schema), rows: Rows::Frame(frame) })
    }
}

impl Iterator for ParquetSlices {
    type Item = Result<Batch, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let rows = self.slice.min(self.rows - self.at);
        if rows == 0 {
            return None;
        }
        let batch = self.read(rows);
        self.at = if batch.is_ok() { self.at + rows } else { self.rows };
        Some(batch)
    }
}
