//! The flags of `bench`.

use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::gold::args::ResultArgs;
use crate::cli::input::InputArgs;
use crate::cli::judging::args::JudgingArgs;
use crate::cli::label;
use crate::cli::label::args::share;
use crate::cli::layers::Section;
use crate::cli::spreadsheet::SpreadsheetArgs;
use crate::write::OutputFormat;

/// Measure judges on rows with known labels (gold).
///
/// Labels every row as `label` does, with each judge and template, and compares the labels with a gold column. Reports figures with
/// cluster-aware 95 % confidence intervals, overall and by kind of error, next to two trivial baselines. Rows without a label are
/// counted separately, never as right or wrong.
#[derive(Debug, Clone, Default, Args)]
pub struct BenchArgs {
    /// Tables with a gold column, such as datasets/benchmark.jsonl or the output of `tooljudge gold`
    #[arg(required_unless_present = "bfcl", conflicts_with = "bfcl", value_name = "INPUT")]
    pub inputs: Vec<String>,

    /// Generate the rows from the official files of BFCL (the Berkeley Function Calling Leaderboard) in this folder, as `tooljudge
    /// gold` does: accepted calls, harmless edits, and calls with one mistake of a known type
    #[arg(long, value_name = "DIR")]
    pub bfcl: Option<PathBuf>,

    /// Write the labeled rows to this file; the extension gives the format [default: not written]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Output format: csv, tsv, ssv, jsonl, json (also with .gz or .zst), parquet or arrow [default: by the file extension]
    #[arg(long, value_name = "FORMAT")]
    pub to: Option<OutputFormat>,

    /// Dry run: send nothing and write nothing, print the first N prompts of each judge and an estimate of tokens and cost
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1")]
    pub dry_run: Option<usize>,

    /// Ask every question N times, to measure self-consistency. Each repetition is sent and paid for [default: 1]
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

/// What of the settings file is for `bench`: what `label` has too, and means the same, but where its table and its page go.
pub const SECTION: Section = Section {
    command: "bench",
    except: &["dry_run", "gate_on", "output", "to", "report"],
    ..label::args::SECTION
};

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Gold")]
pub struct GoldArgs {
    /// The column with the gold labels [default: gold or verdict; params_label first for parameter_extraction, selection_label
    /// first for tool_selection]
    #[arg(long, value_name = "COLUMN")]
    pub gold: Option<String>,

    /// The column with the cluster of each row: rows of one cluster are not independent [default: question_id, transcript_id or
    /// pair; without them, rows with the same question]
    #[arg(long, value_name = "COLUMN")]
    pub cluster: Option<String>,

    /// Also report figures for each value of this column. Can be repeated [default: error_type, edit, kind, category, language,
    /// lang, literal, difficulty, domain and model, if they exist]
    #[arg(long = "by", value_name = "COLUMN")]
    pub by: Vec<String>,

    /// The column with the row's id, for reports and errata [default: id or row_id]
    #[arg(long, value_name = "COLUMN")]
    pub id: Option<String>,

    /// Drop duplicates: count rows with the same question, tools and calls, or with the same value of COLUMN, once
    #[arg(long, value_name = "COLUMN", num_args = 0..=1, require_equals = true)]
    pub dedup: Option<Option<String>>,

    /// Corrections of the gold: a table with the rows' ids and a column `gold` (empty to exclude the row)
    #[arg(long, value_name = "FILE")]
    pub errata: Option<PathBuf>,

    /// Do not report the baselines `all_correct` and `schema_only`
    #[arg(long)]
    pub no_baselines: bool,
}

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Report")]
pub struct ReportArgs {
    /// Write a report; the extension gives the format: .html (one file, opens offline), .md, .json (see docs/bench.md; `label
    /// --calibration` reads it), or a table of all figures (.parquet, .csv and so on). Can be repeated
    #[arg(long = "report", value_name = "FILE")]
    pub reports: Vec<PathBuf>,

    /// Show at most N disagreements in the HTML report, and at most N/5 rows that every judge got right; more are sampled at random
    /// [default: 500]
    #[arg(long, value_name = "N")]
    pub cases: Option<usize>,

    /// Write the rows whose gold is probably wrong, because all judges contradict it, most doubtful first. Delete the rows that you
    /// do not agree with, and pass the rest to --errata
    #[arg(long, value_name = "FILE")]
    pub audit: Option<PathBuf>,

    /// Write at most N rows with --audit [default: 200]
    #[arg(long, value_name = "N")]
    pub suspects: Option<usize>,

    /// Overwrite files that tooljudge did not write
    #[arg(long)]
    pub force: bool,

    /// Prefix for the names of the added columns in the labeled rows
    #[arg(long, value_name = "TEXT")]
    pub prefix: Option<String>,

    /// Let the added columns in the labeled rows replace input columns of the same name
    #[arg(long, conflicts_with = "prefix")]
    pub overwrite: bool,

    /// Print the record as JSON instead of tables
    #[arg(long)]
    pub json: bool,

    /// Print only warnings and errors
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Gates (exit code 1 if a judge fails one)")]
pub struct GateArgs {
    /// The lowest accuracy: the share of labels that are right
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub min_accuracy: Option<f64>,

    /// The lowest balanced accuracy: the mean of the recall of right and of wrong calls
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub min_balanced_accuracy: Option<f64>,

    /// The lowest F1 of either label. A judge that passes everything has 0 for one of them
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub min_f1: Option<f64>,

    /// The lowest Cohen's kappa with the gold
    #[arg(long, value_name = "K", value_parser = coefficient)]
    pub min_kappa: Option<f64>,

    /// The lowest Matthews correlation coefficient (MCC) with the gold
    #[arg(long, value_name = "M", value_parser = coefficient)]
    pub min_mcc: Option<f64>,

    /// The lowest area under the ROC curve of the probabilities in p_correct
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub min_auc: Option<f64>,

    /// What the gates check: the figure itself (value), or the lower end of its interval (low) [default: value]
    #[arg(long, value_name = "WHAT")]
    pub gate_on: Option<GateOn>,

    /// The highest share of rows that could not be judged; rows without evidence do not count [default: 0]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub allow_unjudged: Option<f64>,

    /// The highest share of rows in which the built-in judge found no evidence
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub max_abstained: Option<f64>,
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
