//! `convert`: flags in; rows, or what was understood, out.

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use serde_json::json;

use super::host::Host;
use super::input::InputArgs;
use super::printer::Printer;
use super::spreadsheet::SpreadsheetArgs;
use super::{Ending, job};
use crate::normalize::logs::FORMATS;
use crate::report::{Column, Table, counted, wrapped};
use crate::run::settings::{ConvertSettings, OutputSettings, Take};
use crate::run::{self, ConvertSummary, ConvertedFile};
use crate::write::{OutputFormat, is_stdout};

/// Convert any log of tool calls to rows, and show what was read.
///
/// Reads all inputs that `tooljudge label` reads: tables, traces (OpenTelemetry, OpenInference, LangSmith, Langfuse), requests and
/// responses of model providers, chats, evaluation logs. Writes one row for each model turn that can be judged, ready for `label`:
/// in JSON Lines the normal form, in other formats the columns question, messages, tool_call, tool_definitions and more.
#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// Logs and tables: files, globs, folders; `-` is the standard input
    #[arg(required_unless_present = "formats", value_name = "INPUT")]
    pub inputs: Vec<String>,

    /// Write the rows to this file; the extension gives the format: .jsonl, .csv, .parquet, .arrow and so on [default: JSON Lines
    /// to the standard output, unless --summary is given]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Output format: csv, tsv, ssv, jsonl, json (also with .gz or .zst), parquet or arrow [default: by the file extension]
    #[arg(long, value_name = "FORMAT")]
    pub to: Option<OutputFormat>,

    /// Also write rows that cannot be read or hold nothing to judge; a column `status` marks them
    #[arg(long)]
    pub all: bool,

    /// Print what was read from each file: its format and how it was recognized, rows, skipped records with reasons, errors
    #[arg(long)]
    pub summary: bool,

    /// List the supported log formats
    #[arg(long)]
    pub formats: bool,

    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub spreadsheet: SpreadsheetArgs,

    /// Overwrite an output file that tooljudge did not write
    #[arg(long, help_heading = "Result")]
    pub force: bool,

    /// Exit with code 0 if nothing in the input can be judged; by default, that is code 1. An earlier table with rows is replaced only
    /// with --force
    #[arg(long, help_heading = "Result")]
    pub allow_empty: bool,

    /// Print the summary as JSON
    #[arg(long, help_heading = "Result")]
    pub json: bool,

    /// Print no progress and no summary
    #[arg(short, long, help_heading = "Result")]
    pub quiet: bool,
}

/// What is printed of a conversion.
#[derive(Debug, Clone, Copy)]
struct Shown {
    summary: bool,
    json: bool,
    /// Whether it is a sign of a mistake that there are no rows: not if some were chosen, or none was expected.
    needs_rows: bool,
}

pub fn run(args: ConvertArgs, host: &Host) -> anyhow::Result<Ending> {
    let printer = host.printer(args.quiet);
    if args.formats {
        printer.data(&formats(printer.width_of_list()));
        return Ok(Ending::Done);
    }
    let (summary, json, allow_empty) = (args.summary, args.json, args.allow_empty);
    let settings = settings(args, host)?;
    let input = &settings.input;
    // With --all, what cannot be judged was asked for.
    let takes_all = !settings.all && input.filters.is_empty() && input.take == Take::All;
    let shown = Shown { summary, json, needs_rows: takes_all && !allow_empty };
    job::run(host, printer, async |control| Ok(show(&run::convert(settings, control).await?, shown, printer)))
}

fn settings(args: ConvertArgs, host: &Host) -> anyhow::Result<ConvertSettings> {
    let printed = args.summary || args.json;
    let path = match args.output {
        Some(path) => Some(path),
        None => (!printed).then(|| PathBuf::from("-")),
    };
    if printed && path.as_deref().is_some_and(is_stdout) {
        bail!("the rows and the summary cannot both go to the standard output; give a file with -o");
    }
    let output = OutputSettings {
        path,
        collected: None,
        format: args.to,
        formulas: args.spreadsheet.formulas(),
        force: args.force,
    };
    let input = host.input(args.input.settings(args.inputs)?);
    Ok(ConvertSettings { input, output: host.output(output), all: args.all })
}

