//! `--audit`: the rows whose gold is probably wrong, as a table to be read and to correct gold by.

use std::path::Path;
use std::sync::Arc;

use anyhow::bail;
use serde_json::json;

use super::args::BenchArgs;
use super::plan::Plan;
use super::{Outcome, reports};
use crate::bench::audit::{Suspect, audit};
use crate::bench::{Case, Cases};
use crate::cli::printer::Printer;
use crate::domain::{Json, Number};
use crate::run::Covered;
use crate::table::{Batch, Column, Kind, Record, Rows, Schema};
use crate::write::{Output, Sink, is_stream, write_manifest};

/// Columns beside the row's name and the gold that it should have: the one it has, and why.
const COLUMNS: [(&str, Kind); 8] = [
    ("was", Kind::Text),
    ("evidence", Kind::Float),
    ("voices", Kind::Words),
    ("row", Kind::Int),
    ("question", Kind::Words),
    ("tool_call", Kind::Words),
    ("tool_definitions", Kind::Words),
    ("explanations", Kind::Words),
];

/// An error where an audit could not be used: corrections go by the names of rows, and are of one gold.
pub fn check(id: Option<&str>, golds: &[String]) -> anyhow::Result<()> {
    let Some(id) = id else {
        bail!("--audit is for correcting gold by the names of rows: say which column has them with --id");
    };
    if COLUMNS.iter().any(|(name, _)| *name == id) || golds.iter().any(|gold| gold == id) {
        bail!(
            "--audit: `{id}` is a column of the audit itself, and cannot name rows; choose another with --id"
        );
    }
    match golds {
        [_] => Ok(()),
        _ => bail!(
            "--audit is of one gold, and there are {}: choose one --task, or name a --gold",
            golds.join(" and ")
        ),
    }
}

/// Where the audit goes, checked before anything is paid for.
pub fn destination(args: &BenchArgs, inputs: &[&Path]) -> anyhow::Result<Option<Output>> {
    let Some(path) = &args.report.audit else { return Ok(None) };
    let output = Output::new(path.clone(), None, crate::read::Format::Jsonl)?
        .with_formulas(args.spreadsheet.formulas());
    output.check(inputs, &[], args.report.force)?;
    Ok(Some(output))
}

pub fn write(
    args: &BenchArgs,
    plan: &Plan,
    outcome: &Outcome,
    covered: &[Covered],
    output: &Output,
    stopped: &dyn Fn() -> bool,
    printer: Printer,
) -> anyhow::Result<()> {
    let all = audit(&outcome.rows, &outcome.entrants, 0);
    let doubtful = all.iter().filter(|suspect| suspect.evidence > 0.0).count();
    let suspects = &all[..doubtful.min(args.report.suspects)];
    let mut places: Vec<usize> = suspects.iter().map(|suspect| suspect.row).collect();
    places.sort_unstable();
    let cases = reports::cases(args, plan, outcome, covered, &places, stopped)?;
    let gold = plan.gold.golds.first().map_or("gold", String::as_str);
    let names = [plan.gold.id.as_deref().unwrap_or("id"), gold]
        .map(|name| (name, Kind::Text))
        .into_iter()
        .chain(COLUMNS);
    let columns = names.map(|(name, kind)| Column { name: name.to_owned(), kind }).collect();
    let schema = Arc::new(Schema::of(columns));
    let mut sink = Sink::create(&output.path, output.format, &schema)?;
    let records = suspects
        .iter()
        .filter_map(|suspect| {
            let case = &cases.cases[places.binary_search(&suspect.row).ok()?];
            Some(record(suspect, case, &cases, plan))
        })
        .collect();
    sink.write(Batch { schema, rows: Rows::Records(records) })?;
    let written = sink.finish()?;
    if !is_stream(&output.path) {
        let path = output.path.display().to_string();
        let output = json!({"path": path, "rows": written.rows, "bytes": written.bytes});
        let manifest = json!({"run": plan.manifest.run, "doubtful": doubtful, "output": output});
        write_manifest(Path::new(&path), &manifest)?;
    }
    printer.talk(&format!(
        "written  {}: {} of {doubtful} rows whose gold is doubtful; delete those that you do not agree with, and give the rest to --errata",
        output.path.display(),
        suspects.len(),
    ));
    Ok(())
}

fn record(suspect: &Suspect, case: &Case, cases: &Cases, plan: &Plan) -> Record {
    let label = |right: bool| Json::from(plan.gold.words.word(right));
    let voices: Vec<String> = suspect
        .voices
        .iter()
        .filter(|voice| voice.weight.abs() >= 0.05)
        .map(|voice| format!("{} {:+.1}", voice.who, voice.weight))
        .collect();
    let explanations: Vec<String> = case
        .verdicts
        .iter()
        .filter_map(|verdict| {
            let (entrant, _) = &plan.entrants[verdict.entrant];
            let explanation = verdict.explanation.as_ref()?;
            Some(format!("{}: {explanation}", entrant.judge))
        })
        .collect();
    let number = |value: f64| Number::from_f64(value).map_or(Json::Null, Json::Number);
    let cells = [
        case.id.as_deref().map_or(Json::Null, Json::from),
        label(suspect.right),
        label(!suspect.right),
        number((suspect.evidence * 100.0).round() / 100.0),
        Json::from(voices.join(", ")),
        Json::Number(case.row.into()),
        Json::from(case.question.as_str()),
        Json::from(case.calls.as_str()),
        Json::from(cases.toolboxes.get(case.toolbox).map_or("", String::as_str)),
        Json::from(explanations.join("\n")),
    ];
    Record { cells: cells.map(Some).to_vec(), item: None }
}
