//! The disk is full, or broken, at any write: a command succeeds or says which file failed, and leaves nothing half done.

use std::collections::BTreeMap;

use super::cases;
use crate::label_remote::{gold, numbered, row_of};
use crate::support::child::Deadline;
use crate::support::faults::{self, Fault, Kind};
use crate::support::server::{Answer, Server};
use crate::support::workspace::{Ran, Workspace, repository};
use tooljudge_laws::mutations::Dice;

const ROWS: usize = 12;
const CONCURRENCY: usize = 3;

/// A command, what it needs, and the files it makes.
struct Job {
    name: &'static str,
    args: &'static [&'static str],
    files: &'static [&'static str],
    prepare: fn(&Workspace),
    /// Whether it asks a model.
    asks: bool,
}

const JOBS: [Job; 8] = [
    Job {
        name: "label, model",
        args: &["label", "in.csv", "--judge", "openai:m", "--concurrency", "3", "-o", "out.csv"],
        files: &["out.csv"],
        prepare: |work| drop(work.file("in.csv", numbered(ROWS))),
        asks: true,
    },
    Job {
        name: "label again, model",
        args: &["label", "in.csv", "--judge", "openai:m", "--concurrency", "3", "-o", "out.parquet"],
        files: &["out.parquet"],
        prepare: |work| {
            // A table of an earlier run lies there.
            work.file("in.csv", numbered(3));
            work.run(&["label", "in.csv", "--allow-unjudged", "1", "-o", "out.parquet"]).ended(0);
            work.file("in.csv", numbered(ROWS));
        },
        asks: true,
    },
    Job {
        name: "label, builtin",
        args: &["label", "in.csv", "--allow-unjudged", "1", "-o", "out.jsonl.gz"],
        files: &["out.jsonl.gz"],
        prepare: |work| drop(work.file("in.csv", numbered(200))),
        asks: false,
    },
    Job {
        name: "convert",
        args: &["convert", "in.csv", "-o", "out.arrow"],
        files: &["out.arrow"],
        prepare: |work| drop(work.file("in.csv", numbered(200))),
        asks: false,
    },
    Job {
        name: "bench",
        args: &["bench", "in.csv", "--allow-unjudged", "1", "--report", "r.html", "--report", "r.json"],
        files: &["r.html", "r.json"],
        prepare: |work| drop(work.file("in.csv", numbered(40))),
        asks: false,
    },
    Job {
        name: "gold",
        args: &["gold", "--bfcl", "bfcl", "-o", "out.jsonl"],
        files: &["out.jsonl"],
        prepare: |work| {
            let from = repository("tests/cases/gold/bfcl");
            copy(&from, &work.path("bfcl"));
        },
        asks: false,
    },
    Job {
        name: "store merge",
        args: &["store", "merge", "b.sqlite", "--store", "a.sqlite"],
        files: &[],
        prepare: |work| {
            stored(work, "a.sqlite", 8);
            stored(work, "b.sqlite", 30);
        },
        asks: false,
    },
    Job {
        name: "store prune",
        args: &["store", "prune", "--model", "m", "--store", "a.sqlite"],
        files: &[],
        prepare: |work| stored(work, "a.sqlite", 30),
        asks: false,
    },
];

#[test]
fn a_disk_that_fails_anywhere_costs_nothing_that_was_kept() {
    if !faults::available() {
        return;
    }
    let mut failed = Vec::new();
    let mut messages: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for (number, job) in JOBS.iter().enumerate() {
        let mut dice = Dice::new(0xd15c + number as u64);
        let (operations, whole) = undisturbed(job);
        let wanted = cases(3);
        let (mut tried, mut survived) = (0, 0);
        for kind in [Kind::Full, Kind::FullOnce, Kind::Broken] {
            // All of them, or so many at random.
            let mut places: Vec<usize> = (1..=operations).collect();
            while places.len() > wanted {
                places.swap_remove(dice.roll(places.len()));
            }
            for at in places {
                let fault = Fault { at, kind };
                tried += 1;
                let outcome = std::panic::catch_unwind(|| disturbed(job, fault, &whole));
                let Ok(ran) = outcome else {
                    failed.push(format!("{}, {fault:?}", job.name));
                    continue;
                };
                survived += usize::from(ran.code == Some(0));
                if ran.code != Some(0) {
                    let said =
                        ran.stderr.lines().filter(|line| line.starts_with("error:")).collect::<String>();
                    messages.entry(said).or_insert((0, format!("{}, {fault:?}", job.name))).0 += 1;
                }
            }
        }
        println!("{:<20}{operations:>5} operations, {tried:>5} faults, {survived:>5} survived", job.name);
    }
    for (message, (times, first)) in messages {
        println!("{times:>5}  {message}   [{first}]");
    }
    assert!(failed.is_empty(), "{} faults, explained above: {failed:?}", failed.len());
}

