//! Flags to validated settings: what is wrong with them is said before anything is judged or paid for.

use std::path::Path;
use std::sync::Arc;

use super::args::LabelArgs;
use super::calibration;
use crate::bench::calibration::Calibrated;
use crate::cli::config::Config;
use crate::cli::defaults::Given;
use crate::cli::input::InputArgs;
use crate::cli::judging::{self, Panel, Purpose, flags, panel};
use crate::cli::printer::Printer;
use crate::read::Format;
use crate::run::{Destination, Manifest, Source};
use crate::write::{LabelColumns, Output, WriteError};

/// A run that can begin.
pub struct Plan {
    pub source: Arc<Source>,
    pub destination: Destination,
    pub manifest: Manifest,
    pub panel: Panel,
    /// What a benchmark found out about each member of the panel; empty where nobody asked.
    pub calibrated: Vec<Calibrated>,
}

pub fn plan(
    args: &LabelArgs,
    config: &Config,
    given: &Given,
    purpose: &Purpose,
    printer: Printer,
) -> anyhow::Result<Plan> {
    let judging = &args.judging;
    let judges = panel::judges(judging, config)?;
    flags::check(judging, given, &judges, printer)?;
    let source = args.input.open(&args.inputs, false, printer)?;
    InputArgs::announce(&source, printer);
    let output = output(args, &source, purpose)?;
    let run = judging::run_name();
    let panel = Panel::convene(judging, &run, config, given, purpose, &judges, (&args.result.prefix, 1))?;
    if matches!(purpose, Purpose::Label | Purpose::DryRun) {
        panel.say_routes(config, printer);
    }
    let destination = destination(args, &source, output, &panel)?;
    let manifest = panel.manifest(run, &args.input, &source);
    let calibrated = match &args.result.calibration {
        Some(file) => calibration::read(file, &panel, printer)?,
        None => Vec::new(),
    };
    Ok(Plan { source: Arc::new(source), destination, manifest, panel, calibrated })
}

fn inputs(source: &Source) -> Vec<&Path> {
    source.table.inputs().iter().map(|input| input.path.as_path()).collect()
}

fn output(args: &LabelArgs, source: &Source, purpose: &Purpose) -> anyhow::Result<Output> {
    let table = &source.table;
    let formats: Vec<(&Path, Format)> =
        table.inputs().iter().map(|input| (input.path.as_path(), input.format)).collect();
    let output = match &args.output {
        Some(path) => Output::new(path.clone(), args.to, formats[0].1)?,
        // A folder's files change; a table beside one of them would be read as another.
        None if !table.folders().is_empty() => return Err(WriteError::NoDefault.into()),
        None => Output::beside(&formats, args.to)?,
    };
    let output = output
        .with_formulas(args.spreadsheet.formulas())
        .when_empty(args.input.when_empty(args.result.force));
    if *purpose != Purpose::DryRun {
        output.check(&inputs(source), table.folders(), args.result.force)?;
    }
    Ok(output)
}

fn destination(
    args: &LabelArgs,
    source: &Source,
    output: Output,
    panel: &Panel,
) -> anyhow::Result<Destination> {
    let labels: Vec<LabelColumns> = panel
        .members
        .iter()
        .map(|member| LabelColumns::new(&member.prefix, &member.judge, &member.criterion))
        .collect();
    let mut replaced = Vec::new();
    for labels in &labels {
        replaced.extend(labels.clashes(source.table.schema(), args.result.overwrite)?);
    }
    Ok(Destination { output, labels, replaced })
}
