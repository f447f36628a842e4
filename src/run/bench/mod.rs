//! Measures judges on rows with known labels: ask, label, compare with gold, report.

mod cases;
mod checker;
mod doubt;
mod errata;
mod error;
mod figures_table;
mod gather;
mod job;
mod outcome;
mod plan;
mod reports;

pub use cases::{CaseBook, cases};
pub use doubt::DoubtfulGold;
pub(in crate::run) use errata::{check_met, read as read_errata, unmet as unmet_errata};
pub use error::BenchError;
pub use gather::{Gatherer, GoldPlan, Repeated};
use job::Measuring;
pub use job::{bench, bench_blocking, bench_forecast};
pub use outcome::BenchSummary;
use outcome::Outcome;
