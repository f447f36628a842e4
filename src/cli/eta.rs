//! The rate of a run, and its remaining time.

use std::collections::VecDeque;
use std::time::Duration;

/// What a run did longer ago says less of how fast it goes on.
const WINDOW: Duration = Duration::from_secs(60);
/// Between two of the moments that are remembered.
const APART: Duration = Duration::from_secs(1);

/// What was done when, over the last minute. Only what took work is speed: a thousand replies that were there already are
/// read in no time, and say nothing of those that are still to come.
#[derive(Debug, Default)]
pub(super) struct ThroughputMeter {
    moments: VecDeque<(Duration, u64)>,
    last: (Duration, u64),
}

impl ThroughputMeter {
    /// After `elapsed`, so many have taken `work`.
    pub(super) fn note(&mut self, elapsed: Duration, work: u64) {
        self.last = (elapsed, work);
        if self.moments.back().is_none_or(|(at, _)| elapsed.saturating_sub(*at) >= APART) {
            self.moments.push_back((elapsed, work));
        }
        while self.moments.get(1).is_some_and(|(at, _)| elapsed.saturating_sub(*at) >= WINDOW) {
            self.moments.pop_front();
        }
    }

    /// A second; 0 as long as nothing is known.
    pub(super) fn rate(&self) -> f64 {
        let (from, before) = self.moments.front().copied().unwrap_or_default();
        let (to, now) = self.last;
        let seconds = to.saturating_sub(from).as_secs_f64();
        if seconds > 0.0 { now.saturating_sub(before) as f64 / seconds } else { 0.0 }
    }

    /// For so many more, if all of them take work.
    pub(super) fn eta(&self, left: u64) -> Option<Duration> {
        if left == 0 {
            return Some(Duration::ZERO);
        }
        Duration::try_from_secs_f64(left as f64 / self.rate()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paced(moments: &[(u64, u64)]) -> ThroughputMeter {
        let mut meter = ThroughputMeter::default();
        meter.note(Duration::ZERO, 0);
        moments.iter().for_each(|(second, work)| meter.note(Duration::from_secs(*second), *work));
        meter
    }

    #[test]
    fn estimates_follow_the_work_of_the_last_minute() {
        let seconds = |meter: &ThroughputMeter, left| meter.eta(left).map(|eta| eta.as_secs());
        let steady: Vec<(u64, u64)> = (1..=10).map(|second| (second, 5 * second)).collect();
        assert_eq!(seconds(&paced(&steady), 50), Some(10));
        // A minute at 100 a second, then two at 1.
        let slower: Vec<(u64, u64)> =
            (1..=180_u64).map(|at| (at, at.min(60) * 100 + at.saturating_sub(60))).collect();
        assert_eq!(seconds(&paced(&slower), 30), Some(30));
        assert_eq!(seconds(&paced(&[]), 30), None);
        assert_eq!(seconds(&paced(&[(9, 0)]), 30), None);
        assert_eq!(seconds(&paced(&[(9, 0)]), 0), Some(0));
    }
}
