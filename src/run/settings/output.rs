//! Settings of an output table.

use std::path::PathBuf;

use crate::write::{Collected, Formulas, OutputFormat};

/// A table that a job writes.
#[derive(Debug, Clone, Default)]
pub struct OutputSettings {
    /// The file; `-` is the standard output. Default: what the job says.
    pub path: Option<PathBuf>,
    /// Memory that receives the table instead of a file. Default: none.
    pub collected: Option<Collected>,
    /// Its format. Default: by the file's extension.
    pub format: Option<OutputFormat>,
    /// How texts in CSV are handled that a spreadsheet would take for formulas. Default: only models' texts get an apostrophe.
    pub formulas: Formulas,
    /// Whether files that this program did not write are replaced. Default: no.
    pub force: bool,
}
