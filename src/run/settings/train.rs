//! Settings for training the built-in judge.

use std::path::PathBuf;

use super::InputSettings;
use crate::domain::Task;

/// What [`train`](crate::run::train()) learns from, and where the model goes.
#[derive(Debug, Clone)]
pub struct TrainSettings {
    /// The labelled rows.
    pub input: InputSettings,
    /// What the labels are about: a task about calls. Default: tool calling.
    pub task: Task,
    /// The model file. Default: none, so that nothing is written.
    pub output: Option<PathBuf>,
    /// The column of gold. Default: as for a benchmark, by the task.
    pub gold: Option<String>,
    /// Rows with the same value of this column belong together. Default: `question_id` or `transcript_id`; without them, rows of one
    /// question.
    pub cluster: Option<String>,
    /// The column that names rows, for corrections. Default: `id` or `row_id`.
    pub id: Option<String>,
    /// The column with the weight of each row, a number above 0 and at most 1,000,000. Default: 1 for each row.
    pub weight: Option<String>,
    /// Columns to break down changes by. Default: `error_type` and `edit`, if they exist.
    pub kinds: Vec<String>,
    /// A table of corrected gold by row id, as for a benchmark. Default: none.
    pub errata: Option<PathBuf>,
    /// The column that marks reviewed rows, with any value except empty, `false`, `no` or 0. Default: `corrected_tool_calls`, if
    /// it exists.
    pub reviewed: Option<String>,
    /// How many times more corrected and reviewed rows count in learning: from 1. Default: 3.
    pub review_weight: f64,
    /// The seed of folds and trees. Default: 0.
    pub seed: u64,
    /// Whether an existing model at the output's path keeps what it knows about other tasks. Default: no.
    pub add: bool,
    /// Whether files that this program did not write are replaced. Default: no.
    pub force: bool,
}

impl TrainSettings {
    /// How many times more reviewed rows count. Chosen.
    pub const REVIEW_WEIGHT: f64 = 3.0;

    /// Training for tool calling on all rows of `inputs`; writes nothing.
    pub fn new<I: Into<String>>(inputs: impl IntoIterator<Item = I>) -> TrainSettings {
        TrainSettings {
            input: InputSettings::new(inputs),
            task: Task::ToolCalling,
            output: None,
            gold: None,
            cluster: None,
            id: None,
            weight: None,
            kinds: Vec::new(),
            errata: None,
            reviewed: None,
            review_weight: TrainSettings::REVIEW_WEIGHT,
            seed: 0,
            add: false,
            force: false,
        }
    }
}
