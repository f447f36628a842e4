//! The outcome of a benchmark.

use std::path::PathBuf;

use serde_json::Value;

use super::DoubtfulGold;
use crate::bench::{self, Agreement, Contender, Counts, Measured};

/// What a benchmark came to.
#[derive(Debug)]
pub struct BenchSummary {
    /// Rows, and what became of their gold.
    pub counts: Counts,
    /// The figures of every judge with every template, then of the baselines.
    pub measured: Vec<Measured>,
    /// The record of the benchmark, as its JSON report holds it.
    pub record: Value,
    /// Where the labelled rows were written.
    pub output: Option<PathBuf>,
    /// Where reports were written.
    pub reports: Vec<PathBuf>,
    /// What was written of rows whose gold is probably wrong.
    pub audit: Option<DoubtfulGold>,
}

/// Everybody's labels beside gold, and the figures that they give.
pub(super) struct Outcome {
    pub(super) rows: bench::Rows,
    pub(super) counts: Counts,
    pub(super) contenders: Vec<Contender>,
    pub(super) measured: Vec<Measured>,
    pub(super) agreement: Vec<Agreement>,
}
