//! Files to batches of rows: CSV, JSON Lines, JSON arrays, Parquet and Arrow, in slices of bounded size.

mod archive;
mod arrow_file;
mod csv_file;
mod error;
mod folder;
mod fragments;
mod handle;
mod input;
mod json_file;
#[cfg(any(test, feature = "laws"))]
pub(crate) mod laws;
mod log;
mod log_rows;
mod log_survey;
mod memory;
mod parquet_file;
mod parquet_types;
pub(crate) mod passed;
mod pick;
mod records;
mod repeats;
mod spool;
mod stream;
mod table;
mod text;
mod texts;
mod transcripts;
mod typed;

pub use crate::table::Format;
pub use error::ReadError;
pub use input::Input;
pub use log::LogOptions;
pub(crate) use log_survey::of_transcripts;
pub use memory::InMemory;
pub use pick::Take;
pub use table::{Batches, Selection, Table, Understanding};
#[cfg(feature = "cli")]
pub use typed::is_decoding;

/// A slice holds at most this many rows…
const SLICE_ROWS: usize = 2048;
/// …and is closed once its texts are this large. What is read out of them takes ten times as much, in every stage of a run.
const SLICE_BYTES: usize = 1 << 20;
/// …or has this many cells, most of which may be empty: of wide tables it holds fewer rows…
const SLICE_CELLS: usize = 1 << 17;
/// …but not fewer than this, since each slice names all columns.
const FEW_ROWS: usize = 8;

/// How many rows a slice holds at most, of a table with so many columns.
fn slice_rows(columns: usize) -> usize {
    (SLICE_CELLS / columns.max(1)).clamp(FEW_ROWS, SLICE_ROWS)
}

/// The slices of one file.
type Slices = Box<dyn Iterator<Item = Result<crate::table::Batch, ReadError>> + Send>;
