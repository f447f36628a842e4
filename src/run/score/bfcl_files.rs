//! Joins BFCL's own files (questions, accepted answers and a model's results) into cases.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use tempfile::NamedTempFile;

use super::ScoringError;
use super::row::case;
use crate::domain::{Calls, Cell, Json, Object, RawRow, ToolCall};
use crate::normalize::{Normalizer, Options};
use crate::read::{Format, Selection, Table, Understanding};
use crate::run::RunError;
use crate::run::settings::BfclFiles;
use crate::score::bfcl;

/// The cases as a file of JSON Lines, gone when it is dropped.
pub(super) fn cases(files: &BfclFiles) -> Result<NamedTempFile, RunError> {
    let BfclFiles { questions, answers, results, underscore_to_dot } = files;
    let name = questions.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let category = bfcl::of_file(name);
    let mut answers = by_id(answers)?;
    let mut results = by_id(results)?;
    let normalizer = Normalizer::new(Options::default()).map_err(ScoringError::Row)?;
    let file = tempfile::Builder::new().prefix("bfcl").suffix(".jsonl").tempfile();
    let mut file = file.map_err(ScoringError::NoTemporary)?;
    let mut unanswered = 0_u64;
    for question in records(questions)? {
        let id = id(&question).ok_or_else(|| ScoringError::QuestionWithoutId(questions.clone()))?;
        let Some(mut result) = results.remove(&id) else {
            unanswered += 1;
            continue;
        };
        if let Some(answered) = result.get("result").filter(|answered| !is_decoded(answered)) {
            let decoded = decoded(&normalizer, answered.clone());
            result.insert("result", decoded);
        }
        let case = bfcl::join(&question, answers.remove(&id).as_ref(), &result, category, *underscore_to_dot)
            .map_err(|why| ScoringError::Question { id: id.clone(), why: why.to_string() })?;
        writeln!(file, "{}", Json::Object(case)).map_err(ScoringError::NoTemporary)?;
    }
    if let Some(id) = results.keys().next() {
        return Err(ScoringError::NoQuestion { path: questions.clone(), id: id.clone() }.into());
    }
    if unanswered > 0 {
        return Err(ScoringError::Unanswered { path: questions.clone(), questions: unanswered }.into());
    }
    Ok(file)
}

/// Whether calls are written as the benchmark writes them, `{name: arguments}`, and not as a text or in a form that others
/// use.
fn is_decoded(answered: &Json) -> bool {
    match answered {
        Json::String(_) => false,
        Json::Array(calls) => {
            !calls.iter().any(|call| call.get("name").is_some_and(|name| name.as_str().is_some()))
        }
        _ => true,
    }
}

/// Calls out of what a model answered; null where there are none to be read, or where arguments are no object.
fn decoded(normalizer: &Normalizer, answered: Json) -> Json {
    let row = RawRow {
        question: Cell::Text("-".to_owned()),
        tool_call: Cell::from(answered),
        tool_definitions: Cell::Missing,
        ..RawRow::default()
    };
    let call = |call: &ToolCall| {
        let arguments = Json::Object(call.parsed()?.clone());
        Some(Json::Object([(call.name.clone(), arguments)].into_iter().collect()))
    };
    match normalizer.sample(row).map(|sample| sample.calls) {
        Ok(Calls::Parsed(calls)) => {
            let decoded: Option<Vec<Json>> = calls.iter().map(call).collect();
            decoded.map_or(Json::Null, Json::Array)
        }
        _ => Json::Null,
    }
}

fn by_id(path: &Path) -> Result<HashMap<String, Object>, RunError> {
    let mut by_id = HashMap::new();
    for record in records(path)? {
        let id = id(&record).ok_or_else(|| ScoringError::RecordWithoutId(path.to_owned()))?;
        if by_id.insert(id.clone(), record).is_some() {
            return Err(ScoringError::SameId { path: path.to_owned(), id }.into());
        }
    }
    Ok(by_id)
}

fn id(record: &Object) -> Option<String> {
    record.get("id").and_then(Json::as_str).map(str::to_owned)
}

fn records(path: &Path) -> Result<Vec<Object>, RunError> {
    let understanding = Understanding { format: Some(Format::Jsonl), logs: None };
    let table = Table::open(&[path.display().to_string()], understanding, Selection::default())?;
    let mut records = Vec::new();
    for batch in table.batches(None) {
        let batch = batch?;
        let schema = std::sync::Arc::clone(&batch.schema);
        for record in batch.into_records()? {
            if let Some(Err(error)) = record.item {
                return Err(ScoringError::Record { path: path.to_owned(), why: error.to_string() }.into());
            }
            records.push(case(&table, &schema, record.cells, &[]));
        }
    }
    Ok(records)
}
