//! Settings for drawing rows to mark.

use std::path::PathBuf;

use super::OutputSettings;

/// What [`next`](crate::run::next()) picks rows of a labelled table by.
#[derive(Debug, Clone)]
pub struct NextSettings {
    /// The labelled table: files and globs.
    pub inputs: Vec<String>,
    /// Tables of the marks so far, of all rounds. Default: none but those that the labelled table itself has.
    pub gold: Vec<String>,
    /// How many rows. Default: 20.
    pub rows: usize,
    /// How they are picked. Default: at random.
    pub queue: QueueSettings,
    /// The same seed picks the same rows. Default: 0.
    pub seed: u64,
    /// The column that names rows. Default: the first of the usual ones that is there.
    pub id: Option<String>,
    /// The list to mark. It must have a place.
    pub output: OutputSettings,
}

/// How rows are picked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum QueueSettings {
    /// At random, all rows alike.
    #[default]
    Random,
    /// The least sure first. Marks of these rows are left out of every share.
    Unsure,
    /// Rows on which judges of the same task contradict each other. Marks of these rows are left out of every share.
    Disagreement,
    /// At random, some for each value of this column.
    Stratified(String),
    /// At random, the less sure more often.
    Active,
}

impl NextSettings {
    /// Twenty rows of `inputs` at random, written to `output`.
    pub fn new<I: Into<String>>(
        inputs: impl IntoIterator<Item = I>,
        output: impl Into<PathBuf>,
    ) -> NextSettings {
        NextSettings {
            inputs: inputs.into_iter().map(Into::into).collect(),
            gold: Vec::new(),
            rows: 20,
            queue: QueueSettings::default(),
            seed: 0,
            id: None,
            output: OutputSettings { path: Some(output.into()), ..OutputSettings::default() },
        }
    }
}
