//! Many rows and wide rows: time, memory and disk of whole processes.
//!
//! ```text
//! cargo bench --bench scale                      small numbers of everything
//! cargo bench --bench scale -- builtin 10000000  rows with the built-in judge, format by format
//! cargo bench --bench scale -- parquet 10000000  the same, of one format (csv, jsonl, parquet)
//! cargo bench --bench scale -- server 1000000    rows through a server that answers at once, killed at half, resumed, repeated
//! cargo bench --bench scale -- wide 20000        rows with 200 kB of definitions each
//! ```
//!
//! Rows are made up as they are needed, no two alike, in a temporary folder (`TMPDIR` moves it). CPU is that of `tooljudge`
//! alone; memory is the peak of anonymous pages, which is what a machine must have.

#![allow(clippy::unwrap_used, reason = "a bench that cannot go on stops")]
#![allow(clippy::print_stdout, reason = "printing is what it does")]
#![allow(clippy::disallowed_methods, reason = "its arguments are its own")]

mod support;

use std::path::Path;
use std::process::Command;

use support::child::{self, Took};
use support::{rows, server};

const FORMATS: [&str; 3] = ["csv", "jsonl", "parquet"];
const IN_FLIGHT: u64 = 64;
/// Bytes of the definitions in a wide row.
const WIDE: usize = 200_000;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let number: Option<usize> = arguments.iter().find_map(|argument| argument.parse().ok());
    let parts: Vec<&str> =
        arguments.iter().map(String::as_str).filter(|argument| argument.parse::<usize>().is_err()).collect();
    let wanted = |part: &str| parts.is_empty() || parts.contains(&part);
    println!("{:44} {:>10} {:>12} {:>9} {:>9}", "", "rows/s", "CPU us/row", "MB own", "MB all");
    for format in FORMATS {
        if wanted("builtin") || wanted(format) {
            builtin(format, number.unwrap_or(200_000));
        }
    }
    if wanted("server") {
        through_server(number.unwrap_or(50_000));
    }
    if wanted("wide") {
        wide(number.unwrap_or(2_000));
    }
}

fn label(folder: &Path, input: &str, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tooljudge"));
    command.args(["label", input, "--quiet", "--allow-unjudged", "1"]).args(more).current_dir(folder);
    command
}

fn print(what: &str, rows: usize, took: Took) {
    let rows = rows as f64;
    println!(
        "{what:44} {:>10.0} {:>12.1} {:>9.0} {:>9.0}",
        rows / took.seconds,
        took.cpu * 1e6 / rows,
        took.peak_anonymous,
        took.peak_resident
    );
}

fn builtin(format: &str, count: usize) {
    let folder = tempfile::tempdir().unwrap();
    let name = format!("in.{format}");
    let bytes = rows::write(&folder.path().join(&name), count, rows::usual);
    let took = child::run(&mut label(folder.path(), &name, &[]));
    print(&format!("built-in, {count} rows, {} MB of {format}", bytes >> 20), count, took);
}

/// Every row is asked about once, although the run is killed when half of them are answered.
fn through_server(count: usize) {
    let folder = tempfile::tempdir().unwrap();
    rows::write(&folder.path().join("in.csv"), count, rows::usual);
    let server = server::serve(1000);
    let concurrency = IN_FLIGHT.to_string();
    let judge = ["--judge", "openai:m", "--base-url", &server.url, "--concurrency", &concurrency];
    let run = || label(folder.path(), "in.csv", &judge);
    let half = count as u64 / 2;
    let took = child::run_until(&mut run(), || server.asked() >= half);
    assert!(!took.status.success(), "it ended before it was killed");
    let asked = server.asked();
    print(&format!("server, killed after {asked} answers"), usize::try_from(asked).unwrap(), took);
    let took = child::run(&mut run());
    let again = server.asked() - count as u64;
    assert!(again <= IN_FLIGHT, "{again} questions were asked twice, more than were in flight");
    print(&format!("server, resumed ({again} asked twice)"), count, took);
    let took = child::run(&mut run());
    assert_eq!(server.asked(), count as u64 + again, "a stored reply was asked for again");
    print("server, every reply stored", count, took);
    let store = std::fs::metadata(folder.path().join(".tooljudge/replies.sqlite")).unwrap().len();
    println!("{:44} {:>10.0} bytes per row", "store", store as f64 / count as f64);
}

fn wide(count: usize) {
    let server = server::serve(WIDE / 2);
    let concurrency = IN_FLIGHT.to_string();
    let judge = ["--judge", "openai:m", "--base-url", &server.url, "--concurrency", &concurrency];
    for (own, what) in [(false, "the same"), (true, "its own")] {
        let folder = tempfile::tempdir().unwrap();
        rows::write(&folder.path().join("in.parquet"), count, |at| rows::wide(at, WIDE, own));
        let took = child::run(&mut label(folder.path(), "in.parquet", &[]));
        print(&format!("200 kB a row, {what}, built-in"), count, took);
        let took = child::run(&mut label(folder.path(), "in.parquet", &judge));
        let most = 64.0 + 4.0 * IN_FLIGHT as f64 * WIDE as f64 / f64::from(1 << 20);
        print(&format!("200 kB a row, {what}, server (bar {most:.0} MB)"), count, took);
    }
}
