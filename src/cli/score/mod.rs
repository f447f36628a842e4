//! `score`: deterministic scorers over a table of cases.

pub mod args;
mod bfcl_files;
mod junit;
mod report;
mod settings;

use std::path::Path;
use std::sync::Arc;

use anyhow::bail;
use args::ScoreArgs;
use comfy_table::{Table as Grid, presets};
use serde_json::json;

use super::display::Display;
use super::input::From;
use super::printer::Printer;
use super::{Ending, signals};
use crate::domain::Object;
use crate::normalize::{Normalizer, Options};
use crate::read::{Selection, Table, Take, Understanding};
use crate::run::{self, Progress, RunError, ScoredTable, Scoring, Stop, Tally};
use crate::score::{SCORERS, Score, ScoreError, Scorer};
use crate::write::{self, Output, ScoreColumns, WriteError};

pub fn run(args: &ScoreArgs) -> anyhow::Result<Ending> {
    let printer = Printer { quiet: args.result.quiet };
    if args.scorers {
        printer.data(&scorers());
        return Ok(Ending::Done);
    }
    let runtime = run::runtime()?;
    let stop = Stop::default();
    let outcome = runtime.block_on(signals::until_told_twice(&stop, score(args, &stop, printer)));
    runtime.shutdown_background();
    match outcome {
        Err(error) if matches!(error.downcast_ref(), Some(RunError::Write(WriteError::ReaderGone(_)))) => {
            Ok(Ending::Done)
        }
        outcome => outcome,
    }
}

async fn score(args: &ScoreArgs, stop: &Stop, printer: Printer) -> anyhow::Result<Ending> {
    let joined = bfcl_files::cases(&args.bfcl)?;
    let inputs = match &joined {
        Some(file) => vec![file.path().display().to_string()],
        None => args.inputs.clone(),
    };
    let table = open(args, &inputs)?;
    let first = first_case(&table)?;
    let scorer = settings::scorer(args.scorer.as_deref(), args.compat.as_deref(), first.as_ref())?;
    let settings = settings::settings(&args.scoring)?;
    let ready = (scorer.ready)(&settings, args.compat.as_deref()).map_err(anyhow::Error::msg)?;
    if let Some(case) = first.filter(|case| {
        args.compat.is_none() && !run::is_case(scorer, case) && is_invalid(ready.as_ref(), case)
    }) {
        let keys = case.keys().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
        bail!(
            "these are no cases of {}: their keys are {keys}; it reads its peer's own, or the columns `tool_call` (or \
             `tool_calls`) and `expected_tool_calls`",
            scorer.name
        );
    }
    let name = match &args.compat {
        Some(peer) => format!("{} (as {peer})", scorer.name),
        None => scorer.name.to_owned(),
    };
    let own = first_case(&table)?.is_some_and(|case| case.contains_key("config"));
    let compares = ready.compares() + if own { ", unless a case's `config` says otherwise" } else { "" };
    let output = output(args, &table)?;
    signals::watch(stop, printer);
    let progress = Arc::new(Progress::default());
    let display = Display::start(printer, "scoring", table.rows(), Arc::clone(&progress), || None);
    let columns = ScoreColumns::new(&args.result.prefix);
    let replaced = match &output {
        Some(_) => columns.clashes(table.schema(), args.result.overwrite)?,
        None => Vec::new(),
    };
    let normalizer = Normalizer::new(Options::default())?;
    let listing = args.result.junit.is_some();
    let stop = stop.clone();
    let worker = tokio::task::spawn_blocking(move || {
        let stopped = || stop.gently.is_cancelled() || stop.now.is_cancelled();
        let scoring = Scoring { table: &table, scorer, ready, normalizer, listing };
        let destination = output.as_ref().map(|output| ScoredTable { output, columns, replaced });
        let scored = scoring.run(destination.as_ref(), &progress, &stopped);
        (scored, output)
    });
    let (scored, output) = worker.await?;
    drop(display);
    let (tally, finished) = match scored {
        Ok(scored) => scored,
        Err(RunError::Interrupted) => {
            printer.talk("interrupted; nothing was written");
            return Ok(Ending::Interrupted);
        }
        Err(error) => return Err(error.into()),
    };
    if let (Some(output), Some(finished)) = (&output, finished)
        && !write::is_stream(&output.path)
    {
        let manifest = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "inputs": args.inputs,
            "scorer": scorer.name,
            "compat": args.compat,
            "settings": settings_text(&settings),
            "compares": compares,
            "summary": tally.to_json(),
            "output": { "path": output.path.display().to_string(), "rows": finished.rows, "bytes": finished.bytes },
        });
        write::write_manifest(&output.path, &manifest)?;
    }
    if let Some(file) = &args.result.junit {
        write::write_text(file, &junit::render(&tally, &name))?;
    }
    tell(args, printer, &tally, (&name, &compares), output.as_ref())
}

