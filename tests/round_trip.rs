//! A log that was converted is the log itself, whatever kind of table became of it.

#![allow(clippy::unwrap_used, reason = "the lint's exception for tests does not reach their helpers")]

use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use tooljudge::domain::{Json, Sample};
use tooljudge::internal::{
    Form, LogOptions, Output, SKIPPED, Selection, Source, Table, Understanding, convert_rows,
};
use tooljudge::run::Progress;
use tooljudge::run::settings::Format;
use tooljudge_core::normalize::logs::Turns;
use tooljudge_core::normalize::{Normalizer, Options, columns};
use tooljudge_laws::fixtures::folder;

use crate::shapes;

/// The tables that logs are converted to.
const TABLES: &[(&str, Form)] = &[
    ("normal.jsonl", Form::Normal),
    ("columns.jsonl", Form::Columns),
    ("columns.csv", Form::Columns),
    ("columns.parquet", Form::Columns),
];

fn open(inputs: &[String]) -> Source {
    let normalizer = Arc::new(Normalizer::new(Options::default()).unwrap());
    let logs = LogOptions {
        normalizer: Arc::clone(&normalizer),
        format: None,
        agents: false,
        turns: Turns::Calls,
        with_skipped: false,
    };
    let understanding = Understanding { format: None, logs: Some(logs) };
    let table = Table::open(inputs, understanding, Selection::default()).unwrap();
    let names: Vec<String> = table.schema().names().map(str::to_owned).collect();
    Source::new(table, columns::resolve(&names, &[], true).unwrap(), normalizer)
}

/// The samples, as normal forms in which what only a log can say is left out.
fn samples(source: &Source) -> Vec<Json> {
    let comparable = |sample: Sample| {
        let Json::Object(mut object) = sample.to_json() else { unreachable!("the normal form is an object") };
        for key in ["source_id", "model", "timestamp", "latency_s", "flags"] {
            object.remove(key);
        }
        object.insert("shown", &*sample.raw.question);
        Json::Object(object)
    };
    let mut found = Vec::new();
    for batch in source.table.batches(None) {
        let batch = batch.unwrap();
        assert!(batch.column(SKIPPED).unwrap().iter().all(|cell| cell.as_ref().is_none_or(Json::is_null)));
        found.extend(source.items(&batch).unwrap().into_iter().flatten().map(comparable));
    }
    found
}

/// What differs between a log and the tables it is converted to, if anything.
fn compare(inputs: &[String], folder: &Path) -> Option<String> {
    let source = open(inputs);
    let expected = samples(&source);
    if expected.is_empty() {
        return None;
    }
    for (name, form) in TABLES {
        let path = folder.join(name);
        let output = Output::new(path.clone(), None, Format::Jsonl).unwrap();
        convert_rows(&source, Some((&output, *form)), false, &Progress::default(), &|| false).unwrap();
        let table = open(&[path.display().to_string()]);
        assert!(table.table.logs().is_none(), "{name} is a table");
        let found = samples(&table);
        for (found, expected) in found.iter().zip(&expected) {
            if found != expected {
                return Some(format!("{name}: found {found}, expected {expected}"));
            }
        }
        if found.len() != expected.len() {
            return Some(format!("{name}: {} instead of {}", found.len(), expected.len()));
        }
    }
    None
}

#[test]
fn fixtures() {
    let work = tempfile::tempdir().unwrap();
    let questions = folder().join("logs/bfcl_questions.json").display().to_string();
    let mut logs = 0;
    for part in ["logs", "own/logs", "transcripts"] {
        for entry in std::fs::read_dir(folder().join(part)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            // Accepted answers are read only by their name.
            if name.contains("possible_answer") {
                continue;
            }
            let mut inputs = vec![path.display().to_string()];
            if name.starts_with("bfcl_result") {
                inputs.push(questions.clone());
            }
            let problem = compare(&inputs, work.path());
            assert!(problem.is_none(), "{name}: {}", problem.unwrap_or_default());
            logs += 1;
        }
    }
    assert!(logs > 30);
}

#[test]
fn exchanges() {
    let exchanges = prop::collection::vec(shapes::exchanges::exchange(), 4);
    shapes::check("round trips", TABLES.len(), 16, exchanges, |exchanges| {
        let work = tempfile::tempdir().unwrap();
        let log = shapes::records::LOGS.iter().find(|log| log.name == "LiteLLM").unwrap();
        let records: Vec<String> = exchanges.iter().map(log.write).collect();
        let path = work.path().join("log.jsonl");
        std::fs::write(&path, records.join("\n")).unwrap();
        match compare(&[path.display().to_string()], work.path()) {
            None => Ok(()),
            Some(problem) => Err(TestCaseError::fail(problem)),
        }
    });
}
