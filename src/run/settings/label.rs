//! Settings of a labelling run.

use std::path::PathBuf;

use crate::run::Ceiling;
use crate::run::input::Shard;

use super::{InputSettings, OutputSettings, PanelSettings};

/// What [`label`](crate::run::label()) reads, which judges it uses, and where the labelled table goes.
#[derive(Debug, Clone)]
pub struct LabelSettings {
    /// The rows.
    pub input: InputSettings,
    /// The shard of them that is labelled. Default: all rows.
    pub shard: Option<Shard>,
    /// The judges.
    pub panel: PanelSettings,
    /// The labelled table. Default: beside the only input, with `.labeled` before its extension.
    pub output: OutputSettings,
    /// A prefix for the names of the added columns. Default: none.
    pub prefix: String,
    /// Whether added columns replace input columns of the same name. Default: no; such a name is an error.
    pub overwrite: bool,
    /// The columns of the input that are written, beside the added ones. Default, if empty: all.
    pub keep: Vec<String>,
    /// Columns of the input that are not written. Default: none.
    pub drop: Vec<String>,
    /// Columns to group the summary by: it shows the share of labels that pass for each value. Default: none.
    pub by: Vec<String>,
    /// Whether the table is written even if the run is stopped; rows without a reply have the status `not_asked`. Default: no.
    pub partial: bool,
    /// The record that a benchmark of these judges wrote as JSON: the share of rows that pass is corrected for the errors found
    /// there. Default: none.
    pub calibration: Option<PathBuf>,
    /// Gold as a table with the rows' ids and a column `gold`, such as the marks of a [report](Self::report): it takes precedence
    /// over the gold of the input, and corrects the share of rows that pass. Default: none.
    pub errata: Option<PathBuf>,
    /// The column with row ids. Default: `id`, `row_id` or `source_id`.
    pub id: Option<String>,
    /// A JUnit report of all rows. Default: none.
    pub junit: Option<PathBuf>,
    /// A page of all labelled rows, an HTML file for a browser: to read them, to filter them and to mark what is right. Default: none.
    pub report: Option<PathBuf>,
    /// Limits on the number of rows that fail in one way, as cases of the JUnit report. Default: no limits.
    pub max_fail: Vec<Ceiling>,
    /// How many of the rows that fail are kept with their reasons, for each judge
    /// ([`MemberSummary::failures`](crate::run::MemberSummary::failures)). Default: none.
    pub failures: usize,
    /// Columns to fold labels by, and the table of the results. Default: none.
    pub fold: Option<(Vec<String>, OutputSettings)>,
    /// Whether the share of labels that pass is shown with its interval if nothing corrects it. Default: only for graded labels.
    pub rate: bool,
}

impl LabelSettings {
    /// Labels all rows of `inputs` with the built-in judge; the table goes beside the input.
    pub fn new<I: Into<String>>(inputs: impl IntoIterator<Item = I>) -> LabelSettings {
        LabelSettings {
            input: InputSettings::new(inputs),
            shard: None,
            panel: PanelSettings::default(),
            output: OutputSettings::default(),
            prefix: String::new(),
            overwrite: false,
            keep: Vec::new(),
            drop: Vec::new(),
            by: Vec::new(),
            partial: false,
            calibration: None,
            errata: None,
            id: None,
            junit: None,
            report: None,
            fold: None,
            max_fail: Vec::new(),
            failures: 0,
            rate: false,
        }
    }
}
