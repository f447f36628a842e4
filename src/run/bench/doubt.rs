//! The table of rows whose gold is probably wrong, to read and to correct gold with.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;

use super::plan::Plan;
use super::{BenchError, Measuring, Outcome, reports};
use crate::bench::audit::{SuspectedLabelError, audit};
use crate::bench::{Case, Cases};
use crate::domain::{Json, Number};
use crate::run::RunError;
use crate::run::settings::BenchSettings;
use crate::table::{Batch, Column, Format, Kind, Record, Rows, Schema};
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

/// What was written of doubtful gold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoubtfulGold {
    /// The table.
    pub path: PathBuf,
    /// Its rows, the most doubtful first.
    pub written: usize,
    /// All rows whose gold is doubtful.
    pub doubtful: usize,
}

/// An error where an audit could not be used: corrections go by the names of rows, and are of one gold.
pub(super) fn check(id: Option<&str>, golds: &[String]) -> Result<(), BenchError> {
    let Some(id) = id else { return Err(BenchError::AuditWithoutNames) };
    if COLUMNS.iter().any(|(name, _)| *name == id) || golds.iter().any(|gold| gold == id) {
        return Err(BenchError::AuditColumn(id.to_owned()));
    }
    match golds {
        [_] => Ok(()),
        _ => Err(BenchError::AuditOfSeveral(golds.join(" and "))),
    }
}

/// Where the audit goes, checked before anything is paid for.
pub(super) fn destination(settings: &BenchSettings, inputs: &[&Path]) -> Result<Option<Output>, RunError> {
    let Some(path) = &settings.audit else { return Ok(None) };
    let output = Output::new(path.clone(), None, Format::Jsonl)?.with_formulas(settings.output.formulas);
    output.check(inputs, &[], settings.output.force)?;
    Ok(Some(output))
}

pub(super) fn write(
    measuring: &Measuring<'_>,
    outcome: &Outcome,
    output: &Output,
) -> Result<DoubtfulGold, RunError> {
    let plan = measuring.plan;
    let all = audit(&outcome.rows, &outcome.contenders, 0);
    let doubtful = all.iter().filter(|suspect| suspect.evidence > 0.0).count();
    let suspects = &all[..doubtful.min(plan.settings.suspects)];
    let mut places: Vec<usize> = suspects.iter().map(|suspect| suspect.row).collect();
    places.sort_unstable();
    let cases = reports::cases(measuring, outcome, &places)?;
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
        let manifest = json!({"run": measuring.session.manifest.run, "doubtful": doubtful, "output": output});
        write_manifest(Path::new(&path), &manifest)?;
    }
    Ok(DoubtfulGold { path: output.path.clone(), written: suspects.len(), doubtful })
}

fn record(suspect: &SuspectedLabelError, case: &Case, cases: &Cases, plan: &Plan) -> Record {
    let label = |right: bool| Json::from(plan.gold.words.word(right));
    let votes: Vec<String> = suspect
        .votes
        .iter()
        .filter(|vote| vote.weight.abs() >= 0.05)
        .map(|vote| format!("{} {:+.1}", vote.who, vote.weight))
        .collect();
    let explanations: Vec<String> = case
        .verdicts
        .iter()
        .filter_map(|verdict| {
            let (contender, _) = &plan.contenders[verdict.contender];
            let explanation = verdict.explanation.as_ref()?;
            Some(format!("{}: {explanation}", contender.judge))
        })
        .collect();
    let number = |value: f64| Number::from_f64(value).map_or(Json::Null, Json::Number);
    let cells = [
        case.id.as_deref().map_or(Json::Null, Json::from),
        label(suspect.right),
        label(!suspect.right),
        number((suspect.evidence * 100.0).round() / 100.0),
        Json::from(votes.join(", ")),
        Json::Number(case.row.into()),
        Json::from(case.question.as_str()),
        Json::from(case.calls.as_str()),
        Json::from(cases.toolboxes.get(case.toolbox).map_or("", String::as_str)),
        Json::from(explanations.join("\n")),
    ];
    Record { cells: cells.map(Some).to_vec(), item: None }
}
