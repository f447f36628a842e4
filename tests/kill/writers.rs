//! Writers killed while they write: never half a file under its name, and the next run is not turned away by what is left.

use std::time::Instant as Clock;

use super::{kills, wait_until};
use crate::label_remote::numbered;
use crate::support::workspace::Workspace;
use tooljudge_laws::mutations::Dice;

/// A command, and the files it makes.
const WRITERS: [(&[&str], &[&str]); 4] = [
    (&["convert", "in.csv", "-o", "out.parquet", "--quiet"], &["out.parquet"]),
    (&["convert", "in.csv", "-o", "out.jsonl.zst", "--quiet"], &["out.jsonl.zst"]),
    (&["label", "in.csv", "-o", "out.csv", "--allow-unjudged", "1", "--quiet"], &["out.csv"]),
    (
        &["bench", "in.csv", "-o", "out.csv", "--report", "report.md", "--quiet", "--allow-unjudged", "1"],
        &["out.csv", "report.md"],
    ),
];

#[test]
fn a_killed_writer_leaves_no_half_file() {
    let rounds = (kills() / 5).max(1);
    for (number, (args, files)) in WRITERS.into_iter().enumerate() {
        let mut dice = Dice::new(number as u64);
        let (old, new) = (numbered(40), numbered(4_000));
        let content =
            |work: &Workspace, name: &str| std::fs::read(work.path(name)).ok().map(|b| told(name, b));
        // The tables of unbroken runs: of an earlier input, and of this one.
        let whole = |input: &str| {
            let work = Workspace::new();
            work.file("in.csv", input);
            let began = Clock::now();
            work.run(args).ended(0);
            (files.iter().map(|name| content(&work, name)).collect::<Vec<_>>(), began.elapsed())
        };
        let ((before, _), (after, duration)) = (whole(&old), whole(&new));
        let (mut killed, mut seen) = (0, [0; 3]);
        for round in 0..rounds {
            let work = Workspace::new();
            work.file("in.csv", &old);
            let replaces = round % 2 == 0;
            if replaces {
                work.run(args).ended(0);
            }
            work.file("in.csv", &new);
            let run = work.start(args);
            if round % 3 == 2 {
                // When the new file is about to take its place.
                let manifest = work.path(&format!("{}.run.json", files[0]));
                let first = std::fs::read(&manifest).ok();
                wait_until(|| std::fs::read(&manifest).ok() != first || run.ended().is_some());
            } else {
                std::thread::sleep(duration.mul_f64(dice.roll(10_000) as f64 / 10_000.0));
            }
            run.kill();
            killed += usize::from(run.wait().code().is_none());
            for (at, name) in files.iter().enumerate() {
                let found = content(&work, name);
                match found {
                    None => assert!(!replaces, "{name} is gone"),
                    found if found == after[at] => seen[2] += 1,
                    found => assert!(replaces && found == before[at], "{name} is half a file"),
                }
                seen[0] += 1;
            }
            work.run(args).ended(0);
            for (at, name) in files.iter().enumerate() {
                assert!(content(&work, name) == after[at], "{name} of {args:?} differs after a kill");
            }
            let left: Vec<String> = work.names().into_iter().filter(|name| name.ends_with(".part")).collect();
            assert!(left.is_empty(), "{left:?}");
        }
        println!(
            "{}: {killed} of {rounds} killed, {} files looked at, {} of them new already; a run takes {duration:?}",
            args[0], seen[0], seen[2]
        );
    }
}

/// What a file says but for the time it was made at.
fn told(name: &str, bytes: Vec<u8>) -> Vec<u8> {
    if !name.ends_with(".md") {
        return bytes;
    }
    let text = String::from_utf8(bytes).unwrap();
    let timeless = text.lines().filter(|line| !line.contains("milliseconds") && !line.contains("tooljudge "));
    timeless.collect::<Vec<_>>().join("\n").into_bytes()
}
