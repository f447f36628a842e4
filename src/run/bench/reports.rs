//! The reports of a benchmark.

use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::figures_table;
use super::{BenchError, Measuring, Outcome};
use crate::bench::{self, Cases, columns};
use crate::domain::Rails;
use crate::report;
use crate::run::settings::BenchSettings;
use crate::run::{CaseBook, RunError, cases as read_cases};
use crate::table::Format;
use crate::write::{self, Output, is_stream};

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
pub(super) struct Destination {
    path: PathBuf,
    kind: Kind,
}

/// The reports asked for, checked before anything is paid for.
pub(super) fn destinations(settings: &BenchSettings) -> Result<Vec<Destination>, RunError> {
    let force = settings.output.force;
    let destination = |path: &PathBuf| {
        let kind = match path.extension().and_then(|ending| ending.to_str()) {
            Some("html" | "htm") => Kind::Html,
            Some("md" | "markdown") => Kind::Markdown,
            Some("json") => Kind::Json,
            _ => match Output::new(path.clone(), None, Format::Jsonl) {
                Ok(output) => Kind::Table(output),
                Err(_) => return Err(BenchError::ReportEnding(path.clone()).into()),
            },
        };
        match &kind {
            Kind::Table(output) => output.check(&[], &[], force)?,
            Kind::Html | Kind::Markdown | Kind::Json => write::check_text(path, force)?,
        }
        Ok(Destination { path: path.clone(), kind })
    };
    settings.reports.iter().map(destination).collect()
}

/// Writes the reports; the record of the benchmark.
pub(super) fn write(
    measuring: &Measuring<'_>,
    outcome: &Outcome,
    destinations: &[Destination],
) -> Result<Value, RunError> {
    let Measuring { plan, session, stopped, .. } = measuring;
    let inputs = &session.manifest.inputs;
    let record = record(measuring, outcome);
    for Destination { path, kind } in destinations {
        if stopped() {
            return Err(RunError::Interrupted);
        }
        let text = match kind {
            Kind::Table(output) => {
                let written = figures_table::write(outcome, output)?;
                if !is_stream(path) {
                    let (rows, bytes) = (written.rows, written.bytes);
                    let output = json!({"path": path.display().to_string(), "rows": rows, "bytes": bytes});
                    write::write_manifest(path, &json!({"run": session.manifest.run, "output": output}))?;
                }
                continue;
            }
            Kind::Json => format!("{record:#}\n"),
            Kind::Markdown => {
                report::markdown(inputs, &outcome.counts, &outcome.measured, &outcome.agreement)
            }
            Kind::Html => {
                let shown = bench::shown(&outcome.rows, &outcome.contenders, plan.settings.cases);
                let cases = cases(measuring, outcome, &shown.places)?;
                let (cases_found, right_found) = (shown.disagreements, shown.agreements);
                let mut payload = json!(Cases { cases_found, right_found, ..cases });
                payload["bench"] = record.clone();
                report::html(&format!("Judges on {}", inputs.join(", ")), &payload)
            }
        };
        write::write_text(path, &text)?;
    }
    Ok(record)
}

/// `bench.json`.
fn record(measuring: &Measuring<'_>, outcome: &Outcome) -> Value {
    let (plan, manifest) = (measuring.plan, &measuring.session.manifest);
    let about = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "run": manifest.run,
        "created_at": Timestamp::now().to_string(),
        "inputs": manifest.inputs,
        "filters": manifest.filters,
        "limit": manifest.limit,
        "sample": manifest.sample,
        "cluster": plan.gold.cluster.as_deref().unwrap_or("question"),
        "slicings": plan.gold.slicings,
        "errata": plan.settings.errata.as_ref().map(|path| path.display().to_string()),
    });
    bench::record(about, &outcome.counts, &outcome.measured, &outcome.agreement)
}

/// The rows at `places`, to be read.
pub(super) fn cases(
    measuring: &Measuring<'_>,
    outcome: &Outcome,
    places: &[usize],
) -> Result<Cases, RunError> {
    let plan = measuring.plan;
    let mut labellers = measuring.labellers()?;
    let label_sources: Vec<(usize, usize, Arc<Rails>)> = plan
        .contenders
        .iter()
        .enumerate()
        .flat_map(|(at, (contender, places))| places.iter().map(move |place| (at, contender.gold, *place)))
        .map(|(at, gold, place)| (at, gold, Arc::clone(&plan.label_sources[place].rails)))
        .collect();
    let names: Vec<&str> = plan.source.table.schema().names().collect();
    let book = CaseBook {
        rows: &outcome.rows,
        places,
        id: plan.gold.id.as_deref(),
        cluster: columns::CLUSTERS.into_iter().find(|cluster| names.contains(cluster)),
        labellers: &label_sources,
    };
    read_cases(&plan.source, &mut labellers, &book, measuring.stopped)
}
