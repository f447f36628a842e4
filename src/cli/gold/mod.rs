//! `gold`: tables of calls of which it is known whether they are right.

pub mod args;
mod folder;
mod importing;
mod making;
mod report;
mod source;

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use args::{GoldArgs, MakingArgs, ResultArgs};
use serde_json::json;
use source::Source;
use tempfile::TempDir;

use super::Ending;
use super::printer::Printer;
use crate::report::counted;
use crate::table::Format;
use crate::write::{Output, WriteError, is_stdout, is_stream, write_manifest};

pub fn run(args: &GoldArgs) -> anyhow::Result<Ending> {
    match write(args) {
        Err(error) if matches!(error.downcast_ref(), Some(WriteError::ReaderGone(_))) => Ok(Ending::Done),
        outcome => outcome,
    }
}

/// Rows made of the files in `bfcl`, or of models' answers to them, as a table that goes with the folder it lies in.
pub fn temporary(bfcl: &Path, results: &ResultArgs, printer: Printer) -> anyhow::Result<(TempDir, PathBuf)> {
    let folder = tempfile::tempdir().context("there is no place for a temporary table")?;
    let path = folder.path().join("gold.parquet");
    let output = Output::new(path.clone(), None, Format::Parquet)?;
    let categories = folder::categories(bfcl, &[])?;
    let (shown, finished) = match &results.results {
        Some(answers) => {
            let (counts, finished) = importing::import(&categories, results, answers, &output)?;
            (counts.render(), finished)
        }
        None => {
            let (counts, finished) =
                making::make(&Source::Bfcl(categories), &MakingArgs::default(), &output)?;
            (report::render(&counts), finished)
        }
    };
    printer.talk(&format!("{shown}\n"));
    if finished.rows == 0 {
        bail!("--bfcl {}: no question gave a row", bfcl.display());
    }
    Ok((folder, path))
}

fn write(args: &GoldArgs) -> anyhow::Result<Ending> {
    let printer = Printer { quiet: args.quiet };
    let output = Output::new(args.output.clone(), args.to, Format::Jsonl)?;
    let output = output.with_formulas(args.spreadsheet.formulas());
    let source = Source::open(args, printer)?;
    let inputs: Vec<&Path> = match &source {
        Source::Own(source) => source.table.inputs().iter().map(|input| input.path.as_path()).collect(),
        Source::Bfcl(_) => Vec::new(),
    };
    if inputs.iter().any(|input| is_stream(input)) {
        bail!("the input is read twice, so it cannot be a stream; save it to a file first");
    }
    output.check(&inputs, &[], args.force)?;
    let (summary, shown, finished) = match (&args.results.results, &source) {
        (Some(folder), Source::Bfcl(categories)) => {
            let (counts, finished) = importing::import(categories, &args.results, folder, &output)?;
            (counts.json(), counts.render(), finished)
        }
        _ => {
            let (counts, finished) = making::make(&source, &args.making, &output)?;
            (report::json(&counts), report::render(&counts), finished)
        }
    };
    if !is_stream(&output.path) {
        let manifest = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "inputs": args.inputs,
            "bfcl": args.bfcl,
            "categories": args.category,
            "seed": args.making.seed,
            "results": args.results.results,
            "scores": args.results.scores,
            "summary": summary,
            "output": { "path": output.path.display().to_string(), "rows": finished.rows, "bytes": finished.bytes },
        });
        write_manifest(&output.path, &manifest)?;
    }
    let shown = if args.json { format!("{summary:#}") } else { shown };
    match is_stdout(&output.path) {
        true => printer.talk(&shown),
        false if args.quiet && !args.json => {}
        false => printer.data(&shown),
    }
    if !is_stdout(&output.path) {
        printer.talk(&format!("\nwritten  {} ({})", output.path.display(), counted(finished.rows, "row")));
    }
    if finished.rows == 0 {
        bail!("no question gave a row; what was left out and why is said above");
    }
    Ok(Ending::Done)
}
