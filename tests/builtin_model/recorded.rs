//! Scores of a few hundred rows as they were when they were reviewed: whatever moves one shows in a difference of one file.
//!
//! `TOOLJUDGE_MODEL=scores cargo test builtin_model` writes them anew.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tooljudge::domain::{Cell, RawRow};
use tooljudge::normalize::{Normalizer, Options};
use tooljudge_core::check::BuiltinJudge;

use super::{Lane, TASKS, lane, repository, rows, shared};

const RECORD: &str = "tests/cases/builtin_scores.csv";
const COLUMNS: [&str; 3] = ["question", "tool_call", "tool_definitions"];

/// The cells of a row, in the order of [`COLUMNS`].
type Cells = [Option<String>; 3];

/// A file and how many of its rows are recorded, spread over the whole file.
const SHIPPED: [(&str, usize); 2] = [("datasets/benchmark.jsonl", 140), ("datasets/quickstart.csv", 60)];
const NOT_SHIPPED: [(&str, usize); 2] =
    [("data/bfcl_real_calls.parquet", 140), ("data/foreign_calls.parquet", 60)];

fn read(path: &Path) -> Vec<Cells> {
    let text = || std::fs::read_to_string(path).unwrap();
    match path.extension().unwrap().to_str().unwrap() {
        "jsonl" => text()
            .lines()
            .map(|line| {
                let row: Value = serde_json::from_str(line).unwrap();
                COLUMNS.map(|name| match &row[name] {
                    Value::Null => None,
                    Value::String(text) => Some(text.clone()),
                    value => Some(value.to_string()),
                })
            })
            .collect(),
        "csv" => {
            let text = text();
            let mut reader = csv::Reader::from_reader(text.as_bytes());
            let header = reader.headers().unwrap().clone();
            let places = COLUMNS.map(|name| header.iter().position(|own| own == name).unwrap());
            let records = reader.records().map(Result::unwrap);
            records.map(|record| places.map(|at| Some(record[at].to_owned()))).collect()
        }
        _ => rows::cells(path, COLUMNS),
    }
}

/// The probability that the calls are right, a cell for each task; empty where there is nothing to go on.
fn scores(cells: &Cells) -> [String; 3] {
    let cell = |at: usize| cells[at].clone().map_or(Cell::Null, Cell::Text);
    let [question, tool_call, tool_definitions] = [cell(0), cell(1), cell(2)];
    let row = RawRow { question, tool_call, tool_definitions, ..RawRow::default() };
    let sample = Normalizer::new(Options::default()).unwrap().sample(row).unwrap();
    TASKS.map(|(_, task)| {
        let examined = BuiltinJudge::new(task.parse().unwrap()).examine(&sample);
        examined.map(|examined| format!("{:.5}", 1.0 / (1.0 + (-examined.margin).exp()))).unwrap_or_default()
    })
}

/// The lines of the record that are about these files.
fn lines(folder: &Path, files: &[(&str, usize)]) -> Vec<String> {
    let mut lines = Vec::new();
    for (name, count) in files {
        let rows = read(&folder.join(name));
        assert!(rows.len() >= *count, "{name} has {} rows", rows.len());
        for at in (0..*count).map(|at| at * rows.len() / count) {
            lines.push(format!("{name},{at},{}", scores(&rows[at]).join(",")));
        }
    }
    lines
}

/// Whether two lines say the same, but for the last digit of a number: `exp` is not the same on every machine.
fn agree(recorded: &str, now: &str) -> bool {
    let mut cells = recorded.split(',').zip(now.split(','));
    cells.all(|(one, other)| match (one.parse::<f64>(), other.parse::<f64>()) {
        (Ok(one), Ok(other)) => (one - other).abs() < 1.5e-5,
        _ => one == other,
    })
}

#[test]
fn builtin_model_scores_as_recorded() {
    let mut now = lines(Path::new(env!("CARGO_MANIFEST_DIR")), &SHIPPED);
    let shared: Option<PathBuf> = shared();
    match &shared {
        Some(folder) => now.extend(lines(folder, &NOT_SHIPPED)),
        None => println!("half skipped: TOOLJUDGE_SHARED is not set"),
    }
    if lane() == Lane::Scores {
        assert!(shared.is_some(), "half of the rows is in the folder that TOOLJUDGE_SHARED names");
        let head = format!("file,row,{}", TASKS.map(|(_, name)| name).join(","));
        std::fs::write(repository(RECORD), format!("{head}\n{}\n", now.join("\n"))).unwrap();
        return;
    }
    let recorded = std::fs::read_to_string(repository(RECORD)).unwrap();
    let recorded: Vec<&str> = recorded.lines().skip(1).collect();
    assert_eq!(recorded.len(), 400);
    let moved: Vec<String> = recorded
        .iter()
        .zip(&now)
        .filter(|(recorded, now)| !agree(recorded, now))
        .map(|(recorded, now)| format!("{recorded}\n{now}"))
        .collect();
    assert!(
        moved.is_empty(),
        "{} of {} rows score otherwise (as recorded; now):\n{}\n\n`TOOLJUDGE_MODEL=scores TOOLJUDGE_SHARED=FOLDER cargo test builtin_model` records \
         them. If many rows moved, the trees no longer fit the features: CONTRIBUTING says how to fit them again.",
        moved.len(),
        now.len(),
        moved.join("\n")
    );
}
