//! Labelled batches to files: CSV, JSON Lines, Parquet; whole or not at all.

mod csv_sink;
mod error;
mod json_sink;
mod labels;
mod manifest_file;
mod output;
mod parquet_sink;
mod sink;
mod whole_file;

pub use error::WriteError;
pub use labels::{LabelColumns, Labelled};
pub use manifest_file::{manifest_path, write_manifest};
pub use output::{OutputFormat, check_replaceable, default_output};
pub use sink::{Finished, Sink};
