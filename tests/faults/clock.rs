//! The wall clock jumps in the middle of a run: no row is lost, none is paid for twice, and no time is negative.

use std::time::Duration;

use crate::label_remote::{gold, numbered, row_of};
use crate::support::child::Deadline;
use crate::support::faults;
use crate::support::server::{Answer, Server};
use crate::support::workspace::Workspace;

const ROWS: usize = 120;
const HOUR: i64 = 3_600_000_000_000;
/// By how much; a lease takes seconds.
const JUMPS: [i64; 6] = [240 * HOUR, -240 * HOUR, HOUR, -HOUR, 20_000_000_000, -20_000_000_000];

fn slow(wait: u64) -> Server {
    Server::start(move |seen| {
        Answer::After(Duration::from_millis(wait), Box::new(Answer::label(gold(row_of(seen)))))
    })
}

/// Runs `outputs` at once on one store, and sets their clock when `at` requests have come.
fn jump(by: i64, at: usize, outputs: &[&str]) {
    let (server, work) = (slow(60), Workspace::new());
    work.file("in.csv", numbered(ROWS));
    let clock = work.file("clock", 0_i64.to_le_bytes());
    let runs: Vec<_> = outputs
        .iter()
        .map(|output| {
            let mut run = work.tooljudge(&[
                "label",
                "in.csv",
                "--judge",
                "openai:m",
                "--base-url",
                &server.url,
                "--concurrency",
                "6",
                "--rpm",
                "6000",
                "-o",
                output,
            ]);
            faults::skew(&mut run, &clock);
            run.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).start()
        })
        .collect();
    server.await_requests(at);
    // In place: the file is mapped by those who read it.
    let file = std::fs::OpenOptions::new().write(true).open(&clock).unwrap();
    std::io::Write::write_all(&mut &file, &by.to_le_bytes()).unwrap();
    for run in runs {
        let output = run.output();
        assert_eq!(output.status.code(), Some(0), "{by}: {}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!((server.asked().len(), server.answered_twice()), (ROWS, 0), "{} runs, {by} ns", outputs.len());
    for output in outputs {
        assert_eq!(work.column(output, "label"), work.column(output, "gold"));
        for latency in work.column(output, "latency_ms") {
            assert!(latency.parse::<u64>().unwrap() < 60_000, "{latency} ms");
        }
    }
}

#[test]
fn a_clock_that_jumps_changes_nothing() {
    if !faults::available() {
        return;
    }
    let count = super::cases(2).min(JUMPS.len());
    std::thread::scope(|scope| {
        for (number, by) in JUMPS.into_iter().take(count).enumerate() {
            scope.spawn(move || {
                jump(by, 20 + 7 * number, &["a.csv"]);
                jump(by, 20 + 7 * number, &["a.csv", "b.csv"]);
            });
        }
    });
    println!("{count} jumps, by up to ten days, in one run and in two that share a store");
}
