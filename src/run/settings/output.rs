//! Settings of an output table.

use std::path::PathBuf;

use crate::write::{Collected, Formulas, OutputFormat};

/// A table that a job writes.
#[derive(Debug, Clone, Default)]
pub struct OutputSettings {
    /// The file; `-` is the standard output. Default: what the job says.
    pub path: Option<PathBuf>,
    /// A place in memory that the table is left in, instead of a file. Default: none.
    pub collected: Option<Collected>,
    /// Its format. Default: what the file's ending says.
    pub format: Option<OutputFormat>,
    /// What becomes of texts in CSV that a spreadsheet would take for formulas. Default: only the words of models get an apostrophe.
    pub formulas: Formulas,
    /// Whether files that this program did not write are replaced. Default: no.
    pub force: bool,
}
