//! The flags of `gold`.

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;

use crate::cli::input::{column, pair};
use crate::cli::spreadsheet::SpreadsheetArgs;
use crate::domain::Slot;
use crate::run::settings::InputKind;
use crate::write::OutputFormat;

/// Generate labeled test sets of right and wrong tool calls.
///
/// The source is the official files of BFCL, the Berkeley Function Calling Leaderboard (--bfcl), or your own right calls. The test
/// set holds every right call, harmless edits of it, and calls with one mistake of a known type. The scorer `bfcl_ast` checks each
/// generated call; calls on which it disagrees are discarded and counted. With --results, the test set holds real models' answers
/// to the benchmark instead.
#[derive(Debug, Args)]
pub struct GoldArgs {
    /// Your own right calls: a table with question, tool_call and tool_definitions, or a log. If a table has a column `gold`, only
    /// its rows with `correct` are used
    #[arg(required_unless_present = "bfcl", conflicts_with = "bfcl", value_name = "INPUT")]
    pub inputs: Vec<String>,

    /// The folder with BFCL's files: its data folder, or a checkout of the gorilla repository
    #[arg(long, value_name = "DIR")]
    pub bfcl: Option<PathBuf>,

    /// Write the table to this file; the extension gives the format: .parquet, .jsonl, .csv, .arrow and so on; `-` is the standard
    /// output
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,

    /// Output format: csv, tsv, ssv, jsonl, json (also with .gz or .zst), parquet or arrow [default: by the file extension]
    #[arg(long, value_name = "FORMAT")]
    pub to: Option<OutputFormat>,

    /// Only this category of the benchmark. Can be repeated [default: all categories]
    #[arg(long, value_name = "NAME", requires = "bfcl")]
    pub category: Vec<String>,

    #[command(flatten)]
    pub making: MakingArgs,
    #[command(flatten)]
    pub results: ResultArgs,
    #[command(flatten)]
    pub own: OwnArgs,
    #[command(flatten)]
    pub spreadsheet: SpreadsheetArgs,

    /// Overwrite an output file that tooljudge did not write
    #[arg(long, help_heading = "Result")]
    pub force: bool,

    /// Print the counts as JSON
    #[arg(long, help_heading = "Result")]
    pub json: bool,

    /// Print only warnings and errors
    #[arg(short, long, help_heading = "Result")]
    pub quiet: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Generation")]
pub struct MakingArgs {
    /// Seed of the random choice: the same seed gives the same calls
    #[arg(long, value_name = "S", default_value = "0")]
    pub seed: u64,

    /// At most N right calls for each question: the accepted answer, then edits of it
    #[arg(long, value_name = "N", default_value = "2")]
    pub per_question: usize,

    /// At most N wrong calls for each question
    #[arg(long, value_name = "N", default_value = "4")]
    pub negatives_per_question: usize,

    /// At most N wrong calls of each type [default: as many wrong calls as right ones, spread evenly over the types]
    #[arg(long, value_name = "N")]
    pub per_type: Option<usize>,

    /// Write only the wrong calls
    #[arg(long)]
    pub negatives_only: bool,
}

impl ResultArgs {
    /// Refuses answers to the benchmark's questions where it is not `asked`. `requires` alone does not: what conflicts with `--bfcl`
    /// waives it.
    pub fn belong_to(&self, is_asked: bool) -> anyhow::Result<()> {
        match self.results.is_some() && !is_asked {
            true => bail!("--results holds answers to BFCL's questions: name their folder with --bfcl"),
            false => Ok(()),
        }
    }
}

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Real models' answers")]
pub struct ResultArgs {
    /// A folder with BFCL's results: MODEL/.../BFCL_v4_CATEGORY_result.json. The table then holds these answers instead of
    /// generated calls
    #[arg(long, value_name = "DIR", requires = "bfcl")]
    pub results: Option<PathBuf>,

    /// The scores of these results: MODEL/.../BFCL_v4_CATEGORY_score.json. They decide which answers are right [default: the scorer
    /// `bfcl_ast` decides]
    #[arg(long, value_name = "DIR")]
    pub scores: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Your own calls")]
pub struct OwnArgs {
    /// The format of all inputs, as for `tooljudge label`
    #[arg(long, value_name = "FORMAT")]
    pub from: Option<InputKind>,

    /// Column names that differ from the usual ones: question=user_msg, tool_call=..., tool_definitions=...
    #[arg(long = "column", value_name = "WHAT=COLUMN", value_parser = column)]
    pub columns: Vec<(Slot, String)>,

    /// A file with tool definitions for all rows that have none
    #[arg(long, value_name = "FILE")]
    pub tools: Option<PathBuf>,

    /// Only rows in which the column has exactly this value. Can be repeated
    #[arg(long = "where", value_name = "COLUMN=TEXT", value_parser = pair)]
    pub filters: Vec<(String, String)>,
}
