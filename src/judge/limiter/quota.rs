//! What an endpoint's headers say about one of its limits, and what follows from it.

use std::time::Duration;

use tokio::time::Instant;

/// Limits are a minute's unless they prove otherwise.
const MINUTE: f64 = 60.0;
/// A reset further away than this is not a minute's, clocks and rounding considered.
const LONGER_THAN_A_MINUTE: Duration = Duration::from_secs(66);
/// Nothing further away than this resets every second.
const ABOUT_A_SECOND: Duration = Duration::from_millis(1100);
/// Observations closer together than this count once.
const APART: Duration = Duration::from_millis(250);
/// Observations in a row that prove something.
const PROOF: u32 = 4;
/// How far apart the first and the last of them must be where chance plays a part.
const PROVED_AFTER: Duration = Duration::from_secs(2);
/// The largest limit that is believed.
const MOST: f64 = 1e10;

/// One limit as one response states it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(in crate::judge) struct Claim {
    pub limit: Option<f64>,
    pub remaining: Option<f64>,
    /// Until the limit is whole again.
    pub reset: Option<Duration>,
}

/// What is known of one limit.
#[derive(Debug, Default)]
pub(super) struct Quota {
    limit: Option<f64>,
    window: Window,
    /// Nothing is left until then.
    empty_until: Option<Instant>,
    looked: Option<Instant>,
    /// Observations in a row that fit a limit refilled bit by bit.
    gradual: u32,
    /// Since when all observations were of a reset within a second, how many, and whether a minute's limit that is
    /// refilled bit by bit would have said otherwise.
    brief: Option<(Instant, u32, bool)>,
}

/// In what time the limit may be used once.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
enum Window {
    #[default]
    Minute,
    Second,
    /// An hour's or a day's: used as fast as one likes until it is used up.
    Longer,
}

impl Quota {
    /// What may be used a second.
    pub(super) fn rate(&self) -> Option<f64> {
        match self.window {
            Window::Second => self.limit,
            Window::Minute => self.limit.map(|limit| limit / MINUTE),
            Window::Longer => None,
        }
    }

    /// When something is left again, if nothing is now.
    pub(super) fn empty_until(&self) -> Option<Instant> {
        self.empty_until
    }

    /// Believes what it can of `claim`; a server may say anything.
    pub(super) fn learn(&mut self, claim: &Claim, now: Instant) {
        let sane = |value: Option<f64>| value.filter(|value| (0.0..=MOST).contains(value));
        if let Some(limit) = sane(claim.limit).filter(|limit| *limit >= 1.0) {
            self.limit = Some(limit);
        }
        let (remaining, reset) = (sane(claim.remaining), claim.reset);
        if let (Some(limit), Some(remaining), Some(reset)) = (self.limit, remaining, reset) {
            self.look(limit, remaining, reset, now);
        }
        // A limit that is refilled bit by bit is never gone for long, and its reset says when it is whole again. A reset
        // far away is not waited for here: it ends the run, and the refusal that comes says why.
        let gone = remaining.is_some_and(|remaining| remaining < 1.0) && self.gradual < PROOF;
        self.empty_until =
            reset.filter(|reset| gone && *reset <= LONGER_THAN_A_MINUTE).map(|reset| now + reset);
    }

