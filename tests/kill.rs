//! `kill -9` in the middle: what was answered is never asked again.

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
    let args =
        ["label", "in.csv", "--judge", "openai:m", "--base-url", &server.url, "--concurrency", &concurrency];
    let mut in_flight = 0;
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
    }
    work.run(&args).ended(0);
    assert_eq!(work.column("in.labeled.csv", "label"), work.column("in.labeled.csv", "gold"));
    let twice = server.answered_twice();
    println!(
        "{ROWS} rows, {KILLS} kills, {twice} answered twice, {in_flight} places in flight over all kills"
    );
    assert!(twice <= in_flight, "{twice} rows were answered twice");
    let parts: Vec<String> = work.names().into_iter().filter(|name| name.ends_with(".part")).collect();
    assert!(parts.is_empty(), "{parts:?}");
}
