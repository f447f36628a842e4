//! The flag that makes CSV safe for spreadsheets.

use clap::Args;

use crate::write::Formulas;

#[derive(Debug, Clone, Default, Args)]
pub struct SpreadsheetArgs {
    /// In CSV, put an apostrophe before every text that a spreadsheet would take for a formula (it begins with =, +, -, @, a tab or a
    /// line break, and is no number), also in the input's own columns and in headers, and quote all texts. The words of models get
    /// one anyway
    #[arg(long, help_heading = "Output")]
    pub escape_formulas: bool,
}

impl SpreadsheetArgs {
    pub fn formulas(&self) -> Formulas {
        if self.escape_formulas { Formulas::Escaped } else { Formulas::Kept }
    }
}
