//! Whole-process speed of `tooljudge label`: the built-in judge over repeated rows, and a model judge that answers at once.
//!
//! `cargo bench --bench label [-- ROWS]` prints rows per second, CPU seconds per 1,000 rows (of `tooljudge` alone, not of the
//! judge) and the peak of anonymous memory. Ratios between two runs on one machine mean something; absolute figures depend
//! on it. With `-- serve` it only serves, for a profiler to look at the client alone.

#![allow(clippy::unwrap_used, reason = "a bench that cannot go on stops")]
#![allow(clippy::print_stdout, reason = "printing is what it does")]
#![allow(clippy::disallowed_methods, reason = "its arguments are its own")]

mod support;

use std::path::Path;
use std::process::Command;

use support::{child, server};

/// Definitions that make a prompt of about 4.9 kB.
const PADDING: usize = 3_000;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let url = server::serve(PADDING).url;
    if arguments.iter().any(|argument| argument == "serve") {
        println!("{url}");
        loop {
            std::thread::park();
        }
    }
    let rows = arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(20_000);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("in.csv"), table(rows)).unwrap();
    measure(folder.path(), rows, "builtin", &["--allow-unjudged", "1"]);
    let model = ["--judge", "openai:m", "--base-url", &url, "--concurrency", "64"];
    measure(folder.path(), rows, "model, zero latency, 64 in flight", &model);
    measure(folder.path(), rows, "model, every reply stored already", &model);
    std::fs::write(folder.path().join("in.csv"), table(1)).unwrap();
    std::fs::remove_dir_all(folder.path().join(".tooljudge")).unwrap();
    // To replace a large file takes longer than to ask one question.
    std::fs::remove_file(folder.path().join("in.labeled.csv")).unwrap();
    let mut one = command(folder.path(), &model);
    println!("{:36} {:>9.1} ms from start to end", "model, one row", child::run(&mut one).seconds * 1000.0);
}

fn command(folder: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tooljudge"));
    command.args(["label", "in.csv", "--quiet"]).args(more).current_dir(folder);
    command
}

fn measure(folder: &Path, rows: usize, what: &str, more: &[&str]) {
    let took = child::run(&mut command(folder, more));
    println!(
        "{what:36} {:>9.0} rows/s  {:.4} CPU s per 1,000 rows  {:>5.0} MB",
        rows as f64 / took.seconds,
        took.cpu * 1000.0 / rows as f64,
        took.peak_anonymous
    );
}

fn table(rows: usize) -> String {
    let padding = "Says a number aloud. ".repeat(PADDING / 21);
    let tool = format!(
        "[{{\"\"name\"\":\"\"say\"\",\"\"description\"\":\"\"{padding}\"\",\"\"parameters\"\":{{\"\"type\"\":\"\"object\"\",\
         \"\"properties\"\":{{\"\"n\"\":{{\"\"type\"\":\"\"integer\"\"}}}}}}}}]"
    );
    let mut csv = "question,tool_call,tool_definitions\n".to_owned();
    for row in 0..rows {
        csv.push_str(&format!("Say {row} please,say(n={row}),\"{tool}\"\n"));
    }
    csv
}
