//! How long to wait after a failed attempt.

use std::time::Duration;

const FIRST: Duration = Duration::from_millis(500);
const MAX_PAUSE: Duration = Duration::from_secs(30);

/// How many failures in a row may be followed by a wait as short as the server asks for.
const BELIEVED: u32 = 2;

/// The wait before attempt `failures + 1`: what the server asked for, or else doubling from half a second up to thirty, the
/// upper half of it random. `random` is uniform in [0, 1).
///
/// A server that asks for no wait at all, or for one that is over (clocks differ), has not said how long to wait; and one
/// that asks for short waits again and again, all of them obeyed in vain, is not stormed for it.
pub(super) fn delay(failures: u32, asked: Option<Duration>, random: f64) -> Duration {
    let own = |failures: u32| {
        let doubled = FIRST.saturating_mul(1 << failures.saturating_sub(1).min(16)).min(MAX_PAUSE);
        doubled.mul_f64(0.5 + 0.5 * random)
    };
    match asked {
        Some(asked) if !asked.is_zero() => {
            // Other clients were told the same moment.
            let asked = asked.saturating_add((asked / 10).min(Duration::from_millis(200)).mul_f64(random));
            if failures > BELIEVED { asked.max(own(failures - BELIEVED)) } else { asked }
        }
        _ => own(failures),
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
        assert_eq!((millis(2, Some(100), 0.0), millis(1, Some(90_000), 0.5)), (100, 90_100));
        assert_eq!((millis(1, Some(0), 0.0), millis(3, Some(0), 0.0)), (250, 1000));
        assert_eq!([3, 4, 5].map(|n| millis(n, Some(100), 0.0)), [250, 500, 1000]);
        assert_eq!(millis(40, Some(90_000), 0.0), 90_000);
    }
}
