//! Judges under attack: ask, attack what was answered, ask again, report. Not to be confused with gold that is doubted.

mod error;
mod job;
mod outcome;
mod plan;
mod probing;
mod reports;
mod rows;
mod volleys;

use std::sync::Arc;

pub use error::AuditError;
pub use job::{audit, audit_blocking, audit_forecast};
pub use outcome::AuditSummary;
pub use probing::{ProbeColumns, ProbedRow, ProbedRows, Volley, probed_rows};

use crate::write::Labelled;

/// What every member of the panel is asked, in one sweep.
type Volleys = Vec<Arc<Volley>>;
/// The answers to a volley, in the order of its shots.
type Answers = Vec<Labelled>;
