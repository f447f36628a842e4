//! Finds the best concurrency of a server, and finds it again after changes.

use super::enforcer::{Beyond, Outage};
use super::*;

const NETWORK: Duration = Duration::from_millis(4);

fn crowd(served: usize, beyond: Beyond, latency: Duration, spread: f64) -> Rules {
    Rules { crowd: Some((served, beyond)), spread, epoch: epoch(), ..Rules::open(latency) }
}

fn run(rules: Rules, concurrency: Concurrency, rows: usize) -> Outcome {
    let patience = Duration::from_secs(3600);
    let limits = limits(concurrency, 0, 0);
    Run { limits, rules, rows, tokens: 1000.0, network: NETWORK, patience, seed: 7 }.simulate()
}

#[test]
fn what_an_endpoint_serves_at_once_is_found_out() {
    let beyond = [
        (Beyond::Slows { power: 1.0 }, 0.92, 2.0),
        // While a climb beyond it lasts, less comes out.
        (Beyond::Slows { power: 1.5 }, if at_length().is_some() { 0.6 } else { 0.9 }, 2.0),
        (Beyond::Refused { status: 529 }, 0.95, 1.0),
        // For all one knows it may have been the pace.
        (Beyond::Refused { status: 429 }, 0.45, 1.6),
    ];
    let servers =
        [(4, 100, 0.0), (32, 100, 0.0), (4, 1000, 0.9), (32, 1000, 0.9), (200, 100, 0.0), (200, 1000, 0.9)];
    for (served, latency, spread) in &servers[..if at_length().is_some() { 6 } else { 1 }] {
        for (beyond, least, most) in beyond {
            let latency = Duration::from_millis(*latency);
            let best = *served as f64 / latency.as_secs_f64();
            // Some thousand answers to find it with, for latencies vary.
            let seconds = 240.max((4000.0 / best) as usize);
            let outcome = run(
                crowd(*served, beyond, latency, *spread),
                Concurrency::Auto,
                (best * seconds as f64) as usize,
            );
            let mut targets = outcome.targets[seconds / 2..seconds * 3 / 4].to_vec();
            targets.sort_unstable();
            let found = targets[targets.len() / 2] as f64 / *served as f64;
            let share = outcome.rate(seconds / 2, seconds * 3 / 4) / best;
            println!(
                "{served:3} at once for {latency:?}, {beyond:?}: {found:.2} of them in flight, {share:.3} of the best, {} refused",
                outcome.truth.refused()
            );
            assert_eq!(outcome.errored, 0);
            assert!((0.7..=most).contains(&found) && share >= least, "{served} for {latency:?}, {beyond:?}");
        }
    }
}

/// Slots of a local server: answers take seconds, and what is beyond the slots only waits longer.
#[test]
fn a_slow_server_with_few_slots_is_not_swamped() {
    let mut failed = false;
    for (slots, latency) in [(4, 1000), (4, 2000), (4, 3000), (8, 2000), (1, 2000)] {
        let latency = Duration::from_millis(latency);
        let best = slots as f64 / latency.as_secs_f64();
        let rows = (300.0 * best) as usize;
        let outcome = run(crowd(slots, Beyond::Slows { power: 1.0 }, latency, 0.5), Concurrency::Auto, rows);
        let mut targets = outcome.targets.clone();
        targets.sort_unstable();
        let (usual, most) = (targets[targets.len() / 2], outcome.truth.most_in_flight);
        let share = rows as f64 / best / outcome.seconds;
        println!(
            "{slots} slots of {latency:?}: usually {usual} in flight, at most {most}, {share:.3} of the best"
        );
        // To look whether fewer do costs a quarter of four for a while: the quicker the answers, the more often.
        let least = if latency < Duration::from_secs(2) { 0.9 } else { 0.95 };
        failed |= usual > (2 * slots).max(8) || most > 40 || share < least;
    }
    assert!(!failed);
}

#[test]
fn after_an_outage_it_is_as_fast_as_before() {
    // Seconds after which it must be: the rows begun before the end rest, each for as long as it has failed.
    for (status, soon) in [(Some(503), 20), (Some(529), 20), (None, 20), (Some(429), 60)] {
        for served in if at_length().is_some() { &[4, 32, 200][..] } else { &[4] } {
            let (from, to) = (Duration::from_secs(60), Duration::from_secs(90));
            let outage = Some(Outage { from, to, status });
            let latency = Duration::from_millis(200);
            let rules = Rules { outage, ..crowd(*served, Beyond::Slows { power: 1.0 }, latency, 0.5) };
            let best = *served as f64 / latency.as_secs_f64();
            let outcome = run(rules, Concurrency::Auto, (best * 240.0) as usize);
            let before = outcome.rate(40, 60);
            let again =
                (90..200).find(|second| outcome.rate(*second, second + 5) >= 0.9 * before).map(|at| at - 90);
            println!(
                "outage of 30 s, {status:?}, {served:3} at once: {:.3} of the best before, as fast again after {again:?} s, {} tried \
                 in vain",
                before / best,
                outcome.truth.refused()
            );
            assert_eq!(outcome.errored, 0);
            assert!(
                before >= 0.95 * best && again.is_some_and(|seconds| seconds <= soon),
                "{status:?}, {served}"
            );
        }
    }
}

#[test]
fn a_number_told_is_never_exceeded() {
    for places in [1, 3, 17] {
        let concurrency = Concurrency::Fixed(NonZeroU32::new(places).unwrap());
        for beyond in [Beyond::Slows { power: 1.0 }, Beyond::Refused { status: 429 }] {
            let outcome = run(crowd(10, beyond, Duration::from_millis(100), 0.5), concurrency, 500);
            let most = outcome.truth.most_in_flight;
            assert_eq!(outcome.answered, 500);
            assert!(most <= places as usize, "{most} of {places}");
        }
    }
}
