//! What the shipped trees are fitted to: real calls, calls of other sources, everyday calls, what `tooljudge gold` makes of the right ones,
//! and copies of all of them with other tools on offer.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};

use polars::prelude::{DataFrame, ParquetReader, SerReader};
use rayon::prelude::*;
use tooljudge::domain::{Cell, RawRow};
use tooljudge::normalize::{Normalizer, Options};
use tooljudge_core::check::model::TrainingRow;
use tooljudge_core::check::{Baseline, BaselineKind, Measured, measure};
use tooljudge_core::domain::Task;

use super::{TASKS, copies, everyday};
use crate::support::workspace::Workspace;

/// A labelled sample with what the figures are told by.
pub struct Row {
    pub training: TrainingRow,
    pub settled: [bool; 3],
    /// Whether another fact speaks against the calls, by each task.
    pub contradicted: [bool; 3],
    /// Whether the calls break their definition, by each task: all that the baseline `schema_only` looks at.
    pub breaks_schema: [bool; 3],
    /// The mistake, of made calls.
    pub kind: Option<String>,
}

/// A table's rows before they are measured.
#[derive(Clone)]
pub struct Raw {
    pub cells: [Option<String>; 3],
    pub right: [Option<bool>; 3],
    pub source: String,
    pub family: String,
    pub question: String,
    pub near: bool,
    pub measured: bool,
    /// Whether it is only measured, never learned from.
    pub held: bool,
    pub kind: Option<String>,
}

fn table(path: &Path) -> DataFrame {
    ParquetReader::new(File::open(path).unwrap()).finish().unwrap()
}

/// The texts of a column; nothing where there is no such column.
fn column(table: &DataFrame, name: &str) -> Vec<Option<String>> {
    let Ok(column) = table.column(name) else { return vec![None; table.height()] };
    match column.str() {
        Ok(texts) => texts.iter().map(|text| text.map(str::to_owned)).collect(),
        Err(_) => vec![None; table.height()],
    }
}

/// The texts of three columns, row by row.
pub fn cells(path: &Path, columns: [&str; 3]) -> Vec<[Option<String>; 3]> {
    let table = table(path);
    let columns = columns.map(|name| column(&table, name));
    (0..table.height()).map(|row| [0, 1, 2].map(|at| columns[at][row].clone())).collect()
}

/// The rows of a table of calls; `about` says the rest of a row by its source and category.
fn rows(path: &Path, gold: &str, about: &dyn Fn(&mut Raw, Option<&str>)) -> Vec<Raw> {
    let table = table(path);
    let names = [
        "question",
        "tool_call",
        "tool_definitions",
        gold,
        "params_label",
        "selection_label",
        "question_id",
        "category",
        "source",
        "error_type",
        "call_key",
        "decode_status",
    ];
    let columns = names.map(|name| column(&table, name));
    let mut keys = BTreeSet::new();
    let right = |label: &Option<String>| label.as_deref().map(|label| label == "correct");
    (0..table.height())
        .filter(|row| columns[11][*row].as_deref().is_none_or(|status| status == "ok"))
        .filter(|row| columns[10][*row].clone().is_none_or(|key| keys.insert(key)))
        .map(|row| {
            let mut raw = Raw {
                cells: [0, 1, 2].map(|at| columns[at][row].clone()),
                right: [3, 4, 5].map(|at| right(&columns[at][row])),
                source: columns[8][row].clone().unwrap_or_default(),
                family: String::new(),
                question: columns[6][row].clone().unwrap_or_default(),
                near: false,
                measured: false,
                held: false,
                kind: columns[9][row].clone().filter(|_| right(&columns[3][row]) == Some(false)),
            };
            about(&mut raw, columns[7][row].as_deref());
            raw
        })
        .collect()
}

/// The benchmark's questions that may be learned from, as a folder of its files.
fn visible_questions(shared: &Path, to: &Path) -> PathBuf {
    let ids = std::fs::read_to_string(shared.join("data/training_questions.txt")).unwrap();
    let ids: BTreeSet<&str> = ids.split_whitespace().collect();
    let folder = to.join("bfcl");
    copy_visible(&shared.join("data/bfcl"), &folder, &ids);
    folder
}

fn copy_visible(from: &Path, to: &Path, ids: &BTreeSet<&str>) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy_visible(&path, &target, ids);
        } else if path.extension().is_some_and(|extension| extension == "json") {
            let text = std::fs::read_to_string(&path).unwrap();
            let is_visible = |line: &&str| {
                let row: serde_json::Value = serde_json::from_str(line).unwrap();
                ids.contains(row["id"].as_str().unwrap())
            };
            let kept: Vec<&str> =
                text.lines().filter(|line| !line.trim().is_empty()).filter(is_visible).collect();
            std::fs::write(target, kept.join("\n")).unwrap();
        }
    }
}

