//! How many requests in flight an endpoint takes, found out from how fast it answers and what it refuses.

use std::time::Duration;

use tokio::time::Instant;

/// What to begin with.
const FIRST: usize = 4;
/// Never more in flight than this unless told so.
pub(super) const MOST: usize = 512;
/// Answers that make a round, at least: fewer say little about how fast they come.
const ROUND: usize = 16;
/// The share of an increase that must come out as throughput for a further increase.
const WORTH: f64 = 0.5;
/// How long a limit that was found is left alone; doubles with each probe in vain.
const FIRST_HOLD: Duration = Duration::from_secs(5);
const LONGEST_HOLD: Duration = Duration::from_secs(120);

/// The number of requests in flight to aim at: doubles round by round until that is refused or no longer worth it.
#[derive(Debug)]
pub(super) struct Ramp {
    target: usize,
    /// Below this requests were not refused lately.
    good: usize,
    /// This many were refused.
    ceiling: Option<usize>,
    phase: Phase,
    hold: Duration,
    round: Round,
    /// The level before this one, and its answers a second.
    before: Option<(usize, f64)>,
    /// Latencies at levels that the endpoint served without queueing.
    unhurried: Mean,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Phase {
    Growing,
    Holding { until: Instant },
}

/// Answers to requests sent at the present level.
#[derive(Debug, Default)]
struct Round {
    /// Requests sent before this round.
    sent_before: u64,
    latency: Mean,
}

#[derive(Debug, Default, Clone, Copy)]
struct Mean {
    sum: f64,
    count: usize,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1;
    }

    fn get(self) -> f64 {
        (self.sum / self.count.max(1) as f64).max(1e-6)
    }
}

impl Ramp {
    pub(super) fn new() -> Ramp {
        Ramp {
            target: FIRST,
            good: 0,
            ceiling: None,
            phase: Phase::Growing,
            hold: FIRST_HOLD,
            round: Round::default(),
            before: None,
            unhurried: Mean::default(),
        }
    }

    pub(super) fn target(&self) -> usize {
        self.target
    }

    /// Request `number` was answered after `latency`; `in_flight` were under way then, and `sent` have been sent so far.
    pub(super) fn succeeded(
        &mut self,
        now: Instant,
        number: u64,
        latency: Duration,
        in_flight: usize,
        sent: u64,
    ) {
        // Where something else holds requests back, more places change nothing and latencies say nothing.
        if number <= self.round.sent_before || in_flight < self.target {
            return;
        }
        self.round.latency.add(latency.as_secs_f64());
        if self.round.latency.count < self.target.max(ROUND) {
            return;
        }
        let latency = self.round.latency;
        self.good = self.good.max(self.target);
        match self.phase {
            Phase::Growing => self.grow(now, latency),
            Phase::Holding { until } => {
                self.before = Some((self.target, self.target as f64 / latency.get()));
                if now >= until {
                    self.probe();
                }
            }
        }
        self.round = Round { sent_before: sent, latency: Mean::default() };
    }

    fn grow(&mut self, now: Instant, latency: Mean) {
        if let Some(ceiling) = self.ceiling {
            if self.target + 1 < ceiling {
                self.target += ((ceiling - 1 - self.target) / 2).max(1);
            } else if self.target < ceiling {
                self.hold(now);
            } else {
                // What was refused once is taken now.
                self.hold = FIRST_HOLD;
                self.ceiling = Some((self.target + (self.target / 4).max(2)).min(MOST + 1));
            }
            return;
        }
        let level = self.target;
        let throughput = level as f64 / latency.get();
        if let Some((earlier, before)) = self.before
            && level > earlier
        {
            let worth = 1.0 + WORTH * (level as f64 / earlier as f64 - 1.0);
            if throughput / before < worth {
                // Little's law: what is served at once is what is served a second times how long that takes.
                let knee = (throughput * self.unhurried.get() * 1.05).ceil() as usize;
                self.target = knee.clamp(earlier, level);
                self.hold(now);
                return;
            }
            self.hold = FIRST_HOLD;
        }
        self.unhurried.sum += latency.sum;
        self.unhurried.count += latency.count;
        self.before = Some((level, throughput));
        self.target = (2 * level).min(MOST);
        if level == MOST {
            self.hold(now);
        }
    }

    fn hold(&mut self, now: Instant) {
        self.phase = Phase::Holding { until: now + self.hold };
        self.hold = (2 * self.hold).min(LONGEST_HOLD);
    }

    /// Looks whether the limit is still where it was.
    fn probe(&mut self) {
        self.phase = Phase::Growing;
        match self.ceiling {
            // One more at a time where too many are refused.
            Some(ceiling) => self.target = ceiling.min(MOST),
            None => self.target = (self.target + self.target.div_ceil(2)).min(MOST),
        }
    }

    /// One of `in_flight` requests was refused, for the first time since the last change; `sent` have been sent so far.
    pub(super) fn refused(&mut self, in_flight: usize, sent: u64, now: Instant) {
        // With places to spare it was not for their number.
        if in_flight < self.target {
            return;
        }
        if self.good < self.target && 2 * self.good >= self.target.min(FIRST) {
            self.ceiling = Some(self.target);
            self.target = self.good;
        } else {
            // What was good is no longer: an outage, or another limit. The way back up is the ceiling's.
            self.ceiling = Some(self.ceiling.unwrap_or(self.target).max(self.target));
            self.good = 0;
            self.target = (self.target * 3 / 4).max(1);
        }
        self.phase = Phase::Growing;
        if self.target + 1 >= self.ceiling.unwrap_or(usize::MAX) {
            self.hold(now);
        }
        self.round = Round { sent_before: sent, latency: Mean::default() };
    }
}
