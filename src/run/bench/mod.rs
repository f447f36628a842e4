//! Judges measured on rows whose labels are known: ask, label, hold against gold, report.

mod doubt;
mod errata;
mod error;
mod figures_table;
mod job;
mod outcome;
mod plan;
mod reports;

pub use doubt::DoubtfulGold;
pub use error::BenchError;
use job::Measuring;
pub use job::{bench, bench_blocking};
pub use outcome::BenchSummary;
use outcome::Outcome;
