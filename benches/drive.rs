//! Whole-process speed of `tooljudge drive` beside `tooljudge label`: episodes of five turns with mocked tools, and an agent that
//! answers at once.
//!
//! `cargo bench --bench drive [-- EPISODES]` prints requests per second, CPU seconds per 1,000 requests (of `tooljudge` alone), the
//! peak of anonymous memory and the mean size of a request: that of both commands is nearly the same. Only the ratio of the two means
//! something elsewhere. To drive is to reach half of `label`'s requests per second, within 256 MB.

#![allow(clippy::unwrap_used, reason = "a bench that cannot go on stops")]
#![allow(clippy::print_stdout, reason = "printing is what it does")]
#![allow(clippy::disallowed_methods, reason = "its arguments are its own")]

mod support;

use std::path::Path;
use std::process::Command;

use support::server::{Server, TURNS};
use support::{child, server};

/// Definitions that make a request of about 4.7 kB.
const PADDING: usize = 3_000;
/// What instructions and rubric take in a judge's prompt, an agent's dialogue has as system text.
const SYSTEM: usize = 1_050;

fn main() {
    let episodes = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(10_000);
    let server = server::serve(PADDING);
    let folder = tempfile::tempdir().unwrap();
    let requests = episodes * TURNS;
    std::fs::write(folder.path().join("in.csv"), table(requests)).unwrap();
    std::fs::write(folder.path().join("suite.jsonl"), suite(episodes)).unwrap();
    let label = ["label", "in.csv", "--judge", "openai:m", "--store", "label.sqlite"];
    let judged = measure(folder.path(), &server, "label", requests, &label);
    let drive = [
        "drive",
        "--allow-failures",
        "suite.jsonl",
        "--agent",
        "openai:m",
        "--agent-version",
        "1",
        "--store",
        "drive.sqlite",
        "-o",
        "episodes.jsonl",
    ];
    let driven = measure(folder.path(), &server, "drive", requests, &drive);
    println!("drive reaches {:.2} of label's requests per second", driven / judged);
    let drive = [&drive[..], &["--turns", "turns.jsonl"]].concat();
    measure(folder.path(), &server, "drive, every reply stored already", requests, &drive);
}

/// Returns requests, or else stored replies, per second.
fn measure(folder: &Path, server: &Server, what: &str, requests: usize, args: &[&str]) -> f64 {
    let (asked, bytes) = (server.asked(), server.bytes());
    let mut command = Command::new(env!("CARGO_BIN_EXE_tooljudge"));
    command
        .args(args)
        .args(["--quiet", "--base-url", &server.url, "--concurrency", "64"])
        .current_dir(folder);
    let took = child::run(&mut command);
    let (asked, bytes) = (server.asked() - asked, server.bytes() - bytes);
    assert!(asked == requests as u64 || asked == 0, "{asked} were asked");
    let rate = requests as f64 / took.seconds;
    println!(
        "{what:36} {rate:>9.0} replies/s  {:.4} CPU s per 1,000  {:>5.0} MB  {:>6} bytes a request",
        took.cpu * 1000.0 / requests as f64,
        took.peak_anonymous,
        bytes.checked_div(asked).unwrap_or(0),
    );
    rate
}

fn padding(bytes: usize) -> String {
    "Says a number aloud. ".repeat(bytes / 21)
}

fn table(rows: usize) -> String {
    let tool = format!(
        "[{{\"\"name\"\":\"\"say\"\",\"\"description\"\":\"\"{}\"\",\"\"parameters\"\":{{\"\"type\"\":\"\"object\"\",\
         \"\"properties\"\":{{\"\"n\"\":{{\"\"type\"\":\"\"integer\"\"}}}}}}}}]",
        padding(PADDING)
    );
    let mut csv = "question,tool_call,tool_definitions\n".to_owned();
    for row in 0..rows {
        csv.push_str(&format!("Say {row} please,say(n={row}),\"{tool}\"\n"));
    }
    csv
}

fn suite(cases: usize) -> String {
    let mut suite = format!(
        r#"{{"suite": {{"name": "speech", "system": "{}", "tools": [{{"name": "say", "description": "{}", "parameters": {{"type": "object", "properties": {{"n": {{"type": "integer"}}}}}}}}]}}}}"#,
        padding(SYSTEM),
        padding(PADDING)
    );
    suite.push_str("\n{\"mock\": {\"tool\": \"say\", \"result\": {\"said\": true}, \"latency_ms\": 3}}\n");
    for case in 0..cases {
        suite.push_str(&format!(
            r#"{{"id": "{case}", "user_message": "Say {case} please", "expected_tool_calls": [{{"tool_name": "say", "required_params": {{"n": 0}}}}]}}"#
        ));
        suite.push('\n');
    }
    suite
}
