//! Which rows marks and draws belong to, whatever becomes of their table, and which gold an export gives.

use std::io::Write;
use std::net::TcpStream;

use serde_json::{Value, json};

use super::{Desk, labelled};
use crate::label_remote::interrupt;
use crate::support::workspace::Workspace;

/// A labelled table of these rows.
fn labelled_rows(work: &Workspace, rows: &[Value], more: &[&str]) {
    let lines: Vec<String> = rows.iter().map(Value::to_string).collect();
    work.file("calls.jsonl", lines.join("\n"));
    let flags = ["label", "calls.jsonl", "-o", "labelled.jsonl", "--decide", "always", "-q", "--force"];
    work.run(&[&flags, more].concat()).ended(0);
}

fn weather(change: &[(&str, Value)]) -> Value {
    let mut row = json!({
        "question": "Weather in Oslo?",
        "tool_call": [{"name": "get_weather", "arguments": {"city": "Oslo"}}],
        "tool_definitions": [{"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}],
    });
    for (name, value) in change {
        row[*name] = value.clone();
    }
    row
}

/// The rows with marks.
fn marked(desk: &Desk) -> Vec<u64> {
    desk.marks().iter().map(|mark| mark["row"].as_u64().unwrap()).collect()
}

#[test]
fn a_row_is_all_that_a_judge_can_see() {
    for column in ["tool_result", "final_answer", "reference", "policy"] {
        let work = Workspace::new();
        let row = |id: &str, says: &str| weather(&[("id", json!(id)), (column, json!(says))]);
        labelled_rows(&work, &[row("a", "20 degrees"), row("b", "21 degrees")], &[]);
        let desk = Desk::open(&work, "anna", &[]);
        for number in [1, 2] {
            assert_eq!(desk.mark(number, 0, "correct", "").unwrap().status, 200);
        }
        drop(desk);
        // Another judge's labels are no part of the row, and neither is what was found to be right.
        let same = [("gold", json!("correct")), ("note", json!("hm"))];
        let mut rows = [row("a", "20 degrees"), row("b", "21 degrees")];
        same.iter().for_each(|(name, value)| rows[0][*name] = value.clone());
        labelled_rows(&work, &rows, &["--findings"]);
        assert_eq!(marked(&Desk::open(&work, "anna", &[])), [1, 2], "{column}");
        labelled_rows(&work, &[row("a", "an error"), row("b", "21 degrees")], &[]);
        let desk = Desk::open(&work, "anna", &[]);
        assert_eq!(marked(&desk), [2], "{column}");
        let said = desk.said();
        assert!(said.contains("holds marks on 1 row that this table does not have"), "{column}: {said}");
    }
}

#[test]
fn rows_without_ids_or_sense_are_told_apart_by_their_cells() {
    let work = Workspace::new();
    let unread = |call: &str| weather(&[("question", json!(null)), ("tool_call", json!(call))]);
    let rows = [
        unread("f()"),
        unread("g()"),
        weather(&[("final_answer", json!("20"))]),
        weather(&[("final_answer", json!("21"))]),
    ];
    labelled_rows(&work, &rows, &["--allow-unjudged", "1"]);
    let desk = Desk::open(&work, "anna", &[]);
    for number in [1, 3] {
        assert_eq!(desk.mark(number, 0, "correct", "").unwrap().status, 200);
    }
    drop(desk);
    labelled_rows(&work, &[&rows[1], &rows[3], &rows[2]].map(Value::clone), &["--allow-unjudged", "1"]);
    assert_eq!(marked(&Desk::open(&work, "anna", &[])), [3]);
}

#[test]
fn draws_stay_with_the_rows_that_were_drawn_from() {
    let work = Workspace::new();
    labelled(&work, 6);
    let desk = Desk::open(&work, "anna", &[]);
    assert_eq!(desk.draw(&[2, 5], 6), 200);
    assert_eq!(desk.mark(2, 0, "correct", "").unwrap().status, 200);
    drop(desk);
    let before = work.read("labelled.jsonl");
    let backwards: Vec<&str> = before.lines().rev().collect();
    work.file("labelled.jsonl", backwards.join("\n"));
    let desk = Desk::open(&work, "anna", &[]);
    assert_eq!(desk.get("/marks").unwrap().json()["draws"][0]["rows"], json!([5, 2]));
    let said = desk.said();
    assert!(!said.contains("draw"), "{said}");
    work.run(&["review", "export", "labelled.jsonl", "-o", "gold.csv", "-q"]).ended(0);
    assert_eq!(work.column("gold.csv", "id"), ["r5", "r2"]);
    assert_eq!(work.column("gold.csv", "draw_round"), ["1", "1"]);
    // One row less, and nobody knows what the draw would have been.
    work.file("labelled.jsonl", backwards[..5].join("\n"));
    let desk = Desk::open(&work, "anna", &[]);
    assert_eq!(desk.get("/marks").unwrap().json()["draws"], json!([]));
    let said = desk.said();
    assert!(said.contains("1 draw in labelled.marks.sqlite no longer holds"), "{said}");
    let ran = work.run(&["review", "export", "labelled.jsonl", "-o", "gold.csv", "--force"]).ended(0);
    assert!(ran.stderr.contains("1 draw in labelled.marks.sqlite no longer holds"), "{}", ran.stderr);
    assert_eq!(work.column("gold.csv", "draw_round"), [""]);
}

#[test]
fn gold_of_the_input_is_nobodys_mark() {
    let work = Workspace::new();
    let row = |at: usize| {
        weather(&[
            ("id", json!(format!("r{at}"))),
            ("question", json!(format!("Weather in Oslo, {at}?"))),
            ("gold", json!("correct")),
        ])
    };
    labelled_rows(&work, &(1..=5).map(row).collect::<Vec<_>>(), &[]);
    let [anna, ben] = [Desk::open(&work, "anna", &[]), Desk::open(&work, "ben", &[])];
    assert_eq!(anna.draw(&[1, 2, 3, 4], 5), 200);
    let says = [
        (&anna, 2, "", "hard to say"),
        (&anna, 3, "correct", ""),
        (&ben, 3, "incorrect", ""),
        (&ben, 4, "incorrect", ""),
    ];
    for (desk, row, label, note) in says {
        assert_eq!(desk.mark(row, 0, label, note).unwrap().status, 200);
    }
    drop((anna, ben));
    let ran = work.run(&["review", "export", "labelled.jsonl", "-o", "gold.csv"]).ended(0);
    assert_eq!(work.column("gold.csv", "id"), ["r1", "r2", "r3", "r4"]);
    assert_eq!(work.column("gold.csv", "gold"), ["", "", "", "incorrect"]);
    for said in
        ["1 row with gold, by anna, ben", "2 rows were drawn and are not marked yet", "disagree on 1 row"]
    {
        assert!(ran.stderr.contains(said), "{said}: {}", ran.stderr);
    }
}

/// next, label, review, export, and back: the list stays whole, with the gold that it had.
#[test]
fn a_list_of_drawn_rows_stays_whole() {
    let work = Workspace::new();
    labelled(&work, 12);
    let shell = |args: &[&str]| work.run(args).ended(0);
    shell(&["next", "labelled.jsonl", "-n", "5", "-o", "todo.jsonl", "-q"]);
    // The first row of the list was marked elsewhere.
    let todo = work.read("todo.jsonl");
    let mut rows: Vec<Value> = todo.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    rows[0]["gold"] = json!("correct");
    rows[1]["gold"] = json!("correct");
    work.file("todo.jsonl", rows.iter().map(Value::to_string).collect::<Vec<_>>().join("\n"));
    work.file("log.jsonl", work.read("labelled.jsonl"));
    shell(&["label", "todo.jsonl", "-o", "labelled.jsonl", "--decide", "always", "-q", "--force"]);
    let desk = Desk::open(&work, "anna", &[]);
    for (row, label) in [(2, "incorrect"), (3, "correct")] {
        assert_eq!(desk.mark(row, 0, label, "").unwrap().status, 200);
    }
    drop(desk);
    let ran = shell(&["review", "export", "labelled.jsonl", "-o", "gold.csv"]);
    assert_eq!(work.column("gold.csv", "gold"), ["correct", "incorrect", "correct", "", ""]);
    for said in [
        "2 rows with gold, by anna",
        "1 row more keeps the gold of the list",
        "2 rows were drawn and are not marked yet",
        "(5 rows)",
    ] {
        assert!(ran.stderr.contains(said), "{said}: {}", ran.stderr);
    }
    assert!(work.column("gold.csv", "inclusion_probability").iter().all(|cell| !cell.is_empty()));
    shell(&["next", "log.jsonl", "--gold", "gold.csv", "-n", "3", "-o", "todo2.csv", "-q"]);
    assert_eq!(work.column("todo2.csv", "draw_round"), ["2", "2", "2"]);
    let drawn = work.column("gold.csv", "id");
    assert!(work.column("todo2.csv", "id").iter().all(|id| !drawn.contains(id)));
    let ran =
        shell(&["label", "calls.jsonl", "--decide", "always", "--errata", "gold.csv", "-o", "again.jsonl"]);
    let said = format!("{}{}", ran.stdout, ran.stderr);
    assert!(said.contains("of all 12 rows, by 3 marks on rows that were drawn"), "{said}");
}

#[cfg(unix)]
#[test]
fn marks_whose_file_is_gone_are_refused() {
    let work = Workspace::new();
    labelled(&work, 4);
    let desk = Desk::open(&work, "anna", &[]);
    assert_eq!(desk.mark(1, 0, "correct", "").unwrap().status, 200);
    std::fs::rename(work.path("labelled.marks.sqlite"), work.path("elsewhere.sqlite")).unwrap();
    for there_is_another in [false, true] {
        if there_is_another {
            work.file("labelled.marks.sqlite", "");
        }
        let refused = desk.mark(2, 0, "correct", "").unwrap();
        assert_eq!(refused.status, 500);
        let why = refused.json()["error"].as_str().unwrap().to_owned();
        assert!(why.contains("were removed or replaced while they were in use"), "{why}");
    }
    assert_eq!(desk.marks().len(), 1);
}

#[cfg(unix)]
#[test]
fn a_request_that_never_ends_does_not_keep_the_server() {
    let work = Workspace::new();
    labelled(&work, 4);
    let desk = Desk::open(&work, "anna", &[]);
    let mut half = TcpStream::connect(desk.address).unwrap();
    half.write_all(b"POST /marks HTTP/1.1\r\nhost: ").unwrap();
    assert_eq!(desk.mark(1, 0, "correct", "").unwrap().status, 200);
    interrupt(desk.server.id());
    // It would wait until its deadline, which fails the test.
    assert_eq!(desk.server.wait().code(), Some(0));
    drop(half);
}
