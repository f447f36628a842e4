//! Parquet, in slices of rows. Columns keep their types.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use polars::io::mmap::MmapBytesReader;
use polars::io::parquet::metadata::FileMetadataRef;
use polars::prelude::*;

use super::handle::Handle;
use super::typed::{self, Cuts, shielded};
use super::{Input, ReadError, Slices, parquet_types};
use crate::table::{self, Batch};

impl MmapBytesReader for Handle {
    fn to_file(&self) -> Option<&File> {
        Some(self.file())
    }
}

/// A file whose footer was read.
struct ParquetFile {
    name: PathBuf,
    handle: Handle,
    /// As the frame library can follow it.
    footer: FileMetadataRef,
    /// The Arrow schema that its writer had, if it said so.
    noted: Option<ArrowSchema>,
}

impl ParquetFile {
    fn open(input: &Input) -> Result<ParquetFile, ReadError> {
        let name = input.name();
        let handle = input.open()?;
        if handle.len().map_err(|error| ReadError::io(&name, &error))? == 0 {
            return Err(ReadError::Empty(name));
        }
        let mut reader = ParquetReader::new(handle.clone());
        let (footer, noted) = shielded(&name, || {
            let footer = reader.get_metadata().map_err(|error| {
                ReadError::malformed(&name, format!("no readable Parquet file, perhaps cut short ({error})"))
            })?;
            let noted = parquet_types::noted(footer);
            Ok((parquet_types::readable(footer, noted.as_ref()), noted))
        })?;
        Ok(ParquetFile { name, handle, footer, noted })
    }

    fn reader(&self) -> ParquetReader<Handle> {
        let mut reader = ParquetReader::new(self.handle.clone());
        reader.set_metadata(Arc::clone(&self.footer));
        reader
    }

    fn explain(&self, error: &PolarsError) -> ReadError {
        if let PolarsError::Duplicate(_) = error {
            return ReadError::DuplicateColumns(self.name.clone());
        }
        ReadError::malformed(&self.name, format!("no readable Parquet file, perhaps damaged ({error})"))
    }

    fn schema(&self) -> Result<table::Schema, ReadError> {
        let arrow = shielded(&self.name, || self.reader().schema().map_err(|error| self.explain(&error)))?;
        let file = parquet_types::schema(&self.footer, self.noted.as_ref(), &arrow);
        let columns = typed::columns(&self.name, &arrow, &file)?;
        Ok(table::Schema { columns, pandas: parquet_types::pandas(&self.footer) })
    }
}

/// The file's columns and its number of rows.
pub(super) fn survey(input: &Input) -> Result<(table::Schema, u64), ReadError> {
    let file = ParquetFile::open(input)?;
    Ok((file.schema()?, file.footer.num_rows as u64))
}

/// The file's rows, under the columns of `schema`: those that the file lacks are null.
pub(super) fn slices(input: &Input, schema: &Arc<table::Schema>) -> Result<Slices, ReadError> {
    let file = ParquetFile::open(input)?;
    let own = file.schema()?;
    let own = own.places();
    let present = schema.names().filter(|name| own.contains_key(name)).map(str::to_owned).collect();
    // Sizes before decoding are a lower bound: texts repeated in a dictionary count once.
    let bytes = file.footer.row_groups.iter().map(|group| group.total_byte_size()).sum();
    let slice = typed::slice_rows(bytes, file.footer.num_rows);
    let (schema, current) = (Arc::clone(schema), Cuts::default());
    Ok(Box::new(ParquetSlices { file, schema, present, at: 0, slice, current }))
}

struct ParquetSlices {
    file: ParquetFile,
    schema: Arc<table::Schema>,
    /// The table's columns that the file has.
    present: Vec<String>,
    /// Rows decoded so far.
    at: usize,
    /// Rows to decode at once.
    slice: usize,
    current: Cuts,
}

impl ParquetSlices {
    fn read(&mut self) -> Result<Option<Batch>, ReadError> {
        let frame = loop {
            if let Some(frame) = self.current.next() {
                break frame;
            }
            let rows = self.slice.min(self.file.footer.num_rows - self.at);
            if rows == 0 {
                return Ok(None);
            }
            let range = (self.at, rows);
            // What cannot be decoded is not tried again.
            self.at = self.file.footer.num_rows;
            self.current = Cuts::new(self.decode(range)?);
            self.at = range.0 + rows;
        };
        typed::batch(&self.file.name, &frame, &self.schema).map(Some)
    }

    fn decode(&self, range: (usize, usize)) -> Result<DataFrame, ReadError> {
        shielded(&self.file.name, || {
            let reader = self.file.reader().with_columns(Some(self.present.clone()));
            reader.with_slice(Some(range)).finish().map_err(|error| self.file.explain(&error))
        })
    }
}

impl Iterator for ParquetSlices {
    type Item = Result<Batch, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}
