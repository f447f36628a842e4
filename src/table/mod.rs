//! Rows between an input and an output: columns, batches, and the conversions between them.
//!
//! Text formats are handled as records, whose numbers keep their text; columnar ones as polars frames, whose types are kept. Each
//! is converted to the other if input and output differ. Besides the rooms that read and write files, this is the only place that
//! uses polars.

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
