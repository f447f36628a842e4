//! The number in flight that a server serves best, found and found again.

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
    let (flat, falling) = (Beyond::Slows { power: 1.0 }, Beyond::Slows { power: 1.5 });
    for beyond in [flat, falling, Beyond::Refused { status: 529 }, Beyond::Refused { status: 429 }] {
        for served in [4, 32, 200] {
            for (latency, spread) in [(100, 0.0), (1000, 0.9)] {
                let latency = Duration::from_millis(latency);
                let best = served as f64 / latency.as_secs_f64();
                // Some thousand answers to find it with, for latencies vary.
                let seconds = 240.max((4000.0 / best) as usize);
                let outcome = run(
                    crowd(served, beyond, latency, spread),
                    Concurrency::Auto,
                    (best * seconds as f64) as usize,
                );
                let mut targets = outcome.targets[seconds / 2..seconds * 3 / 4].to_vec();
                targets.sort_unstable();
                let found = targets[targets.len() / 2];
                let share = outcome.rate(seconds / 2, seconds * 3 / 4) / best;
                println!(
                    "{served:3} at once for {latency:?}, {beyond:?}: {found:3} in flight ({:.2}), {share:.3} of the best, {} refused, {} errored",
                    found as f64 / served as f64,
                    outcome.truth.refused(),
                    outcome.errored
                );
            }
        }
    }
}

#[test]
fn after_an_outage_it_is_as_fast_as_before() {
    for status in [Some(503), Some(529), Some(429), None] {
        for served in [4, 32, 200] {
            let latency = Duration::from_millis(200);
            let (from, to) = (Duration::from_secs(60), Duration::from_secs(90));
            let rules = Rules {
                outage: Some(Outage { from, to, status }),
                ..crowd(served, Beyond::Slows { power: 1.0 }, latency, 0.5)
            };
            let best = served as f64 / latency.as_secs_f64();
            let outcome = run(rules, Concurrency::Auto, (best * 240.0) as usize);
            let before = outcome.rate(40, 60);
            let again =
                (90..outcome.answers.len()).find(|second| outcome.rate(*second, second + 5) >= 0.9 * before);
            println!(
                "outage of 30 s, {status:?}, {served:3} at once: {:.3} of the best before, as fast again after {:?} s, {} tried in vain, {} errored",
                before / best,
                again.map(|at| at - 90),
                outcome.truth.refused(),
                outcome.errored
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