    /// Judges the window. A limit refilled bit by bit is whole again when what was used has flowed in; one that starts
    /// anew is so when its window ends, whatever was used.
    fn look(&mut self, limit: f64, remaining: f64, reset: Duration, now: Instant) {
        if reset > LONGER_THAN_A_MINUTE {
            self.window = Window::Longer;
            return;
        }
        if reset > ABOUT_A_SECOND {
            self.brief = None;
            if self.window == Window::Second {
                self.window = Window::Minute;
            }
        }
        if self.looked.is_some_and(|looked| now < looked + APART) {
            return;
        }
        self.looked = Some(now);
        let used = ((limit - remaining) / limit).clamp(0.0, 1.0);
        let (after_a_minute, reset) = (used * MINUTE, reset.as_secs_f64());
        if (0.02..0.98).contains(&used) {
            let fits = (reset - after_a_minute).abs() <= 0.1 * after_a_minute + 0.02;
            self.gradual = if fits { self.gradual + 1 } else { 0 };
        }
        if reset > 0.0 && reset <= ABOUT_A_SECOND.as_secs_f64() {
            let (since, count, unlike) = self.brief.unwrap_or((now, 0, false));
            let unlike = unlike || after_a_minute > 2.0 * reset + 0.05;
            self.brief = Some((since, count + 1, unlike));
            if unlike && count + 1 >= PROOF && now >= since + PROVED_AFTER && self.window == Window::Minute {
                self.window = Window::Second;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is learnt from a server that states its limit so: `used` and `reset` by the time in seconds.
    fn learnt(limit: f64, used: impl Fn(f64) -> f64, reset: impl Fn(f64) -> f64) -> Quota {
        let start = Instant::now();
        let mut quota = Quota::default();
        for tick in 1..200 {
            let at = f64::from(tick) / 10.0;
            let claim = Claim {
                limit: Some(limit),
                remaining: Some((limit - used(at)).floor()),
                reset: Some(Duration::from_secs_f64(reset(at).max(0.0))),
            };
            quota.learn(&claim, start + Duration::from_secs_f64(at));
        }
        quota
    }

    #[test]
    fn the_window_is_recognized() {
        // Refilled bit by bit in a minute, a second, a day; starting anew every minute, every second, every day.
        let cases: [(&str, Quota, Option<f64>); 7] = [
            ("minute, gradual", learnt(600.0, |at| 5.0 * at, |at| 0.5 * at), Some(10.0)),
            ("minute, hardly used", learnt(600.0, |_| 1.0, |_| 0.1), Some(10.0)),
            ("second, gradual", learnt(100.0, |_| 3.0, |_| 0.03), Some(100.0)),
            ("day, gradual", learnt(200.0, |at| at, |at| 432.0 * at), None),
            ("minute, anew", learnt(600.0, |at| 10.0 * at, |at| 60.0 - at), Some(10.0)),
            (
                "second, anew",
                learnt(20.0, |at| 2.0 + (at * 7.0) % 9.0, |at| 1.0 - (at * 0.37) % 1.0),
                Some(20.0),
            ),
            ("day, anew", learnt(1000.0, |at| at, |at| 80_000.0 - at), None),
        ];
        for (name, quota, rate) in cases {
            assert_eq!(quota.rate(), rate, "{name}");
        }
    }

    #[test]
    fn nothing_left_is_waited_for_where_it_comes_back_at_once() {
        let now = Instant::now();
        let gone = |reset| {
            let mut quota = Quota::default();
            let reset = Some(Duration::from_secs(reset));
            quota.learn(&Claim { limit: Some(600.0), remaining: Some(0.0), reset }, now);
            quota.empty_until().map(|until| (until - now).as_secs())
        };
        assert_eq!(gone(20), Some(20));
        // Tomorrow is not waited for: the refusal will say so.
        assert_eq!(gone(80_000), None);
        // Refilled bit by bit, it is never gone for long.
        let mut gradual = learnt(600.0, |at| 25.0 * at, |at| 2.5 * at);
        let claim = Claim { limit: Some(600.0), remaining: Some(0.0), reset: Some(Duration::from_secs(60)) };
        gradual.learn(&claim, now + Duration::from_secs(25));
        assert_eq!(gradual.empty_until(), None);
    }

    #[test]
    fn nonsense_is_not_believed() {
        let now = Instant::now();
        for limit in [0.0, -5.0, f64::NAN, f64::INFINITY, 1e300] {
            let mut quota = Quota::default();
            for remaining in [f64::NAN, -1.0, 1e300, 0.0, 7.0] {
                for reset in [Duration::ZERO, Duration::MAX, Duration::from_secs(1)] {
                    let claim = Claim { limit: Some(limit), remaining: Some(remaining), reset: Some(reset) };
                    quota.learn(&claim, now);
                    assert_eq!(quota.rate(), None);
                    assert!(quota.empty_until().is_none_or(|until| until <= now + LONGER_THAN_A_MINUTE));
                }
            }
        }
    }
}
