//! Rows between an input and an output: columns, batches, and the conversions between them.
//!
//! Text formats travel as records, whose numbers keep their text; columnar ones as polars frames, whose types pass
//! through untouched. Either can be turned into the other where input and output differ. With the rooms that read and
//! write files, the only place where polars is spoken.

pub mod arrow;
mod batch;
pub mod cell;
mod error;
pub mod format;
mod frame;
pub mod gold;
mod non_finite;
mod pandas;
pub mod samples;
mod schema;
mod schema_builder;
mod text;

pub use batch::{Batch, Record, Rows};
pub use error::TableError;
pub use format::{Compression, Format, UnknownFormat};
pub use pandas::Pandas;
pub use schema::{Column, Kind, Schema, Typed};
pub use schema_builder::SchemaBuilder;
