//! What a mark survives, and what becomes of marks.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Desk, labelled};
use crate::support::on_time::on_time;
use crate::support::workspace::Workspace;

/// Rows, marks on each, and servers that are killed while they are made.
const ROWS: usize = 100;
const ROUNDS: usize = 10;
const KILLS: usize = 50;

/// What a script marks a row with in a round.
fn label(row: usize, round: usize) -> &'static str {
    if (row + round).is_multiple_of(3) { "incorrect" } else { "correct" }
}

/// 1,000 marks, the server killed 50 times among them: each that was acknowledged is there, and no other.
#[test]
fn killed_servers_lose_no_mark() {
    let work = Workspace::new();
    labelled(&work, ROWS);
    let all: Vec<(usize, usize)> =
        (0..ROUNDS).flat_map(|round| (1..=ROWS).map(move |row| (round, row))).collect();
    let (mut done, mut kills, mut lost_answers) = (0, 0, 0);
    while done < all.len() || kills < KILLS {
        let desk = Desk::open(&work, "anna", &[]);
        let before = desk.marks().len();
        // A mark may be kept although its server was killed before it could say so; never more than the one that was on its way.
        assert!(before == done || before == done + 1, "{before} marks, {done} acknowledged");
        lost_answers += before - done;
        done = before;
        let until = if kills < KILLS { (all.len() * (kills + 1) / KILLS).max(done) } else { all.len() };
        // The kill comes at any moment of a mark: while it is sent, kept or answered.
        let killed = std::thread::scope(|scope| {
            let (started, waits) = std::sync::mpsc::channel::<()>();
            let killer = (kills < KILLS).then(|| {
                let server = &desk.server;
                scope.spawn(move || {
                    let _ = waits.recv();
                    std::thread::sleep(Duration::from_micros(fastrand::u64(..6000)));
                    server.kill();
                })
            });
            while done < all.len() {
                if done + 1 >= until {
                    let _ = started.send(());
                }
                let (round, row) = all[done];
                match desk.mark(row, round as u64, label(row, round), "") {
                    Some(answer) => {
                        assert_eq!(answer.status, 200, "{}", answer.text());
                        done += 1;
                    }
                    None => break,
                }
            }
            drop(started);
            killer.is_some_and(|killer| killer.join().is_ok())
        });
        kills += usize::from(killed);
    }
    let desk = Desk::open(&work, "anna", &[]);
    let marks = desk.marks();
    assert_eq!((marks.len(), kills), (all.len(), KILLS));
    for (mark, (round, row)) in marks.iter().zip(&all) {
        let expected = json!({"gold": label(*row, *round)});
        let place = (mark["row"].as_u64(), mark["version"].as_u64());
        assert_eq!((place, &mark["gold"]), ((Some(*row as u64), Some(*round as u64 + 1)), &expected));
    }
    println!("{} marks, {KILLS} kills, {lost_answers} answers lost on the way", marks.len());
    drop(desk);
    work.run(&["review", "export", "labelled.jsonl", "-o", "gold.csv", "-q"]).ended(0);
    let rows = work.rows("gold.csv");
    assert_eq!(rows.len(), ROWS);
    for (at, row) in rows.iter().enumerate() {
        assert_eq!((&*row["id"], &*row["gold"]), (&*format!("r{}", at + 1), label(at + 1, ROUNDS - 1)));
    }
}

