//! What an endpoint's headers state about one of its limits, and the resulting rate.

use std::fmt;
use std::time::Duration;

use tokio::time::Instant;

use super::window::{Evidence, LONGER_THAN_A_MINUTE, MINUTE, Statement, Window};

/// The largest limit that is believed, in requests or tokens. Chosen: far above what providers sell.
const MAX_LIMIT: f64 = 1e10;

/// One limit as one response states it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(in crate::judge) struct Claim {
    /// The header that states the limit.
    pub header: &'static str,
    pub limit: Option<f64>,
    pub remaining: Option<f64>,
    /// Until the limit is whole again.
    pub reset: Option<Reset>,
}

/// When a limit is whole again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::judge) enum Reset {
    /// So long after the server looked.
    After(Duration),
    /// At a time of day, which is so far away now.
    At(Duration),
}

impl Reset {
    pub(in crate::judge) fn wait(self) -> Duration {
        let (Reset::After(wait) | Reset::At(wait)) = self;
        wait
    }
}

/// When a request was sent, and what all of them together had taken by then, itself included.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    pub sent: Instant,
    pub taken: f64,
}

/// What is known of one limit.
#[derive(Debug, Default)]
pub(super) struct Quota {
    header: &'static str,
    limit: Option<f64>,
    window: Window,
    evidence: Evidence,
    /// What was left by the last statement.
    remaining: Option<f64>,
    /// Nothing is left until then.
    empty_until: Option<Instant>,
}

impl Quota {
    /// What may be used a second.
    pub(super) fn rate(&self) -> Option<f64> {
        match self.window {
            Window::Shorter(seconds) => self.limit.map(|limit| limit / seconds),
            Window::Minute => self.limit.map(|limit| limit / MINUTE),
            Window::Longer => None,
        }
    }

    /// When something is left again, if nothing is now.
    pub(super) fn empty_until(&self) -> Option<Instant> {
        self.empty_until
    }

    /// Whether `amount` is more than was left at last.
    pub(super) fn lacks(&self, amount: f64) -> bool {
        self.remaining.is_some_and(|remaining| remaining < amount)
    }

    /// In words: `x-ratelimit-limit-requests: 20 per minute`.
    pub(super) fn stated(&self) -> Option<Stated> {
        let seconds = match self.window {
            Window::Shorter(seconds) => seconds,
            Window::Minute => MINUTE,
            Window::Longer => return None,
        };
        Some(Stated { header: self.header, limit: self.limit?, seconds })
    }

    /// Believes what it can of `claim`, which answered the request of that `moment`; a server may say anything.
    pub(super) fn learn(&mut self, claim: &Claim, moment: Moment, now: Instant) {
        let sane = |value: Option<f64>| value.filter(|value| (0.0..=MAX_LIMIT).contains(value));
        if let Some(limit) = sane(claim.limit).filter(|limit| *limit >= 1.0) {
            self.limit = Some(limit);
            self.header = claim.header;
        }
        let (remaining, wait) = (sane(claim.remaining), claim.reset.map(Reset::wait));
        self.remaining = remaining.or(self.remaining);
        let age = now.saturating_duration_since(moment.sent);
        if let (Some(limit), Some(remaining), Some(reset)) = (self.limit, remaining, claim.reset) {
            // A time of day was read now, and what remains was counted at some moment since the request was sent.
            let reset = match reset {
                Reset::After(reset) => (reset, reset),
                Reset::At(reset) => (reset, reset.saturating_add(age)),
            };
            if reset.0 > LONGER_THAN_A_MINUTE {
                self.window = Window::Longer;
            } else {
                self.evidence.add(Statement { limit, remaining, reset }, moment.sent, moment.taken);
                if self.window != Window::Longer {
                    self.window = self.evidence.window(limit);
                }
            }
        }
        // A limit that is refilled bit by bit is never gone for long, and its reset says when it is whole again. A reset
        // far away is not waited for here: it ends the run, and the refusal that comes says why. And what came later than a
        // window lasts is of an earlier one.
        let outdated = matches!(self.window, Window::Shorter(seconds) if age.as_secs_f64() > seconds);
        let gone =
            remaining.is_some_and(|remaining| remaining < 1.0) && !self.evidence.is_gradual() && !outdated;
        self.empty_until = wait.filter(|wait| gone && *wait <= LONGER_THAN_A_MINUTE).map(|wait| now + wait);
    }
}

/// A limit as a server states it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stated {
    /// The response header's name.
    pub header: &'static str,
    /// Requests or tokens, whichever the header counts.
    pub limit: f64,
    /// In which it may be used once.
    pub seconds: f64,
}

