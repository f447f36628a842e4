//! Draws rows to mark, with their inclusion probabilities.

mod error;
mod job;
mod known;
mod queue;

pub use error::NextError;
pub use job::{NextSummary, next};
