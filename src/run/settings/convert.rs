//! Settings of a conversion of logs and tables to rows.

use super::{InputSettings, OutputSettings};

/// What [`convert`](crate::run::convert()) reads, and where the rows go.
#[derive(Debug, Clone)]
pub struct ConvertSettings {
    /// Logs and tables.
    pub input: InputSettings,
    /// The rows. Default: nowhere; the inputs are only looked through.
    pub output: OutputSettings,
    /// Whether what cannot be read and what holds nothing to judge is written too; every row then says its `status`. Default: no.
    pub all: bool,
}

impl ConvertSettings {
    /// Looks through all `inputs`; writes nothing.
    pub fn new<I: Into<String>>(inputs: impl IntoIterator<Item = I>) -> ConvertSettings {
        ConvertSettings { input: InputSettings::new(inputs), output: OutputSettings::default(), all: false }
    }
}
