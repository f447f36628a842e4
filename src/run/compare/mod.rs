//! Compares judges on the same rows, or agents in the same cases.

mod episodes;
mod error;
mod job;
mod pass;

pub use error::CompareError;
pub use job::{CompareSummary, compare};
pub use pass::{JudgeColumns, LabelledTable, Paired, Pairing, judges, pair};
