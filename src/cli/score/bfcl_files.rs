//! BFCL's own files, questions, accepted answers and a model's results, joined into cases.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, bail};
use tempfile::NamedTempFile;

use super::args::BfclArgs;
use crate::domain::{Calls, Cell, Json, Object, RawRow, ToolCall};
use crate::normalize::{Normalizer, Options};
use crate::read::{Format, Selection, Table, Understanding};
use crate::run;
use crate::score::bfcl;

/// The cases as a file of JSON Lines, gone when it is dropped; `None` when no such files are named.
pub fn cases(args: &BfclArgs) -> anyhow::Result<Option<NamedTempFile>> {
    let (Some(questions), Some(answers), Some(results)) = (&args.questions, &args.answers, &args.results)
    else {
        return Ok(None);
    };
    let name = questions.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let category = bfcl::of_file(name);
    let mut answers = by_id(answers)?;
    let mut results = by_id(results)?;
    let normalizer = Normalizer::new(Options::default())?;
    let mut file = tempfile::Builder::new().prefix("bfcl").suffix(".jsonl").tempfile()?;
    let mut unanswered = 0_u64;
    for question in records(questions)? {
        let id =
            id(&question).with_context(|| format!("{}: a question without an `id`", questions.display()))?;
        let Some(mut result) = results.remove(&id) else {
            unanswered += 1;
            continue;
        };
        if let Some(answered) = result.get("result").filter(|answered| !is_decoded(answered)) {
            let decoded = decoded(&normalizer, answered.clone());
            result.insert("result", decoded);
        }
        let case =
            bfcl::join(&question, answers.remove(&id).as_ref(), &result, category, args.underscore_to_dot)
                .with_context(|| format!("question {id}"))?;
        writeln!(file, "{}", Json::Object(case))?;
    }
    if let Some(id) = results.keys().next() {
        bail!(
            "{}: no question has the id `{id}`; are these results of another category?",
            questions.display()
        );
    }
    if unanswered > 0 {
        bail!("{unanswered} questions of {} have no result", questions.display());
    }
    Ok(Some(file))
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

fn by_id(path: &Path) -> anyhow::Result<HashMap<String, Object>> {
    let mut by_id = HashMap::new();
    for record in records(path)? {
        let id = id(&record).with_context(|| format!("{}: a record without an `id`", path.display()))?;
        if by_id.insert(id.clone(), record).is_some() {
            bail!("{}: two records have the id `{id}`", path.display());
        }
    }
    Ok(by_id)
}

fn id(record: &Object) -> Option<String> {
    record.get("id").and_then(Json::as_str).map(str::to_owned)
}

fn records(path: &Path) -> anyhow::Result<Vec<Object>> {
    let understanding = Understanding { format: Some(Format::Jsonl), logs: None };
    let table = Table::open(&[path.display().to_string()], understanding, Selection::default())?;
    let mut records = Vec::new();
    for batch in table.batches(None) {
        let batch = batch?;
        let schema = std::sync::Arc::clone(&batch.schema);
        for record in batch.into_records()? {
            if let Some(Err(error)) = record.item {
                bail!("{}: {error}", path.display());
            }
            records.push(run::case(&table, &schema, record.cells));
        }
    }
    Ok(records)
}
