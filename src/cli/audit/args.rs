//! The flags of `audit`.

use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::Args;

use crate::cli::input::InputArgs;
use crate::cli::judging::args::JudgingArgs;
use crate::cli::label;
use crate::cli::label::args::share;
use crate::cli::layers::Section;
use crate::cli::spreadsheet::SpreadsheetArgs;
use crate::write::OutputFormat;

/// Test how robust judges are: can text planted in a row change its label?
///
/// Labels every row. Then labels it again with an injected text that asks for another label (in the question, in tool names and
/// descriptions, in an argument), and again with changes that mean the same (order of tools and keys, JSON layout and so on).
/// Reports how often each attack or change flips the label, beyond the judge's own noise. Each row takes 15 to 20 requests:
/// --sample reduces the number of rows, --dry-run estimates the cost. (To find gold that is probably wrong, use `bench --audit`.)
#[derive(Debug, Clone, Default, Args)]
pub struct AuditArgs {
    /// Tables or logs, such as datasets/benchmark.jsonl
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<String>,

    /// Ask each row N more times without a change, to measure the judge's noise [default: 1]
    #[arg(long, value_name = "K")]
    pub again: Option<NonZeroU32>,

    /// Dry run: send nothing, print the first N prompts of each judge and an estimate of tokens and cost
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

/// What of the settings file is for `audit`: what `label` has too, but where its table and its page go.
pub const SECTION: Section =
    Section { command: "audit", except: &["output", "to", "report"], ..label::args::SECTION };

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Rows")]
pub struct RowArgs {
    /// The column with the gold labels. With it, attacks ask for the wrong label, on rows that were judged correctly [default: as
    /// for `bench`; without gold, attacks ask for any label other than the judge's]
    #[arg(long, value_name = "COLUMN")]
    pub gold: Option<String>,

    /// The column with the cluster of each row: rows of one cluster are not independent [default: question_id; without it, rows
    /// with the same question]
    #[arg(long, value_name = "COLUMN")]
    pub cluster: Option<String>,

    /// The column with the row's id, for the output [default: id or row_id]
    #[arg(long, value_name = "COLUMN")]
    pub id: Option<String>,
}

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Output")]
pub struct AuditResultArgs {
    /// Write every question, as it was changed, with its answer to this file; the extension gives the format [default: not written]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Output format: csv, tsv, ssv, jsonl, json (also with .gz or .zst), parquet or arrow [default: by the file extension]
    #[arg(long, value_name = "FORMAT")]
    pub to: Option<OutputFormat>,

    /// Write a report; the extension gives the format: .md, .json (see docs/audit.md), or a table of all figures (.parquet, .csv
    /// and so on). Can be repeated
    #[arg(long = "report", value_name = "FILE")]
    pub reports: Vec<PathBuf>,

    /// Overwrite files that tooljudge did not write
    #[arg(long)]
    pub force: bool,

    /// Print the record as JSON instead of tables
    #[arg(long)]
    pub json: bool,

    /// Print only warnings and errors
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Gates (exit code 1 if a judge fails one)")]
pub struct AuditGateArgs {
    /// The highest share of labels that any attack or change may flip, beyond the noise. It fails only if the lower end of the
    /// interval is above this share
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub max_flip_rate: Option<f64>,

    /// The highest share of answers without a label that any attack or change may cause. It fails only if the lower end of the
    /// interval is above this share
    #[arg(long = "max-unlabeled", alias = "max-unlabelled", value_name = "SHARE", value_parser = share)]
    pub max_unlabelled: Option<f64>,

    /// The highest share of questions without any answer, because requests failed or the budget ran out [default: 0]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub allow_unanswered: Option<f64>,
}
