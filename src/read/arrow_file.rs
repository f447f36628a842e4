//! Arrow IPC, record batch by record batch: files (Feather 2) and streams. Columns keep their types.

use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use polars::prelude::*;
use polars_arrow::array::Array;
use polars_arrow::datatypes::{ArrowSchema, ArrowSchemaRef, Metadata};
use polars_arrow::io::ipc::IpcSchema;
use polars_arrow::io::ipc::read::{
    FileReader, StreamReader, StreamState, get_row_count_from_blocks, read_file_metadata,
    read_stream_metadata,
};
use polars_arrow::record_batch::RecordBatchT;

use super::handle::Handle;
use super::typed::{self, Cuts, shielded};
use super::{Input, ReadError, Slices};
use crate::table::arrow::{map_types, storage};
use crate::table::{self, Batch, Pandas};

type RecordBatch = RecordBatchT<Box<dyn Array>>;

/// How files begin…
const FILE_MAGIC: [u8; 6] = *b"ARROW1";
/// …and every message of a stream.
const STREAM_MARK: &[u8] = &[0xff; 4];

/// The record batches of one input.
struct ArrowBatches {
    name: PathBuf,
    /// All columns as the file has them; the frame library knows no extension types.
    own: Arc<ArrowSchema>,
    /// What pandas noted, if it made them.
    pandas: Option<Pandas>,
    layout: Layout,
}

enum Layout {
    File(FileReader<BufReader<Handle>>),
    Stream(StreamReader<BufReader<Handle>>),
}

impl ArrowBatches {
    /// With `only`, just these columns.
    fn open(input: &Input, only: Option<&table::Schema>) -> Result<ArrowBatches, ReadError> {
        let name = input.name();
        shielded(&name.clone(), || {
            let io = |error: std::io::Error| ReadError::io(&name, &error);
            let handle = input.open()?;
            let bytes = handle.len().map_err(io)?;
            let mut reader = BufReader::with_capacity(1 << 16, handle);
            let mut magic = [0; FILE_MAGIC.len()];
            match bytes {
                0 => return Err(ReadError::Empty(name.clone())),
                bytes if bytes < magic.len() as u64 => return Err(unreadable(&name, "too short")),
                _ => reader.read_exact(&mut magic).map_err(io)?,
            }
            reader.seek(SeekFrom::Start(0)).map_err(io)?;
            if magic != FILE_MAGIC && !magic.starts_with(STREAM_MARK) {
                return Err(ReadError::malformed(&name, "neither an Arrow file nor an Arrow stream"));
            }
            if magic == FILE_MAGIC {
                let mut footer = described(&name, || read_file_metadata(&mut reader))?;
                let own = distinct(&name, Arc::clone(&footer.schema), &footer.ipc_schema)?;
                footer.schema = Arc::new(map_types(&own, &storage));
                let pandas = noted(footer.custom_schema_metadata.as_deref());
                let chosen = only.map(|only| projection(&own, only));
                let layout = Layout::File(FileReader::new(reader, footer, chosen, None));
                Ok(ArrowBatches { name, own, pandas, layout })
            } else {
                let mut start = described(&name, || read_stream_metadata(&mut reader))?;
                let own = Arc::new(std::mem::take(&mut start.schema));
                let own = distinct(&name, own, &start.ipc_schema)?;
                start.schema = map_types(&own, &storage);
                let pandas = noted(start.custom_schema_metadata.as_ref());
                let chosen = only.map(|only| projection(&own, only));
                let layout = Layout::Stream(StreamReader::new(reader, start, chosen));
                Ok(ArrowBatches { name, own, pandas, layout })
            }
        })
    }

    fn arrow_schema(&self) -> &ArrowSchema {
        match &self.layout {
            Layout::File(reader) => reader.schema(),
            Layout::Stream(reader) => reader.schema(),
        }
    }

    fn next(&mut self) -> Result<Option<RecordBatch>, ReadError> {
        let name = &self.name;
        shielded(name, || match &mut self.layout {
            Layout::File(reader) => reader.next().transpose().map_err(|error| unreadable(name, error)),
            Layout::Stream(reader) => match reader.next() {
                None => Ok(None),
                Some(Ok(StreamState::Some(batch))) => Ok(Some(batch)),
                // The stream ends without its mark, so nobody knows whether this was all.
                Some(Ok(StreamState::Waiting)) => Err(unreadable(name, "the stream has no end mark")),
                Some(Err(error)) => Err(unreadable(name, error)),
            },
        })
    }
}

