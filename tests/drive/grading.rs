//! Answers with a reference, and a judge who says whether they agree with it.

use serde_json::{Value, json};

use super::{column, issues, rows, traveller, workspace};
use crate::support::server::{Answer, Server};
use crate::support::workspace::Workspace;

fn referenced(cases: usize) -> Workspace {
    let work = workspace(cases);
    let suite =
        work.read("suite.toml").replace("ordered = true", "ordered = true\nreference = \"In Hue it is.\"");
    work.file("suite.toml", suite);
    work
}

/// The question of a case in the judge's prompt tells which it is.
fn judge(seen: &crate::support::server::Seen) -> Answer {
    let case = super::case_of(seen);
    match case.as_str() {
        "c1" => Answer::label("correct"),
        "c2" => Answer::label("incorrect"),
        "c4" => Answer::Text("I cannot tell.".to_owned()),
        "c5" => Answer::status(400, "no"),
        "c7" => Answer::Text(String::new()),
        _ => Answer::label("correct"),
    }
}

#[test]
fn a_grade_decides_and_what_is_no_grade_decides_nothing() {
    let server = Server::start(|seen| match seen.body["model"].as_str() {
        Some("g") => judge(seen),
        _ => traveller(seen),
    });
    let work = referenced(9);
    work.file(
        "tooljudge.toml",
        format!("[judges.grader]\njudge = 'openai:g'\nbase_url = '{}'\nmax_attempts = 1\n", server.url),
    );
    let args = [
        "drive",
        "--agent-version",
        "1",
        "--allow-failures",
        "suite.toml",
        "--agent",
        "openai:m",
        "--base-url",
        &server.url,
        "-o",
        "episodes.jsonl",
    ];
    let ran = work.run(&args).ended(0);
    assert!(ran.stderr.contains("9 cases have a reference answer; --grade JUDGE"), "{}", ran.stderr);
    let ungraded = column(&rows(&work, "episodes.jsonl"), "passed");
    assert_eq!(ungraded, [false, true, true, false, true, true, false, true, true]);

    let graded = [&args[..], &["--grade", "grader", "--json", "--junit", "r.xml"]].concat();
    let ran = work.run(&graded);
    let episodes = rows(&work, "episodes.jsonl");
    let passed = column(&episodes, "passed");
    let (yes, no) = (json!(true), json!(false));
    assert_eq!(
        passed,
        [no.clone(), yes.clone(), no.clone(), no.clone(), Value::Null, Value::Null, no, Value::Null, yes],
        "{}",
        ran.stderr
    );
    assert_eq!(issues(&episodes[2]), ["wrong_answer"]);
    let told: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(told["agents"][0]["scores"]["passed"], 2, "{told:#}");
    assert!(
        ran.stderr.contains("the judge gave no label for 3 of 9") || ran.stderr.contains("grade"),
        "{}",
        ran.stderr
    );
    let junit = work.read("r.xml");
    assert_eq!(junit.matches("<skipped").count(), 3, "{junit}");
    assert!(!ran.stderr.contains("--grade JUDGE"), "{}", ran.stderr);
    // An open episode is none that passed.
    let gated = work.run(&[&graded[..], &["--min-pass-rate", "0.34"]].concat());
    assert_eq!(gated.code, Some(1), "{}", gated.stderr);
    // Verdicts are stored too: only what had none is asked again.
    let asked = server.requests();
    work.run(&graded);
    let again: Vec<String> = server.seen().split_off(asked).iter().map(super::case_of).collect();
    assert!(again.iter().all(|case| case == "c5"), "{again:?}");
}

#[test]
fn nobody_is_asked_about_episodes_without_a_score() {
    let server = Server::start(|seen| match seen.body["model"].as_str() {
        Some("g") => Answer::label("correct"),
        _ if super::number_of(seen) == 1 && seen.turns() == 1 => Answer::status(400, "no"),
        _ => traveller(seen),
    });
    let work = referenced(3);
    work.file(
        "tooljudge.toml",
        format!("[judges.grader]\njudge = 'openai:g'\nbase_url = '{}'\n", server.url),
    );
    let args = [
        "drive",
        "--agent-version",
        "1",
        "--allow-failures",
        "suite.toml",
        "--agent",
        "openai:m",
        "--base-url",
        &server.url,
        "-o",
        "episodes.jsonl",
    ];
    work.run(&[&args[..], &["--grade", "grader"]].concat()).ended(1);
    let asked: Vec<String> =
        server.seen().iter().filter(|seen| seen.body["model"] == "g").map(super::case_of).collect();
    assert_eq!(asked.len(), 2, "{asked:?}");
    assert!(!asked.contains(&"c1".to_owned()));
    let mistaken = work.run(&[&args[..], &["--grade", "builtin"]].concat()).ended(2);
    assert!(mistaken.stderr.contains("the built-in judge does not grade answers"), "{}", mistaken.stderr);
}