impl fmt::Display for Stated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stated { header, limit, seconds } = self;
        match *seconds {
            MINUTE => write!(f, "{header}: {limit} per minute"),
            1.0 => write!(f, "{header}: {limit} per second"),
            seconds => write!(f, "{header}: {limit} in {} s", (10.0 * seconds).round() / 10.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What one response says of a limit of requests.
    fn claim(limit: f64, remaining: f64, reset: Duration) -> Claim {
        let reset = Some(Reset::After(reset));
        Claim { header: "requests", limit: Some(limit), remaining: Some(remaining), reset }
    }

    /// What is learnt from a server that states its limit so: `used` and `reset` by the time in seconds; who else uses the
    /// limit is not known.
    fn learnt(limit: f64, used: impl Fn(f64) -> f64, reset: impl Fn(f64) -> f64) -> Quota {
        let start = Instant::now();
        let mut quota = Quota::default();
        for tick in 1..200 {
            let at = f64::from(tick) / 10.0;
            let reset = Duration::from_secs_f64(reset(at).max(0.0));
            let sent = start + Duration::from_secs_f64(at);
            let claim = claim(limit, (limit - used(at)).floor(), reset);
            quota.learn(&claim, Moment { sent, taken: limit * at }, sent);
        }
        quota
    }

    #[test]
    #[expect(clippy::type_complexity, reason = "a table")]
    fn the_window_is_recognized() {
        // Refilled bit by bit in a minute, a second, a day; starting anew every minute, every second, every day.
        let about = |rate: f64| Some((0.97 * rate, 1.06 * rate));
        let cases: [(&str, Quota, Option<(f64, f64)>); 12] = [
            ("minute, gradual", learnt(600.0, |at| 5.0 * at, |at| 0.5 * at), about(10.0)),
            ("minute, hardly used", learnt(600.0, |_| 1.0, |_| 0.1), about(10.0)),
            (
                "minute, told in whole seconds",
                learnt(600.0, |at| 5.0 * at, |at| (0.5 * at).ceil()),
                about(10.0),
            ),
            ("second, gradual", learnt(100.0, |_| 3.0, |_| 0.03), about(100.0)),
            ("two seconds, gradual", learnt(10.0, |at| at % 9.0, |at| at % 9.0 / 5.0), about(5.0)),
            ("day, gradual", learnt(200.0, |at| at, |at| 432.0 * at), None),
            ("minute, anew", learnt(600.0, |at| 10.0 * at, |at| 60.0 - at), about(10.0)),
            (
                "second, anew",
                learnt(20.0, |at| 2.0 + (at * 7.0) % 9.0, |at| 1.0 - (at * 0.37) % 1.0),
                about(20.0),
            ),
            ("second, anew, one", learnt(1.0, |_| 1.0, |at| 1.0 - (at * 0.37) % 1.0), about(1.0)),
            ("four seconds, anew", learnt(20.0, |at| 5.0 * (at % 4.0), |at| 4.0 - at % 4.0), about(5.0)),
            // The oldest of the last minute leaves.
            (
                "minute, sliding",
                learnt(600.0, |at| (at * 100.0).min(599.0), |at| if at < 6.0 { 60.0 - at } else { 0.1 }),
                about(10.0),
            ),
            ("day, anew", learnt(1000.0, |at| at, |at| 80_000.0 - at), None),
        ];
        for (name, quota, rate) in cases {
            match (quota.rate(), rate) {
                (Some(got), Some((least, most))) => assert!((least..most).contains(&got), "{name}: {got}"),
                (got, rate) => assert_eq!(got.is_some(), rate.is_some(), "{name}: {got:?}"),
            }
        }
    }

    #[test]
    fn what_others_use_proves_no_short_window() {
        let start = Instant::now();
        let mut quota = Quota::default();
        for tick in 0..20_u32 {
            let sent = start + Duration::from_secs(1) * tick;
            // Another run has used nearly all of a minute, whose oldest requests are leaving.
            let claim = claim(600.0, f64::from(tick % 7), Duration::from_millis(100));
            quota.learn(&claim, Moment { sent, taken: f64::from(tick) }, sent);
        }
        assert_eq!(quota.rate(), Some(10.0));
    }

    #[test]
    fn nothing_left_is_waited_for_where_it_comes_back_at_once() {
        let now = Instant::now();
        let gone = |reset| {
            let mut quota = Quota::default();
            let claim = claim(600.0, 0.0, Duration::from_secs(reset));
            quota.learn(&claim, Moment { sent: now, taken: 1.0 }, now);
            quota.empty_until().map(|until| (until - now).as_secs())
        };
        assert_eq!(gone(20), Some(20));
        // Tomorrow is not waited for: the refusal will say so.
        assert_eq!(gone(80_000), None);
        // Refilled bit by bit, it is never gone for long.
        let mut gradual = learnt(600.0, |at| 25.0 * at, |at| 2.5 * at);
        let later = now + Duration::from_secs(25);
        let claim = claim(600.0, 0.0, Duration::from_secs(60));
        gradual.learn(&claim, Moment { sent: later, taken: 600.0 }, later);
        assert_eq!(gradual.empty_until(), None);
    }

    #[test]
    fn nonsense_is_not_believed() {
        let now = Instant::now();
        for limit in [0.0, -5.0, f64::NAN, f64::INFINITY, 1e300] {
            let mut quota = Quota::default();
            for remaining in [f64::NAN, -1.0, 1e300, 0.0, 7.0] {
                for reset in [Duration::ZERO, Duration::MAX, Duration::from_secs(1)] {
                    let moment = Moment { sent: now, taken: 1.0 };
                    quota.learn(&claim(limit, remaining, reset), moment, now);
                    assert_eq!(quota.rate(), None);
                    assert!(quota.empty_until().is_none_or(|until| until <= now + LONGER_THAN_A_MINUTE));
                }
            }
        }
    }
}
