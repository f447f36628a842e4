//! The flags of `train`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::input::InputArgs;
use crate::cli::label;
use crate::cli::layers::Section;
use crate::cli::named;
use crate::domain::Task;

/// Train the built-in judge on your own labels.
///
/// Reads labeled rows and adjusts the last step of the built-in judge: from 50 rows on how its scores become labels, from 300 on
/// also what corrects them, from 3,000 on all of it. The gain is measured on rows of questions, and of tools, that the model has not
/// seen. A model is written only if the gain is beyond chance (95 % interval above zero); otherwise the exit code is 1. Use it with
/// --judge builtin:FILE.
#[derive(Debug, Clone, Default, Args)]
pub struct TrainArgs {
    /// Labelled tables or logs, such as a table of `tooljudge label` with a gold column
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<String>,

    /// Write the model to this file
    #[arg(short, long, value_name = "FILE", required_unless_present = "dry_run")]
    pub output: Option<PathBuf>,

    /// The task that the labels are about: tool_calling, tool_selection or parameter_extraction [default: tool_calling]
    #[arg(long, value_name = "TASK", value_parser = named::task(), hide_possible_values = true)]
    pub task: Option<Task>,

    /// Measure only, write nothing
    #[arg(long)]
    pub dry_run: bool,

    /// Keep what the model file already knows about other tasks
    #[arg(long)]
    pub add: bool,

    #[command(flatten)]
    pub rows: RowArgs,
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub result: ResultArgs,

    /// The settings file; `train` uses what its section [label] says about the input [default: tooljudge.toml, if it exists]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// What of the settings file is for `train`: what `label` says about the input.
pub const SECTION: Section =
    Section { command: "train", except: &["task", "output", "dry_run"], ..label::args::SECTION };

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Rows")]
pub struct RowArgs {
    /// The column with the gold labels [default: as for `bench`]
    #[arg(long, value_name = "COLUMN")]
    pub gold: Option<String>,

    /// The column with the cluster of each row: rows of one cluster are held out together [default: question_id, transcript_id or pair;
    /// without them, rows with the same question]
    #[arg(long, value_name = "COLUMN")]
    pub cluster: Option<String>,

    /// The column with the row's id, for --errata [default: id or row_id]
    #[arg(long, value_name = "COLUMN")]
    pub id: Option<String>,

    /// The column with the weight of each row, a number above 0 and at most 1000000 [default: all rows weigh the same]
    #[arg(long, value_name = "COLUMN")]
    pub weight: Option<String>,

    /// Also report the changes for each value of this column. Can be repeated [default: error_type and edit, if they exist]
    #[arg(long = "kind", value_name = "COLUMN")]
    pub kinds: Vec<String>,

    /// A table with corrected gold by row id, as for `bench`; these rows count as reviewed
    #[arg(long, value_name = "FILE")]
    pub errata: Option<PathBuf>,

    /// The column that says which rows a person has reviewed: not empty, false, no or 0 [default: corrected_tool_calls, if it
    /// exists]
    #[arg(long, value_name = "COLUMN")]
    pub reviewed: Option<String>,

    /// How many times more a reviewed row counts [default: 3]
    #[arg(long, value_name = "FACTOR", value_parser = factor)]
    pub review_weight: Option<f64>,
}

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Output")]
pub struct ResultArgs {
    /// Overwrite a file that tooljudge did not write
    #[arg(long)]
    pub force: bool,

    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,

    /// Print only warnings and errors
    #[arg(short, long)]
    pub quiet: bool,
}

fn factor(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(factor) if (1.0..=1000.0).contains(&factor) => Ok(factor),
        _ => Err("expected a number from 1 to 1000".to_owned()),
    }
}
