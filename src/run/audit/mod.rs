//! The audit job: asks judges, attacks the rows that they labelled, asks again, reports. (Doubtful gold is in `bench`.)

mod error;
mod job;
mod outcome;
mod plan;
mod probe_batches;
mod probing;
mod reports;
mod rows;

use std::sync::Arc;

pub use error::AuditError;
pub use job::{audit, audit_blocking, audit_forecast};
pub use outcome::AuditSummary;
pub use probing::{ProbeBatch, ProbeColumns, ProbedRow, ProbedRows, probed_rows};

use crate::write::Labelled;

/// What every member of the panel is asked, in one sweep.
type ProbeBatches = Vec<Arc<ProbeBatch>>;
/// The answers to a probe batch, in the order of its cases.
type Answers = Vec<Labelled>;
