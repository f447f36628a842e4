//! Settings for generating calls with known labels.

use std::path::PathBuf;

use super::{InputSettings, OutputSettings};

/// From what [`gold`](crate::run::gold()) makes calls, which calls, and where they go.
#[derive(Debug, Clone)]
pub struct GoldSettings {
    /// Where questions come from.
    pub source: GoldOrigin,
    /// The table; [`OutputSettings::path`] must be set.
    pub output: OutputSettings,
    /// Which calls are made and chosen.
    pub making: MakingSettings,
}

impl GoldSettings {
    /// Calls made from `source`, to be written to `path`.
    pub fn new(source: GoldOrigin, path: impl Into<PathBuf>) -> GoldSettings {
        let output = OutputSettings { path: Some(path.into()), ..OutputSettings::default() };
        GoldSettings { source, output, making: MakingSettings::default() }
    }
}

/// Where questions come from.
#[derive(Debug, Clone)]
pub enum GoldOrigin {
    /// The user's own right calls; from a table with a column `gold`, the rows with `correct`.
    Own(InputSettings),
    /// The Berkeley function-calling benchmark's files.
    Bfcl(BfclSettings),
}

/// The Berkeley function-calling benchmark's own files.
#[derive(Debug, Clone)]
pub struct BfclSettings {
    /// Its data folder, or a checkout of the gorilla repository that has it.
    pub folder: PathBuf,
    /// Categories. Default: all that exist.
    pub categories: Vec<String>,
    /// A folder of real models' answers, which then replace generated calls. Default: none.
    pub results: Option<PathBuf>,
    /// Their score files, whose verdicts then count. Default: none; the scorer decides, by the benchmark's rules.
    pub scores: Option<PathBuf>,
}

impl BfclSettings {
    /// All categories in `folder`, to generate calls from.
    pub fn new(folder: impl Into<PathBuf>) -> BfclSettings {
        BfclSettings { folder: folder.into(), categories: Vec::new(), results: None, scores: None }
    }
}

/// Which calls are made, and which of them are chosen.
#[derive(Debug, Clone)]
pub struct MakingSettings {
    /// The same calls for the same seed. Default: 0.
    pub seed: u64,
    /// The largest number of right calls per question: the accepted answer, then edits of it. Default: 2.
    pub per_question: usize,
    /// The largest number of wrong calls per question. Default: 4.
    pub negatives_per_question: usize,
    /// The largest number of wrong calls per type. Default: as many wrong calls as right ones, with types as
    /// balanced as possible.
    pub per_type: Option<usize>,
    /// Whether only wrong calls are written. Default: no.
    pub negatives_only: bool,
}

impl Default for MakingSettings {
    fn default() -> MakingSettings {
        MakingSettings {
            seed: 0,
            per_question: 2,
            negatives_per_question: 4,
            per_type: None,
            negatives_only: false,
        }
    }
}
