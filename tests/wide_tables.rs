//! Tables with very many columns, and rows of JSON with keys of their own: memory and time follow what the input holds.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::support::child::Deadline;
use crate::support::workspace::{Ran, Workspace, repository};

/// The most memory that a run may hold, in kB.
const MOST: u64 = 256 << 10;

/// A run that is killed when it takes more than [`MOST`] of memory, or hangs.
fn run(work: &Workspace, args: &[&str]) -> Ran {
    let (stdout, stderr) = (work.path("stdout"), work.path("stderr"));
    let create = |path| Stdio::from(std::fs::File::create(path).unwrap());
    let mut command = work.tooljudge(args);
    let child = command.stdout(create(&stdout)).stderr(create(&stderr)).start();
    let code = loop {
        if let Some(status) = child.ended() {
            break status.code();
        }
        let held = held(child.id()).unwrap_or(0);
        assert!(held <= MOST, "{args:?} holds {} MB", held >> 10);
        std::thread::sleep(Duration::from_millis(2));
    };
    let text = |path| String::from_utf8(std::fs::read(path).unwrap()).unwrap();
    Ran { code, stdout: text(&stdout), stderr: text(&stderr) }
}

/// The most memory that a process has held, in kB, where the system tells it.
fn held(id: u32) -> Option<u64> {
    let page = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = page.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

fn usual() -> Map<String, Value> {
    let row = json!({"question": "q", "tool_call": "f()", "tool_definitions": "[]"});
    row.as_object().unwrap().clone()
}

fn lines(rows: impl Iterator<Item = Map<String, Value>>) -> String {
    rows.map(|row| format!("{}\n", Value::Object(row))).collect()
}

fn objects(text: &str) -> Vec<Map<String, Value>> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

const ROWS: usize = 4_000;
const OWN: usize = 20;

fn own(row: usize) -> Map<String, Value> {
    (0..OWN).map(|at| (format!("c{row}_{at}"), json!(row))).collect()
}

#[test]
fn rows_with_keys_of_their_own_take_no_more_memory_than_others() {
    let work = Workspace::new();
    let row = |row| usual().into_iter().chain(own(row)).collect();
    work.file("in.jsonl", lines((0..ROWS).map(row)));
    let whole = |of: &dyn Fn(usize) -> Map<String, Value>| {
        for at in 0..ROWS {
            assert_eq!(of(at), own(at), "row {at}");
        }
    };
    for command in [&["label", "--allow-unjudged", "1"][..], &["convert"]] {
        let written = |name: &str| {
            let ran = run(&work, &[command, &["in.jsonl", "-o", name, "--force"]].concat()).ended(0);
            assert!(ran.stderr.contains("kept together in `other_keys`"), "{}", ran.stderr);
        };
        let of_text = |text: &str| serde_json::from_str::<Map<String, Value>>(text).unwrap();
        // In JSON, rows keep their keys.
        written("out.jsonl");
        let rows = objects(&work.read("out.jsonl"));
        let is_own = |key: &str| key.starts_with('c') && key[1..].starts_with(|c: char| c.is_ascii_digit());
        whole(&|at| {
            rows[at].iter().filter(|(key, _)| is_own(key)).map(|(k, v)| (k.clone(), v.clone())).collect()
        });
        assert!(!rows[0].contains_key("other_keys"));
        // Elsewhere one column holds them.
        written("out.csv");
        let others = work.column("out.csv", "other_keys");
        whole(&|at| of_text(&others[at]));
        written("out.parquet");
        run(&work, &["convert", "out.parquet", "-o", "back.jsonl", "--force"]).ended(0);
        let rows = objects(&work.read("back.jsonl"));
        whole(&|at| of_text(rows[at]["other_keys"].as_str().unwrap()));
        written("out.arrow");
    }
}

#[test]
fn keys_that_are_named_as_columns_stand_apart() {
    let work = Workspace::new();
    let row = |row: usize| {
        let mut cells = usual();
        cells.insert(format!("own{row}"), json!(row));
        if row == 7 {
            cells.insert("explanation".to_owned(), json!("theirs"));
            cells.insert("other_keys".to_owned(), json!([1]));
        }
        cells
    };
    work.file("in.jsonl", lines((0..1_200).map(row)));
    run(&work, &["label", "in.jsonl", "--allow-unjudged", "1"]).ended(0);
    let rows = objects(&work.read("in.labeled.jsonl"));
    assert_eq!(rows[6]["own6"], 6);
    assert!(!rows[6].contains_key("other_keys_"));
    assert_eq!((&rows[7]["own7"], &rows[7]["other_keys"]), (&json!(7), &json!([1])));
    assert_eq!(rows[7]["other_keys_"], json!({"explanation": "theirs"}));
    assert_ne!(rows[7]["explanation"], "theirs");
    // Labelled again, the rows have the same labels and the same keys.
    run(&work, &["label", "in.labeled.jsonl", "--overwrite", "--allow-unjudged", "1"]).ended(0);
    let again = objects(&work.read("in.labeled.labeled.jsonl"));
    let sorted = |row: &Map<String, Value>| row.clone().into_iter().collect::<BTreeMap<_, _>>();
    for (row, again) in rows.iter().zip(&again) {
        assert_eq!(sorted(row), sorted(again));
    }
}

#[test]
fn a_table_of_very_many_columns_is_read_and_written() {
    const COLUMNS: usize = 100_000;
    let work = Workspace::new();
    let mut row = usual();
    row.extend((0..COLUMNS).map(|at| (format!("c{at}"), json!("1"))));
    let (names, cells): (Vec<_>, Vec<_>) =
        row.iter().map(|(name, cell)| (name.as_str(), cell.as_str().unwrap())).unzip();
    work.file("in.csv", format!("{}\n{}\n", names.join(","), cells.join(",")));
    work.file("in.jsonl", lines(std::iter::once(row.clone())));
    for input in ["in.csv", "in.jsonl"] {
        run(&work, &["label", input, "-o", "out.jsonl", "--force", "--allow-unjudged", "1"]).ended(0);
        let rows = objects(&work.read("out.jsonl"));
        assert!(row.iter().all(|(name, cell)| rows[0][name] == *cell), "{input}");
        run(&work, &["convert", input, "-o", "out.csv", "--force"]).ended(0);
        let row = work.rows("out.csv").remove(0);
        assert!((0..COLUMNS).all(|at| row[&format!("c{at}")] == "1"), "{input}");
    }
}

/// The rows of a file, each with a dozen keys more, which only a dozen rows share: more than share what the first rows have.
fn among_own_keys(rows: &[Map<String, Value>], all: usize) -> String {
    lines((0..all).map(|at| {
        let mut row = rows.get(at).cloned().unwrap_or_else(usual);
        row.extend((0..12).map(|more| (format!("own{}", at / 12 * 12 + more), json!(at))));
        row
    }))
}

#[test]
fn what_few_rows_have_is_judged_and_scored_as_without_other_keys() {
    let work = Workspace::new();
    let tools = json!([{"name": "book", "description": "Book a room.",
        "parameters": {"type": "object", "properties": {"town": {"type": "string"}}, "required": ["town"]}}]);
    let said = (0..10).map(|at| {
        let row = json!({
            "messages": [{"role": "user", "content": format!("A room in Town{at}, please.")},
                {"role": "assistant", "content": "Shall I book it?"}, {"role": "user", "content": "Yes"}],
            "question": "Yes", "tool_call": {"name": "book", "arguments": {"town": format!("Town{at}")}},
            "tool_definitions": tools, "gold": "correct",
        });
        row.as_object().unwrap().clone()
    });
    let said: Vec<_> = said.collect();
    work.file("alone.jsonl", lines(said.iter().cloned()));
    work.file("among.jsonl", among_own_keys(&said, 1_500));
    let read = |input: &str| {
        work.convert(input, "read.jsonl");
        work.label(input, "labelled.jsonl", |_| ());
        let (read, labelled) = (objects(&work.read("read.jsonl")), objects(&work.read("labelled.jsonl")));
        let row = |(read, labelled): (&Map<String, Value>, &Map<String, Value>)| {
            [&read["messages"], &labelled["label"], &labelled["explanation"]].map(Value::clone)
        };
        read.iter().zip(&labelled).take(10).map(row).collect::<Vec<_>>()
    };
    let alone = read("alone.jsonl");
    assert!(alone[3][0].to_string().contains("A room in Town3"), "{:?}", alone[3]);
    assert_eq!(read("among.jsonl"), alone);

    // Keys of a peer's record, which no other command knows.
    let records = std::fs::read_to_string(repository("datasets/score_vitest.jsonl")).unwrap();
    let records = objects(&records);
    work.file("alone.jsonl", lines(records.iter().cloned()));
    work.file("among.jsonl", among_own_keys(&records, 1_500));
    let scored = |input: &str| {
        work.run(&[
            "score",
            "--allow-failures",
            input,
            "--scorer",
            "tool_call",
            "-o",
            "scored.jsonl",
            "--force",
            "--quiet",
        ]);
        let rows = objects(&work.read("scored.jsonl"));
        rows.iter()
            .take(records.len())
            .map(|row| [&row["score"], &row["passed"]].map(Value::clone))
            .collect::<Vec<_>>()
    };
    assert_eq!(scored("among.jsonl"), scored("alone.jsonl"));
}
