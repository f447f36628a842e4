//! Scores calls against the expected ones: deterministic, offline, without a model.

mod asking;
mod bfcl_files;
mod choice;
mod columns;
mod definitions;
mod error;
mod job;
mod page;
mod pass;
mod row;
mod tally;
mod texts;
mod transcripts;

pub(in crate::run) use asking::{CASE, judged};
pub use error::ScoringError;
#[cfg(feature = "cli")]
pub(crate) use job::asked;
pub use job::{ScoreSummary, score, score_blocking};
pub use tally::{Failure, Tally};
