//! Is an agent getting better or worse from run to run, and which changes are more than chance?

mod error;
mod job;
mod record;
mod rows;

pub use error::TrendError;
pub use job::{TrendSummary, trend};
