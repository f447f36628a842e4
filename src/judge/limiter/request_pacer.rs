//! Paces requests at the user's rate: the cell rate algorithm of `governor`, on a clock that the caller sets.

use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::{Clock, FakeRelativeClock};
use governor::middleware::NoOpMiddleware;
use governor::state::{InMemoryState, NotKeyed};
use governor::{Quota, RateLimiter};
use tokio::time::Instant;

/// Requests that may follow each other at once, in seconds of the pace: enough to make up for a late timer, too little to
/// offend a server that counts by the second. Chosen: a tenth of such a server's window.
const SLACK: f64 = 0.1;

type Cells = RateLimiter<
    NotKeyed,
    InMemoryState,
    FakeRelativeClock,
    NoOpMiddleware<<FakeRelativeClock as Clock>::Instant>,
>;

/// Evenly spaced places for requests. What was learnt of tokens and of headers moves too much for it and goes into buckets.
#[derive(Debug)]
pub(super) struct RequestPacer {
    /// A second, for all runs together.
    rate: f64,
    /// How many runs share it.
    runs: f64,
    clock: FakeRelativeClock,
    /// What the clock shows; nothing before the first request.
    at: Option<Instant>,
    cells: Cells,
    /// Whether a place was found free that nobody has taken yet.
    granted: bool,
}

impl RequestPacer {
    /// `rate` requests a second.
    pub(super) fn new(rate: f64) -> RequestPacer {
        let clock = FakeRelativeClock::default();
        let cells = RateLimiter::direct_with_clock(quota(rate), clock.clone());
        RequestPacer { rate, runs: 1.0, clock, at: None, cells, granted: false }
    }

    /// A second, for one of `runs` runs.
    pub(super) fn rate(&self, runs: f64) -> f64 {
        self.rate / runs
    }

    /// When the next request may be sent; `now` if it may, and then its place is kept for it.
    pub(super) fn ready(&mut self, now: Instant, runs: f64) -> Instant {
        // Clocks read by two threads may come in the wrong order.
        let since = self.at.map_or(Duration::ZERO, |at| now.saturating_duration_since(at));
        self.clock.advance(since);
        self.at = self.at.max(Some(now));
        if self.runs != runs {
            self.runs = runs;
            let quota = quota(self.rate(runs));
            self.cells = RateLimiter::direct_with_clock(quota, self.clock.clone());
            // What was sent before is forgotten, so nothing may follow at once. A burst always fits.
            let _ = self.cells.check_n(quota.burst_size());
        }
        if self.granted {
            return now;
        }
        match self.cells.check() {
            Ok(()) => {
                self.granted = true;
                now
            }
            Err(early) => now + early.wait_time_from(self.clock.now()),
        }
    }

    /// Takes the place that was kept.
    pub(super) fn take(&mut self) {
        self.granted = false;
    }
}

fn quota(rate: f64) -> Quota {
    let period = Duration::try_from_secs_f64(1.0 / rate).unwrap_or(Duration::from_secs(3600));
    let burst = NonZeroU32::new((rate * SLACK) as u32).unwrap_or(NonZeroU32::MIN);
    // A period is longer than nothing, for rates come from whole numbers a minute.
    let quota =
        Quota::with_period(period.max(Duration::from_nanos(1))).unwrap_or(Quota::per_hour(NonZeroU32::MIN));
    quota.allow_burst(burst)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends as soon as it may; returns when, in milliseconds.
    fn times(
        pacer: &mut RequestPacer,
        from: Instant,
        mut now: Instant,
        requests: usize,
        runs: f64,
    ) -> Vec<u128> {
        let mut times = Vec::new();
        while times.len() < requests {
            let ready = pacer.ready(now, runs);
            if ready > now {
                now = ready;
                continue;
            }
            pacer.take();
            times.push((now - from).as_millis());
        }
        times
    }

    #[test]
    fn requests_keep_their_distance() {
        let start = Instant::now();
        assert_eq!(times(&mut RequestPacer::new(2.0), start, start, 4, 1.0), [0, 500, 1000, 1500]);
        // Twenty at once where the pace is 200 a second, and 5 ms apart from then on.
        let quick = times(&mut RequestPacer::new(200.0), start, start, 30, 1.0);
        assert_eq!((quick[19], quick[20], quick[29]), (0, 5, 50));
    }

    #[test]
    fn a_place_that_was_found_is_kept() {
        let start = Instant::now();
        let mut pacer = RequestPacer::new(1.0);
        assert_eq!(pacer.ready(start, 1.0), start);
        assert_eq!(pacer.ready(start, 1.0), start);
        pacer.take();
        assert_eq!(pacer.ready(start, 1.0), start + Duration::from_secs(1));
    }

    #[test]
    fn who_shares_waits_longer_and_gets_no_burst() {
        let start = Instant::now();
        let mut pacer = RequestPacer::new(10.0);
        assert_eq!(times(&mut pacer, start, start, 3, 1.0), [0, 100, 200]);
        let later = start + Duration::from_millis(200);
        assert_eq!(times(&mut pacer, start, later, 3, 2.0), [400, 600, 800]);
    }
}
