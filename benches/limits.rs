//! How well `tooljudge label` uses a limit, told or not, and how well it keeps it, against a server that enforces it.
//!
//! `cargo bench --bench limits [-- ROWS]` prints the time taken as a multiple of the ideal one, and what was refused.
//! With the default of 6,000 rows it takes about ten minutes.

#![allow(clippy::unwrap_used, reason = "a bench that cannot go on stops")]
#![allow(clippy::print_stdout, reason = "printing is what it does")]
#![allow(clippy::disallowed_methods, reason = "its arguments are its own")]

#[path = "../tests/support/limited_server.rs"]
mod limited_server;

use std::process::Command;
use std::time::{Duration, Instant};

use limited_server::{Limit, LimitedServer, most_beyond};

/// Requests before this do not count as warm.
const WARM_UP: Duration = Duration::from_secs(10);
const RPM: f64 = 6000.0;

fn main() {
    let rows = std::env::args().skip(1).find_map(|arg| arg.parse().ok()).unwrap_or(6000);
    let limited = Limit::per_minute(RPM);
    let ideal = rows as f64 / RPM * 60.0;
    measure("told 6,000 a minute", rows, ideal, limited, &["--rpm", "6000"]);
    measure("untold, in headers", rows, ideal, Limit { headers: true, ..limited }, &[]);
    for saved_up in [0.2, 1.0] {
        let limited = Limit { saved_up, ..limited };
        let name = |how: &str| format!("untold, {how}, {saved_up} s saved up");
        measure(&name("refusals with waits"), rows, ideal, Limit { retry_after: true, ..limited }, &[]);
        measure(&name("bare refusals"), rows, ideal, limited, &[]);
    }
    let latency = Duration::from_millis(200);
    let slow = Limit { rpm: None, latency, ..limited };
    let rows = 4 * rows;
    let ideal = rows as f64 / 256.0 * latency.as_secs_f64();
    measure("200 ms, 256 in flight", rows, ideal, slow, &["--concurrency", "256"]);
    let ideal = rows as f64 / 512.0 * latency.as_secs_f64();
    measure("200 ms, as many as go (ideal: 512)", rows, ideal, slow, &[]);
}

fn measure(what: &str, rows: usize, ideal: f64, limit: Limit, more: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let mut csv = "question,tool_call,tool_definitions\n".to_owned();
    for row in 0..rows {
        csv.push_str(&format!("Say {row} please,say(n={row}),say: Says a number\n"));
    }
    std::fs::write(folder.path().join("in.csv"), csv).unwrap();
    let server = LimitedServer::start(limit);
    let began = Instant::now();
    let status = Command::new(env!("CARGO_BIN_EXE_tooljudge"))
        .args(["label", "in.csv", "--quiet", "--judge", "openai:m", "--base-url", &server.url])
        .args(more)
        .current_dir(folder.path())
        .status()
        .unwrap();
    let seconds = began.elapsed().as_secs_f64();
    assert!(status.success(), "rows were lost");
    let arrivals = server.arrivals();
    let refused: Vec<_> = arrivals.iter().filter(|arrival| !arrival.taken).collect();
    let late = refused.iter().filter(|arrival| arrival.at > began + WARM_UP).count();
    let early = arrivals.iter().filter(|arrival| arrival.early).count();
    println!(
        "{what:48} {:.3}x of {ideal:.1} s, {} refused, {late} of them after {} s, {early} early, at most {:.0} beyond the limit",
        seconds / ideal,
        refused.len(),
        WARM_UP.as_secs(),
        limit.rpm.map_or(0.0, |rpm| most_beyond(&arrivals, rpm)),
    );
}
