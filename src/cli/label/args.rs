//! The flags of `label`.

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueEnum};

use crate::cli::flags::keys;
use crate::cli::input::InputArgs;
use crate::cli::judging::args::JudgingArgs;
use crate::cli::layers::Section;
use crate::cli::spreadsheet::SpreadsheetArgs;
use crate::run::Ceiling;
use crate::run::settings::Shard;
use crate::write::OutputFormat;

/// Label every tool call of a table as correct or incorrect.
///
/// Reads rows of question, tool call and tool definitions, asks a judge about each row, and writes the same rows with the added
/// columns label, score, status, explanation, confidence, error and more. The default judge is built in: offline, free,
/// deterministic. The replies of model judges are stored: run the same command again to resume; nothing is paid for twice.
#[derive(Debug, Clone, Default, Args)]
pub struct LabelArgs {
    /// Tables or logs to label: .csv, .tsv, .ssv, .jsonl, .json (also .gz or .zst), .parquet, .arrow. Several files, globs and
    /// folders are read as one table; `-` is the standard input
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<String>,

    /// Write the labeled table to this file; the extension gives the format; `-` is the standard output [default: INPUT with
    /// `.labeled` before its extension; `-` for `-`]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Output format: csv, tsv, ssv, jsonl, json (also with .gz or .zst), parquet or arrow [default: what its ending says; as the
    /// input where it goes to the standard output]
    #[arg(long, value_name = "FORMAT")]
    pub to: Option<OutputFormat>,

    /// Dry run: send nothing, print the first N prompts of each judge and an estimate of tokens and cost
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1")]
    pub dry_run: Option<usize>,

    /// Label one shard of the input, so that several processes can share the work: 0/16 to 15/16. Join the shards with `tooljudge
    /// merge`
    #[arg(long, value_name = "INDEX/COUNT", help_heading = "Input")]
    pub shard: Option<Shard>,

    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub judging: JudgingArgs,

    /// Share --max-cost with all runs on the same store that name this purse, whenever they run
    #[arg(long, value_name = "NAME", help_heading = "Limits (model judges)", value_parser = NonEmptyStringValueParser::new())]
    pub purse: Option<String>,

    #[command(flatten)]
    pub result: ResultArgs,
    #[command(flatten)]
    pub spreadsheet: SpreadsheetArgs,
}

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Output")]
pub struct ResultArgs {
    /// Overwrite an output file that tooljudge did not write
    #[arg(long)]
    pub force: bool,

    /// Prefix for the names of the added columns
    #[arg(long, value_name = "TEXT")]
    pub prefix: Option<String>,

    /// Let the added columns replace input columns of the same name
    #[arg(long, conflicts_with = "prefix")]
    pub overwrite: bool,

    /// Keep only these columns of the input in the output, beside the added ones: id,question. Can be repeated [default: all]
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',')]
    pub keep: Vec<String>,

    /// Leave a column of the input out of the output. Can be repeated. `--drop messages` keeps tables of long transcripts small
    #[arg(long, value_name = "COLUMN")]
    pub drop: Vec<String>,

    /// Also tell which share of the labels passes for each value of a column, such as agent or metadata.version; `tool` is the tools
    /// that were called. Can be repeated
    #[arg(long, value_name = "COLUMN")]
    pub by: Vec<String>,

    /// Also write the table if the run is stopped; rows without a reply get status not_asked
    #[arg(long)]
    pub partial: bool,

    /// Estimate the true share of right calls, corrected for the judge's error rates: a benchmark record of this judge, written by
    /// `tooljudge bench --report FILE.json`
    #[arg(long, value_name = "FILE")]
    pub calibration: Option<PathBuf>,

    /// What is right, by row: a table with the rows' ids and a column `gold`, such as the gold.csv of --report. The share of right
    /// calls is corrected by it
    #[arg(long, value_name = "FILE")]
    pub errata: Option<PathBuf>,

    /// The column with the row's id, for --errata [default: id, row_id or source_id]
    #[arg(long, value_name = "COLUMN")]
    pub id: Option<String>,

    /// Exit with code 1 if more than this share of the rows could not be judged; rows in which the built-in judge found no evidence do
    /// not count [default: 0]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub allow_unjudged: Option<f64>,

    /// Exit with code 0 if the input has no rows; by default, that is code 1. An earlier table with rows is replaced only with --force
    #[arg(long)]
    pub allow_empty: bool,

    /// Exit with code 1 if the built-in judge found no evidence in more than this share of the rows
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub max_abstained: Option<f64>,

    /// Exit with code 1 if a smaller share of the labels passes; with --calibration, of the corrected share
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub min_pass_rate: Option<f64>,

    /// What --min-pass-rate looks at: the share itself, or the low end of its 95 % interval [default: value]
    #[arg(long, value_name = "WHAT")]
    pub gate_on: Option<GateOn>,

    /// Exit with code 1 if more than N rows fail in this way: a status such as invalid_row or unparseable, an error code of
    /// invalid rows such as missing_tool_call, or with --findings a kind of finding such as wrong_value. Can be repeated
    #[arg(long, value_name = "KIND=N")]
    pub max_fail: Vec<Ceiling>,

    /// Also write a page of all labeled rows, an HTML file that opens offline: the wrong and the unsure first, each with its
    /// conversation; filters, search, and marks that leave as gold.csv
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    /// Also write a JUnit XML report: a test case for each row, named by its id, that fails where its label does not pass
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,

    /// Also fold the labels by these columns, as transcript_id: for each value the mean score over the user's requests, and the
    /// share of right calls with --per call; with several judges also the lowest of their means
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',')]
    pub fold: Vec<String>,

    /// The table that --fold writes: a row for each value
    #[arg(long, value_name = "FILE")]
    pub fold_output: Option<PathBuf>,

    /// Print only warnings and errors
    #[arg(short, long)]
    pub quiet: bool,

    /// Print the summary as JSON
    #[arg(long)]
    pub json: bool,
}

/// What of the settings file is for `label`.
pub const SECTION: Section =
    Section { name: "label", command: "label", keys: keys::<LabelArgs>, except: &[] };

/// The choices of `--gate-on`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum GateOn {
    #[default]
    Value,
    Low,
}

/// A share, from 0 to 1.
pub fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => {
            let percent =
                text.trim_end().strip_suffix('%').and_then(|percent| percent.trim_end().parse::<f64>().ok());
            let meant = percent.filter(|percent| (0.0..=100.0).contains(percent));
            let meant =
                meant.map_or_else(String::new, |percent| format!("; {percent} % is {}", percent / 100.0));
            Err(format!("expected a share between 0 and 1{meant}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_are_answered_with_their_share() {
        for (text, said) in [
            ("90%", Err("; 90 % is 0.9")),
            ("57%", Err("; 57 % is 0.57")),
            ("3", Err("expected a share between 0 and 1")),
            ("12.5 %", Err("; 12.5 % is 0.125")),
            ("much", Err("1")),
            ("0.9", Ok(0.9)),
        ] {
            match (share(text), said) {
                (Ok(found), Ok(expected)) => assert!((found - expected).abs() < 1e-9),
                (Err(found), Err(end)) => assert!(found.ends_with(end), "{text}: {found}"),
                (found, _) => panic!("{text}: {found:?}"),
            }
        }
    }
}
