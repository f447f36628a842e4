//! The flags of `bench`.

use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::gold::args::ResultArgs;
use crate::cli::input::InputArgs;
use crate::cli::judging::args::JudgingArgs;
use crate::cli::label::args::share;
use crate::cli::section::Section;
use crate::cli::spreadsheet::SpreadsheetArgs;
use crate::write::OutputFormat;

/// Measure how good judges are, on rows whose labels are known.
///
/// Labels every row as `label` does, by every judge and template given, and holds the labels against a column of gold: figures with
/// 95 % intervals, overall and by kind of error, beside two baselines that hardly look. Rows without a label count apart, never as
/// right or wrong. Rows of one question are not taken for independent.
#[derive(Debug, Clone, Default, Args)]
pub struct BenchArgs {
    /// Tables with gold, such as datasets/benchmark.jsonl, or those that `tooljudge gold` makes
    #[arg(required_unless_present = "bfcl", conflicts_with = "bfcl", value_name = "INPUT")]
    pub inputs: Vec<String>,

    /// Make the rows of the Berkeley function-calling benchmark's own files in this folder, as `tooljudge gold --bfcl` does: accepted
    /// calls, harmless edits, and calls with one mistake of a known type
    #[arg(long, value_name = "DIR")]
    pub bfcl: Option<PathBuf>,

    /// Where the labelled rows go, its ending says how [default: nowhere]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Write them as csv, tsv, ssv, jsonl, json (also with .gz or .zst), parquet or arrow [default: what the ending says]
    #[arg(long, value_name = "FORMAT", requires = "output")]
    pub to: Option<OutputFormat>,

    /// Ask every question so often, to see whether a judge says the same again. Each time is asked and paid for
    /// [default: 1]
    #[arg(long, value_name = "K")]
    pub repeat: Option<NonZeroU32>,

    #[command(flatten)]
    pub results: ResultArgs,
    #[command(flatten)]
    pub gold: GoldArgs,
    #[command(flatten)]
    pub report: ReportArgs,
    #[command(flatten)]
    pub gates: GateArgs,
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub judging: JudgingArgs,
    #[command(flatten)]
    pub spreadsheet: SpreadsheetArgs,
}

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Gold")]
pub struct GoldArgs {
    /// The column that says what the label should be [default: gold or verdict; before them params_label for parameter_extraction and
    /// selection_label for tool_selection]
    #[arg(long, value_name = "COLUMN")]
    pub gold: Option<String>,

    /// Rows with the same value of this column belong together [default: question_id; without it, rows of one question]
    #[arg(long, value_name = "COLUMN")]
    pub cluster: Option<String>,

    /// Tell figures by this column's values; may be given several times [default: those there are of error_type, edit, category,
    /// language, literal, difficulty, domain and model]
    #[arg(long = "by", value_name = "COLUMN")]
    pub by: Vec<String>,

    /// The column that names a row, for reports and errata [default: id or row_id]
    #[arg(long, value_name = "COLUMN")]
    pub id: Option<String>,

    /// Count rows once that have the same question, tools and calls, or the same value of COLUMN
    #[arg(long, value_name = "COLUMN", num_args = 0..=1, require_equals = true)]
    pub dedup: Option<Option<String>>,

    /// Corrections of the gold: a table with the rows' names and the column `gold` (empty to leave a row out)
    #[arg(long, value_name = "FILE")]
    pub errata: Option<PathBuf>,

    /// Leave out the baselines `all_correct` and `schema_only`
    #[arg(long)]
    pub no_baselines: bool,
}

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Report")]
pub struct ReportArgs {
    /// Where a report goes, its ending says what it is: .html (one file, opens offline), .md, .json (docs/bench.md describes it; `label
    /// --calibration` reads it), or a table of all figures (.parquet, .csv and so on). May be given several times
    #[arg(long = "report", value_name = "FILE")]
    pub reports: Vec<PathBuf>,

    /// Show at most N disagreements in the HTML report, and at most N/5 rows that every judge got right; drawn at random where there
    /// are more [default: 500]
    #[arg(long, value_name = "N")]
    pub cases: Option<usize>,

    /// Write the rows whose gold is probably wrong, most doubtful first: all judges contradict it. Delete the lines that you do not agree
    /// with, and give the rest to --errata
    #[arg(long, value_name = "FILE")]
    pub audit: Option<PathBuf>,

    /// At most so many rows in the audit [default: 200]
    #[arg(long, value_name = "N")]
    pub suspects: Option<usize>,

    /// Replace files that tooljudge did not write
    #[arg(long)]
    pub force: bool,

    /// Put this before the names of our columns in the labelled rows
    #[arg(long, value_name = "TEXT")]
    pub prefix: Option<String>,

    /// Our columns in the labelled rows replace input columns of the same name
    #[arg(long, conflicts_with = "prefix")]
    pub overwrite: bool,

    /// Print the record as JSON instead of tables
    #[arg(long)]
    pub json: bool,

    /// Say nothing but warnings and errors
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Gates (exit code 1 unless every judge reaches them)")]
pub struct GateArgs {
    /// The share of labels that are right
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub min_accuracy: Option<f64>,

    /// The mean of the shares of right and of wrong calls that are recognised
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub min_balanced_accuracy: Option<f64>,

    /// The lower of the F1 of both labels: who passes everything has 0 for one of them
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub min_f1: Option<f64>,

    /// Cohen's kappa with the gold
    #[arg(long, value_name = "K", value_parser = coefficient)]
    pub min_kappa: Option<f64>,

    /// Matthews' correlation with the gold
    #[arg(long, value_name = "M", value_parser = coefficient)]
    pub min_mcc: Option<f64>,

    /// The area under the ROC curve of the confidences
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub min_auc: Option<f64>,

    /// Hold the gates against the figure itself, or against the low end of its interval [default: value]
    #[arg(long, value_name = "WHAT")]
    pub gate_on: Option<GateOn>,

    /// The share of rows that may end without a label [default: 0]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub allow_unjudged: Option<f64>,
}

impl BenchArgs {
    /// Fills in what was not typed, of what `label` has too.
    pub fn fill(&mut self, section: &mut Section<'_>) -> anyhow::Result<()> {
        section.path("output", &mut self.output)?;
        section.value("to", &mut self.to, str::parse)?;
        self.input.fill(section)?;
        self.judging.fill(section)?;
        section.switch("force", &mut self.report.force)?;
        section.text_value("prefix", &mut self.report.prefix)?;
        section.switch("overwrite", &mut self.report.overwrite)?;
        section.value("allow_unjudged", &mut self.gates.allow_unjudged, share)?;
        section.switch("quiet", &mut self.report.quiet)?;
        section.switch("json", &mut self.report.json)?;
        self.spreadsheet.fill(section)?;
        let both = self.report.overwrite && self.report.prefix.is_some();
        section.exclusive("overwrite", "prefix", both)
    }
}

/// The choices of `--gate-on`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GateOn {
    Value,
    Low,
}

fn coefficient(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (-1.0..=1.0).contains(&value) => Ok(value),
        _ => Err("expected a number between -1 and 1".to_owned()),
    }
}
