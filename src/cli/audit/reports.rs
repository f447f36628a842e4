//! What comes out of an audit: the terminal's table and the files of `--report`.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::args::AuditArgs;
use super::plan::{Destination, Plan, Report};
use crate::audit::{Audited, Finding, SCHEMA};
use crate::cli::printer::Printer;
use crate::domain::{Json, Number};
use crate::report::{AuditCounts, audit_markdown, audit_terminal};
use crate::stats::Estimate;
use crate::table::{Batch, Column, Kind, Record, Rows, Schema};
use crate::write::{self, Output, Sink, is_stdout, is_stream};

pub fn write(args: &AuditArgs, plan: &Plan, audited: &[Audited], printer: Printer) -> anyhow::Result<()> {
    let clusters = plan.rows.iter().map(|row| row.cluster).max().map_or(0, |last| u64::from(last) + 1);
    let counts = AuditCounts { rows: plan.rows.len() as u64, unreadable: plan.unreadable, clusters };
    let record = record(plan, counts, audited);
    for Destination { path, report } in &plan.reports {
        match report {
            Report::Markdown => {
                write::write_text(path, &audit_markdown(&plan.manifest.inputs, counts, audited))?;
            }
            Report::Json => write::write_text(path, &format!("{record:#}\n"))?,
            Report::Table(output) => figures(plan, audited, output)?,
        }
    }
    // Rows and figures on the standard output are not to be mixed with anything.
    let outputs = plan.output.iter().map(|output| &output.path);
    let is_taken = outputs.chain(plan.reports.iter().map(|report| &report.path)).any(|path| is_stdout(path));
    let show = |text: &str| if is_taken { printer.talk(text) } else { printer.data(text) };
    if args.result.json {
        show(&format!("{record:#}"));
    } else if !args.result.quiet {
        show(&audit_terminal(counts, audited));
        printer.talk("");
        plan.reports
            .iter()
            .filter(|report| !is_stdout(&report.path))
            .for_each(|report| printer.talk(&format!("written  {}", report.path.display())));
    }
    Ok(())
}

fn record(plan: &Plan, counts: AuditCounts, audited: &[Audited]) -> Value {
    json!({
        "kind": "tooljudge audit",
        "schema": SCHEMA,
        "version": env!("CARGO_PKG_VERSION"),
        "run": plan.manifest.run,
        "created_at": Timestamp::now().to_string(),
        "inputs": plan.manifest.inputs,
        "filters": plan.manifest.filters,
        "limit": plan.manifest.limit,
        "sample": plan.manifest.sample,
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
fn figures(plan: &Plan, audited: &[Audited], output: &Output) -> anyhow::Result<()> {
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
    Ok(write::write_manifest(path, &json!({"run": plan.manifest.run, "output": output}))?)
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
