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
/// Observations that prove something.
const PROOF: u32 = 8;
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
    /// Observations in a row that fit a limit refilled bit by bit, and those that fit one of a second.
    gradual: u32,
    brief: u32,
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
        let gone = remaining.is_some_and(|remaining| remaining < 1.0) && self.gradual < PROOF / 2;
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
            self.brief = 0;
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
            // A minute's limit would take far longer for what was used, one time or another.
            self.brief += u32::from(self.brief + 1 < PROOF || after_a_minute > 2.0 * reset + 0.05);
            if self.brief >= PROOF && self.window == Window::Minute {
                self.window = Window::Second;
            }
        }
    }
}
