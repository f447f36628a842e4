//! Labels for every row of a table: plan, ask, write.

mod job;
mod outcome;
mod plan;

pub use job::{forecast, label, label_blocking, resnap, resnap_blocking};
pub use outcome::{LabelSummary, MemberSummary};
