//! The reports of an audit.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::plan::{Destination, Plan, Report};
use crate::audit::{Audited, Finding, SCHEMA};
use crate::domain::{Json, Number};
use crate::report::{AuditCounts, audit_markdown};
use crate::run::{Manifest, RunError};
use crate::stats::Estimate;
use crate::table::{Batch, Column, Kind, Record, Rows, Schema};
use crate::write::{self, Output, Sink, is_stream};

/// Writes the reports; the record of the audit.
pub fn write(
    plan: &Plan,
    manifest: &Manifest,
    counts: AuditCounts,
    audited: &[Audited],
) -> Result<Value, RunError> {
    let record = record(plan, manifest, counts, audited);
    for Destination { path, report } in &plan.reports {
        match report {
            Report::Markdown => write::write_text(path, &audit_markdown(&manifest.inputs, counts, audited))?,
            Report::Json => write::write_text(path, &format!("{record:#}\n"))?,
            Report::Table(output) => figures(&manifest.run, audited, output)?,
        }
    }
    Ok(record)
}

/// How many rows there are, and how many groups of them.
pub fn counts(plan: &Plan) -> AuditCounts {
    let clusters = plan.rows.iter().map(|row| row.cluster).max().map_or(0, |last| u64::from(last) + 1);
    AuditCounts { rows: plan.rows.len() as u64, unreadable: plan.unreadable, clusters }
}

fn record(plan: &Plan, manifest: &Manifest, counts: AuditCounts, audited: &[Audited]) -> Value {
    json!({
        "kind": "tooljudge audit",
        "schema": SCHEMA,
        "version": env!("CARGO_PKG_VERSION"),
        "run": manifest.run,
        "created_at": Timestamp::now().to_string(),
        "inputs": manifest.inputs,
        "filters": manifest.filters,
        "limit": manifest.limit,
        "sample": manifest.sample,
        "cluster": plan.columns.cluster.as_deref().unwrap_or("question"),
        "golds": plan.columns.golds,
        "rows": counts.rows,
        "unreadable": counts.unreadable,
        "clusters": counts.clusters,
        "judges": audited,
    })
}

const COLUMNS: [(&str, Kind); 12] = [
    ("judge", Kind::Text),
    ("template", Kind::Text),
    ("group", Kind::Text),
    ("name", Kind::Text),
    ("answered", Kind::Int),
    ("unanswered", Kind::Int),
    ("flips", Kind::Int),
    ("unlabelled", Kind::Int),
    ("figure", Kind::Text),
    ("value", Kind::Float),
    ("low", Kind::Float),
    ("high", Kind::Float),
];

/// All figures as one long table.
fn figures(run: &str, audited: &[Audited], output: &Output) -> Result<(), RunError> {
    let columns = COLUMNS.map(|(name, kind)| Column { name: name.to_owned(), kind }).to_vec();
    let schema = Arc::new(Schema::of(columns));
    let mut records = Vec::new();
    for judge in audited {
        let whole = |name, rates| Finding { kind: "all", name, meaning: "", rates };
        let sums =
            [("attacks", Some(judge.attacks)), ("changes", Some(judge.changes)), ("repeats", judge.noise)];
        let sums = sums.into_iter().filter_map(|(name, rates)| Some(whole(name, rates?)));
        let places = judge.places.iter().map(|place| Finding { kind: "place", ..place.clone() });
        for finding in sums.chain(judge.families.iter().cloned()).chain(places) {
            let rates = finding.rates;
            for (name, figure) in [
                ("flip_rate", rates.flip_rate),
                ("targeted_flip_rate", rates.targeted_flip_rate),
                ("beyond_noise", rates.beyond_noise),
                ("unlabelled_rate", rates.unlabelled_rate),
            ] {
                records.extend(figure.map(|figure| row(judge, &finding, name, figure)));
            }
        }
    }
    let mut sink = Sink::create(&output.path, output.format, &schema)?;
    sink.write(Batch { schema, rows: Rows::Records(records) })?;
    let written = sink.finish()?;
    let path = &output.path;
    if is_stream(path) {
        return Ok(());
    }
    let output = json!({"path": path.display().to_string(), "rows": written.rows, "bytes": written.bytes});
    Ok(write::write_manifest(path, &json!({"run": run, "output": output}))?)
}

fn row(judge: &Audited, finding: &Finding, name: &str, figure: Estimate) -> Record {
    let count = |count: u64| Json::Number(count.into());
    let number = |value: f64| Number::from_f64(value).map_or(Json::Null, Json::Number);
    let Finding { kind, name: family, rates, .. } = finding;
    let cells = [
        Json::from(judge.judge.as_str()),
        Json::from(judge.template.as_str()),
        Json::from(*kind),
        Json::from(*family),
        count(rates.answered),
        count(rates.unanswered),
        count(rates.flips),
        count(rates.unlabelled),
        Json::from(name),
        number(figure.value),
        number(figure.low),
        number(figure.high),
    ];
    Record { cells: cells.map(Some).to_vec(), item: None }
}
