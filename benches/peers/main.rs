//! `tooljudge label` beside other ways to ask a model about every row of a table, against one server in one run.
//!
//! `cargo bench --bench peers [-- PART...]` installs the others from PyPI into `target/peers/` (about 800 MB; needs
//! `python3`), and `wrk` if it is on the path gives the ceiling. Parts: `one` (a single row, start to end), `zero` (a server
//! that answers at once, 64 in flight), `slow` (200 ms, 256 in flight), `limit` (6,000 requests a minute, refusals say how
//! long to wait); all of them take about a quarter of an hour. Everybody reads the same CSV, sends prompts of about
//! 4.9 kB, each of them once, and writes a CSV of labels; whole processes are measured, imports included.

#![allow(clippy::unwrap_used, reason = "a bench that cannot go on stops")]
#![allow(clippy::print_stdout, reason = "printing is what it does")]
#![allow(clippy::disallowed_methods, reason = "its arguments are its own")]

#[path = "../../tests/support/enforcer/mod.rs"]
mod enforcer;
#[path = "../../tests/support/limited_server.rs"]
mod limited_server;
mod peer;
#[path = "../support/mod.rs"]
mod support;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use enforcer::{Hints, Rules};
use limited_server::LimitedServer;
use peer::{PEERS, Peer, Ran, TOLD};

const RPM: f64 = 6000.0;

/// Definitions that make a prompt of about 4.9 kB.
const PADDING: usize = 3_000;

fn main() {
    let parts: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let wanted = |part: &str| parts.is_empty() || parts.iter().any(|wanted| wanted == part);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("template.txt"), template()).unwrap();
    let peers: Vec<&Peer> = PEERS.iter().filter(|peer| peer.install()).collect();
    if wanted("one") {
        one(folder.path(), &peers);
    }
    if wanted("zero") {
        zero(folder.path(), &peers);
    }
    if wanted("slow") {
        slow(folder.path(), &peers);
    }
    if wanted("limit") {
        limit(folder.path(), &peers);
    }
}

fn one(folder: &Path, peers: &[&Peer]) {
    println!("\nOne row, start to end (the best of three)\n\n| | ms | times ours |\n|---|---:|---:|");
    let mut ours = None;
    for peer in peers {
        let server = LimitedServer::start(Rules::open(Duration::ZERO));
        let runs = [(); 3].map(|()| peer.run(folder, &server, 1, 1));
        let best = runs.iter().min_by(|a, b| a.took.seconds.total_cmp(&b.took.seconds)).unwrap();
        let ours = *ours.get_or_insert(best.took.seconds);
        let ratio = best.took.seconds / ours;
        println!("| {} | {:.0} | {ratio:.1} |{}", peer.name, best.took.seconds * 1000.0, lost(best, 1));
    }
}

fn zero(folder: &Path, peers: &[&Peer]) {
    println!("\nA server that answers at once, 64 in flight\n");
    println!("| | rows | rows/s | ours is faster | CPU s per 1,000 rows |\n|---|---:|---:|---:|---:|");
    let mut ours = None;
    for peer in peers {
        let server = LimitedServer::start(Rules::open(Duration::ZERO));
        let rows = peer.rows;
        let ran = peer.run(folder, &server, rows, 64);
        let rate = rows as f64 / ran.took.seconds;
        let ours = *ours.get_or_insert(rate);
        let cpu = ran.took.cpu * 1000.0 / rows as f64;
        println!(
            "| {} | {rows} | {rate:.0} | {:.2}x | {cpu:.3} |{}",
            peer.name,
            ours / rate,
            lost(&ran, rows)
        );
    }
    if let (Some(rate), Some(ours)) = (wrk(folder), ours) {
        println!("| wrk, one request over and over | | {rate:.0} | {:.2}x | |", ours / rate);
    }
}

