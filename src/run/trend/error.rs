//! Why there is no trend to show.

use std::path::PathBuf;

use crate::drive::history::NoTrend;

/// Histories that cannot be shown.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "fields are explained once for all variants")]
pub enum TrendError {
    /// A report whose file name does not say what kind of report it is.
    #[error("--report {}: a report ends in .html, .md or .json", .0.display())]
    ReportEnding(PathBuf),
    /// A file that cannot be read.
    #[error("cannot read {}: {why}", path.display())]
    File { path: PathBuf, why: String },
    /// Files without any record: the first is named.
    #[error("{} holds no run: `tooljudge drive SUITE --history {}` adds one", .0.display(), .0.display())]
    Empty(PathBuf),
    /// A line that is no record; nothing of the file is shown.
    #[error("{}:{line}: {why}", path.display())]
    Line { path: PathBuf, line: usize, why: String },
    /// An agent that no file has.
    #[error("--agent {name}: no run is of that agent{near}")]
    NoAgent { name: String, near: String },
    /// An experiment that no run is of.
    #[error("--experiment {name}: no run is of that experiment{near}")]
    NoExperiment { name: String, near: String },
    /// A tag that no run has.
    #[error("--tag {name}={value}: no run has that tag{near}")]
    NoTag { name: String, value: String, near: String },
    /// Runs of which each is left out by one choice or another.
    #[error("no run is left by --agent, --experiment and --tag together")]
    NoneLeft,
    /// A baseline that no run is, or that the last run of no agent can be compared with.
    #[error("--baseline: {0}")]
    Baseline(String),
    /// Records that contradict each other.
    #[error(transparent)]
    Records(#[from] NoTrend),
}
