//! Settings of a labelling run.

use std::path::PathBuf;

use crate::run::Ceiling;
use crate::run::input::Shard;

use super::{InputSettings, OutputSettings, PanelSettings};

/// What [`label`](crate::run::label()) reads, who judges it, and where the labelled table goes.
#[derive(Debug, Clone)]
pub struct LabelSettings {
    /// The rows.
    pub input: InputSettings,
    /// The part of them that is labelled. Default: all of them.
    pub shard: Option<Shard>,
    /// Who judges them.
    pub panel: PanelSettings,
    /// The labelled table. Default: beside the only input, with `.labeled` before its ending.
    pub output: OutputSettings,
    /// Goes before the names of the columns that are added. Default: nothing.
    pub prefix: String,
    /// Whether the columns that are added replace input columns of the same name. Default: no; such a name is an error.
    pub overwrite: bool,
    /// Columns of the input that are not written. Default: none.
    pub drop: Vec<String>,
    /// Columns for each of whose values the summary tells the share of labels that pass. Default: none.
    pub by: Vec<String>,
    /// Whether the table is written even if the run is stopped; rows without a reply have the status `not_asked`. Default: no.
    pub partial: bool,
    /// The record that a benchmark of these judges wrote as JSON: the share of rows that pass is corrected for the errors found
    /// there. Default: none.
    pub calibration: Option<PathBuf>,
    /// What is right, as a table with the rows' names and a column `gold`, such as the marks of a [report](Self::report): it goes before
    /// the gold of the input, and corrects the share of rows that pass. Default: none.
    pub errata: Option<PathBuf>,
    /// The column with the names of rows. Default: `id`, `row_id` or `source_id`.
    pub id: Option<String>,
    /// A JUnit report of all rows. Default: none.
    pub junit: Option<PathBuf>,
    /// A page of all labelled rows, an HTML file for a browser: to read them, to filter them and to mark what is right. Default: none.
    pub report: Option<PathBuf>,
    /// How many rows may fail in which way: cases of the JUnit report. Default: no limits.
    pub max_fail: Vec<Ceiling>,
    /// How many of the rows that fail are kept with their reasons, for each judge
    /// ([`MemberSummary::failures`](crate::run::MemberSummary::failures)). Default: none.
    pub failures: usize,
    /// Columns by whose values labels are folded, and the table that they are folded into. Default: none.
    pub fold: Option<(Vec<String>, OutputSettings)>,
    /// Whether the share of labels that pass is told with its interval where nothing corrects it. Default: only where labels are
    /// graded.
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
