//! Runs of agents over time.

use std::path::PathBuf;

use super::OutputSettings;

/// What [`trend`](crate::run::trend()) reads, and with what it compares the last run.
#[derive(Debug, Clone)]
pub struct TrendSettings {
    /// Files that runs of [`drive`](crate::run::drive()) added their results to.
    pub files: Vec<PathBuf>,
    /// The id of the run that the last one is compared with, or how it begins. Default: the run before it, and all before it together.
    pub baseline: Option<String>,
    /// Only these agents. Default: all.
    pub agents: Vec<String>,
    /// Only runs of these experiments, where an empty name stands for runs of none. Default: all.
    pub experiments: Vec<String>,
    /// Only runs with all of these tags: name and value. Default: all.
    pub tags: Vec<(String, String)>,
    /// A table with a row for each suite and case of each run. Default: none is written.
    pub output: OutputSettings,
    /// Files for reports, whose endings say what they are: .md or .json. Default: none.
    pub reports: Vec<PathBuf>,
}

impl TrendSettings {
    /// Looks at all runs in `files`; writes nothing.
    pub fn new<F: Into<PathBuf>>(files: impl IntoIterator<Item = F>) -> TrendSettings {
        TrendSettings {
            files: files.into_iter().map(Into::into).collect(),
            baseline: None,
            agents: Vec::new(),
            experiments: Vec::new(),
            tags: Vec::new(),
            output: OutputSettings::default(),
            reports: Vec::new(),
        }
    }
}
