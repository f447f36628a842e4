//! Calls scored against the expected ones: deterministic, offline, no model.

mod bfcl_files;
mod choice;
mod error;
mod job;
mod pass;
mod tally;

pub use error::ScoringError;
pub use job::{ScoreSummary, score, score_blocking};
pub use tally::{Failure, Tally};
