//! Counts of what became of questions and answers.

use std::path::PathBuf;

use serde_json::Value;

use super::{GeneratedGold, ImportedGold};
use crate::write::Finished;

/// What became of the questions.
#[derive(Debug)]
pub struct GoldSummary {
    /// What was made, or imported.
    pub counts: GoldCounts,
    /// Where the table was written; `-` for the standard output.
    pub output: PathBuf,
    /// Its rows and bytes.
    pub written: Finished,
}

/// What became of the questions, by where their calls come from.
#[derive(Debug)]
pub enum GoldCounts {
    /// Calls were made.
    Generated(GeneratedGold),
    /// Real models' answers were taken.
    Imported(ImportedGold),
}

impl GoldCounts {
    /// For manifests and `--json`.
    pub(crate) fn to_json(&self) -> Value {
        match self {
            GoldCounts::Generated(counts) => counts.to_json(),
            GoldCounts::Imported(counts) => counts.to_json(),
        }
    }
}
