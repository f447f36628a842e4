//! The flags of `trend`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::input::pair;
use crate::cli::label::args::share;
use crate::cli::spreadsheet::SpreadsheetArgs;
use crate::write::OutputFormat;

/// Show how the results of agents change from run to run.
///
/// Reads files that `drive --history` adds a line to for each agent and run. Shows the share of episodes that pass, with its 95 %
/// interval, by run and suite, the newest last. The last run is compared with the run before it and with all earlier runs together, case
/// by case: an exact test, Holm-corrected, and the interval of the difference. Cases that ask or expect something else now, or that only
/// one side has, are counted and not compared. A stored reply is evidence once, however many runs use it.
#[derive(Debug, Args)]
pub struct TrendArgs {
    /// Files that `drive --history` wrote; a run that is in several of them counts once
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Compare the last run with this one only: its id, or how the id begins [default: the run before, and all earlier runs]
    #[arg(long, value_name = "RUN")]
    pub baseline: Option<String>,

    /// Only this agent. Can be repeated
    #[arg(long = "agent", value_name = "AGENT")]
    pub agents: Vec<String>,

    /// Only runs of this experiment; an empty name is for runs of none. Can be repeated
    #[arg(long = "experiment", value_name = "NAME")]
    pub experiments: Vec<String>,

    /// Only runs with this tag. Can be repeated: all of them must hold
    #[arg(long = "tag", value_name = "NAME=VALUE", value_parser = pair)]
    pub tags: Vec<(String, String)>,

    /// Exit with code 1 if the share that passes has dropped by more than SHARE, for any agent, and the drop is more than chance (p below
    /// 0.05), or if the newest run of a suite is not complete. 0 is for every such drop
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub max_drop: Option<f64>,

    /// Write a table: a row for each suite and each case of each run
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// The format of the table: csv, tsv, ssv, jsonl, json (also with .gz or .zst), parquet or arrow [default: by the file extension]
    #[arg(long, value_name = "FORMAT")]
    pub to: Option<OutputFormat>,

    /// Write a report: .html (with a picture), .md or .json. Can be repeated
    #[arg(long = "report", value_name = "FILE")]
    pub reports: Vec<PathBuf>,

    #[command(flatten)]
    pub spreadsheet: SpreadsheetArgs,

    /// Overwrite files that tooljudge did not write
    #[arg(long)]
    pub force: bool,

    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,

    /// Print only warnings and errors
    #[arg(short, long)]
    pub quiet: bool,
}
