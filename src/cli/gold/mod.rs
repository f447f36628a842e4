//! `gold`: flags in, a table of calls with gold out.

pub mod args;
pub mod report;

use anyhow::bail;
use args::GoldArgs;

use super::host::Host;
use super::printer::Printer;
use super::{Ending, NoRows, job};
use crate::report::counted;
use crate::run::settings::{
    BfclSettings, GoldOrigin, GoldSettings, InputSettings, MakingSettings, OutputSettings,
};
use crate::run::{self, GoldSummary};
use crate::write::is_stdout;

pub fn run(args: GoldArgs, host: &Host) -> anyhow::Result<Ending> {
    let (json, quiet) = (args.json, args.quiet);
    args.results.belong_to(args.bfcl.is_some())?;
    if args.bfcl.is_none() && !args.category.is_empty() {
        bail!("--category selects questions of BFCL: add --bfcl FOLDER");
    }
    let printer = host.printer(quiet);
    let control = host.control(printer.quiet);
    let outcome = run::gold(settings(args, host), &*control.observer).map_err(anyhow::Error::from);
    job::ended(outcome.and_then(|gold| show(&gold, json, printer)), printer)
}

fn settings(args: GoldArgs, host: &Host) -> GoldSettings {
    let source = match args.bfcl {
        Some(folder) => GoldOrigin::Bfcl(BfclSettings {
            folder,
            categories: args.category,
            results: args.results.results,
            scores: args.results.scores,
        }),
        None => GoldOrigin::Own(host.input(InputSettings {
            from: args.own.from,
            columns: args.own.columns,
            tools: args.own.tools,
            filters: args.own.filters,
            ..InputSettings::new(args.inputs)
        })),
    };
    let making = MakingSettings {
        seed: args.making.seed,
        per_question: args.making.per_question,
        negatives_per_question: args.making.negatives_per_question,
        per_type: args.making.per_type,
        negatives_only: args.making.negatives_only,
    };
    let output = OutputSettings {
        path: Some(args.output),
        format: args.to,
        collected: None,
        formulas: args.spreadsheet.formulas(),
        force: args.force,
    };
    GoldSettings { source, output: host.output(output), making }
}

fn show(gold: &GoldSummary, json: bool, printer: Printer<'_>) -> anyhow::Result<Ending> {
    let GoldSummary { counts, output, written } = gold;
    let width = printer.width(is_stdout(output));
    let shown = if json { format!("{:#}", counts.to_json()) } else { report::render(counts, width) };
    match is_stdout(output) {
        true => printer.talk(&shown),
        false if printer.quiet && !json => {}
        false => printer.data(&shown),
    }
    if !is_stdout(output) {
        printer.talk(&format!("\nwritten  {} ({})", output.display(), counted(written.rows, "row")));
    }
    if written.rows == 0 {
        return Err(NoRows("question gave a row").into());
    }
    Ok(Ending::Done)
}
