//! Adapts the number of requests in flight to how fast an endpoint answers and what it refuses.
//!
//! Why not a fixed number, or TCP's additive increase: endpoints differ from one slot (a local server) to thousands, and those
//! that queue never refuse. So the number doubles as long as throughput follows, by Little's law, and is tested again from time
//! to time. The constants are chosen; `simulation/` tests the results on a virtual clock, and `docs/proof.md` has figures through
//! HTTP.

use std::time::Duration;

use tokio::time::Instant;

/// Requests in flight to begin with, from 1 to [`MAX_IN_FLIGHT`]; answers to requests sent with so few show the latency without a
/// crowd. Chosen.
const FIRST: usize = 8;
/// The most requests in flight unless the user sets a number. Chosen: each holds a row in memory, and a connection over HTTP/1.
pub(super) const MAX_IN_FLIGHT: usize = 512;
/// Answers whose mean latency says something, at least 1. Chosen: the mean of 16 varies by a quarter of what single answers do.
const ENOUGH: usize = 16;
/// Answers where a difference of a quarter in flight is looked for. Chosen: the mean of 100 varies by a tenth of what single
/// answers do.
const ENOUGH_TO_COMPARE: usize = 100;
/// The same below [`FIRST`] in flight, where one request less is a larger difference. Chosen.
const ENOUGH_OF_FEW: usize = 40;
/// The share of an increase that must come out as throughput, from 0 to 1; if it does not, answers come out of a queue. Chosen:
/// all of it comes out of an idle endpoint, nothing out of a full one.
const WORTH: f64 = 1.0 / 3.0;
/// The share of the latency of a level that the first answers must have taken at most to show that it was crowded.
/// From 0 to 1; chosen.
const CROWDED: f64 = 0.6;
/// How much higher a probe goes, and how much lower a look below, as a factor above 1. Chosen: small enough not to crowd an endpoint,
/// large enough to be seen in [`ENOUGH_TO_COMPARE`] answers.
const PROBE: f64 = 1.25;
/// How long a limit that was found is left alone at first; doubles with each probe in vain, up to [`MAX_HOLD`]. Chosen.
const FIRST_HOLD: Duration = Duration::from_secs(5);
/// The longest time that a limit is left alone. Chosen: an endpoint that has grown is noticed within two minutes.
const MAX_HOLD: Duration = Duration::from_secs(120);
/// Round trips that it is left alone at least, within [`MAX_HOLD`]. Chosen: a look takes about one, and most are in vain.
const TRIPS: u32 = 20;

/// The number of requests in flight to aim at: doubles with every round trip until that is refused or comes out as
/// waiting; then stays there, and looks now and then whether fewer do as well or more do better.
#[derive(Debug)]
pub(super) struct ConcurrencyController {
    target: usize,
    phase: Phase,
    hold_for: Duration,
    /// Whether to look below next, or above.
    spare: bool,
    /// Of the last answer.
    latency: Duration,
    /// The most in flight that were all taken lately.
    good: usize,
    /// This many were refused.
    ceiling: Option<usize>,
    /// Answers to requests sent at the present target.
    round: Level,
    sent_before_round: u64,
    /// While doubling: answers by the requests in flight when theirs was sent, in powers of two.
    levels: [Level; 10],
    /// Answers to the first few requests, before there was a crowd.
    first: Level,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Phase {
    Doubling,
    /// Halfway up to where requests were refused, again and again.
    Climbing,
    /// A little above `from`, to see whether that is worth it.
    Probing {
        from: Level,
    },
    /// A little below `from`, to see whether that is as good.
    Sparing {
        from: Level,
    },
    Holding {
        until: Instant,
    },
}

/// Answers at about the same number in flight.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
struct Level {
    answers: usize,
    in_flight: usize,
    seconds: f64,
}

impl Level {
    fn add(&mut self, in_flight: usize, latency: Duration) {
        self.answers += 1;
        self.in_flight += in_flight;
        self.seconds += latency.as_secs_f64();
    }

    fn latency(&self) -> f64 {
        (self.seconds / self.answers.max(1) as f64).max(1e-6)
    }

