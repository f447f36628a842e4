//! Settings for reading stored replies again.

use super::LabelSettings;

/// What [`resnap`](crate::run::resnap()) reads again: the settings of the run whose replies are meant, with other rules or rails.
#[derive(Debug, Clone)]
pub struct ResnapSettings {
    /// As for the run that asked.
    pub label: LabelSettings,
    /// Labels to read out of the replies instead of those that were asked for, the good one first. Default: those that were.
    pub read_rails: Vec<String>,
}

impl ResnapSettings {
    /// Reads the replies of `label` again, onto the rails that were asked for.
    pub fn new(label: LabelSettings) -> ResnapSettings {
        ResnapSettings { label, read_rails: Vec::new() }
    }
}
