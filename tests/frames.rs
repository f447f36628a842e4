//! Frames as pandas, polars, pyarrow, DuckDB and `datasets` write them: the judge sees what the same rows say as JSON.
//!
//! `tests/fixtures/frames/write.py` wrote them out of the `.jsonl` files beside it.

use std::path::{Path, PathBuf};

use polars::prelude::*;
use tooljudge::domain::Task;
use tooljudge::frames::{self, FrameOptions};
use tooljudge::run::Labeler;

use crate::support::workspace::Workspace;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/frames")
}

/// All prompts of a file, and the built-in judge's labels with all that it says about them.
fn judged(file: &Path) -> (String, Vec<String>) {
    let work = Workspace::new();
    let file = file.display().to_string();
    let shown = work.run(&["label", &file, "--judge", "openai:m", "--dry-run", "20"]);
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    // What the run would take is said with the file's name.
    let prompts = shown.stdout.split_once("rows to").map_or(shown.stdout.as_str(), |(prompts, _)| prompts);
    let labelled = work.run(&["label", &file, "-o", "out.csv"]);
    assert_eq!(labelled.code, Some(0), "{}", labelled.stderr);
    let shown = |row: &std::collections::HashMap<String, String>| {
        ["id", "label", "confidence", "explanation", "error"].map(|column| row[column].clone()).join(" | ")
    };
    (prompts.to_owned(), work.rows("out.csv").iter().map(shown).collect())
}

/// The frames of the rows in `name`.jsonl.
fn written(name: &str) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let is_frame = |file: &PathBuf| {
        let file = file.file_name().unwrap().to_str().unwrap();
        file.starts_with(name) && !file.ends_with(".jsonl")
    };
    files.filter(is_frame).collect()
}

#[test]
fn fields_that_only_other_rows_have_are_absent() {
    let (prompts, labels) = judged(&folder().join("calls.jsonl"));
    assert!(labels[2].starts_with("3 | incorrect"), "{labels:?}");
    let frames = written("calls");
    assert_eq!(frames.len(), 7);
    for file in frames {
        assert_eq!(judged(&file), (prompts.clone(), labels.clone()), "{}", file.display());
    }
}

#[test]
fn texts_that_a_file_calls_json_are_what_they_say() {
    let json = judged(&folder().join("mixed.jsonl"));
    assert!(json.0.contains(r#"{"value":40}"#) && json.0.contains(r#"{"value":"40"}"#), "{}", json.0);
    assert_eq!(judged(&folder().join("mixed.duckdb.parquet")), json);
}

#[test]
fn maps_and_lists_of_their_entries_are_objects() {
    let (_, labels) = judged(&folder().join("maps.jsonl"));
    assert!(labels[1].starts_with("2 | incorrect"), "{labels:?}");
    let frames = written("maps");
    assert_eq!(frames.len(), 5);
    for file in frames {
        assert_eq!(judged(&file).1, labels, "{}", file.display());
    }
}

#[test]
fn a_file_with_maps_shows_the_judge_objects() {
    let (prompts, _) = judged(&folder().join("maps.jsonl"));
    for file in ["maps.pyarrow.parquet", "maps.pyarrow.arrow", "maps.duckdb.parquet"] {
        assert_eq!(judged(&folder().join(file)).0, prompts, "{file}");
    }
}

#[test]
fn frames_in_memory_have_no_padding_either() {
    let frame = |name: &str| {
        let file = std::fs::File::open(folder().join(name)).unwrap();
        let frame = ParquetReader::new(file).finish().unwrap();
        let labeler = Labeler::builtin(Task::ToolCalling);
        frames::label_blocking(frame, &labeler, &FrameOptions::default()).unwrap()
    };
    for (file, wrong) in [("calls.polars.parquet", 2), ("maps.duckdb.parquet", 1)] {
        let labelled = frame(file);
        assert_eq!(labelled.column("label").unwrap().str().unwrap().get(wrong), Some("incorrect"), "{file}");
    }
}

#[test]
fn columns_of_structs_are_written_as_they_were_read() {
    let work = Workspace::new();
    let input = folder().join("calls.pyarrow.parquet");
    work.run(&["label", &input.display().to_string(), "-o", "out.parquet"]);
    let read = |path: PathBuf| ParquetReader::new(std::fs::File::open(path).unwrap()).finish().unwrap();
    let (before, after) = (read(input), read(work.path("out.parquet")));
    for column in ["question", "tool_call", "tool_definitions"] {
        assert_eq!(before.column(column).unwrap(), after.column(column).unwrap());
    }
    // A text has no padding.
    work.run(&["label", &folder().join("calls.pyarrow.parquet").display().to_string(), "-o", "out.jsonl"]);
    let line = work.read("out.jsonl").lines().nth(2).unwrap().to_owned();
    assert!(
        line.contains(r#""tool_call":{"name":"book_table","arguments":{"guests":4,"city":"Oslo"}}"#),
        "{line}"
    );
}