fn honest() -> Server {
    Server::start(|seen| Answer::label(gold(row_of(seen))))
}

fn command(job: &Job, work: &Workspace, server: &Server) -> std::process::Command {
    let mut args = job.args.to_vec();
    if job.asks {
        args.extend(["--base-url", &server.url, "--keep-prompts"]);
    }
    work.tooljudge(&args)
}

/// How many operations on files there are, and what the files hold in the end.
fn undisturbed(job: &Job) -> (usize, Vec<Vec<u8>>) {
    let (server, work) = (honest(), Workspace::new());
    (job.prepare)(&work);
    let mut command = command(job, &work, &server);
    faults::note(&mut command, &work.path("operations.txt"));
    Ran::from(command.finish()).ended(0);
    (work.read("operations.txt").lines().count(), job.files.iter().map(|file| content(&work, file)).collect())
}

fn disturbed(job: &Job, fault: Fault, whole: &[Vec<u8>]) -> Ran {
    let about = format!("{}, {fault:?}", job.name);
    let (server, work) = (honest(), Workspace::new());
    (job.prepare)(&work);
    let mut faulty = command(job, &work, &server);
    fault.put(&mut faulty);
    faults::note(&mut faulty, &work.path("operations.txt"));
    let ran = Ran::from(faulty.finish());
    let failed = || {
        let operations = work.read("operations.txt");
        operations.lines().filter(|line| line.ends_with("failed")).take(3).collect::<Vec<_>>().join("; ")
    };
    let about = format!("{about} ({})\n{}{}", failed(), ran.stdout, ran.stderr);
    assert!(!ran.stderr.contains("panicked"), "{about}");
    match ran.code {
        Some(0) => {}
        Some(2) => {
            assert_eq!(ran.stderr.matches("error:").count(), 1, "{about}");
            // A file of this folder, a temporary one, or a stream.
            let names = ["out.", "r.html", "r.json", ".sqlite", "standard output"];
            assert!(names.iter().any(|name| ran.stderr.contains(name)), "no file is named: {about}");
        }
        _ => panic!("{about}"),
    }
    for (file, whole) in job.files.iter().zip(whole) {
        if work.path(file).exists() && !job.asks {
            assert!(content(&work, file) == *whole, "{file} is half a file: {about}");
        }
        assert!(ran.code != Some(0) || work.path(file).exists(), "success without {file}: {about}");
    }
    let kept = replies(&work);
    // The same command, on a disk that works.
    let again = Ran::from(command(job, &work, &server).finish());
    assert_eq!(again.code, Some(0), "{about}\nthen:\n{}", again.stderr);
    for (file, whole) in job.files.iter().zip(whole) {
        assert!(job.asks || content(&work, file) == *whole, "{file} differs: {about}");
    }
    if job.asks {
        let convert = ["convert", job.files[0], "--from", "rows", "-o", "as.csv", "--quiet"];
        work.run(&convert).ended(0);
        assert_eq!(work.column("as.csv", "label"), work.column("in.csv", "gold"), "{about}");
        let asked = server.asked();
        assert_eq!(asked.len(), ROWS, "{about}");
        assert!(
            server.answered_twice() <= CONCURRENCY,
            "{} answered twice: {about}",
            server.answered_twice()
        );
        assert!(kept.iter().all(|prompt| asked[prompt] == 1), "a kept reply was asked for again: {about}");
    }
    let left: Vec<String> = work.names().into_iter().filter(|name| name.ends_with(".part")).collect();
    assert!(left.is_empty(), "{left:?}: {about}");
    ran
}

/// What a file holds, but for what no two runs have in common.
fn content(work: &Workspace, name: &str) -> Vec<u8> {
    let bytes = std::fs::read(work.path(name)).unwrap();
    match name.starts_with("r.") {
        false => bytes,
        true => {
            let end = if name.ends_with(".html") { "</html>\n" } else { "}\n" };
            assert!(bytes.ends_with(end.as_bytes()), "{name} has no end");
            Vec::new()
        }
    }
}

fn replies(work: &Workspace) -> Vec<String> {
    let path = work.path(".tooljudge/replies.sqlite");
    if !path.exists() {
        return Vec::new();
    }
    let store = rusqlite::Connection::open(path).unwrap();
    let Ok(mut prompts) = store.prepare("SELECT prompt FROM replies") else { return Vec::new() };
    prompts.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

/// A store with the replies to so many rows.
fn stored(work: &Workspace, name: &str, rows: usize) {
    let server = honest();
    work.file("stored.csv", numbered(rows));
    let args = ["label", "stored.csv", "--judge", "openai:m", "--base-url", &server.url, "--store", name];
    work.run(&args).ended(0);
}

fn copy(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let place = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &place),
            false => drop(std::fs::copy(entry.path(), place).unwrap()),
        }
    }
}
