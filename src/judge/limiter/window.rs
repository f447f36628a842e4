//! The period of a limit, inferred from responses.
//!
//! A limit's header rarely says whether it is per second, per minute or per day, but the reset does. If a limit is refilled
//! continuously, the time to its reset is proportional to what was used. If it starts again with each window, it resets when the
//! window ends, whatever was used; so the window is as long as the longest reset.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

/// Seconds. Limits are a minute's unless they prove otherwise: so providers document theirs.
pub(super) const MINUTE: f64 = 60.0;
/// A reset further away than this is not a minute's. Chosen: a tenth more than a minute, for clocks and rounding.
pub(super) const LONGER_THAN_A_MINUTE: Duration = Duration::from_secs(66);
/// Statements that must agree on a ratio, at least 2. Chosen.
const AGREEING: u32 = 4;
/// How much more must be used in one of these statements than in another, as a factor above 1. Chosen.
const SPREAD: f64 = 2.0;
/// How far apart the bounds of a ratio may be that is known: their ratio, above 1. Chosen.
const NARROW: f64 = 1.5;
/// Seconds. Providers write resets in milliseconds at best.
const MILLISECOND: f64 = 0.001;
/// Requests closer together than this are remembered as one. Chosen: the 66 seconds that are
/// remembered hold 1,320 of them at most.
const APART: Duration = Duration::from_millis(50);

/// How a limit comes back.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(super) enum Window {
    #[default]
    Minute,
    /// Of so many seconds, less than a minute.
    Shorter(f64),
    /// An hour's or a day's: used as fast as one likes until it is used up.
    Longer,
}

/// What is left of a limit, as one response states it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Statement {
    pub limit: f64,
    pub remaining: f64,
    /// The shortest and the longest that it may have been until the limit is whole again, when the server looked.
    pub reset: (Duration, Duration),
}

impl Statement {
    fn used(&self) -> f64 {
        (self.limit - self.remaining).max(0.0)
    }
}

/// What the statements so far show.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    ratio: Ratio,
    /// The longest reset.
    longest: f64,
    /// Whether some reset was too short for a minute's limit that is refilled bit by bit.
    short: bool,
    /// Whether others used some of what was used at last, so that nobody knows since when.
    shared: bool,
    sent: Sent,
}

impl Evidence {
    /// Adds what the response to a request said, which was sent at `sent` when all of them together had `taken` so much.
    pub(super) fn add(&mut self, statement: Statement, sent: Instant, taken: f64) {
        let (used, reset) = (statement.used(), statement.reset.1.as_secs_f64());
        let since = self.sent.time_of_last(used, sent, taken);
        if reset <= 0.0 || used <= 0.0 {
            return;
        }
        self.ratio.add(used, (statement.reset.0.as_secs_f64(), reset));
        // What is used was sent within one window: a shorter one does not explain it.
        self.longest = self.longest.max(reset).max(since.unwrap_or_default().min(MINUTE));
        self.shared = since.is_none();
        let after_a_minute = used / statement.limit * MINUTE;
        self.short |= after_a_minute > 2.0 * reset + 0.05;
    }

    /// Whether the limit is refilled bit by bit.
    pub(super) fn is_gradual(&self) -> bool {
        self.ratio.is_known()
    }

    pub(super) fn window(&self, limit: f64) -> Window {
        let seconds = match self.ratio.seconds(limit) {
            Some(seconds) => seconds,
            None if self.short && !self.shared => self.longest.max(self.ratio.shortest(limit)),
            None => return Window::Minute,
        };
        if seconds > LONGER_THAN_A_MINUTE.as_secs_f64() {
            Window::Longer
        } else if seconds < 0.9 * MINUTE {
            Window::Shorter(seconds)
        } else {
            Window::Minute
        }
    }
}

/// Between what bounds all statements put what flows in a second.
#[derive(Debug)]
struct Ratio {
    least: f64,
    most: f64,
    agreeing: u32,
    /// The least and the most that was used in one of them.
    used: (f64, f64),
    /// Whether statements have disagreed since it was last known: then there is no ratio to be found.
    refuted: bool,
}

impl Default for Ratio {
    fn default() -> Ratio {
        Ratio { least: 0.0, most: f64::MAX, agreeing: 0, used: (f64::MAX, 0.0), refuted: false }
    }
}

impl Ratio {
    fn add(&mut self, used: f64, (shortest, longest): (f64, f64)) {
        // What is left is stated in whole requests, and the reset often in whole seconds.
        let coarse = if shortest.fract() == 0.0 { 1.0 } else { MILLISECOND };
        let least = (used - 1.0) / (longest + coarse);
        let most = if shortest > coarse { used / (shortest - coarse) } else { f64::MAX };
        if least > self.most || most < self.least {
            *self = Ratio { refuted: true, ..Ratio::default() };
        }
        self.least = self.least.max(least);
        self.most = self.most.min(most);
        self.agreeing += 1;
        self.used = (self.used.0.min(used), self.used.1.max(used));
        self.refuted &= !self.is_known();
    }

    /// In which `limit` flows in at least, as far as there may be a ratio.
    fn shortest(&self, limit: f64) -> f64 {
        if self.refuted { 0.0 } else { limit / self.most }
    }

    fn is_known(&self) -> bool {
        self.agreeing >= AGREEING && self.used.1 >= SPREAD * self.used.0 && self.most <= NARROW * self.least
    }

    /// In which `limit` flows in.
    fn seconds(&self, limit: f64) -> Option<f64> {
        if !self.is_known() {
            return None;
        }
        let (shortest, longest) = (limit / self.most, limit / self.least);
        if (shortest..=longest).contains(&MINUTE) {
            return Some(MINUTE);
        }
        // Who sets a limit thinks of whole seconds.
        let whole = (longest + MILLISECOND).floor();
        Some(if whole >= shortest && whole >= 1.0 { whole } else { longest })
    }
}

/// When how much had been sent, for the last minute.
#[derive(Debug, Default)]
struct Sent(VecDeque<(Instant, f64)>);

impl Sent {
    /// How many seconds before a request was sent the last `used` had begun to be; nothing where others used some of it.
    fn time_of_last(&mut self, used: f64, sent: Instant, taken: f64) -> Option<f64> {
        if self.0.back().is_none_or(|(at, _)| sent.saturating_duration_since(*at) >= APART) {
            self.0.push_back((sent, taken));
        }
        while self.0.len() > 2 && self.0[1].0 + LONGER_THAN_A_MINUTE < sent {
            self.0.pop_front();
        }
        // Each was estimated before it was counted.
        let before = taken - 0.9 * used;
        if before < -0.5 {
            return None;
        }
        let (first, _) = self.0.iter().find(|(_, taken)| *taken > before)?;
        Some(sent.saturating_duration_since(*first).as_secs_f64())
    }
}