fn slow(folder: &Path, peers: &[&Peer]) {
    println!("\n200 ms a request, 256 in flight\n\n| | rows | times the ideal |\n|---|---:|---:|");
    for peer in peers {
        let latency = Duration::from_millis(200);
        let server = LimitedServer::start(Rules::open(latency));
        let rows = peer.rows.clamp(2_560, 25_600);
        let ran = peer.run(folder, &server, rows, 256);
        let ideal = rows as f64 / 256.0 * latency.as_secs_f64();
        println!("| {} | {rows} | {:.3} |{}", peer.name, ran.took.seconds / ideal, lost(&ran, rows));
    }
}

fn limit(folder: &Path, peers: &[&Peer]) {
    let rows = 3_000;
    println!("\n6,000 requests a minute, {rows} rows, 20 ms a request, refusals say how long to wait\n");
    println!(
        "| | times the ideal | refused | sent too early | rows without a label |\n|---|---:|---:|---:|---:|"
    );
    let latency = Duration::from_millis(20);
    for peer in [&TOLD].into_iter().chain(peers.iter().copied()) {
        let rules = Rules { rpm: Some(RPM), hints: Hints::RetryAfterMs, ..Rules::open(latency) };
        let server = LimitedServer::start(rules);
        let ran = peer.run(folder, &server, rows, 64);
        let truth = server.truth();
        println!(
            "| {} | {:.2} | {} | {} | {} |",
            peer.name,
            ran.took.seconds / (rows as f64 / RPM * 60.0),
            truth.refused(),
            truth.early(),
            rows - ran.labelled
        );
    }
}

fn lost(ran: &Ran, rows: usize) -> String {
    if ran.labelled == rows {
        String::new()
    } else {
        format!(" {} rows without a label", rows - ran.labelled)
    }
}

/// Rows that all differ.
fn write_table(path: &Path, rows: usize) {
    let padding = "Says a number aloud. ".repeat(PADDING / 21);
    let tools = format!(
        r#"[{{"name":"say","description":"{padding}","parameters":{{"type":"object","properties":{{"n":{{"type":"integer"}}}}}}}}]"#
    );
    let mut table = csv::Writer::from_path(path).unwrap();
    table.write_record(["question", "tool_call", "tool_definitions"]).unwrap();
    for row in 0..rows {
        table.write_record([format!("Say {row} please"), format!("say(n={row})"), tools.clone()]).unwrap();
    }
    table.flush().unwrap();
}

/// What the others ask, as long as ours.
fn template() -> String {
    let instructions =
        "You judge whether a tool call is right for what the user asked, given the tools. ".repeat(21);
    format!(
        "{instructions}\n\nTools: {{tool_definitions}}\n\nQuestion: {{question}}\n\nCall: {{tool_call}}\n\n\
         Answer with one word, correct or incorrect."
    )
}

/// Requests a second of one request sent over and over, 64 at a time, if `wrk` is there.
fn wrk(folder: &Path) -> Option<f64> {
    let server = LimitedServer::start(Rules::open(Duration::ZERO));
    let body = serde_json::json!({
        "model": "m",
        "messages": [{"role": "user", "content": "x".repeat(4_900)}],
    });
    std::fs::write(folder.join("body.json"), body.to_string()).unwrap();
    let script = "local file = io.open('body.json'); wrk.body = file:read('*a'); wrk.method = 'POST'\n\
                  wrk.headers['content-type'] = 'application/json'\n";
    std::fs::write(folder.join("wrk.lua"), script).unwrap();
    let output = Command::new("wrk")
        .args(["-t1", "-c64", "-d5s", "-s", "wrk.lua"])
        .arg(format!("{}/chat/completions", server.url))
        .current_dir(folder)
        .output()
        .ok()?;
    let output = String::from_utf8(output.stdout).unwrap();
    let rate = output.lines().find_map(|line| line.strip_prefix("Requests/sec:"))?;
    rate.trim().parse().ok()
}
