//! Several runs on one store: one of them dies, the others go on with its questions.

use std::io::{BufRead, BufReader};
use std::time::{Duration, Instant};

use crate::label_remote::{gold, numbered, row_of};
use crate::support::child::Running;
use crate::support::server::{Answer, Server};
use crate::support::workspace::Workspace;

const ROWS: usize = 150;
const CONCURRENCY: usize = 6;

fn slow() -> Server {
    Server::start(|seen| {
        Answer::After(Duration::from_millis(20), Box::new(Answer::label(gold(row_of(seen)))))
    })
}

fn start(work: &Workspace, server: &Server, output: &str) -> Running {
    let args =
        ["label", "in.csv", "--judge", "openai:m", "--base-url", &server.url, "--concurrency", "6", "-o"];
    work.start(&[&args[..], &[output]].concat())
}

#[test]
fn of_three_runs_on_one_store_one_is_killed() {
    for round in 0..super::cases(1).min(20) {
        let (server, work) = (slow(), Workspace::new());
        work.file("in.csv", numbered(ROWS));
        let runs = ["a.csv", "b.csv", "c.csv"].map(|output| start(&work, &server, output));
        server.await_requests(20 + 5 * round);
        runs[0].kill();
        runs[0].wait();
        let killed = Instant::now();
        let [_, b, c] = runs;
        for run in [b, c] {
            let output = run.output();
            assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        }
        println!("the others had everything {:?} after the kill", killed.elapsed());
        for output in ["b.csv", "c.csv"] {
            assert_eq!(work.column(output, "label"), work.column(output, "gold"));
        }
        let twice = server.answered_twice();
        assert!(server.asked().len() == ROWS && twice <= CONCURRENCY, "{twice} answered twice");
    }
}

/// Somebody has the store to themselves when a run begins: who looks on is told, and the run waits.
#[test]
fn a_store_that_does_not_open_is_told() {
    let (server, work) = (slow(), Workspace::new());
    work.file("in.csv", numbered(3));
    start(&work, &server, "a.csv").output();
    let other = rusqlite::Connection::open(work.path(".tooljudge/replies.sqlite")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut run = start(&work, &server, "b.csv");
    let mut lines = BufReader::new(run.stderr.take().unwrap()).lines().map(Result::unwrap);
    // The run has a deadline, and its lines end with it.
    let told = lines.find(|line| line.contains("does not open")).expect("a line about the store");
    assert!(told.starts_with("warning: the reply store .tooljudge/replies.sqlite does not open"), "{told}");
    other.execute_batch("COMMIT").unwrap();
    assert!(run.wait().success(), "{:?}", lines.collect::<Vec<_>>());
    assert_eq!(work.column("b.csv", "label"), work.column("b.csv", "gold"));
}

#[test]
fn a_run_that_waits_for_another_says_so() {
    // The only question is another run's, which gets its answer late.
    let server = Server::start(|seen| {
        Answer::After(
            Duration::from_secs(if seen.number == 0 { 23 } else { 0 }),
            Box::new(Answer::label("correct")),
        )
    });
    if super::cases(1) == 1 {
        crate::support::skipped("it takes 23 seconds; TOOLJUDGE_FAULTS=2 and more has them");
        return;
    }
    let work = Workspace::new();
    work.file("in.csv", numbered(1));
    let first = start(&work, &server, "a.csv");
    server.await_requests(1);
    let second = start(&work, &server, "b.csv").output();
    let told = String::from_utf8(second.stderr).unwrap();
    assert!(second.status.success() && told.contains("1 asked by another run"), "{told}");
    assert!(first.output().status.success());
    assert_eq!((server.requests(), server.answered_twice()), (1, 0));
}

/// It does not know that it hangs, and its claims lapse: what it had in flight may be answered twice, no more. If it hangs in
/// the middle of a commit nobody else can write: then the other run says who is in its way.
#[cfg(unix)]
#[test]
fn a_run_that_hangs_is_waited_for_no_longer_than_its_lease() {
    if super::cases(1) == 1 {
        println!("skipped: a lease takes its time; TOOLJUDGE_FAULTS=2 and more has it");
        return;
    }
    let (server, work) = (slow(), Workspace::new());
    work.file("in.csv", numbered(ROWS));
    let hung = start(&work, &server, "a.csv");
    server.await_requests(30);
    super::signals::send(hung.id(), "STOP");
    let began = Instant::now();
    let other = start(&work, &server, "b.csv").output();
    println!("the other had everything {:?} after the first one hung", began.elapsed());
    let told = String::from_utf8_lossy(&other.stderr);
    let in_its_way = format!("locked for 30 seconds by process {} (tooljudge)", hung.id());
    assert!(other.status.success() || other.status.code() == Some(2) && told.contains(&in_its_way), "{told}");
    super::signals::send(hung.id(), "CONT");
    assert!(hung.output().status.success());
    if !other.status.success() {
        assert!(start(&work, &server, "b.csv").wait().success());
    }
    for output in ["a.csv", "b.csv"] {
        assert_eq!(work.column(output, "label"), work.column(output, "gold"));
    }
    assert!(server.answered_twice() <= CONCURRENCY, "{} answered twice", server.answered_twice());
}