/// Runs the decoder of a file's description of itself, which panics at what it does not expect.
fn described<T>(name: &Path, decode: impl FnOnce() -> PolarsResult<T>) -> Result<T, ReadError> {
    shielded(name, || Ok(decode()))
        .map_err(|_| {
            let why = "its columns cannot be understood: one may be of a type that is too new, or the file is damaged";
            ReadError::malformed(name, why)
        })?
        .map_err(|error| unreadable(name, error))
}

fn noted(metadata: Option<&Metadata>) -> Option<Pandas> {
    Pandas::read(metadata?.get(Pandas::KEY)?)
}

/// `schema`, from which columns of the same name have fallen out.
fn distinct(name: &Path, schema: ArrowSchemaRef, all: &IpcSchema) -> Result<ArrowSchemaRef, ReadError> {
    match schema.len() == all.fields.len() {
        true => Ok(schema),
        false => Err(ReadError::DuplicateColumns(name.to_owned())),
    }
}

fn unreadable(name: &Path, why: impl std::fmt::Display) -> ReadError {
    ReadError::malformed(name, format!("no readable Arrow file or stream, perhaps cut short ({why})"))
}

/// The places of the columns of `only` in a file, in the file's order.
fn projection(file: &ArrowSchema, only: &table::Schema) -> Vec<usize> {
    file.iter_names()
        .enumerate()
        .filter(|(_, name)| only.position(name).is_some())
        .map(|(at, _)| at)
        .collect()
}

/// The file's columns and its number of rows. A stream is read to its end for that.
pub(super) fn survey(input: &Input) -> Result<(table::Schema, u64), ReadError> {
    if let Some(frame) = &input.frame {
        return frame.survey();
    }
    let mut batches = ArrowBatches::open(input, None)?;
    typed::refuse(&batches.name, &batches.own, &|dtype| matches!(dtype, ArrowDataType::Decimal256(..)))?;
    let columns = typed::columns(&batches.name, batches.arrow_schema(), &batches.own)?;
    let schema = table::Schema { columns, pandas: batches.pandas.take() };
    let rows = match &batches.layout {
        Layout::File(reader) => {
            let blocks = reader.metadata().blocks.clone();
            let mut file = BufReader::new(input.open()?);
            let rows = shielded(&batches.name, || {
                get_row_count_from_blocks(&mut file, &blocks)
                    .map_err(|error| unreadable(&batches.name, error))
            })?;
            u64::try_from(rows).map_err(|_| unreadable(&batches.name, "a negative number of rows"))?
        }
        Layout::Stream(_) => {
            let mut rows = 0;
            while let Some(batch) = batches.next()? {
                rows += batch.len() as u64;
            }
            rows
        }
    };
    Ok((schema, rows))
}

/// The file's rows, under the columns of `schema`: those that the file lacks are null.
pub(super) fn slices(input: &Input, schema: &Arc<table::Schema>) -> Result<Slices, ReadError> {
    if let Some(frame) = &input.frame {
        return Ok(frame.slices(schema));
    }
    let batches = ArrowBatches::open(input, Some(schema))?;
    Ok(Box::new(ArrowSlices { batches, schema: Arc::clone(schema), current: Cuts::default(), done: false }))
}

/// Cuts record batches, which may be of any size, into slices that share their memory.
struct ArrowSlices {
    batches: ArrowBatches,
    schema: Arc<table::Schema>,
    current: Cuts,
    done: bool,
}

impl ArrowSlices {
    fn read(&mut self) -> Result<Option<Batch>, ReadError> {
        let rows = loop {
            if let Some(rows) = self.current.next() {
                break rows;
            }
            let Some(batch) = self.batches.next()? else { return Ok(None) };
            self.current = Cuts::new(shielded(&self.batches.name, || Ok(DataFrame::from(batch)))?);
        };
        typed::batch(&self.batches.name, &rows, &self.schema).map(Some)
    }
}

impl Iterator for ArrowSlices {
    type Item = Result<Batch, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let batch = self.read();
        self.done = !matches!(batch, Ok(Some(_)));
        batch.transpose()
    }
}
