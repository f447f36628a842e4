//! `gold`: tables of calls of which it is known whether they are right.

pub mod args;
mod folder;
mod importing;
mod making;
mod report;
mod source;

use std::path::Path;

use anyhow::bail;
use args::GoldArgs;
use serde_json::json;
use source::Source;

use super::Ending;
use super::printer::Printer;
use crate::table::Format;
use crate::write::{Output, WriteError, is_stdout, is_stream, write_manifest};

pub fn run(args: &GoldArgs) -> anyhow::Result<Ending> {
    match write(args) {
        Err(error) if matches!(error.downcast_ref(), Some(WriteError::ReaderGone(_))) => Ok(Ending::Done),
        outcome => outcome,
    }
}

fn write(args: &GoldArgs) -> anyhow::Result<Ending> {
    let printer = Printer { quiet: args.quiet };
    let output = Output::new(args.output.clone(), args.to, Format::Jsonl)?;
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
        printer.talk(&format!("\nwritten  {} ({} rows)", output.path.display(), finished.rows));
    }
    if finished.rows == 0 {
        bail!("no question gave a row; what was left out and why is said above");
    }
    Ok(Ending::Done)
}