fn json_of(tally: &Tally, compares: &str) -> String {
    let mut summary = tally.to_json();
    summary["compares"] = json!(compares);
    format!("{summary:#}")
}

fn is_invalid(ready: &dyn Score, case: &Object) -> bool {
    matches!(ready.score(case), Err(error) if error == ScoreError::invalid(error.message.clone()))
}

/// The settings as a manifest keeps them.
fn settings_text(settings: &Object) -> serde_json::Value {
    serde_json::from_str(&crate::domain::Json::Object(settings.clone()).to_string()).unwrap_or_default()
}

fn tell(
    args: &ScoreArgs,
    printer: Printer,
    tally: &Tally,
    (name, compares): (&str, &str),
    output: Option<&Output>,
) -> anyhow::Result<Ending> {
    let to_stdout = output.is_some_and(|output| write::is_stdout(&output.path));
    let shown =
        if args.result.json { json_of(tally, compares) } else { report::render(tally, name, compares) };
    match (to_stdout, args.result.quiet && !args.result.json) {
        (_, true) => {}
        (true, false) => printer.talk(&shown),
        (false, false) => printer.data(&shown),
    }
    if let Some(output) = output.filter(|_| !to_stdout) {
        printer.talk(&format!("\nwritten  {}", output.path.display()));
    }
    if tally.cases == 0 {
        bail!("there are no cases: an empty suite proves nothing");
    }
    let Some(share) = args.result.min_pass_rate else { return Ok(Ending::Done) };
    if tally.reaches(share) {
        return Ok(Ending::Done);
    }
    for line in report::failures(tally) {
        printer.warn(&line);
    }
    printer.warn(&format!(
        "{} of {} cases passed, fewer than the share of {share} that --min-pass-rate asks for",
        tally.passed,
        tally.decided()
    ));
    Ok(Ending::GateFailed)
}

fn open(args: &ScoreArgs, inputs: &[String]) -> anyhow::Result<Table> {
    let format = match args.cases.from {
        Some(From::File(format)) => Some(format),
        None => None,
        Some(_) => bail!("--from: cases are tables; name a kind of file"),
    };
    let take = args.cases.limit.map_or(Take::All, Take::First);
    let selection = Selection { filters: args.cases.filters.clone(), take };
    Ok(Table::open(inputs, Understanding { format, logs: None }, selection)?)
}

fn first_case(table: &Table) -> anyhow::Result<Option<Object>> {
    let Some(batch) = table.batches(None).next().transpose()? else { return Ok(None) };
    let schema = Arc::clone(&batch.schema);
    let first = batch.head(1).into_records()?.into_iter().next();
    Ok(first.map(|record| run::case(table, &schema, record.cells)))
}

fn output(args: &ScoreArgs, table: &Table) -> anyhow::Result<Option<Output>> {
    let Some(path) = &args.output else { return Ok(None) };
    let inputs: Vec<&Path> = table.inputs().iter().map(|input| input.path.as_path()).collect();
    let format = table.inputs().first().map_or(crate::table::Format::Jsonl, |input| input.format);
    let output = Output::new(path.clone(), args.to, format)?.with_formulas(args.spreadsheet.formulas());
    output.check(&inputs, table.folders(), args.result.force)?;
    Ok(Some(output))
}

fn scorers() -> String {
    let mut grid = Grid::new();
    grid.load_style(presets::NOTHING);
    for Scorer { name, peers, .. } in SCORERS {
        let peers = if peers.is_empty() { String::new() } else { format!("--compat {}", peers.join(", ")) };
        grid.add_row([(*name).to_owned(), peers]);
    }
    grid.to_string().lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}
