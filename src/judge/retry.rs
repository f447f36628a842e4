//! How long to wait after a failed attempt.

use std::time::Duration;

const FIRST: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(30);

/// The wait before attempt `failures + 1`: doubling from half a second up to thirty, the upper half of it random, never
/// less than what the server asked for. `random` is uniform in [0, 1).
pub(super) fn delay(failures: u32, asked: Option<Duration>, random: f64) -> Duration {
    let doubled = FIRST.saturating_mul(1 << failures.saturating_sub(1).min(16)).min(LONGEST);
    let jittered = doubled.mul_f64(0.5 + 0.5 * random);
    match asked {
        // Other clients were told the same moment.
        Some(asked) => asked.saturating_add((asked / 10).min(Duration::from_millis(200)).mul_f64(random)),
        None => jittered,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_with_jitter_and_obeys_the_server() {
        let millis = |failures, asked: Option<u64>, random| {
            delay(failures, asked.map(Duration::from_millis), random).as_millis()
        };
        assert_eq!([1, 2, 3, 7, 40].map(|n| millis(n, None, 0.0)), [250, 500, 1000, 15_000, 15_000]);
        assert_eq!(millis(1, None, 1.0), 500);
        assert_eq!(delay(1, Some(Duration::MAX), 0.5), Duration::MAX);
        assert_eq!((millis(5, Some(100), 0.0), millis(1, Some(90_000), 0.5)), (100, 90_100));
    }
}
