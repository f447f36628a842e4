//! How well `tooljudge label` fills a limit, told or not, and how well it keeps it, against a server that enforces it.
//!
//! `cargo bench --bench limits` prints a table in Markdown; with the default of 60 s for each row of it that takes about ten
//! minutes. `-- NAME...` measures the cells whose names contain one of these, `-- SECONDS` makes them longer or shorter.
//!
//! The theoretical rate is what the scarcest of the limits and of the places in flight allows, from the first request to
//! the last answer; what a server saves up before is not counted. The same over every kind of limit, on a virtual clock:
//! `TOOLJUDGE_GRID=1 cargo test --lib every_limit -- --nocapture`.

#![allow(clippy::unwrap_used, reason = "a bench that cannot go on stops")]
#![allow(clippy::print_stdout, reason = "printing is what it does")]
#![allow(clippy::disallowed_methods, reason = "its arguments are its own")]

#[path = "../tests/support/enforcer/mod.rs"]
mod enforcer;
#[path = "../tests/support/limited_server.rs"]
mod limited_server;

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use enforcer::{Hints, Rules, Window};
use limited_server::LimitedServer;

/// Requests before this do not count as warm.
const WARM_UP: Duration = Duration::from_secs(10);
/// What `auto` goes up to.
const MAX_PLACES: f64 = 512.0;

struct Cell {
    name: &'static str,
    rules: Rules,
    /// In flight at most.
    places: f64,
    args: Vec<String>,
}

fn cells() -> Vec<Cell> {
    let words = |args: &[&str]| args.iter().map(|arg| (*arg).to_owned()).collect();
    let limited = |rpm: f64, hints| Rules { rpm: Some(rpm), hints, ..Rules::open(Duration::from_millis(20)) };
    let slow = |millis| Rules::open(Duration::from_millis(millis));
    let cell = |name, rules, args: &[&str]| Cell { name, rules, places: MAX_PLACES, args: words(args) };
    vec![
        cell("told", limited(6000.0, Hints::Silent), &["--rpm", "6000"]),
        cell(
            "told, 500 ms",
            Rules { latency: Duration::from_millis(500), ..limited(6000.0, Hints::Silent) },
            &["--rpm", "6000"],
        ),
        cell(
            "told tokens",
            Rules { tpm: Some(600_000.0), ..limited(30_000.0, Hints::Silent) },
            &["--rpm", "30000", "--tpm", "600000"],
        ),
        cell("stated by x-ratelimit", limited(6000.0, Hints::OpenAi), &[]),
        cell("stated by anthropic-ratelimit", limited(6000.0, Hints::Anthropic), &[]),
        cell("asked in milliseconds", saving(0.2, limited(6000.0, Hints::RetryAfterMs)), &[]),
        cell("asked in seconds", limited(6000.0, Hints::RetryAfter), &[]),
        cell("bare refusals", saving(0.2, limited(6000.0, Hints::Silent)), &[]),
        Cell { places: 256.0, ..cell("200 ms, 256 in flight", slow(200), &["--concurrency", "256"]) },
        cell("200 ms, auto", slow(200), &[]),
    ]
}

fn saving(saves: f64, rules: Rules) -> Rules {
    Rules { window: Window::Bucket { saves }, ..rules }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let seconds = args.iter().find_map(|arg| arg.parse().ok()).unwrap_or(60.0);
    let names: Vec<&String> = args.iter().filter(|arg| arg.parse::<f64>().is_err()).collect();
    println!(
        "| cell | rows | rpm | tpm | latency | hints | share of theoretical | refused per 1,000 after {} s | early | lost |",
        WARM_UP.as_secs()
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for cell in cells() {
        if names.is_empty() || names.iter().any(|name| cell.name.contains(name.as_str())) {
            measure(cell, seconds);
        }
    }
}

fn measure(cell: Cell, seconds: f64) {
    let Cell { name, rules, places, args } = cell;
    let trip = rules.latency.as_secs_f64();
    // About 280 tokens a row: of the template, and a little of the row's own.
    let limits = [rules.rpm, rules.tpm.map(|tpm| tpm / 280.0)];
    let rate = limits.into_iter().flatten().map(|a_minute| a_minute / 60.0).fold(places / trip, f64::min);
    // What only latency limits is quick to settle.
    let rows = (rate * if rules.rpm.is_some() { seconds } else { seconds / 3.0 }) as usize;
    let folder = tempfile::tempdir().unwrap();
    let mut csv = "question,tool_call,tool_definitions\n".to_owned();
    for row in 0..rows {
        csv.push_str(&format!("Say {row} please,say(n={row}),say: Says a number\n"));
    }
    std::fs::write(folder.path().join("in.csv"), csv).unwrap();
    let server = LimitedServer::start(rules.clone());
    let began = Instant::now();
    Command::new(env!("CARGO_BIN_EXE_tooljudge"))
        .args(["label", "in.csv", "--quiet", "--judge", "openai:m", "--base-url", &server.url])
        .args(args)
        .current_dir(folder.path())
        .status()
        .unwrap();
    let taken = began.elapsed().as_secs_f64();
    let truth = server.truth();
    let tokens =
        truth.arrivals.iter().map(|arrival| arrival.tokens).sum::<f64>() / truth.arrivals.len() as f64;
    let limits = [rules.rpm, rules.tpm.map(|tpm| tpm / tokens)];
    let rate = limits.into_iter().flatten().map(|a_minute| a_minute / 60.0).fold(places / trip, f64::min);
    let warm = truth.arrivals.iter().filter(|arrival| arrival.at >= WARM_UP).count().max(1000);
    let number = |limit: Option<f64>| limit.map_or("-".to_owned(), |limit| limit.to_string());
    println!(
        "| {name} | {rows} | {} | {} | {:?} | {:?} | {:.3} | {:.2} | {} | {} |",
        number(rules.rpm),
        number(rules.tpm),
        rules.latency,
        rules.hints,
        (rows as f64 / rate + trip) / taken,
        1000.0 * truth.refused_after(WARM_UP) as f64 / warm as f64,
        truth.early(),
        rows - labelled(&folder.path().join("in.labeled.csv")),
    );
}

/// Rows that have a label.
fn labelled(output: &Path) -> usize {
    let Ok(mut reader) = csv::Reader::from_path(output) else { return 0 };
    let at = reader.headers().unwrap().iter().position(|name| name == "label").unwrap();
    reader.records().filter(|record| record.as_ref().unwrap().get(at) == Some("correct")).count()
}
