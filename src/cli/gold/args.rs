//! The flags of `gold`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::input::{column, pair};
use crate::cli::spreadsheet::SpreadsheetArgs;
use crate::normalize::columns::Slot;
use crate::run::settings::InputKind;
use crate::write::OutputFormat;

/// Make tables of calls of which it is known whether they are right, to test judges with.
///
/// Out of the Berkeley function-calling benchmark's own files (--bfcl), or out of right calls of one's own: every right
/// call, edits of it that change nothing that matters, and calls with one mistake of a known type. The scorer `bfcl_ast`
/// checks each of them; what it sees otherwise is discarded and counted. With --results, real models' answers to the
/// benchmark become such a table.
#[derive(Debug, Args)]
pub struct GoldArgs {
    /// Right calls of one's own: a table with question, tool_call and tool_definitions, or a log; of a table with a column
    /// `gold` the rows that say `correct`
    #[arg(required_unless_present = "bfcl", conflicts_with = "bfcl", value_name = "INPUT")]
    pub inputs: Vec<String>,

    /// Where the benchmark's files are: its data folder, or a checkout of the gorilla repository that has it
    #[arg(long, value_name = "DIR")]
    pub bfcl: Option<PathBuf>,

    /// Where the table goes, its ending says how: .parquet, .jsonl, .csv, .arrow and so on; `-` is the standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,

    /// Write it as csv, tsv, ssv, jsonl, json (also with .gz or .zst), parquet or arrow [default: what its ending says]
    #[arg(long, value_name = "FORMAT")]
    pub to: Option<OutputFormat>,

    /// Only this category of the benchmark; may be given several times [default: all that are there]
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

    /// Replace an output that this program did not write
    #[arg(long, help_heading = "Result")]
    pub force: bool,

    /// Print the counts as JSON
    #[arg(long, help_heading = "Result")]
    pub json: bool,

    /// Say nothing but warnings and errors
    #[arg(short, long, help_heading = "Result")]
    pub quiet: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "What is made")]
pub struct MakingArgs {
    /// Which calls are made and chosen: the same ones for the same seed
    #[arg(long, value_name = "S", default_value = "0")]
    pub seed: u64,

    /// At most so many right calls of one question: the accepted answer, then edits of it
    #[arg(long, value_name = "N", default_value = "2")]
    pub per_question: usize,

    /// At most so many wrong calls of one question
    #[arg(long, value_name = "N", default_value = "4")]
    pub negatives_per_question: usize,

    /// At most so many wrong calls of one type [default: as many wrong calls as right ones, types as even as can be]
    #[arg(long, value_name = "N")]
    pub per_type: Option<usize>,

    /// Write the wrong calls only
    #[arg(long)]
    pub negatives_only: bool,
}

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Real models' answers")]
pub struct ResultArgs {
    /// A folder of the benchmark's results: MODEL/.../BFCL_v4_CATEGORY_result.json. They are written instead of made calls
    #[arg(long, value_name = "DIR", requires = "bfcl")]
    pub results: Option<PathBuf>,

    /// The scores of these results: MODEL/.../BFCL_v4_CATEGORY_score.json. What they say counts [default: the scorer says
    /// what is right, by the benchmark's rules]
    #[arg(long, value_name = "DIR", requires = "results")]
    pub scores: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Calls of one's own")]
pub struct OwnArgs {
    /// What all inputs are, as for `tooljudge label`
    #[arg(long, value_name = "FORMAT")]
    pub from: Option<InputKind>,

    /// Which column holds what, if it has an unusual name: question=user_msg, tool_call=..., tool_definitions=...
    #[arg(long = "column", value_name = "WHAT=COLUMN", value_parser = column)]
    pub columns: Vec<(Slot, String)>,

    /// Tool definitions for all rows that bring none of their own
    #[arg(long, value_name = "FILE")]
    pub tools: Option<PathBuf>,

    /// Only rows whose column holds exactly this text; may be given several times
    #[arg(long = "where", value_name = "COLUMN=TEXT", value_parser = pair)]
    pub filters: Vec<(String, String)>,
}