/// Everything to learn from: real calls, calls of other sources, and what `tooljudge gold` makes of the right ones of both.
pub fn everything(shared: &Path) -> Vec<Row> {
    let workspace = Workspace::new();
    let folder = visible_questions(shared, &workspace.path(""));
    let gold = |input: &[&str], negatives: &str, output: &str| {
        let fixed = [
            "--per-question",
            "3",
            "--negatives-per-question",
            negatives,
            "--per-type",
            "100000",
            "--seed",
            "1",
            "-o",
            output,
        ];
        workspace.run(&[&["gold"], input, &fixed[..]].concat()).ended(0);
        workspace.path(output)
    };
    let made = gold(&["--bfcl", folder.to_str().unwrap()], "6", "made.parquet");
    let foreign = shared.join("data/foreign_calls.parquet");
    let family = |source: &str| source.trim_end_matches("_made").to_owned();
    let mut raw = rows(&shared.join("data/bfcl_real_calls.parquet"), "verdict", &|row, category| {
        (row.source, row.family, row.near, row.measured) =
            ("bfcl".to_owned(), category.unwrap_or_default().to_owned(), true, true);
        row.kind = None;
    });
    raw.extend(rows(&made, "gold", &|row, category| {
        (row.source, row.family, row.near) =
            ("bfcl_made".to_owned(), category.unwrap_or_default().to_owned(), true);
    }));
    let others = rows(&foreign, "gold", &|row, _| {
        row.family = family(&row.source);
        row.measured = true;
    });
    let sources: BTreeSet<String> =
        others.iter().filter(|row| row.right[0] == Some(true)).map(|row| row.source.clone()).collect();
    for source in sources {
        let lines: Vec<String> = others
            .iter()
            .filter(|row| row.source == source && row.right[0] == Some(true))
            .map(|row| {
                let [question, call, tools] = &row.cells;
                serde_json::json!({
                    "question_id": row.question, "question": question, "tool_call": call, "tool_definitions": tools, "gold": "correct",
                })
                .to_string()
            })
            .collect();
        let input = workspace.file(&format!("{source}.jsonl"), lines.join("\n"));
        let made = gold(&[input.to_str().unwrap()], "5", &format!("{source}.parquet"));
        raw.extend(rows(&made, "gold", &|row, _| {
            (row.source, row.family) = (format!("{source}_gold"), source.clone());
        }));
    }
    raw.extend(others);
    raw.extend(everyday::rows());
    let copies = copies::with_other_tools(&raw);
    raw.extend(copies);
    raw.into_par_iter().filter_map(measured).collect()
}

/// What a source weighs beside others: real calls of the benchmark more than made ones; everyday calls more than all other sources
/// together, of which most wrong calls are made, since they are wrong as calls of agents are.
fn weight(source: &str) -> f64 {
    match source {
        "bfcl" => 3.0,
        everyday::SOURCE => 60.0,
        copies if copies.starts_with(everyday::SOURCE) => 15.0,
        _ => 1.0,
    }
}

fn measured(raw: Raw) -> Option<Row> {
    let normalizer = Normalizer::new(Options::default()).unwrap();
    let cell = |text: &Option<String>| text.clone().map_or(Cell::Null, Cell::Text);
    let [question, tool_call, tool_definitions] = [0, 1, 2].map(|at| cell(&raw.cells[at]));
    let sample =
        normalizer.sample(RawRow { question, tool_call, tool_definitions, ..RawRow::default() }).ok()?;
    let Measured { features, settled, contradicted } = measure(&sample)?;
    let hash = blake3::hash(raw.question.as_bytes());
    let question = u64::from_le_bytes(hash.as_bytes()[..8].try_into().unwrap());
    let Raw { right, source, family, near, measured, held, kind, .. } = raw;
    let breaks = |task: Task| {
        Baseline::new(BaselineKind::SchemaOnly, task).judge(&sample).label() == Some("incorrect")
    };
    let breaks_schema = TASKS.map(|(_, name)| breaks(name.parse().unwrap()));
    Some(Row {
        training: TrainingRow {
            features,
            right,
            weight: weight(&source),
            source,
            family,
            question,
            near,
            measured,
            held,
        },
        settled,
        contradicted,
        breaks_schema,
        kind,
    })
}
