//! `kill -9` at random instants of a run's life, each resumed: nothing is lost, nothing that was kept is paid for again.
//!
//! `cargo test kill` kills a few runs; `TOOLJUDGE_KILLS=200 cargo test kill -- --nocapture` is the proof, and prints a table.

mod drives;
mod instant;
mod life;
mod writers;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use instant::Instant;
use life::{Told, life, unbroken};

use tooljudge_laws::mutations::Dice;

/// Kills, where nobody says how many.
const KILLS: usize = 15;
/// Runs that are killed at once.
const WORKERS: usize = 2;

pub fn kills() -> usize {
    std::env::var("TOOLJUDGE_KILLS").ok().map_or(KILLS, |kills| kills.parse().unwrap())
}

#[test]
fn killed_at_any_instant_nothing_is_lost_and_nothing_paid_twice() {
    let (kills, duration) = (kills(), unbroken());
    println!("{kills} kills; an unbroken run takes {duration:?}");
    let (next, told) = (AtomicUsize::new(0), Mutex::new(BTreeMap::<&str, Told>::new()));
    let work = || {
        loop {
            let case = next.fetch_add(1, Ordering::SeqCst);
            let killed = told.lock().unwrap().values().map(|told| told.kills).sum::<usize>();
            // Now and then a run is over before it can be killed.
            if killed >= kills || case > 2 * kills + 20 {
                break;
            }
            let instant = Instant::of(case, duration, &mut Dice::new(case as u64));
            let name = instant.name();
            let new = life(case, &instant, duration);
            told.lock().unwrap().entry(name).or_default().add(new);
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS).map(|_| scope.spawn(work)).collect();
        // What a worker says when it fails is what the test says.
        workers
            .into_iter()
            .for_each(|worker| worker.join().unwrap_or_else(|why| std::panic::resume_unwind(why)));
    });
    let told = told.into_inner().unwrap();
    println!("{}", Told::HEADER);
    let mut sum = Told::default();
    for (name, told) in told {
        println!("{name:<34}{told}");
        sum.add(told);
    }
    println!("{:<34}{sum}", "all");
    assert!(sum.kills >= kills, "{} of {kills} runs could be killed", sum.kills);
    assert_eq!((sum.equal, sum.kept_again), (sum.tables, 0));
}

/// Waits, but not for ever; `false` if `enough` never came.
pub fn wait_until(mut enough: impl FnMut() -> bool) -> bool {
    for _ in 0..200_000 {
        if enough() {
            return true;
        }
        std::thread::sleep(Duration::from_micros(100));
    }
    false
}
