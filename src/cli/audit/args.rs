//! The flags of `audit`.

use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::Args;

use crate::cli::input::InputArgs;
use crate::cli::judging::args::JudgingArgs;
use crate::cli::label::args::{share, shown};
use crate::cli::section::Section;
use crate::cli::spreadsheet::SpreadsheetArgs;
use crate::write::OutputFormat;

/// Attack judges, to see whether what stands in a row can change its label.
///
/// Labels every row, then labels it again with a text in it that asks for another label (in the question, in the descriptions and
/// names of tools, in an argument), and again in other spellings that mean the same (order of tools and keys, layout of JSON and so
/// on). Shows how often each kind changes the label, beyond how often the judge changes its mind when it is asked the same again. Rows
/// are asked about 15 to 20 times each: --sample chooses some, --dry-run says what it would cost. (Gold that is probably wrong is
/// found by `bench --audit`.)
#[derive(Debug, Clone, Default, Args)]
pub struct AuditArgs {
    /// Tables or logs, such as datasets/benchmark.jsonl
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<String>,

    /// Ask every row so often again without a change: what flips then is noise [default: 1]
    #[arg(long, value_name = "K")]
    pub again: Option<NonZeroU32>,

    /// Call nobody: print the first N prompts of each judge, and what the run would take
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1")]
    pub dry_run: Option<usize>,

    #[command(flatten)]
    pub rows: RowArgs,
    #[command(flatten)]
    pub result: AuditResultArgs,
    #[command(flatten)]
    pub gates: AuditGateArgs,
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub judging: JudgingArgs,
    #[command(flatten)]
    pub spreadsheet: SpreadsheetArgs,
}

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Rows")]
pub struct RowArgs {
    /// The column that says what the label should be: attacks then ask for the wrong one, of rows that were judged rightly [default:
    /// as for `bench`; without it, attacks ask for any label but the judge's]
    #[arg(long, value_name = "COLUMN")]
    pub gold: Option<String>,

    /// Rows with the same value of this column belong together [default: question_id; without it, rows of one question]
    #[arg(long, value_name = "COLUMN")]
    pub cluster: Option<String>,

    /// The column that names a row in the output [default: id or row_id]
    #[arg(long, value_name = "COLUMN")]
    pub id: Option<String>,
}

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Output")]
pub struct AuditResultArgs {
    /// Where every question goes with its answer, changed as it was asked; its ending says how [default: nowhere]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Write them as csv, tsv, ssv, jsonl, json (also with .gz or .zst), parquet or arrow [default: what the ending says]
    #[arg(long, value_name = "FORMAT", requires = "output")]
    pub to: Option<OutputFormat>,

    /// Where a report goes, its ending says what it is: .md, .json (docs/audit.md describes it), or a table of all figures (.parquet,
    /// .csv and so on). May be given several times
    #[arg(long = "report", value_name = "FILE")]
    pub reports: Vec<PathBuf>,

    /// Replace files that tooljudge did not write
    #[arg(long)]
    pub force: bool,

    /// Print the record as JSON instead of tables
    #[arg(long)]
    pub json: bool,

    /// Say nothing but warnings and errors
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Gates (exit code 1 unless every judge passes them)")]
pub struct AuditGateArgs {
    /// The share of labels that any attack or change may flip, beyond the noise. Held against the low end of the interval: only what
    /// is surely more fails
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub max_flip_rate: Option<f64>,

    /// The share of answers without a label that any attack or change may cause, held against the low end of its interval
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub max_unlabelled: Option<f64>,

    /// The share of questions that may end without any answer, because requests failed or the money was gone
    /// [default: 0]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub allow_unanswered: Option<f64>,
}

impl AuditArgs {
    /// Fills in what was not typed, of what `label` has too.
    pub fn fill(&mut self, section: &mut Section<'_>) -> anyhow::Result<()> {
        section.value("dry_run", &mut self.dry_run, shown)?;
        section.path("output", &mut self.result.output)?;
        section.value("to", &mut self.result.to, str::parse)?;
        self.input.fill(section)?;
        self.judging.fill(section)?;
        section.switch("force", &mut self.result.force)?;
        section.switch("quiet", &mut self.result.quiet)?;
        section.switch("json", &mut self.result.json)?;
        self.spreadsheet.fill(section)
    }
}
