//! Settings for reading stored replies again.

use super::LabelSettings;

/// What [`resnap`](crate::run::resnap()) reads again: the settings of the original run, with other rules or rails.
#[derive(Debug, Clone)]
pub struct ResnapSettings {
    /// As in the original run.
    pub label: LabelSettings,
    /// Labels to read from the replies instead of the original ones, the good one first. Default: the original ones.
    pub read_rails: Vec<String>,
}

impl ResnapSettings {
    /// Reads the replies of `label` again, with the original rails.
    pub fn new(label: LabelSettings) -> ResnapSettings {
        ResnapSettings { label, read_rails: Vec::new() }
    }
}
