//! The parts of a labelling run that several processes did, joined to the table that one process would have written.

mod error;
mod job;
mod part;

pub use error::MergeError;
pub use job::{MergeSummary, merge};
