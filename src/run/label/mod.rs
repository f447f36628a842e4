//! Labels for every row of a table: plan, ask, write.

mod identity;
mod job;
mod outcome;
mod plan;
mod report;
mod stored;

pub use job::{forecast, label, label_blocking, resnap, resnap_blocking};
pub use outcome::{LabelSummary, MemberSummary};
pub(in crate::run) use report::{Expected, ReportWatch, ScoredCase, Shown};
