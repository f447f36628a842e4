//! `tooljudge label` beside other ways to ask a model about every row of a table, against one server in one run.
//!
//! `cargo bench --bench peers [-- PART...]` installs the others from PyPI into `target/peers/` (about 800 MB; needs
//! `python3`), and `wrk` if it is on the path gives the ceiling. Parts: `one` (a single row, start to end), `zero` (a server
//! that answers at once, 64 in flight), `slow` (200 ms, 256 in flight), `limit` (6,000 requests a minute, refusals say how
//! long to wait); all of them take about half an hour. Everybody reads the same CSV, sends prompts of about 4.9 kB, each of
//! them once, and writes a CSV of labels; whole processes are measured, imports included. No two rows have the same
//! definitions: logs of many agents repeat few. Each part runs everybody in turn, three times, and shows medians, so that
//! a busy minute of the machine meets all of them; what else the machine was doing is said first. Phoenix is told that there is
//! no limit, but in `limit`: by itself it begins with 10 requests a second, and little else would be measured.

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
use peer::{PEERS, Peer, Ran, TOLD, Throttle};

const RPM: f64 = 6000.0;

/// Bytes of definitions that make a prompt of about 4.9 kB.
const DEFINITIONS: usize = 3_000;

const ROUNDS: usize = 3;

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

/// A run of everybody, as often as there are rounds; by peer, then by round.
fn rounds(peers: &[&Peer], run: impl Fn(&Peer) -> Ran) -> Vec<Vec<Ran>> {
    let mut runs: Vec<Vec<Ran>> = peers.iter().map(|_| Vec::new()).collect();
    for _ in 0..ROUNDS {
        for (peer, runs) in peers.iter().zip(&mut runs) {
            runs.push(run(peer));
        }
    }
    runs
}

/// The middle one of what `measure` says of each run.
fn median(runs: &[Ran], measure: impl Fn(&Ran) -> f64) -> f64 {
    middle(runs.iter().map(measure).collect())
}

fn middle(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Processes that wanted a core during the last minute, where the system tells.
fn busy() -> String {
    let load = std::fs::read_to_string("/proc/loadavg").ok();
    let load = load.as_deref().and_then(|load| load.split(' ').next()).unwrap_or("unknown");
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    format!("load before the run: {load}, on {cores} cores")
}

fn one(folder: &Path, peers: &[&Peer]) {
    println!("\nOne row, start to end ({})\n\n| | ms | times ours |\n|---|---:|---:|", busy());
    let runs = rounds(peers, |peer| {
        let server = LimitedServer::start(Rules::open(Duration::ZERO));
        peer.run(folder, &server, 1, 1, Throttle::Off)
    });
    let mut ours = None;
    for (peer, runs) in peers.iter().zip(&runs) {
        let seconds = median(runs, |ran| ran.took.seconds);
        let ratio = seconds / *ours.get_or_insert(seconds);
        println!("| {} | {:.0} | {ratio:.1} |{}", peer.name, seconds * 1000.0, lost(runs, 1));
    }
}

fn zero(folder: &Path, peers: &[&Peer]) {
    println!("\nA server that answers at once, 64 in flight ({})\n", busy());
    println!("| | rows | rows/s | ours is faster | CPU s per 1,000 rows |\n|---|---:|---:|---:|---:|");
    let runs = rounds(peers, |peer| {
        let server = LimitedServer::start(Rules::open(Duration::ZERO));
        peer.run(folder, &server, peer.rows, 64, Throttle::Off)
    });
    let mut ours = None;
    for (peer, runs) in peers.iter().zip(&runs) {
        let rows = peer.rows;
        let rate = median(runs, |ran| rows as f64 / ran.took.seconds);
        let ratio = *ours.get_or_insert(rate) / rate;
        let cpu = median(runs, |ran| ran.took.cpu * 1000.0 / rows as f64);
        println!("| {} | {rows} | {rate:.0} | {ratio:.2}x | {cpu:.3} |{}", peer.name, lost(runs, rows));
    }
    let rates: Vec<f64> = (0..ROUNDS).filter_map(|_| wrk(folder)).collect();
    if let (false, Some(ours)) = (rates.is_empty(), ours) {
        let rate = middle(rates);
        println!("| wrk, one request over and over | | {rate:.0} | {:.2}x | |", ours / rate);
    }
}

fn slow(folder: &Path, peers: &[&Peer]) {
    println!(
        "\n200 ms a request, 256 in flight ({})\n\n| | rows | times the ideal |\n|---|---:|---:|",
        busy()
    );
    let latency = Duration::from_millis(200);
    let rows = |peer: &Peer| peer.rows.clamp(2_560, 25_600);
    let runs = rounds(peers, |peer| {
        let server = LimitedServer::start(Rules::open(latency));
        peer.run(folder, &server, rows(peer), 256, Throttle::Off)
    });
    for (peer, runs) in peers.iter().zip(&runs) {
        let rows = rows(peer);
        let ideal = rows as f64 / 256.0 * latency.as_secs_f64();
        let times = median(runs, |ran| ran.took.seconds / ideal);
        println!("| {} | {rows} | {times:.3} |{}", peer.name, lost(runs, rows));
    }
}

fn limit(folder: &Path, peers: &[&Peer]) {
    let rows = 3_000;
    println!(
        "\n6,000 requests a minute, {rows} rows, 20 ms a request, refusals say how long to wait ({})\n",
        busy()
    );
    println!(
        "| | times the ideal | refused | sent too early | rows without a label |\n|---|---:|---:|---:|---:|"
    );
    let latency = Duration::from_millis(20);
    for peer in [&TOLD].into_iter().chain(peers.iter().copied()) {
        let rules = Rules { rpm: Some(RPM), hints: Hints::RetryAfterMs, ..Rules::open(latency) };
        let server = LimitedServer::start(rules);
        let ran = peer.run(folder, &server, rows, 64, Throttle::Default);
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

fn lost(runs: &[Ran], rows: usize) -> String {
    match runs.iter().map(|ran| rows - ran.labelled).sum() {
        0 => String::new(),
        lost => format!(" {lost} rows of {} without a label", rows * runs.len()),
    }
}

/// Rows that all differ, in their definitions too.
fn write_table(path: &Path, rows: usize) {
    support::rows::write(path, rows, |at| support::rows::wide(at, DEFINITIONS, true));
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
