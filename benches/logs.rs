//! Whole-process speed and memory of `tooljudge convert`, log format by log format.
//!
//! `cargo bench --bench logs [-- MB]` repeats every log of `tests/fixtures/formats/logs` up to so many megabytes (100) and
//! prints megabytes of input per second of time and of CPU, and the peak of anonymous memory. Every byte is read twice:
//! once to see what there is, once to convert it.

#![allow(clippy::unwrap_used, reason = "a bench that cannot go on stops")]
#![allow(clippy::print_stdout, reason = "printing is what it does")]
#![allow(clippy::disallowed_methods, reason = "its arguments are its own")]

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

fn main() {
    let megabytes: usize = std::env::args().skip(1).find_map(|arg| arg.parse().ok()).unwrap_or(100);
    let logs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/formats/logs");
    let mut names: Vec<String> = std::fs::read_dir(&logs)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        // Results are joined with questions by ids that must not repeat; archives are packed.
        .filter(|name| !name.starts_with("bfcl_") && !name.ends_with(".eval"))
        .collect();
    names.sort();
    println!("{:42} {:>8} {:>12} {:>10}", format!("{megabytes} MB of"), "MB/s", "MB/CPU s", "peak MB");
    for name in names {
        let folder = tempfile::tempdir().unwrap();
        let bytes = repeat(&logs.join(&name), &folder.path().join(&name), megabytes << 20);
        measure(folder.path(), &name, bytes as f64 / f64::from(1 << 20));
    }
}

/// Writes `log` to `to` again and again, until it is `bytes` large: its lines, or the records of its list.
fn repeat(log: &Path, to: &Path, bytes: usize) -> usize {
    let text = std::fs::read_to_string(log).unwrap();
    let ending = log.extension().and_then(|ending| ending.to_str()).unwrap();
    let (head, body, between, tail) = match (ending, text.find('[')) {
        ("json", Some(open)) => {
            let open = text.find("\"samples\"").map_or(open, |at| at + text[at..].find('[').unwrap());
            let close = text.rfind(']').unwrap();
            (&text[..=open], &text[open + 1..close], ",", &text[close..])
        }
        ("csv", _) => {
            let end = text.find('\n').unwrap() + 1;
            (&text[..end], &text[end..], "", "")
        }
        _ => ("", text.as_str(), "", ""),
    };
    let mut file = BufWriter::new(File::create(to).unwrap());
    file.write_all(head.as_bytes()).unwrap();
    let mut written = 0;
    while written < bytes {
        if written > 0 {
            file.write_all(between.as_bytes()).unwrap();
        }
        file.write_all(body.as_bytes()).unwrap();
        written += body.len();
    }
    file.write_all(tail.as_bytes()).unwrap();
    file.flush().unwrap();
    written
}

fn measure(folder: &Path, name: &str, megabytes: f64) {
    let began = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_tooljudge"))
        .args(["convert", name, "-o", "rows.jsonl", "--quiet"])
        .current_dir(folder)
        .spawn()
        .unwrap();
    let (mut peak, mut cpu) = (0.0_f64, 0.0);
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        let process = format!("/proc/{}", child.id());
        let read = |file: &str| std::fs::read_to_string(format!("{process}/{file}")).unwrap_or_default();
        let anonymous = read("status").lines().find_map(|line| {
            line.strip_prefix("RssAnon:")?.trim().strip_suffix(" kB")?.trim().parse::<f64>().ok()
        });
        peak = peak.max(anonymous.unwrap_or(0.0) / 1024.0);
        // The 14th and 15th field: ticks of 10 ms in user and kernel mode.
        let ticks: f64 =
            read("stat").split_whitespace().skip(13).take(2).filter_map(|t| t.parse::<f64>().ok()).sum();
        cpu = ticks.max(cpu * 100.0) / 100.0;
        std::thread::sleep(Duration::from_millis(5));
    };
    assert!(status.success(), "{name}");
    let seconds = began.elapsed().as_secs_f64();
    println!("{name:42} {:>8.0} {:>12.0} {peak:>10.0}", megabytes / seconds, megabytes / cpu);
}
