//! `convert`: any log or table to rows, and what was understood of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::bail;
use clap::Args;
use comfy_table::{Table as Grid, presets};
use serde_json::json;

use super::display::Display;
use super::input::InputArgs;
use super::printer::Printer;
use super::spreadsheet::SpreadsheetArgs;
use super::{Ending, signals};
use crate::normalize::logs::{FORMATS, LogFormat};
use crate::report::counted;
use crate::run::{self, Converted, Form, Progress, RunError, Source, Stop};
use crate::table::Format;
use crate::write::{Output, OutputFormat, WriteError, write_manifest};

/// Turn any log of tool calls into rows, and show what was understood of it.
///
/// Reads whatever `tooljudge label` reads: tables, traces (OpenTelemetry, OpenInference, LangSmith, Langfuse), requests and
/// responses of model providers, chats, evaluation logs. Writes one row for each turn of a model that can be judged: as JSON
/// Lines its normal form, else the columns question, messages, tool_call, tool_definitions and more, ready for `label`.
#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// Logs and tables: files, globs, folders; `-` is the standard input
    #[arg(required_unless_present = "formats", value_name = "INPUT")]
    pub inputs: Vec<String>,

    /// Where the rows go, its ending says how: .jsonl, .csv, .parquet, .arrow and so on [default: JSON Lines to the standard
    /// output, unless --summary is given]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Write them as csv, tsv, ssv, jsonl, json (also with .gz or .zst), parquet or arrow [default: what its ending says]
    #[arg(long, value_name = "FORMAT")]
    pub to: Option<OutputFormat>,

    /// Write what cannot be read and what holds nothing to judge too; every row then says its `status`
    #[arg(long)]
    pub all: bool,

    /// Print what was understood of each file: its format and what gave it away, items, what was skipped and why, errors
    #[arg(long)]
    pub summary: bool,

    /// List the kinds of logs that are understood
    #[arg(long)]
    pub formats: bool,

    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub spreadsheet: SpreadsheetArgs,

    /// Replace an output that this program did not write
    #[arg(long, help_heading = "Result")]
    pub force: bool,

    /// Print the summary as JSON
    #[arg(long, help_heading = "Result")]
    pub json: bool,

    /// No progress and no summary
    #[arg(short, long, help_heading = "Result")]
    pub quiet: bool,
}

pub fn run(args: &ConvertArgs) -> anyhow::Result<Ending> {
    let runtime = run::runtime()?;
    let stop = Stop::default();
    let outcome = runtime.block_on(signals::until_told_twice(&stop, convert(args, &stop)));
    runtime.shutdown_background();
    match outcome {
        Err(error) if matches!(error.downcast_ref(), Some(RunError::Write(WriteError::ReaderGone(_)))) => {
            Ok(Ending::Done)
        }
        outcome => outcome,
    }
}

async fn convert(args: &ConvertArgs, stop: &Stop) -> anyhow::Result<Ending> {
    let printer = Printer { quiet: args.quiet };
    if args.formats {
        printer.data(&formats());
        return Ok(Ending::Done);
    }
    let source = args.input.open(&args.inputs, args.all, printer)?;
    let output = output(args, &source)?;
    signals::watch(stop, printer);
    let progress = Arc::new(Progress::default());
    let rows = source.table.rows();
    let display = Display::start(printer, "converting", rows, Arc::clone(&progress), || None);
    let all = args.all;
    let stop = stop.clone();
    let worker = tokio::task::spawn_blocking(move || {
        let stopped = || stop.gently.is_cancelled() || stop.now.is_cancelled();
        let form = output.as_ref().map(|output| (output, form(output)));
        let converted = run::convert(&source, form, all, &progress, &stopped);
        (converted, source, output)
    });
    let (converted, source, output) = worker.await?;
    drop(display);
    let (found, finished) = match converted {
        Ok(converted) => converted,
        Err(RunError::Interrupted) => {
            printer.talk("interrupted; nothing was written");
            return Ok(Ending::Interrupted);
        }
        Err(error) => return Err(error.into()),
    };
    let files = files(&source, &found);
    if let (Some(output), Some(finished)) = (&output, finished)
        && !crate::write::is_stream(&output.path)
    {
        let manifest = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "inputs": args.inputs,
            "files": files.iter().map(File::json).collect::<Vec<_>>(),
            "output": { "path": output.path.display().to_string(), "rows": finished.rows, "bytes": finished.bytes },
        });
        write_manifest(&output.path, &manifest)?;
    }
    if args.json {
        printer.data(&format!("{:#}", json!(files.iter().map(File::json).collect::<Vec<_>>())));
    } else if args.summary {
        printer.data(&summary(&files));
    } else {
        printer.talk(&summary(&files));
    }
    if let (Some(output), Some(finished)) = (&output, finished)
        && !crate::write::is_stdout(&output.path)
    {
        printer.talk(&format!("\nwritten  {} ({})", output.path.display(), counted(finished.rows, "row")));
    }
    let items: u64 = files.iter().map(|file| file.converted.items).sum();
    let errors: u64 = files.iter().map(File::errors).sum();
    Ok(if items == 0 && errors > 0 { Ending::GateFailed } else { Ending::Done })
}

/// JSON holds the normal form; the cells of tables are texts.
fn form(output: &Output) -> Form {
    match output.format.format {
        Format::Jsonl | Format::Json => Form::Normal,
        _ => Form::Columns,
    }
}

