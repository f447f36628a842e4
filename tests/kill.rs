//! `kill -9` in the middle: what was answered is never asked again.

use std::collections::HashMap;
use std::time::Duration;

use crate::label_remote::{gold, numbered, row_of};
use crate::support::server::{Answer, Server};
use crate::support::workspace::Workspace;

const ROWS: usize = 10_000;
const KILLS: usize = 5;
const CONCURRENCY: usize = 32;

#[test]
fn killed_five_times_every_row_is_right_and_none_is_lost() {
    let server = Server::start(|seen| Answer::label(gold(row_of(seen))));
    let work = Workspace::new();
    work.file("in.csv", numbered(ROWS));
    let concurrency = CONCURRENCY.to_string();
    let args = [
        "label",
        "--keep-prompts",
        "in.csv",
        "--judge",
        "openai:m",
        "--base-url",
        &server.url,
        "--concurrency",
        &concurrency,
    ];
    let mut in_flight = 0;
    let mut safe: HashMap<String, usize> = HashMap::new();
    for kill in 1..=KILLS {
        let mut run = work.start(&args);
        let enough = kill * ROWS / (KILLS + 2);
        while server.requests() < enough {
            assert!(run.try_wait().unwrap().is_none(), "the run ended before it was killed");
            std::thread::sleep(Duration::from_millis(2));
        }
        run.kill().unwrap();
        in_flight += CONCURRENCY;
        run.wait().unwrap();
        assert!(!work.path("in.labeled.csv").exists());
        let asked = server.asked();
        for prompt in committed(&work) {
            let times = asked[&prompt];
            assert_eq!(*safe.entry(prompt).or_insert(times), times, "a committed reply was asked for again");
        }
    }
    work.run(&args).ended(0);
    assert_eq!(work.column("in.labeled.csv", "label"), work.column("in.labeled.csv", "gold"));
    let asked = server.asked();
    assert!(safe.len() > ROWS / 2 && safe.iter().all(|(prompt, times)| asked[prompt] == *times));
    let twice = server.answered_twice();
    println!(
        "{ROWS} rows, {KILLS} kills, {twice} answered twice, {in_flight} places in flight over all kills"
    );
    assert!(twice <= in_flight, "{twice} rows were answered twice");

    // An unbroken run, of a judge that answers alike, gives the same table.
    let other = Server::start(|seen| Answer::label(gold(row_of(seen))));
    let mut unbroken = args.to_vec();
    unbroken[6] = &other.url;
    unbroken.extend(["--store", "other.sqlite", "-o", "unbroken.csv"]);
    work.run(&unbroken).ended(0);
    let told = |name: &str| -> Vec<_> {
        let mut rows = work.rows(name);
        for row in &mut rows {
            for column in ["latency_ms", "attempts", "cached"] {
                row.remove(column);
            }
        }
        rows
    };
    assert!(
        told("in.labeled.csv") == told("unbroken.csv"),
        "the resumed table differs from the unbroken one"
    );
    let parts: Vec<String> = work.names().into_iter().filter(|name| name.ends_with(".part")).collect();
    assert!(parts.is_empty(), "{parts:?}");
}

/// The prompts whose replies are in the store.
fn committed(work: &Workspace) -> Vec<String> {
    let store = rusqlite::Connection::open(work.path(".tooljudge/replies.sqlite")).unwrap();
    let mut prompts = store.prepare("SELECT prompt FROM replies").unwrap();
    prompts.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}
