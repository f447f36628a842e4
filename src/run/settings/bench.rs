//! Settings of a benchmark of judges on rows with known labels.

use std::num::NonZeroU32;
use std::path::PathBuf;

use super::{BfclSettings, InputSettings, OutputSettings, PanelSettings};
use crate::run::Repeated;

/// What [`bench`](crate::run::bench()) measures, and what it writes.
#[derive(Debug, Clone)]
pub struct BenchSettings {
    /// The rows; [`BenchSettings::bfcl`] takes the place of its inputs.
    pub input: InputSettings,
    /// Rows made of the Berkeley function-calling benchmark's own files. Default: none.
    pub bfcl: Option<BfclSettings>,
    /// Who is measured.
    pub panel: PanelSettings,
    /// Times that every question is asked over, to see whether a judge says the same again; each is paid for. Default: 1.
    pub repeat: NonZeroU32,
    /// The column of gold. Default: `gold` or `verdict`; before them `params_label` for parameter extraction and `selection_label`
    /// for tool selection.
    pub gold: Option<String>,
    /// Rows with the same value of this column belong together. Default: `question_id`; without it, rows of one question.
    pub cluster: Option<String>,
    /// Columns by whose values figures are given too. Default: the usual ones that there are.
    pub by: Vec<String>,
    /// The column that names rows. Default: `id` or `row_id`.
    pub id: Option<String>,
    /// What counts of rows that are the same. Default: all.
    pub repeated: Repeated,
    /// A table of corrections of the gold. Default: none.
    pub errata: Option<PathBuf>,
    /// Whether the two baselines take part. Default: yes.
    pub baselines: bool,
    /// The labelled rows. Default: nowhere.
    pub output: OutputSettings,
    /// Goes before the names of the columns that are added to the rows. Default: nothing.
    pub prefix: String,
    /// Whether the columns that are added replace input columns of the same name. Default: no; such a name is an error.
    pub overwrite: bool,
    /// Files for reports, whose endings say what they are: .html, .md, .json, or a table of all figures. Default: none.
    pub reports: Vec<PathBuf>,
    /// The most disagreements that an HTML report shows; of rows that every judge got right, it shows a fifth as many. Default: 500.
    pub cases: usize,
    /// Where rows go whose gold is probably wrong. Default: nowhere.
    pub audit: Option<PathBuf>,
    /// The most rows there. Default: 200.
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
