//! Settings for generating calls with known labels.

use std::path::PathBuf;

use super::{InputSettings, OutputSettings};

/// What [`gold`](crate::run::gold()) makes calls of, which, and where they go.
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
    /// Calls made of `source`, to be written to `path`.
    pub fn new(source: GoldOrigin, path: impl Into<PathBuf>) -> GoldSettings {
        let output = OutputSettings { path: Some(path.into()), ..OutputSettings::default() };
        GoldSettings { source, output, making: MakingSettings::default() }
    }
}

/// Where questions come from.
#[derive(Debug, Clone)]
pub enum GoldOrigin {
    /// Right calls of one's own; of a table with a column `gold` the rows that say `correct`.
    Own(InputSettings),
    /// The Berkeley function-calling benchmark's files.
    Bfcl(BfclSettings),
}

/// The Berkeley function-calling benchmark's own files.
#[derive(Debug, Clone)]
pub struct BfclSettings {
    /// Its data folder, or a checkout of the gorilla repository that has it.
    pub folder: PathBuf,
    /// Categories. Default: all that are there.
    pub categories: Vec<String>,
    /// A folder of real models' answers, which then take the place of calls that are made. Default: none.
    pub results: Option<PathBuf>,
    /// Their scores, which then count. Default: none; the scorer says what is right, by the benchmark's rules.
    pub scores: Option<PathBuf>,
}

impl BfclSettings {
    /// All categories in `folder`, for calls to be made of.
    pub fn new(folder: impl Into<PathBuf>) -> BfclSettings {
        BfclSettings { folder: folder.into(), categories: Vec::new(), results: None, scores: None }
    }
}

/// Which calls are made, and which of them are chosen.
#[derive(Debug, Clone)]
pub struct MakingSettings {
    /// The same calls for the same seed. Default: 0.
    pub seed: u64,
    /// The most right calls of one question: the accepted answer, then edits of it. Default: 2.
    pub per_question: usize,
    /// The most wrong calls of one question. Default: 4.
    pub negatives_per_question: usize,
    /// The most wrong calls of one type. Default: as many wrong calls as right ones, types as even as can be.
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
