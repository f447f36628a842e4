//! The outcome of a training.

use std::fmt;
use std::path::PathBuf;

use serde_json::Value;

use crate::check::{StageKind, TrainedModel};
use crate::domain::Task;
use crate::report::counted;
use tooljudge_core::train::{Changes, Evaluation};

/// What a training came to.
#[derive(Debug)]
pub struct TrainSummary {
    /// What was trained for.
    pub task: Task,
    /// What became of the rows.
    pub counts: RowCounts,
    /// Each candidate, with what it gained on rows that it did not see.
    pub evaluations: Vec<Evaluation>,
    /// Whether it was measured how stages do with tools that they have not seen.
    pub measures_tools: bool,
    /// The candidate that was taken; none where none is better than the shipped judge beyond chance.
    pub kept: Option<StageKind>,
    /// What the best candidate changes on rows that it did not see, taken or not.
    pub changes: Option<Changes>,
    /// The model, if a candidate was taken.
    pub model: Option<TrainedModel>,
    /// The share of right calls among the rows.
    pub share_right: f64,
    /// The record of the training, as `--json` prints it.
    pub record: Value,
    /// Where the model was written.
    pub output: Option<PathBuf>,
}

/// What became of the rows of the input.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct RowCounts {
    /// Rows read.
    pub rows: u64,
    /// Rows that could not be read.
    pub unreadable: u64,
    /// Rows without gold, or with a gold that is not a label.
    pub without_gold: u64,
    /// Rows that the corrections leave out.
    pub left_out: u64,
    /// Rows on which the judge abstains for want of anything that it could read.
    pub not_judged: u64,
    /// Rows with a fault that settles their label.
    pub settled: u64,
    /// Rows that were learned from.
    pub learned_from: u64,
    /// Rows that were corrected, or looked at again.
    pub reviewed: u64,
    /// Rows that are there more than once, with labels that contradict each other.
    pub contradictory: u64,
}

impl fmt::Display for RowCounts {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}, {} learned from", counted(self.rows, "row"), self.learned_from)?;
        for (count, what) in [
            (self.reviewed, "reviewed"),
            (self.settled, "with a fault that settles the label"),
            (self.without_gold, "without gold"),
            (self.left_out, "left out by --errata"),
            (self.unreadable, "unreadable"),
            (self.not_judged, "without readable calls or definitions"),
            (self.contradictory, "equal to others with the opposite gold"),
        ] {
            if count > 0 {
                write!(to, ", {count} {what}")?;
            }
        }
        Ok(())
    }
}
