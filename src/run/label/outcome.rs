//! The outcome of a labelling run.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use crate::bench::Words;
use crate::run::{Failures, RunError, Summary};

/// What a labelling run came to.
#[derive(Debug)]
pub struct LabelSummary {
    /// Where the table was written; `-` for the standard output, nothing for a place in memory.
    pub output: PathBuf,
    /// What each judge with each template came to.
    pub members: Vec<MemberSummary>,
    /// The kinds of logs among the inputs, as far as they are logs.
    pub formats: Vec<&'static str>,
    /// The record of the run, as it lies beside the table.
    pub manifest: Value,
    /// From the beginning to the end.
    pub elapsed: Duration,
    /// Why the run ended before its time, if the table was written nevertheless
    /// ([`LabelSettings::partial`](crate::run::settings::LabelSettings::partial)).
    pub unfinished: Option<RunError>,
    /// Whether the limit on cost ([`PanelSettings::max_cost`](crate::run::settings::PanelSettings::max_cost)) was too small for a single
    /// request.
    pub limit_too_small: bool,
}

/// What one judge with one template came to.
#[derive(Debug)]
pub struct MemberSummary {
    /// As the `judge` column names it.
    pub judge: String,
    /// The judge that looked first, as the `judge` column names it where that one settled a row.
    pub first: Option<String>,
    /// As the `template` column names it.
    pub template: String,
    /// What the names of its columns begin with.
    pub prefix: String,
    /// Whether its answers had the default length limit.
    pub capped: bool,
    /// What its labels and their gold mean.
    pub words: Words,
    /// The columns that it added.
    pub columns: Vec<String>,
    /// Its labels, statuses, tokens and cost.
    pub summary: Summary,
    /// The first rows that fail, where they were wanted
    /// ([`LabelSettings::failures`](crate::run::settings::LabelSettings::failures)).
    pub failures: Failures,
}