    fn is_worth_it(&self, before: &Level) -> bool {
        let mean = |level: &Level| level.in_flight as f64 / level.answers.max(1) as f64;
        let higher = mean(self) / mean(before).max(1.0);
        self.throughput() >= before.throughput() * (1.0 + WORTH * (higher - 1.0))
    }

    /// Answers a second, by Little's law.
    fn throughput(&self) -> f64 {
        self.in_flight as f64 / self.seconds.max(1e-6)
    }
}

/// An answered request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answered {
    pub number: u64,
    /// Requests in flight when it was sent, itself included.
    pub level: usize,
    pub latency: Duration,
    /// Requests in flight now, and requests sent by now.
    pub in_flight: usize,
    pub sent: u64,
}

impl ConcurrencyController {
    /// Where a pace is told (`paced`) that is gentle enough to begin with: as many as the pace brings are tried at once.
    pub(super) fn new(paced: bool) -> ConcurrencyController {
        ConcurrencyController {
            target: if paced { MAX_IN_FLIGHT } else { FIRST },
            phase: Phase::Doubling,
            hold_for: FIRST_HOLD,
            spare: true,
            latency: Duration::ZERO,
            good: 0,
            ceiling: None,
            round: Level::default(),
            sent_before_round: 0,
            levels: [Level::default(); 10],
            first: Level::default(),
        }
    }

    pub(super) fn target(&self) -> usize {
        self.target
    }

    pub(super) fn succeeded(&mut self, answered: Answered, now: Instant) {
        if answered.number <= self.sent_before_round {
            return;
        }
        self.latency = answered.latency;
        self.good = self.good.max(answered.level.min(self.target));
        // Where something else holds requests back, more places change nothing.
        let full = answered.in_flight >= self.target;
        if self.phase == Phase::Doubling {
            self.double(answered, full, now);
        } else if full {
            self.round.add(answered.level, answered.latency);
            let enough = match self.phase {
                Phase::Climbing => ENOUGH,
                // One request more or less is much of a few, and shows soon.
                Phase::Sparing { .. } if self.target < FIRST => ENOUGH_OF_FEW,
                _ => ENOUGH_TO_COMPARE,
            };
            if self.round.answers >= self.target.max(enough) {
                self.end_round(answered.sent, now);
            }
        }
    }

    fn double(&mut self, answered: Answered, full: bool, now: Instant) {
        if answered.level <= FIRST && self.first.answers < FIRST {
            self.first.add(answered.level, answered.latency);
        }
        let at = (answered.level.max(1).ilog2() as usize).min(self.levels.len() - 1);
        self.levels[at].add(answered.level, answered.latency);
        let known = |level: &Level| level.answers >= ENOUGH;
        let (below, this) = (&self.levels[..at], self.levels[at]);
        if let Some(before) = below.last().filter(|before| known(before))
            && this.answers >= ((1 << at) / 2).max(ENOUGH)
            && !this.is_worth_it(before)
        {
            // Where few are served at once, all levels that are known well were a crowd already.
            let calm = below.iter().filter(|level| known(level)).map(Level::latency).fold(f64::MAX, f64::min);
            let alone = Some(self.first.latency()).filter(|_| self.first.answers >= FIRST / 2);
            let unhurried = alone.filter(|alone| *alone < CROWDED * calm).unwrap_or(calm);
            // Little's law: what is served at once is what is served a second times how long that takes.
            let served = (1.1 * this.throughput() * unhurried).ceil() as usize;
            self.settle_at(served.clamp(FIRST.min(self.target), self.target), answered.sent, now);
        } else if full && self.target < MAX_IN_FLIGHT && self.may_grow(answered.level) {
            self.target += 1;
        } else if answered.level >= MAX_IN_FLIGHT && this.answers >= MAX_IN_FLIGHT {
            self.settle_at(MAX_IN_FLIGHT, answered.sent, now);
        }
    }

    /// Whether an answer to a request that made `level` in flight is a reason for more: not where so many are under way since
    /// that nobody knows yet what became of those, or before what is below the present power of two is known.
    fn may_grow(&self, level: usize) -> bool {
        let at = (self.target.max(1).ilog2() as usize).min(self.levels.len() - 1);
        let known = self.target < 2 * FIRST || self.levels[at - 1].answers >= ENOUGH;
        known && 2 * level.max(FIRST) >= self.target
    }

