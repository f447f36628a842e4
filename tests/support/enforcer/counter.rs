//! What was used of one limit, in one of the ways to count a minute.

use std::collections::VecDeque;
use std::time::Duration;

/// How a limit per minute is counted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Window {
    /// Refilled bit by bit; so many seconds' worth can be saved up.
    Bucket { saves: f64 },
    /// The same, stated as what it holds instead of as a minute's worth.
    Cup { seconds: f64 },
    /// A window's worth in each window of so many seconds, the first of which is `over` seconds old at the beginning.
    Fixed { seconds: f64, over: f64 },
    /// A window's worth in any stretch of so many seconds.
    Sliding { seconds: f64 },
}

impl Window {
    /// In how many seconds as much comes as there can ever be.
    pub fn seconds(self) -> f64 {
        match self {
            Window::Bucket { saves: seconds }
            | Window::Cup { seconds }
            | Window::Fixed { seconds, .. }
            | Window::Sliding { seconds } => seconds,
        }
    }
}

/// What was used of one limit.
#[derive(Debug)]
pub(super) struct Counter {
    /// A second.
    rate: f64,
    window: Window,
    used: f64,
    at: Duration,
    /// What a sliding window has seen.
    seen: VecDeque<(Duration, f64)>,
}

impl Counter {
    pub(super) fn new(rate: f64, window: Window) -> Counter {
        Counter { rate, window, used: 0.0, at: Duration::ZERO, seen: VecDeque::new() }
    }

    fn capacity(&self) -> f64 {
        (self.rate * self.window.seconds()).max(1.0)
    }

    pub(super) fn bring_to(&mut self, at: Duration) {
        match self.window {
            Window::Bucket { .. } | Window::Cup { .. } => {
                let since = at.saturating_sub(self.at).as_secs_f64();
                self.used = (self.used - self.rate * since).max(0.0);
            }
            Window::Fixed { seconds, over } => {
                if place(at, seconds, over).0 > place(self.at, seconds, over).0 {
                    self.used = 0.0;
                }
            }
            Window::Sliding { seconds } => {
                while let Some((seen, amount)) = self.seen.front().copied()
                    && seen + Duration::from_secs_f64(seconds) <= at
                {
                    self.used -= amount;
                    self.seen.pop_front();
                }
            }
        }
        self.at = at;
    }

    /// How long until `amount` is there, if it is not. What is more than can ever be there is taken when nothing is used.
    pub(super) fn wait(&self, at: Duration, amount: f64) -> Option<Duration> {
        const ROUNDING: f64 = 1e-6;
        let over = self.used + amount.min(self.capacity()) - self.capacity();
        if over <= ROUNDING {
            return None;
        }
        Some(match self.window {
            Window::Bucket { .. } | Window::Cup { .. } => Duration::from_secs_f64(over / self.rate),
            Window::Fixed { .. } => self.reset(at),
            Window::Sliding { seconds } => {
                let mut left = 0.0;
                let free = self.seen.iter().find(|(_, amount)| {
                    left += amount;
                    left + ROUNDING >= over
                });
                let (seen, _) = free.copied().unwrap_or((at, 0.0));
                seen + Duration::from_secs_f64(seconds) - at
            }
        })
    }

    pub(super) fn take(&mut self, at: Duration, amount: f64) {
        self.used += amount;
        if let Window::Sliding { .. } = self.window {
            self.seen.push_back((at, amount));
        }
    }

    /// Until the limit is whole again; of a sliding window, until something more is there.
    fn reset(&self, at: Duration) -> Duration {
        match self.window {
            Window::Bucket { .. } | Window::Cup { .. } => Duration::from_secs_f64(self.used / self.rate),
            Window::Fixed { seconds, over } => place(at, seconds, over).1,
            Window::Sliding { seconds } => self.seen.front().map_or(Duration::ZERO, |(seen, _)| {
                (*seen + Duration::from_secs_f64(seconds)).saturating_sub(at)
            }),
        }
    }

    /// Limit, remaining and reset as responses state them. A bucket is stated as a minute's worth, whatever can be saved.
    pub(super) fn claim(&self, at: Duration) -> (f64, f64, Duration) {
        let limit = match self.window {
            Window::Bucket { .. } => self.rate * 60.0,
            Window::Cup { .. } | Window::Fixed { .. } | Window::Sliding { .. } => self.capacity(),
        };
        (limit.round(), (limit - self.used).max(0.0).floor(), self.reset(at))
    }
}

/// Which window `at` is in, and how long that one still lasts.
fn place(at: Duration, seconds: f64, over: f64) -> (u64, Duration) {
    let window = Duration::from_secs_f64(seconds).as_nanos();
    let at = (at + Duration::from_secs_f64(over)).as_nanos();
    ((at / window) as u64, Duration::from_nanos((window - at % window) as u64))
}
