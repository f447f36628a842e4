//! Writes labelled batches to files (CSV, JSON, Parquet, Arrow), completely or not at all; streams get them as they come.

mod append;
mod arrow_sink;
mod csv_sink;
mod encoder;
mod error;
mod group;
mod in_place;
mod json_sink;
mod labels;
mod manifest_file;
mod memory_sink;
mod output;
mod parquet_sink;
mod parquet_types;
mod scores;
mod sink;
mod text_file;
mod whole_file;

pub use append::{append_lines, check_append};
pub use error::WriteError;
pub use in_place::InPlace;
pub use labels::{CallVerdict, LabelColumns, Labelled};
pub use manifest_file::{hash_of_file, manifest_path, write_manifest};
pub use memory_sink::{Collected, CollectedTable};
#[cfg(feature = "cli")]
pub use output::is_stdout;
pub use output::{Formulas, Output, OutputFormat, UnknownOutputFormat, WhenEmpty, is_stream, same_file};
pub use scores::ScoreColumns;
pub use sink::{Finished, Sink};
#[cfg(feature = "cli")]
pub use text_file::append_text;
pub use text_file::{check_text, write_parts, write_private, write_text};
