//! Rows to mark next, with how probable it was that each would be drawn.

mod error;
mod job;
mod known;
mod queue;

pub use error::NextError;
pub use job::{NextSummary, next};
