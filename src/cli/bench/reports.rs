//! What comes out of a benchmark: the terminal's tables and the files of `--report` and `--audit`.

use std::path::{Path, PathBuf};

use anyhow::bail;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::Outcome;
use super::args::{BenchArgs, ReportArgs};
use super::figures_table;
use super::plan::Plan;
use crate::bench::{self, Cases, columns};
use crate::cli::printer::Printer;
use crate::read::Format;
use crate::report;
use crate::run::{self, CaseBook, Covered, RunError};
use crate::write::{self, Output, is_stdout, is_stream};

/// What a report is.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    Html,
    Markdown,
    Json,
    /// All figures as rows.
    Table(Output),
}

/// A report's place.
pub struct Destination {
    path: PathBuf,
    kind: Kind,
}

/// The reports asked for, checked before anything is paid for.
pub fn destinations(args: &ReportArgs) -> anyhow::Result<Vec<Destination>> {
    let destination = |path: &PathBuf| {
        let kind = match path.extension().and_then(|ending| ending.to_str()) {
            Some("html" | "htm") => Kind::Html,
            Some("md" | "markdown") => Kind::Markdown,
            Some("json") => Kind::Json,
            _ => match Output::new(path.clone(), None, Format::Jsonl) {
                Ok(output) => Kind::Table(output),
                Err(_) => bail!(
                    "--report {}: a report ends in .html, .md or .json, or as a table of figures in .parquet, .csv and so on",
                    path.display()
                ),
            },
        };
        match &kind {
            Kind::Table(output) => output.check(&[], &[], args.force)?,
            Kind::Html | Kind::Markdown | Kind::Json => write::check_text(path, args.force)?,
        }
        Ok(Destination { path: path.clone(), kind })
    };
    args.reports.iter().map(destination).collect()
}

pub fn write(
    args: &BenchArgs,
    plan: &Plan,
    outcome: &Outcome,
    covered: &[Covered],
    destinations: &[Destination],
    stopped: &dyn Fn() -> bool,
    printer: Printer,
) -> anyhow::Result<()> {
    let record = record(args, plan, outcome);
    for Destination { path, kind } in destinations {
        if stopped() {
            return Err(RunError::Interrupted.into());
        }
        let text = match kind {
            Kind::Table(output) => {
                let written = figures_table::write(outcome, output)?;
                if !is_stream(path) {
                    let (rows, bytes) = (written.rows, written.bytes);
                    let output = json!({"path": path.display().to_string(), "rows": rows, "bytes": bytes});
                    write::write_manifest(path, &json!({"run": plan.manifest.run, "output": output}))?;
                }
                continue;
            }
            Kind::Json => format!("{record:#}\n"),
            Kind::Markdown => report::markdown(
                &plan.manifest.inputs,
                &outcome.counts,
                &outcome.measured,
                &outcome.agreement,
            ),
            Kind::Html => {
                let shown = bench::shown(&outcome.rows, &outcome.entrants, args.report.cases);
                let cases = cases(args, plan, outcome, covered, &shown.places, stopped)?;
                let (cases_found, right_found) = (shown.disagreements, shown.agreements);
                let mut payload = json!(Cases { cases_found, right_found, ..cases });
                payload["bench"] = record.clone();
                report::html(&format!("Judges on {}", plan.manifest.inputs.join(", ")), &payload)
            }
        };
        write::write_text(path, &text)?;
    }
    let labelled = plan.destination.as_ref().map(|destination| &destination.output.path);
    let outputs = [labelled, plan.audit.as_ref().map(|audit| &audit.path)].into_iter().flatten();
    // Rows and figures on the standard output are not to be mixed with anything.
    let is_taken = outputs.chain(destinations.iter().map(|report| &report.path)).any(|path| is_stdout(path));
    let show = |text: &str| if is_taken { printer.talk(text) } else { printer.data(text) };
    if args.report.json {
        show(&format!("{record:#}"));
    } else if !args.report.quiet {
        show(&report::terminal(&outcome.counts, &outcome.measured));
        printer.talk("");
        let written: Vec<&Path> = labelled
            .into_iter()
            .chain(destinations.iter().map(|report| &report.path))
            .map(PathBuf::as_path)
            .filter(|path| !is_stdout(path))
            .collect();
        for path in written {
            printer.talk(&format!("written  {}", path.display()));
        }
    }
    Ok(())
}

/// `bench.json`.
fn record(args: &BenchArgs, plan: &Plan, outcome: &Outcome) -> Value {
    let about = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "run": plan.manifest.run,
        "created_at": Timestamp::now().to_string(),
        "inputs": plan.manifest.inputs,
        "filters": plan.manifest.filters,
        "limit": plan.manifest.limit,
        "sample": plan.manifest.sample,
        "cluster": plan.gold.cluster.as_deref().unwrap_or("question"),
        "slicings": plan.gold.slicings,
        "errata": args.gold.errata.as_ref().map(|path| path.display().to_string()),
    });
    bench::record(about, &outcome.counts, &outcome.measured, &outcome.agreement)
}

/// The rows at `places`, to be read.
pub fn cases(
    args: &BenchArgs,
    plan: &Plan,
    outcome: &Outcome,
    covered: &[Covered],
    places: &[usize],
    stopped: &dyn Fn() -> bool,
) -> anyhow::Result<Cases> {
    let mut labellers = super::labellers(args, plan, covered)?;
    let seats: Vec<(usize, usize, String)> = plan
        .entrants
        .iter()
        .enumerate()
        .flat_map(|(at, (entrant, places))| places.iter().map(move |place| (at, entrant.gold, *place)))
        .map(|(at, gold, place)| (at, gold, plan.seats[place].positive.clone()))
        .collect();
    let names: Vec<&str> = plan.source.table.schema().names().collect();
    let book = CaseBook {
        rows: &outcome.rows,
        places,
        id: plan.gold.id.as_deref(),
        cluster: columns::CLUSTERS.into_iter().find(|cluster| names.contains(cluster)),
        labellers: &seats,
    };
    Ok(run::cases(&plan.source, &mut labellers, &book, stopped)?)
}
