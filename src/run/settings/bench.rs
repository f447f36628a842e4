//! Settings of a benchmark of judges on rows with known labels.

use std::num::NonZeroU32;
use std::path::PathBuf;

use super::{BfclSettings, InputSettings, OutputSettings, PanelSettings};
use crate::run::Repeated;

/// What [`bench`](crate::run::bench()) measures, and what it writes.
#[derive(Debug, Clone)]
pub struct BenchSettings {
    /// The rows; [`BenchSettings::bfcl`] replaces its inputs.
    pub input: InputSettings,
    /// Rows generated from the files of the Berkeley function-calling benchmark. Default: none.
    pub bfcl: Option<BfclSettings>,
    /// The judges that are measured.
    pub panel: PanelSettings,
    /// How often every question is sent, to measure self-consistency; each time is paid for. Default: 1.
    pub repeat: NonZeroU32,
    /// The column of gold. Default: `gold` or `verdict`; before them `params_label` for parameter extraction and `selection_label`
    /// for tool selection.
    pub gold: Option<String>,
    /// Rows with the same value of this column belong together. Default: `question_id`; without it, rows of one question.
    pub cluster: Option<String>,
    /// Columns to slice by: figures are also given for each of their values. Default: the usual ones that exist.
    pub by: Vec<String>,
    /// The column with row ids. Default: `id` or `row_id`.
    pub id: Option<String>,
    /// Which of several equal rows count. Default: all.
    pub repeated: Repeated,
    /// A table of corrections of the gold. Default: none.
    pub errata: Option<PathBuf>,
    /// Whether the two baselines are included. Default: yes.
    pub baselines: bool,
    /// The labelled rows. Default: nowhere.
    pub output: OutputSettings,
    /// A prefix for the names of the added columns. Default: none.
    pub prefix: String,
    /// Whether added columns replace input columns of the same name. Default: no; such a name is an error.
    pub overwrite: bool,
    /// Report files, by extension: .html, .md, .json, or a table of all figures. Default: none.
    pub reports: Vec<PathBuf>,
    /// The most disagreements that an HTML report shows; of rows that every judge got right, it shows a fifth as many. Default: 500.
    pub cases: usize,
    /// A table of rows whose gold is probably wrong. Default: none.
    pub audit: Option<PathBuf>,
    /// The largest number of rows in it. Default: 200.
    pub suspects: usize,
}

impl BenchSettings {
    /// Measures the built-in judge on all rows of `inputs`, beside the baselines; writes nothing.
    pub fn new<I: Into<String>>(inputs: impl IntoIterator<Item = I>) -> BenchSettings {
        BenchSettings {
            input: InputSettings::new(inputs),
            bfcl: None,
            panel: PanelSettings::default(),
            repeat: NonZeroU32::MIN,
            gold: None,
            cluster: None,
            by: Vec::new(),
            id: None,
            repeated: Repeated::All,
            errata: None,
            baselines: true,
            output: OutputSettings::default(),
            prefix: String::new(),
            overwrite: false,
            reports: Vec::new(),
            cases: 500,
            audit: None,
            suspects: 200,
        }
    }
}
