//! How well `tooljudge label` uses a limit, told or not, and how well it keeps it, against a server that enforces it.
//!
//! `cargo bench --bench limits [-- ROWS]` prints the time taken as a multiple of the ideal one, and what was refused.
//! With the default of 6,000 rows it takes about ten minutes.

#![allow(clippy::unwrap_used, reason = "a bench that cannot go on stops")]
#![allow(clippy::print_stdout, reason = "printing is what it does")]
#![allow(clippy::disallowed_methods, reason = "its arguments are its own")]

#[path = "../tests/support/enforcer/mod.rs"]
mod enforcer;
#[path = "../tests/support/limited_server.rs"]
mod limited_server;

use std::process::Command;
use std::time::{Duration, Instant};

use enforcer::{Hints, Rules, Window};
use limited_server::LimitedServer;

/// Requests before this do not count as warm.
const WARM_UP: Duration = Duration::from_secs(10);
const RPM: f64 = 6000.0;

fn main() {
    let rows = std::env::args().skip(1).find_map(|arg| arg.parse().ok()).unwrap_or(6000);
    let limited = Rules { rpm: Some(RPM), ..Rules::open(Duration::from_millis(20)) };
    let ideal = rows as f64 / RPM * 60.0;
    measure("told 6,000 a minute", rows, ideal, limited.clone(), &["--rpm", "6000"]);
    measure("untold, in headers", rows, ideal, Rules { hints: Hints::OpenAi, ..limited.clone() }, &[]);
    for saves in [0.2, 1.0] {
        for hints in [Hints::RetryAfterMs, Hints::Silent] {
            let rules = Rules { window: Window::Bucket { saves }, hints, ..limited.clone() };
            measure(&format!("untold, {hints:?}, {saves} s saved up"), rows, ideal, rules, &[]);
        }
    }
    let latency = Duration::from_millis(200);
    let rows = 4 * rows;
    let ideal = rows as f64 / 256.0 * latency.as_secs_f64();
    measure("200 ms, 256 in flight", rows, ideal, Rules::open(latency), &["--concurrency", "256"]);
    let ideal = rows as f64 / 512.0 * latency.as_secs_f64();
    measure("200 ms, as many as go (ideal: 512)", rows, ideal, Rules::open(latency), &[]);
}

fn measure(what: &str, rows: usize, ideal: f64, rules: Rules, more: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let mut csv = "question,tool_call,tool_definitions\n".to_owned();
    for row in 0..rows {
        csv.push_str(&format!("Say {row} please,say(n={row}),say: Says a number\n"));
    }
    std::fs::write(folder.path().join("in.csv"), csv).unwrap();
    let server = LimitedServer::start(rules.clone());
    let began = Instant::now();
    let status = Command::new(env!("CARGO_BIN_EXE_tooljudge"))
        .args(["label", "in.csv", "--quiet", "--judge", "openai:m", "--base-url", &server.url])
        .args(more)
        .current_dir(folder.path())
        .status()
        .unwrap();
    let seconds = began.elapsed().as_secs_f64();
    assert!(status.success(), "rows were lost");
    let truth = server.truth();
    println!(
        "{what:48} {:.3}x of {ideal:.1} s, {} refused, {} of them after {} s, {} early, at most {:.0} beyond the limit",
        seconds / ideal,
        truth.refused(),
        truth.refused_after(WARM_UP),
        WARM_UP.as_secs(),
        truth.early(),
        rules.rpm.map_or(0.0, |rpm| truth.most_requests_beyond(rpm)),
    );
}
