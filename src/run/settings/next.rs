//! Settings for drawing rows to mark.

use std::path::PathBuf;

use super::{InMemory, OutputSettings};

/// How [`next`](crate::run::next()) draws rows from a labelled table or a log.
#[derive(Debug, Clone)]
pub struct NextSettings {
    /// The labelled table, or the log that is to be labelled: files and globs.
    pub inputs: Vec<String>,
    /// Tables in memory beside the files. Default: none.
    pub tables: Vec<InMemory>,
    /// Tables of earlier marks, from all rounds. Default: only those in the labelled table itself.
    pub gold: Vec<String>,
    /// How many rows. Default: 20.
    pub rows: usize,
    /// How they are drawn. Default: at random.
    pub queue: QueueSettings,
    /// The seed of the draw. Default: 0.
    pub seed: u64,
    /// The column with row ids. Default: the first usual one that exists.
    pub id: Option<String>,
    /// The list to mark. It must have a path or be collected in memory.
    pub output: OutputSettings,
}

/// How rows are drawn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum QueueSettings {
    /// At random, each row with the same probability.
    #[default]
    Random,
    /// The least sure first. Marks on these rows do not count in shares.
    Unsure,
    /// Rows on which judges of the same task contradict each other. Marks on these rows do not count in shares.
    Disagreement,
    /// At random, some for each value of this column.
    Stratified(String),
    /// At random, unsure rows more often.
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
            tables: Vec::new(),
            gold: Vec::new(),
            rows: 20,
            queue: QueueSettings::default(),
            seed: 0,
            id: None,
            output: OutputSettings { path: Some(output.into()), ..OutputSettings::default() },
        }
    }
}
