//! Settings of a conversion of logs and tables to rows.

use super::{InputSettings, OutputSettings};

/// What [`convert`](crate::run::convert()) reads, and where the rows go.
#[derive(Debug, Clone)]
pub struct ConvertSettings {
    /// Logs and tables.
    pub input: InputSettings,
    /// The rows. Default: none; the inputs are only examined.
    pub output: OutputSettings,
    /// Whether unreadable records, and records without anything to judge, are written too; every row then has a `status`.
    /// Default: no.
    pub all: bool,
}

impl ConvertSettings {
    /// Examines all `inputs`; writes nothing.
    pub fn new<I: Into<String>>(inputs: impl IntoIterator<Item = I>) -> ConvertSettings {
        ConvertSettings { input: InputSettings::new(inputs), output: OutputSettings::default(), all: false }
    }
}