fn output(args: &ConvertArgs, source: &Source) -> anyhow::Result<Option<Output>> {
    let path = match &args.output {
        Some(path) => path.clone(),
        None if args.summary || args.json => return Ok(None),
        None => PathBuf::from("-"),
    };
    let printed = args.summary || args.json;
    if printed && crate::write::is_stdout(&path) {
        bail!("the rows and the summary cannot both go to the standard output; give a file with -o");
    }
    let output = Output::new(path, args.to, Format::Jsonl)?
        .with_formulas(args.spreadsheet.formulas())
        .when_empty(args.input.when_empty(args.force));
    let inputs: Vec<&Path> = source.table.inputs().iter().map(|input| input.path.as_path()).collect();
    output.check(&inputs, source.table.folders(), args.force)?;
    Ok(Some(output))
}

/// What is told of one input.
struct File {
    name: String,
    /// Formats, and what gave each away; how many records.
    formats: Vec<(String, String, u64)>,
    pieces: u64,
    skipped: BTreeMap<&'static str, u64>,
    converted: Converted,
}

fn files(source: &Source, found: &BTreeMap<String, Converted>) -> Vec<File> {
    let inputs = source.table.inputs();
    let columns = &source.columns;
    let mut names = vec![&columns.question, &columns.tool_call];
    names.extend(&columns.tool_definitions);
    let sign = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    inputs
        .iter()
        .enumerate()
        .map(|(number, input)| {
            let name = input.path.display().to_string();
            // A single table has no column for its name.
            let converted = found.get(&name).or_else(|| found.get("").filter(|_| inputs.len() == 1));
            let converted = converted.cloned().unwrap_or_default();
            let survey = source.table.logs().and_then(|surveys| surveys.get(number));
            let formats = match survey {
                None => {
                    let rows =
                        converted.items + converted.errors.values().map(|(count, _)| count).sum::<u64>();
                    vec![(format!("rows ({})", input.format.as_str()), format!("columns {sign}"), rows)]
                }
                Some(survey) => survey
                    .formats
                    .iter()
                    .map(|((format, dialect), records)| {
                        let name =
                            dialect.map_or((*format).to_owned(), |dialect| format!("{format}, {dialect}"));
                        let sign = LogFormat::named(format).map_or("", |format| format.sign);
                        (name, sign.to_owned(), *records)
                    })
                    .collect(),
            };
            let skipped = survey.map(|survey| survey.skipped.clone()).unwrap_or_default();
            let pieces = survey.map_or(0, |survey| survey.pieces);
            File { name, formats, pieces, skipped, converted }
        })
        .collect()
}

impl File {
    fn errors(&self) -> u64 {
        self.converted.errors.values().map(|(count, _)| count).sum()
    }

    fn json(&self) -> serde_json::Value {
        json!({
            "file": self.name,
            "formats": self.formats.iter().map(|(format, sign, records)| {
                json!({ "format": format, "by": sign, "records": records })
            }).collect::<Vec<_>>(),
            "items": self.converted.items,
            "joined": self.pieces,
            "skipped": self.skipped,
            "errors": self.converted.errors.iter().map(|(code, (count, example))| {
                ((*code).to_owned(), json!({ "count": count, "first": example }))
            }).collect::<serde_json::Map<_, _>>(),
            "flags": self.converted.flags,
        })
    }

    /// Most of the file fails for one reason: it is probably something else than it seems.
    fn hint(&self) -> Option<String> {
        let (code, (count, _)) = self.converted.errors.iter().max_by_key(|(_, (count, _))| *count)?;
        if count * 2 <= self.converted.items + self.errors() {
            return None;
        }
        let formats: Vec<&str> = self.formats.iter().map(|(format, ..)| format.as_str()).collect();
        let taken = if formats.is_empty() { "no known format".to_owned() } else { formats.join(" and ") };
        Some(format!(
            "more than half fail with {code}; the file was taken for {taken}: if it is something else, say so with --from"
        ))
    }
}

/// The files one below the other, each with what was found in it.
fn summary(files: &[File]) -> String {
    let mut text = Vec::new();
    for file in files {
        if !text.is_empty() {
            text.push(String::new());
        }
        text.push(file.name.clone());
        let mut grid = Grid::new();
        grid.load_style(presets::NOTHING);
        for (format, sign, records) in &file.formats {
            grid.add_row([
                "  format".to_owned(),
                format.clone(),
                records.to_string(),
                format!("told by {sign}"),
            ]);
        }
        grid.add_row(["  items".to_owned(), String::new(), file.converted.items.to_string(), String::new()]);
        if file.pieces > 0 {
            let pieces = file.pieces.to_string();
            grid.add_row(["  joined".to_owned(), String::new(), pieces, "to other records by id".to_owned()]);
        }
        for (why, count) in &file.skipped {
            grid.add_row(["  skipped".to_owned(), (*why).to_owned(), count.to_string(), String::new()]);
        }
        for (code, (count, example)) in &file.converted.errors {
            grid.add_row(["  error".to_owned(), (*code).to_owned(), count.to_string(), example.clone()]);
        }
        for (flag, count) in &file.converted.flags {
            grid.add_row(["  flag".to_owned(), (*flag).to_owned(), count.to_string(), String::new()]);
        }
        text.extend(grid.to_string().lines().map(|line| line.trim_end().to_owned()));
        text.extend(file.hint().map(|hint| format!("   {hint}")));
    }
    text.join("\n")
}

fn formats() -> String {
    let mut grid = Grid::new();
    grid.load_style(presets::NOTHING);
    for format in FORMATS {
        grid.add_row([format.name, format.sign]);
    }
    grid.to_string().lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}