/// Two windows of one reviewer and one of another mark the same rows at once.
#[test]
fn nobody_overwrites_a_mark() {
    let _on_time = on_time();
    let work = Workspace::new();
    labelled(&work, 20);
    let desks =
        [Desk::open(&work, "anna", &[]), Desk::open(&work, "anna", &[]), Desk::open(&work, "ben", &[])];
    let marking = |desk: &Desk, window: usize| {
        let (mut kept, mut conflicts) = (0, 0);
        for row in 1..=20 {
            // As if each window had been loaded before the other marked.
            let answer = desk.mark(row, 0, label(row, window), &format!("window {window}")).unwrap();
            match answer.status {
                200 => kept += 1,
                409 => {
                    conflicts += 1;
                    let there = answer.json()["marks"].as_array().unwrap().clone();
                    assert!(
                        there.iter().any(|mark| mark["row"] == row && mark["by"] == "anna"),
                        "both are shown"
                    );
                }
                status => panic!("{status}: {}", answer.text()),
            }
        }
        (kept, conflicts)
    };
    let counts: Vec<(usize, usize)> = std::thread::scope(|scope| {
        let marking = &marking;
        let all: Vec<_> = desks
            .iter()
            .enumerate()
            .map(|(window, desk)| scope.spawn(move || marking(desk, window)))
            .collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(counts[0].0 + counts[1].0, 20, "of each row one window was first: {counts:?}");
    assert_eq!(counts[0].1 + counts[1].1, 20, "and the other heard of it: {counts:?}");
    assert_eq!(counts[2], (20, 0), "other reviewers are in nobody's way");
    let marks = desks[2].marks();
    assert_eq!(marks.len(), 40, "nothing is lost");
    let by: HashMap<&str, usize> = marks.iter().fold(HashMap::new(), |mut by, mark| {
        *by.entry(mark["by"].as_str().unwrap()).or_default() += 1;
        by
    });
    assert_eq!((by["anna"], by["ben"]), (20, 20));
}

#[test]
fn changes_are_taken_back_and_history_stays() {
    let work = Workspace::new();
    labelled(&work, 4);
    let desk = Desk::open(&work, "anna", &[]);
    assert_eq!(desk.mark(1, 0, "correct", "").unwrap().status, 200);
    assert_eq!(desk.mark(1, 1, "incorrect", "why").unwrap().status, 200);
    let last = |answer: &Value| answer["last"]["change"].as_u64();
    let undo = |change: u64| {
        desk.post("/undo", &json!({"table": desk.table, "since": 2, "change": change})).unwrap()
    };
    assert_eq!(undo(1).status, 409, "another change was the last");
    let undone = undo(2);
    assert_eq!(undone.status, 200, "{}", undone.text());
    let undone = undone.json();
    assert_eq!(undone["marks"][0]["gold"], json!({"gold": "correct"}));
    assert_eq!(last(&undone), Some(1));
    let undone = undo(1).json();
    assert_eq!((&undone["marks"][1]["gold"], last(&undone)), (&json!({}), None));
    assert_eq!(desk.marks().len(), 4);
    drop(desk);
    let ran = work.run(&["review", "export", "labelled.jsonl", "-o", "gold.csv"]).ended(2);
    assert!(ran.stderr.contains("holds no marks on rows of this table"), "{}", ran.stderr);
}

#[test]
fn marks_stay_with_what_was_judged() {
    let work = Workspace::new();
    labelled(&work, 6);
    let desk = Desk::open(&work, "anna", &[]);
    for row in 1..=3 {
        assert_eq!(desk.mark(row, 0, "correct", "").unwrap().status, 200);
    }
    drop(desk);
    // Row 1 is another call now, row 2 is gone, and row 3 has moved.
    let before = work.read("labelled.jsonl");
    let lines: Vec<String> = before.lines().map(str::to_owned).collect();
    let changed = lines[0].replace("Oslo 1", "Bergen");
    assert_ne!(changed, lines[0]);
    work.file("labelled.jsonl", [&lines[3], &lines[2], &changed].map(String::as_str).join("\n"));
    let mut desk = Desk::open(&work, "anna", &[]);
    let marks = desk.marks();
    assert_eq!(marks.len(), 1, "{marks:?}");
    assert_eq!((&marks[0]["row"], &marks[0]["gold"]), (&json!(2), &json!({"gold": "correct"})));
    let ended = {
        desk.server.kill();
        let mut said = String::new();
        std::io::Read::read_to_string(&mut desk.server.stderr.take().unwrap(), &mut said).unwrap();
        said
    };
    assert!(ended.contains("marks on 2 rows that this table does not have"), "{ended}");
    let ran = work.run(&["review", "export", "labelled.jsonl", "-o", "gold.csv"]).ended(0);
    assert!(
        ran.stderr.contains("the marks on 2 rows that this table does not have are left out"),
        "{}",
        ran.stderr
    );
    assert_eq!(work.column("gold.csv", "id"), ["r3"]);
    work.file("labelled.jsonl", &lines[5]);
    let ran = work.run(&["review", "labelled.jsonl", "--reviewer", "ana"]).ended(2);
    assert!(
        ran.stderr.contains("holds marks on 3 rows, and none of them is a row of this table"),
        "{}",
        ran.stderr
    );
    // The same rows in another file and order are the same rows.
    work.file("labelled.jsonl", before);
    work.run(&["convert", "calls.jsonl", "-o", "calls.csv", "-q"]).ended(0);
    work.run(&["label", "calls.csv", "-o", "labelled.csv", "--decide", "always", "-q"]).ended(0);
    let more = ["export", "labelled.csv", "--marks", "labelled.marks.sqlite", "-o", "gold2.csv", "--force"];
    work.run(&[&["review"], &more[..]].concat()).ended(0);
    assert_eq!(work.column("gold2.csv", "id"), ["r1", "r2", "r3"]);
}

#[test]
fn rows_without_ids_are_told_apart() {
    let work = Workspace::new();
    let row = "Say hello,say(text='hello'),\"[{\"\"name\"\":\"\"say\"\"}]\"\n";
    work.file("calls.csv", format!("question,tool_call,tool_definitions\n{}", row.repeat(3)));
    work.run(&["label", "calls.csv", "-o", "labelled.jsonl", "--decide", "always", "-q"]).ended(0);
    let mut desk = Desk::open(&work, "anna", &[]);
    assert_eq!(desk.mark(2, 0, "incorrect", "").unwrap().status, 200);
    desk.server.kill();
    let mut said = String::new();
    std::io::Read::read_to_string(&mut desk.server.stderr.take().unwrap(), &mut said).unwrap();
    assert!(said.contains("no column names the rows"), "{said}");
    let desk = Desk::open(&work, "anna", &[]);
    assert_eq!(desk.marks()[0]["row"], 2);
    work.run(&["review", "export", "labelled.jsonl", "-o", "gold.csv", "-q"]).ended(0);
    assert_eq!(work.column("gold.csv", "gold"), ["incorrect"]);
}

#[test]
fn gold_says_who_when_and_why() {
    let work = Workspace::new();
    labelled(&work, 8);
    let [anna, ben] = [Desk::open(&work, "anna", &[]), Desk::open(&work, "ben", &[])];
    let drawn =
        json!({"table": anna.table, "since": 0, "queue": "random", "rows": [2, 5, 1, 7], "of": 8, "seen": 0});
    assert_eq!(anna.post("/draws", &drawn).unwrap().status, 200);
    assert_eq!(
        ben.get("/marks?since=0").unwrap().json()["draws"][0]["rows"],
        json!([2, 5, 1, 7]),
        "for all reviewers"
    );
    let says = [
        (&anna, 1, "correct", "=1+1"),
        (&anna, 2, "incorrect", "no city"),
        (&ben, 2, "incorrect", "a guess"),
        (&anna, 5, "correct", ""),
        (&ben, 5, "incorrect", "too many"),
        (&ben, 8, "incorrect", ""),
    ];
    for (desk, row, label, note) in says {
        assert_eq!(desk.mark(row, 0, label, note).unwrap().status, 200);
    }
    drop((anna, ben));
    let ran = work.run(&["review", "export", "labelled.jsonl", "-o", "gold.csv"]).ended(0);
    for said in [
        "3 rows with gold, by anna, ben",
        "1 row was drawn and is not marked yet: written without gold",
        "reviewers disagree on 1 row, written without gold: r5",
        "written  gold.csv (5 rows)",
    ] {
        assert!(ran.stderr.contains(said), "{said}: {}", ran.stderr);
    }
    let rows = work.rows("gold.csv");
    let told: Vec<[&str; 5]> = rows
        .iter()
        .map(|row| ["id", "gold", "reviewers", "draw_round", "inclusion_probability"].map(|name| &*row[name]))
        .collect();
    assert_eq!(
        told,
        [
            ["r1", "correct", "anna", "1", "0.5"],
            ["r2", "incorrect", "anna, ben", "1", "0.5"],
            ["r5", "", "anna, ben", "1", "0.5"],
            ["r7", "", "", "1", "0.5"],
            ["r8", "incorrect", "ben", "", ""],
        ]
    );
    assert_eq!(rows[1]["note"], "anna: no city\nben: a guess");
    assert_eq!(rows[0]["note"], "'=1+1", "a spreadsheet takes no note for a formula");
    assert!(rows.iter().all(|row| !row.contains_key("label") && !row.contains_key("judge")));
    let marks: Value = serde_json::from_str(&rows[2]["marks"]).unwrap();
    assert_eq!(
        (&marks[1]["by"], &marks[1]["gold"], &marks[1]["note"]),
        (&json!("ben"), &json!({"gold": "incorrect"}), &json!("too many"))
    );
    assert!(rows[0]["marked_at"].ends_with('Z'), "{}", rows[0]["marked_at"]);
    // It is read by the commands that it is for.
    let flags = ["calls.jsonl", "--decide", "always", "--errata", "gold.csv", "-o", "again.jsonl", "--force"];
    let ran = work.run(&[&["label"], &flags[..]].concat()).ended(0);
    assert!(
        format!("{}{}", ran.stdout, ran.stderr).contains("of all 8 rows, by 2 marks on rows that were drawn"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    work.run(&["bench", "gold.csv", "-q"]).ended(0);
    let ran = work.run(&["review", "export", "labelled.jsonl", "-o", "gold.json", "--json", "-q"]).ended(0);
    let summary: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&summary["marked"], &summary["disagreements"]), (&json!(3), &json!(["r5"])));
}
