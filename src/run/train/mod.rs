//! Trains a last stage for the built-in judge on labelled rows, and keeps it only if it is better beyond chance.

mod error;
mod job;
mod outcome;
mod rows;

pub use error::TrainError;
pub use job::train;
pub use outcome::{RowCounts, TrainSummary};
pub(crate) use rows::FINDING;
