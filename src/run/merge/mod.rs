//! Joins the parts of a labelling run into the table that a single process would have written.

mod error;
mod job;
mod part;

pub use error::MergeError;
pub use job::{MergeSummary, merge};
