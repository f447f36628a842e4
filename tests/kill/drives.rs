//! Agents killed in the middle of episodes: what is stored is played again, and nothing that was kept is paid for twice.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant as Clock};

use serde_json::Value;
use tooljudge_laws::mutations::Dice;

use super::life::{Told, looked_at};
use super::{WORKERS, kills, wait_until};
use crate::drive::{REPLIES, drive, number_of, told, traveller, workspace};
use crate::support::server::{Answer, Server};
use crate::support::workspace::Workspace;

const CASES: usize = 40;
/// Replies of all episodes, two of each case.
const TURNS: usize = CASES * 2 * REPLIES;
const CONCURRENCY: usize = 16;

fn agent() -> Server {
    Server::start(|seen| {
        let wait = Duration::from_millis(1 + (number_of(seen) % 13) as u64);
        Answer::After(wait, Box::new(traveller(seen)))
    })
}

fn args(server: &Server) -> Vec<&str> {
    drive(server, &["--repeats", "2", "--concurrency", "16"])
}

/// Waits until it is time to kill: half at any time, the others in phases that can be seen from outside.
fn wait(
    case: usize,
    (work, server): (&Workspace, &Server),
    duration: Duration,
    dice: &mut Dice,
) -> &'static str {
    let began = Clock::now();
    let is_over = || began.elapsed() > 3 * duration;
    let log = || work.path(".tooljudge/replies.sqlite-wal").metadata().map_or(0, |file| file.len());
    match case % 10 {
        0 => {
            wait_until(|| log() > 0 || is_over());
            "before the first request"
        }
        2 | 3 => {
            let requests = server.requests() + 1 + dice.roll(TURNS - 1);
            wait_until(|| server.requests() >= requests || is_over());
            "after n requests"
        }
        4 => {
            let bytes = 1 + dice.roll(400_000) as u64;
            wait_until(|| log() >= bytes || is_over());
            "at a commit"
        }
        6 => {
            wait_until(|| work.names().iter().any(|name| name.ends_with(".part")) || is_over());
            std::thread::sleep(Duration::from_micros(dice.roll(4_000) as u64));
            "while the table is written"
        }
        8 => {
            wait_until(|| work.path("episodes.jsonl").exists() || is_over());
            "when the table has its name"
        }
        _ => {
            std::thread::sleep(duration.mul_f64(dice.roll(10_000) as f64 / 10_000.0));
            "at any time"
        }
    }
}

/// Replies in the store.
fn kept(work: &Workspace) -> usize {
    // Killed before there was a table?
    let count = |store: rusqlite::Connection| {
        store.query_row("SELECT count(*) FROM replies", [], |row| row.get(0)).ok()
    };
    looked_at(work).and_then(count).unwrap_or(0)
}

/// A run of its own, killed up to three times, resumed, and compared with one that nobody killed.
fn life(case: usize, expected: &[Value], duration: Duration) -> (&'static str, Told) {
    let mut dice = Dice::new(0x6472_6976 + case as u64);
    let (server, work) = (agent(), workspace(CASES));
    let args = args(&server);
    let mut sum = Told::default();
    let mut name = "";
    // Requests whose reply is not kept, and of these replies those that were sent, over all kills.
    let (mut lost, mut lost_replies) = (0, 0);
    let sent = || server.completions().values().sum::<usize>();
    for _ in 0..1 + case % 3 {
        let run = work.start(&args);
        name = wait(case, (&work, &server), duration, &mut dice);
        run.kill();
        let killed = run.wait().code().is_none();
        // What is on its way to the server counts as in flight too: it is asked whatever becomes of us.
        server.settle();
        let kept = kept(&work);
        let (open, unkept) = (server.requests() - kept - lost, sent() - kept - lost_replies);
        (lost, lost_replies) = (lost + open, lost_replies + unkept);
        sum.twice = sum.twice.max(unkept);
        assert!(open <= CONCURRENCY, "{open} were asked and not kept");
        sum.in_flight = sum.in_flight.max(open);
        if work.path("episodes.jsonl").exists() {
            assert_eq!(told(&work, "episodes.jsonl"), expected, "half a table under its name");
        }
        if !killed {
            assert_eq!(open, 0, "a run that ends keeps all that it asked");
            break;
        }
        sum.kills += 1;
    }
    if sum.kills == 0 {
        return (name, sum);
    }
    let began = Clock::now();
    work.run(&args).ended(0);
    sum.resume = began.elapsed();
    assert_eq!(sent(), TURNS + lost_replies, "what is paid for twice was not kept");
    sum.kept_again = server.requests() - TURNS - lost;
    sum.tables = 1;
    sum.equal = usize::from(told(&work, "episodes.jsonl") == expected);
    let left: Vec<String> = work.names().into_iter().filter(|name| name.ends_with(".part")).collect();
    assert!(left.is_empty(), "{left:?}");
    assert!(!work.path(".tooljudge/replies.sqlite-runs").exists(), "dead runs were not cleared away");
    (name, sum)
}

#[test]
fn killed_in_the_middle_of_episodes_nothing_is_lost_and_nothing_paid_twice() {
    let unbroken = || {
        let (server, work) = (agent(), workspace(CASES));
        let began = Clock::now();
        work.run(&args(&server)).ended(0);
        assert_eq!(server.requests(), TURNS);
        (began.elapsed(), told(&work, "episodes.jsonl"))
    };
    let ((one, expected), (other, again)) = (unbroken(), unbroken());
    assert_eq!(expected, again);
    let (kills, duration) = (kills(), one.min(other));
    println!("{kills} kills; an unbroken run takes {duration:?}");
    let (next, sums) = (AtomicUsize::new(0), Mutex::new(std::collections::BTreeMap::<&str, Told>::new()));
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                loop {
                    let case = next.fetch_add(1, Ordering::SeqCst);
                    let killed = sums.lock().unwrap().values().map(|told| told.kills).sum::<usize>();
                    // Now and then a run is over before it can be killed.
                    if killed >= kills || case > 2 * kills + 20 {
                        break;
                    }
                    let (name, new) = life(case, &expected, duration);
                    sums.lock().unwrap().entry(name).or_default().add(new);
                }
            });
        }
    });
    let mut sum = Told::default();
    println!("{}", Told::HEADER);
    for (name, told) in sums.into_inner().unwrap() {
        println!("{name:<34}{told}");
        sum.add(told);
    }
    println!("{:<34}{sum}", "all");
    assert!(sum.kills >= kills, "{} of {kills} runs could be killed", sum.kills);
    assert_eq!((sum.equal, sum.kept_again), (sum.tables, 0));
}