    fn end_round(&mut self, sent: u64, now: Instant) {
        match self.phase {
            Phase::Doubling => {}
            Phase::Climbing => match self.ceiling {
                Some(ceiling) if self.target + 1 < ceiling => {
                    self.target += ((ceiling - 1 - self.target) / 2).max(1);
                }
                Some(ceiling) if self.target < ceiling => self.settle_at(self.target, sent, now),
                // What was refused once is taken now.
                _ => {
                    self.hold_for = FIRST_HOLD;
                    self.ceiling = Some(self.target + (self.target / 4).max(2));
                }
            },
            Phase::Probing { from } => {
                if self.round.is_worth_it(&from) {
                    self.hold_for = FIRST_HOLD;
                    self.phase = Phase::Doubling;
                    self.levels = [Level::default(); 10];
                } else {
                    self.settle_at(from.in_flight / from.answers.max(1), sent, now);
                }
            }
            Phase::Sparing { from } => {
                if from.is_worth_it(&self.round) {
                    self.settle_at(from.in_flight / from.answers.max(1), sent, now);
                } else {
                    // What was beyond only queued; there may be more of that.
                    self.hold_for = FIRST_HOLD;
                    self.spare();
                }
            }
            Phase::Holding { until } if now >= until => match self.ceiling {
                // One more at a time where too many are refused.
                Some(ceiling) => {
                    self.target = ceiling;
                    self.phase = Phase::Climbing;
                }
                None if self.spare => {
                    self.spare = false;
                    self.spare();
                }
                None => {
                    self.spare = true;
                    self.phase = Phase::Probing { from: self.round };
                    self.target = (self.target as f64 * PROBE).ceil() as usize;
                }
            },
            Phase::Holding { .. } => {}
        }
        self.target = self.target.min(MAX_IN_FLIGHT);
        self.begin_round(sent);
    }

    fn spare(&mut self) {
        self.phase = Phase::Sparing { from: self.round };
        self.target = ((self.target as f64 / PROBE).floor() as usize).max(1);
    }

    fn begin_round(&mut self, sent: u64) {
        self.round = Level::default();
        self.sent_before_round = sent;
    }

    fn settle_at(&mut self, target: usize, sent: u64, now: Instant) {
        self.target = target;
        // A look takes a round trip, and most of them are in vain.
        let hold_for = self.hold_for.max((TRIPS * self.latency).min(MAX_HOLD));
        self.phase = Phase::Holding { until: now + hold_for };
        self.hold_for = (2 * self.hold_for).min(MAX_HOLD);
        self.begin_round(sent);
    }

    /// A request was refused that was sent when it made `level` in flight; `in_flight` are now. To be told once for all
    /// that were in flight together.
    pub(super) fn refused(&mut self, level: usize, in_flight: usize, sent: u64, now: Instant) {
        // With places to spare it was not for their number.
        if in_flight < self.target {
            return;
        }
        self.shrink(level, sent, now);
    }

    /// The same where the endpoint says that it was for their number.
    pub(super) fn overloaded(&mut self, level: usize, sent: u64, now: Instant) {
        // Where the pace keeps fewer in flight than there are places for, the places that are free were never tried.
        self.target = self.target.min(level.max(FIRST));
        self.shrink(level, sent, now);
    }

    fn shrink(&mut self, level: usize, sent: u64, now: Instant) {
        if level > self.good && self.good > 0 {
            self.ceiling = Some(level);
            self.target = self.good;
        } else {
            // What was good is no longer: an outage, or another limit. The way back up ends where it was.
            self.ceiling = Some(self.ceiling.unwrap_or(0).max(self.target + 1));
            self.target = (self.target * 3 / 4).max(1);
        }
        self.good = 0;
        self.phase = Phase::Climbing;
        self.begin_round(sent);
        if self.ceiling.is_some_and(|ceiling| self.target + 1 >= ceiling) {
            self.settle_at(self.target, sent, now);
        }
    }
}