fn show(found: &ConvertSummary, shown: Shown, printer: Printer<'_>) -> Ending {
    let files = &found.files;
    if shown.json {
        let files = files.iter().map(ConvertedFile::to_json).collect::<Vec<_>>();
        printer.data(&format!("{:#}", json!(files)));
    } else if shown.summary {
        printer.data(&summary(files, printer.width_of_data()));
    } else {
        printer.talk(&summary(files, printer.width_of_talk()));
    }
    if let Some((path, written)) = found.output.as_ref().filter(|(path, _)| !is_stdout(path)) {
        printer.talk(&format!("\nwritten  {} ({})", path.display(), counted(written.rows, "row")));
    }
    let items: u64 = files.iter().map(|file| file.converted.items).sum();
    let errors: u64 = files.iter().map(ConvertedFile::errors).sum();
    let skipped: u64 = files.iter().flat_map(|file| file.skipped.values()).sum();
    if found.is_empty && shown.needs_rows {
        printer.gate(match skipped {
            0 => "the input has no rows; --allow-empty accepts that",
            _ => {
                "nothing in the input can be judged; the summary counts what was skipped, and why; \
                  --allow-empty accepts that"
            }
        });
        return Ending::GateFailed;
    }
    if items == 0 && errors > 0 {
        printer.gate("no row of the input can be read; the summary says why");
        return Ending::GateFailed;
    }
    Ending::Done
}

/// What the names of reasons do not say by themselves.
const SKIPPED: &[(&str, &str)] = &[
    ("not_an_llm_run", "tools, chains and other steps in which no model was asked"),
    ("text_turn", "said without a call; `--turns all` judges these too"),
];

/// The files one below the other, each with what was found in it, on lines of `width` columns.
fn summary(files: &[ConvertedFile], width: usize) -> String {
    let mut text = Vec::new();
    for file in files {
        if !text.is_empty() {
            text.push(String::new());
        }
        text.push(wrapped(&file.name, "  ", width));
        let mut grid = Table::new([Column::Name, Column::Words, Column::Words, Column::Words]);
        for (format, sign, records) in &file.formats {
            grid.add_row([
                "  format".to_owned(),
                format.clone(),
                records.to_string(),
                format!("recognized by {sign}"),
            ]);
        }
        grid.add_row(["  rows".to_owned(), String::new(), file.converted.items.to_string(), String::new()]);
        if let Some(held) = file.transcripts {
            let rows =
                [("transcripts", held.transcripts), ("assistant turns", held.turns), ("calls", held.calls)];
            for (what, count) in rows {
                grid.add_row(["  held".to_owned(), what.to_owned(), count.to_string(), String::new()]);
            }
            if held.calls_not_taken > 0 {
                let count = held.calls_not_taken.to_string();
                grid.add_row(["  held".to_owned(), "calls not taken".to_owned(), count, String::new()]);
            }
        }
        if file.fragments > 0 {
            let fragments = file.fragments.to_string();
            grid.add_row([
                "  joined".to_owned(),
                String::new(),
                fragments,
                "to other records by id".to_owned(),
            ]);
        }
        for (why, count) in &file.skipped {
            let about = SKIPPED.iter().find(|(reason, _)| reason == why).map_or("", |(_, about)| about);
            grid.add_row(["  skipped".to_owned(), (*why).to_owned(), count.to_string(), about.to_owned()]);
        }
        for (code, (count, example)) in &file.converted.errors {
            grid.add_row(["  error".to_owned(), (*code).to_owned(), count.to_string(), example.clone()]);
        }
        for (flag, count) in &file.converted.flags {
            grid.add_row(["  flag".to_owned(), (*flag).to_owned(), count.to_string(), String::new()]);
        }
        text.push(grid.text(width));
        text.extend(file.hint().map(|hint| wrapped(&format!("   {hint}"), "   ", width)));
    }
    text.join("\n")
}

fn formats(width: usize) -> String {
    let mut grid = Table::new([Column::Name, Column::Words]);
    for format in FORMATS {
        grid.add_row([format.name, format.sign]);
    }
    grid.text(width)
}
