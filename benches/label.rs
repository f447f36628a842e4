//! Whole-process speed of `tooljudge label`: the built-in judge over repeated rows, and a model judge that answers at once.
//!
//! `cargo bench --bench label [-- ROWS]` prints rows per second and CPU seconds per 1,000 rows. Ratios between two runs on
//! one machine mean something; absolute figures depend on it.

#![allow(clippy::unwrap_used, reason = "a bench that cannot go on stops")]
#![allow(clippy::print_stdout, reason = "printing is what it does")]
#![allow(clippy::disallowed_methods, reason = "its arguments are its own")]

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use axum::Router;
use axum::routing::post;

/// Definitions that make a prompt of about 4.9 kB.
const PADDING: usize = 3_000;

fn main() {
    let rows = std::env::args().skip(1).find_map(|arg| arg.parse().ok()).unwrap_or(20_000);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("in.csv"), table(rows)).unwrap();
    let url = serve();
    measure(folder.path(), rows, "builtin", &["--allow-unjudged", "1"]);
    let model = ["--judge", "openai:m", "--base-url", &url, "--concurrency", "64"];
    measure(folder.path(), rows, "model, zero latency, 64 in flight", &model);
    measure(folder.path(), rows, "model, every reply stored already", &model);
}

fn measure(folder: &Path, rows: usize, what: &str, more: &[&str]) {
    let began = Instant::now();
    let status = Command::new("bash")
        .arg("-c")
        .arg("\"$@\"; code=$?; times > times.txt; exit $code")
        .arg("bash")
        .arg(env!("CARGO_BIN_EXE_tooljudge"))
        .args(["label", "in.csv", "--quiet"])
        .args(more)
        .current_dir(folder)
        .status()
        .unwrap();
    assert!(status.success());
    let seconds = began.elapsed().as_secs_f64();
    let times = std::fs::read_to_string(folder.join("times.txt")).unwrap();
    let cpu: f64 = times.lines().nth(1).unwrap().split_whitespace().map(minutes).sum();
    println!(
        "{what:36} {:>9.0} rows/s  {:.4} CPU s per 1,000 rows",
        rows as f64 / seconds,
        cpu * 1000.0 / rows as f64
    );
}

/// `0m1.234s` in seconds.
fn minutes(text: &str) -> f64 {
    let (minutes, seconds) = text.trim_end_matches('s').split_once('m').unwrap();
    minutes.parse::<f64>().unwrap() * 60.0 + seconds.parse::<f64>().unwrap()
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

/// A judge that answers at once, on a thread of its own.
fn serve() -> String {
    const REPLY: &str = r#"{"model":"m","choices":[{"message":{"content":"{\"label\":\"correct\"}"},
        "finish_reason":"stop"}],"usage":{"prompt_tokens":1200,"completion_tokens":5}}"#;
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            let answer = |body: String| async move {
                assert!(body.len() > PADDING);
                REPLY
            };
            axum::serve(listener, Router::new().route("/v1/chat/completions", post(answer))).await.unwrap();
        });
    });
    url
}
