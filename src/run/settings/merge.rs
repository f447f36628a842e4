//! Settings for joining the parts of one labelling run.

use super::OutputSettings;

/// What [`merge`](crate::run::merge()) joins, and where the table goes.
#[derive(Debug, Clone)]
pub struct MergeSettings {
    /// The labelled tables of all shards: files and globs, in any order.
    pub parts: Vec<String>,
    /// The table of all rows, in the format of the parts. It must have a path.
    pub output: OutputSettings,
}

impl MergeSettings {
    /// Joins `parts` to a table at `output`.
    pub fn new<I: Into<String>>(
        parts: impl IntoIterator<Item = I>,
        output: impl Into<std::path::PathBuf>,
    ) -> MergeSettings {
        let output = OutputSettings { path: Some(output.into()), ..OutputSettings::default() };
        MergeSettings { parts: parts.into_iter().map(Into::into).collect(), output }
    }
}
