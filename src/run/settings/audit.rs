//! Settings of an audit.

use std::num::NonZeroU32;
use std::path::PathBuf;

use super::{InputSettings, OutputSettings, PanelSettings};

/// What [`audit`](crate::run::audit()) attacks, and what it writes.
#[derive(Debug, Clone)]
pub struct AuditSettings {
    /// The rows.
    pub input: InputSettings,
    /// The judges that are attacked.
    pub panel: PanelSettings,
    /// How often every row is sent again unchanged; flips between these labels are noise. Default: 1.
    pub again: NonZeroU32,
    /// The column of gold: attacks then ask for the wrong label, and only on rows that the judge labelled rightly. Default: as for a
    /// benchmark; without one, attacks ask for any label except the judge's.
    pub gold: Option<String>,
    /// Rows with the same value of this column belong together. Default: `question_id`; without it, rows of one question.
    pub cluster: Option<String>,
    /// The column with row ids. Default: `id` or `row_id`.
    pub id: Option<String>,
    /// Every question with its answer. Default: nowhere.
    pub output: OutputSettings,
    /// Report files, by extension: .md, .json, or a table of all figures. Default: none.
    pub reports: Vec<PathBuf>,
}

impl AuditSettings {
    /// Attacks the built-in judge on all rows of `inputs`; writes nothing.
    pub fn new<I: Into<String>>(inputs: impl IntoIterator<Item = I>) -> AuditSettings {
        AuditSettings {
            input: InputSettings::new(inputs),
            panel: PanelSettings::default(),
            again: NonZeroU32::MIN,
            gold: None,
            cluster: None,
            id: None,
            output: OutputSettings::default(),
            reports: Vec::new(),
        }
    }
}
