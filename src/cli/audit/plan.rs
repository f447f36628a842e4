//! Flags to an audit that can begin: which rows, who is attacked, and where the findings go.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{anyhow, bail};

use super::args::AuditArgs;
use crate::bench::{Words, columns};
use crate::cli::config::Config;
use crate::cli::defaults::Given;
use crate::cli::input::InputArgs;
use crate::cli::judging::{self, Kind, Member, Panel, Purpose, flags, panel};
use crate::cli::outputs::apart;
use crate::cli::printer::Printer;
use crate::domain::{Rails, Task};
use crate::normalize::Normalizer;
use crate::read::Format;
use crate::render::Template;
use crate::run::{Manifest, ProbeColumns, ProbedRow, ProbedRows, probed_rows};
use crate::write::{self, Output};

/// An audit that can begin.
pub struct Plan {
    pub rows: Arc<Vec<ProbedRow>>,
    pub unreadable: u64,
    pub normalizer: Arc<Normalizer>,
    pub columns: ProbeColumns,
    pub panel: Panel,
    pub manifest: Manifest,
    pub output: Option<Output>,
    pub reports: Vec<Destination>,
}

/// What a report is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Report {
    Markdown,
    Json,
    /// All figures as rows.
    Table(Output),
}

/// A report's place.
pub struct Destination {
    pub path: PathBuf,
    pub report: Report,
}

pub fn plan(args: &AuditArgs, config: &Config, given: &Given, printer: Printer) -> anyhow::Result<Plan> {
    let judging = &args.judging;
    let judges = panel::judges(judging, config)?;
    flags::check(judging, given, &judges, printer)?;
    let source = args.input.open(&args.inputs, false, printer)?;
    InputArgs::announce(&source, printer);
    let inputs: Vec<&Path> = source.table.inputs().iter().map(|input| input.path.as_path()).collect();
    let output = match &args.result.output {
        Some(path) => {
            let output = Output::new(path.clone(), args.result.to, source.table.inputs()[0].format)?
                .with_formulas(args.spreadsheet.formulas());
            output.check(&inputs, source.table.folders(), args.result.force)?;
            Some(output)
        }
        None => None,
    };
    let reports = destinations(args)?;
    apart(
        &inputs,
        output.iter().map(|output| &output.path).chain(reports.iter().map(|report| &report.path)),
    )?;
    let names: Vec<&str> = source.table.schema().names().collect();
    let columns = probe_columns(args, &judging::wording::templates(judging)?, &names)?;
    let ProbedRows { rows, unreadable, strange } = probed_rows(&source, &columns)?;
    strange.warning(&columns.words).into_iter().for_each(|warning| printer.warn(&warning));
    if rows.is_empty() {
        bail!("there is no readable row to audit");
    }
    let run = judging::run_name();
    let purpose = if args.dry_run.is_some() { Purpose::DryRun } else { Purpose::Label };
    let repeats = args.again.get().saturating_add(1);
    let panel = Panel::convene(judging, &run, config, given, &purpose, &judges, ("", repeats))?;
    panel.say_routes(config, printer);
    let manifest = panel.manifest(run, &args.input, &source);
    let (rows, normalizer) = (Arc::new(rows), Arc::clone(&source.normalizer));
    Ok(Plan { rows, unreadable, normalizer, columns, panel, manifest, output, reports })
}

impl Plan {
    /// The column of gold that holds for `member`'s task, by its place among the columns of gold.
    pub fn gold(&self, args: &AuditArgs, member: &Member) -> Option<usize> {
        let golds: Vec<&str> = self.columns.golds.iter().map(String::as_str).collect();
        let named = args.rows.gold.as_deref().or_else(|| columns::gold(member.task(), &golds))?;
        golds.iter().position(|gold| *gold == named)
    }
}

/// What `member` may answer.
pub fn rails(member: &Member) -> Arc<Rails> {
    match &member.kind {
        Kind::Builtin(..) => Arc::new(Rails::correctness()),
        Kind::Model(seat) => seat.read_as.clone().unwrap_or_else(|| Arc::clone(seat.template.rails())),
    }
}

fn probe_columns(args: &AuditArgs, templates: &[Template], names: &[&str]) -> anyhow::Result<ProbeColumns> {
    let flags = &args.rows;
    let named = |flag: &str, column: &Option<String>, usual: &[&str]| match column {
        Some(column) if !names.contains(&column.as_str()) => {
            bail!("--{flag}: there is no column `{column}`; the columns are {}", names.join(", "))
        }
        Some(column) => Ok(Some(column.clone())),
        None => Ok(usual.iter().find(|usual| names.contains(usual)).map(|usual| (*usual).to_owned())),
    };
    let mut golds: Vec<String> = Vec::new();
    let tasks: Vec<Option<Task>> = templates.iter().map(Template::task).collect();
    let found = match named("gold", &flags.gold, &[])? {
        Some(gold) => vec![gold],
        None => tasks.iter().filter_map(|task| columns::gold(*task, names)).map(str::to_owned).collect(),
    };
    for gold in found {
        if !golds.contains(&gold) {
            golds.push(gold);
        }
    }
    let words = Words::of(templates.iter().map(|template| &**template.rails())).map_err(|label| {
        anyhow!("`{label}` is right by one template and wrong by another, so nobody knows what gold means; audit them one by one")
    })?;
    Ok(ProbeColumns {
        golds,
        words,
        cluster: named("cluster", &flags.cluster, &columns::CLUSTERS)?,
        id: named("id", &flags.id, &columns::IDS)?,
    })
}

/// The reports asked for, checked before anything is paid for.
fn destinations(args: &AuditArgs) -> anyhow::Result<Vec<Destination>> {
    let destination = |path: &PathBuf| {
        let report = match path.extension().and_then(|ending| ending.to_str()) {
            Some("md" | "markdown") => Report::Markdown,
            Some("json") => Report::Json,
            _ => match Output::new(path.clone(), None, Format::Jsonl) {
                Ok(output) => Report::Table(output),
                Err(_) => bail!(
                    "--report {}: a report of an audit ends in .md or .json, or as a table of figures in .parquet, .csv and so on",
                    path.display()
                ),
            },
        };
        match &report {
            Report::Table(output) => output.check(&[], &[], args.result.force)?,
            Report::Markdown | Report::Json => write::check_text(path, args.result.force)?,
        }
        Ok(Destination { path: path.clone(), report })
    };
    args.result.reports.iter().map(destination).collect()
}
