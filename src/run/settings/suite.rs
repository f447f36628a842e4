//! Settings for making suites from logs.

use std::path::PathBuf;

use super::InputSettings;
use tooljudge_core::drive::from_log::{CaseMode, ExpectedParts};

/// What [`suite_from_log`](crate::run::suite_from_log) reads, and how it makes cases.
#[derive(Debug, Clone)]
pub struct SuiteSettings {
    /// Logs and tables, mostly labelled ones.
    pub input: InputSettings,
    /// The suite file; `-` is the standard output. Default: none; the suite is only returned.
    pub output: Option<PathBuf>,
    /// Whether a file that this program did not write is replaced. Default: no.
    pub force: bool,
    /// The column that says whether the calls are right. Default: `gold` if the row has a value there, else `label`.
    pub label: Option<String>,
    /// What one case consists of. Default: one turn.
    pub mode: CaseMode,
    /// Which parts of the reviewed calls are expected. Default: tools and arguments.
    pub expect: ExpectedParts,
    /// JSON pointers to arguments that differ from run to run: `/sent_at`. Default: none.
    pub ignore: Vec<String>,
    /// Regular expressions; what they match in messages, arguments and results becomes `[redacted]`. Default: none.
    pub redact: Vec<String>,
}

impl SuiteSettings {
    /// A case for each reviewed turn of `inputs`; nothing is written.
    pub fn new<I: Into<String>>(inputs: impl IntoIterator<Item = I>) -> SuiteSettings {
        SuiteSettings {
            input: InputSettings::new(inputs),
            output: None,
            force: false,
            label: None,
            mode: CaseMode::default(),
            expect: ExpectedParts::default(),
            ignore: Vec::new(),
            redact: Vec::new(),
        }
    }
}
