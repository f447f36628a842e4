//! A ceiling is never passed, and what it leaves out goes on at the turn where it was left.

use std::collections::HashSet;

use serde_json::Value;

use super::{REPLIES, ended, only_ends_are_scored, rows, told, traveller, workspace};
use crate::support::server::{Answer, Server};
use crate::support::workspace::Workspace;

const CASES: usize = 20;

fn priced(work: &Workspace, server: &Server) {
    let named = |name: &str, model: &str| {
        format!(
            "[judges.{name}]\njudge = 'openai:{model}'\nbase_url = '{}'\nmax_tokens = 50\nprice = {{ input = 10.0, output = 10.0 }}\n",
            server.url
        )
    };
    work.file("tooljudge.toml", named("agent", "m") + &named("grader", "g"));
}

/// What the server was really asked to do, in dollars: its own count of tokens.
fn spent(server: &Server, from: usize) -> f64 {
    let tokens: usize = server.seen().iter().skip(from).map(|seen| seen.prompt().len() / 4 + 5).sum();
    tokens as f64 * 10.0 / 1e6
}

const DRIVE: [&str; 7] =
    ["drive", "--allow-failures", "suite.toml", "--agent", "agent", "-o", "episodes.jsonl"];

#[test]
fn a_ceiling_is_never_passed_and_the_next_run_goes_on_at_the_turn() {
    let unbroken = {
        let (server, work) = (Server::start(traveller), workspace(CASES));
        priced(&work, &server);
        work.run(&DRIVE).ended(0);
        told(&work, "episodes.jsonl")
    };
    let (server, work) = (Server::start(traveller), workspace(CASES));
    priced(&work, &server);
    let mut before = 0;
    for ceiling in ["0.02", "0.03", "0.04"] {
        let args = [&DRIVE[..], &["--max-cost", ceiling, "--json", "--history", "history.jsonl"]].concat();
        let ran = work.run(&args).ended(1);
        assert!(
            ran.stderr
                .contains("history.jsonl: the results are added as those of a run that is not complete"),
            "{}",
            ran.stderr
        );
        let gate = work.run(&["trend", "history.jsonl", "--max-drop", "0"]).ended(1);
        assert!(gate.stderr.contains("is not complete: a ceiling of costs was reached"), "{}", gate.stderr);
        let paid = spent(&server, before);
        assert!(paid > 0.0 && paid <= ceiling.parse().unwrap(), "{paid} of {ceiling}");
        let told: Value = serde_json::from_str(&ran.stdout).unwrap();
        let own = told["agents"][0]["paid_by_this_run_usd"].as_f64().unwrap();
        assert!((own - paid).abs() < 1e-9, "{own} told, {paid} spent");
        let episodes = rows(&work, "episodes.jsonl");
        only_ends_are_scored(&episodes);
        let skipped = ended(&episodes, "skipped_budget");
        assert!(skipped > 0 && skipped + ended(&episodes, "finished") == CASES, "{skipped} skipped");
        assert!(
            ran.stderr.contains(&format!("{skipped} of {CASES} episodes without a score")),
            "{}",
            ran.stderr
        );
        assert!(server.requests() > before, "{ceiling}");
        before = server.requests();
    }
    let ran = work.run(&[&DRIVE[..], &["--max-cost", "9", "--history", "history.jsonl"]].concat()).ended(0);
    let lines: Vec<Value> =
        work.read("history.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let is_incomplete: Vec<bool> = lines.iter().map(|line| line["incomplete"] == true).collect();
    assert_eq!(is_incomplete, [true, true, true, false]);
    // Each episode counts once, whichever of these runs paid for its last reply.
    let payers = lines[3]["suites"][0]["cases"].as_array().unwrap().iter();
    let stored = payers.filter(|case| case.get("stored").is_some()).count();
    assert!((1..CASES).contains(&stored), "{stored} of {CASES}");
    let gate = work.run(&["trend", "history.jsonl", "--max-drop", "0", "--json"]).ended(0);
    let told_of: Value = serde_json::from_str(&gate.stdout).unwrap();
    let changes = told_of["agents"][0]["changes"].as_array().unwrap();
    assert!(changes.iter().all(|change| change["episodes_after"] == 0), "{changes:#?}");
    assert!(ran.stderr.is_empty() || !ran.stderr.contains("without a score"), "{}", ran.stderr);
    assert_eq!((server.requests(), server.answered_twice()), (CASES * REPLIES, 0));
    assert_eq!(told(&work, "episodes.jsonl"), unbroken);
}

#[test]
fn agent_and_judge_share_one_ceiling() {
    let server = Server::start(|seen| match seen.body["model"].as_str() {
        Some("g") => Answer::label("correct"),
        _ => traveller(seen),
    });
    let work = workspace(CASES);
    let suite = work.read("suite.toml").replace("ordered = true", "ordered = true\nreference = \"Hue\"");
    work.file("suite.toml", suite);
    priced(&work, &server);
    let graded = [&DRIVE[..], &["--agent-version", "1", "--grade", "grader"]].concat();
    let (mut before, mut skipped_before) = (0, usize::MAX);
    let mut seen_judge_stopped = false;
    for ceiling in ["0.05", "0.1", "0.14", "0.06"] {
        let ran = work.run(&[&graded[..], &["--max-cost", ceiling]].concat());
        let paid = spent(&server, before);
        assert!(paid <= ceiling.parse().unwrap(), "{paid} of {ceiling}: {}", ran.stderr);
        before = server.requests();
        let episodes = rows(&work, "episodes.jsonl");
        only_scored_or_open(&episodes);
        let skipped = ended(&episodes, "skipped_budget");
        assert!(skipped <= skipped_before);
        skipped_before = skipped;
        let open =
            episodes.iter().filter(|row| row["ended"] == "finished" && row["passed"].is_null()).count();
        seen_judge_stopped |= open > 0;
        let failed = episodes.iter().filter(|row| row["passed"] == false).count();
        assert!(failed <= CASES.div_ceil(3), "{failed}");
    }
    println!("the judge was stopped by the ceiling: {seen_judge_stopped}");
    work.run(&[&graded[..], &["--max-cost", "9"]].concat()).ended(0);
    let (turns, grades): (HashSet<String>, HashSet<String>) = (
        server
            .seen()
            .iter()
            .filter(|seen| seen.body["model"] == "m")
            .map(|seen| seen.prompt().to_owned())
            .collect(),
        server
            .seen()
            .iter()
            .filter(|seen| seen.body["model"] == "g")
            .map(|seen| seen.prompt().to_owned())
            .collect(),
    );
    assert_eq!((turns.len(), grades.len()), (CASES * REPLIES, CASES));
    assert_eq!(server.answered_twice(), 0);
    let passed = rows(&work, "episodes.jsonl").iter().filter(|row| row["passed"] == true).count();
    assert_eq!(passed, CASES - CASES.div_ceil(3));
}

/// An episode that nobody has graded is open, and never passes.
fn only_scored_or_open(episodes: &[Value]) {
    for row in episodes {
        let finished = row["ended"] == "finished";
        assert!(finished || row["score"].is_null() && row["passed"].is_null(), "{row}");
    }
}

/// Of the limit a share is kept for the judge of answers, so that what was paid for can be graded.
#[test]
fn grading_has_its_share_of_the_limit() {
    let server = Server::start(|seen| match seen.body["model"].as_str() {
        Some("g") => Answer::label("correct"),
        _ => traveller(seen),
    });
    let work = workspace(200);
    let suite = work.read("suite.toml").replace("ordered = true", "ordered = true\nreference = \"Hue\"");
    work.file("suite.toml", suite);
    priced(&work, &server);
    let graded = [&DRIVE[..], &["--agent-version", "1", "--grade", "grader"]].concat();
    let ran = work.run(&[&graded[..], &["--max-cost", "1"]].concat()).ended(1);
    let paid = spent(&server, 0);
    let episodes = rows(&work, "episodes.jsonl");
    let finished = ended(&episodes, "finished");
    let open = episodes.iter().filter(|row| row["ended"] == "finished" && row["passed"].is_null()).count();
    println!("${paid:.4} of $1: {finished} finished, {open} of them without a grade");
    assert!(
        paid <= 1.0 && finished > 10 && open == 0,
        "{paid}: {finished} finished, {open} ungraded; {}",
        ran.stderr
    );
    assert!(ran.stderr.contains("was reached ($0.500000 of it is kept for grading)"), "{}", ran.stderr);
    // A judge that could not be held to the limit is refused before an agent is paid.
    let before = server.requests();
    work.file(
        "tooljudge.toml",
        work.read("tooljudge.toml").replacen("max_tokens = 50\n", "", 2).replacen(
            "price",
            "max_tokens = 50\nprice",
            1,
        ),
    );
    let ran = work.run(&[&graded[..], &["--max-cost", "1"]].concat()).ended(2);
    assert!(ran.stderr.contains("maximum length of an answer"), "{}", ran.stderr);
    assert_eq!(server.requests(), before);
}
