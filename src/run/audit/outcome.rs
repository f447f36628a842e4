//! The outcome of an audit.

use std::path::PathBuf;

use serde_json::Value;

use crate::audit::Audited;
use crate::report::AuditCounts;

/// What an audit came to.
#[derive(Debug)]
pub struct AuditSummary {
    /// Rows that were audited.
    pub counts: AuditCounts,
    /// What was found about each judge with each template.
    pub audited: Vec<Audited>,
    /// The record of the audit, as its JSON report holds it.
    pub record: Value,
    /// Where every question was written with its answer.
    pub output: Option<PathBuf>,
    /// Where reports were written.
    pub reports: Vec<PathBuf>,
}
