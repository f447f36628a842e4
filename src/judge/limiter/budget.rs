//! Requests and tokens per minute: what was told, what was learnt, what is left.

use std::num::NonZeroU32;

use tokio::time::Instant;

use super::Limits;
use super::bucket::Bucket;
use super::quota::{Claim, Quota};
use super::spacing::Spacing;

/// The share of a limit that is used: clocks and timers differ, and a server may be strict.
const USED: f64 = 0.998;

/// What endpoints count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::judge) enum Meter {
    Requests,
    /// Of prompts and answers together.
    Tokens,
    InputTokens,
    OutputTokens,
}

impl Meter {
    pub(in crate::judge) const ALL: [Meter; 4] =
        [Meter::Requests, Meter::Tokens, Meter::InputTokens, Meter::OutputTokens];
}

/// The tokens of one request: an estimate before, the truth after.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::judge) struct Cost {
    pub input: u64,
    pub output: u64,
}

impl Cost {
    fn of(self, meter: Meter) -> f64 {
        match meter {
            Meter::Requests => 1.0,
            Meter::Tokens => (self.input + self.output) as f64,
            Meter::InputTokens => self.input as f64,
            Meter::OutputTokens => self.output as f64,
        }
    }
}

/// One meter: its limits, and what is left of them.
#[derive(Debug, Default)]
struct Line {
    /// What may be used a second, by the user's word.
    told: Option<f64>,
    quota: Quota,
    bucket: Bucket,
    /// Reserved by requests whose answers are still to come.
    in_flight: f64,
}

impl Line {
    /// A second; the user's word is the upper bound.
    fn rate(&self, runs: f64) -> Option<f64> {
        let rate = match (self.told, self.quota.rate()) {
            (Some(told), Some(learnt)) => Some(told.min(learnt)),
            (told, learnt) => told.or(learnt),
        };
        rate.map(|rate| USED * rate / runs)
    }
}

/// All that an endpoint counts.
#[derive(Debug, Default)]
pub(super) struct Budget {
    /// Of requests, by the user's word.
    spacing: Option<Spacing>,
    lines: [Line; 4],
}

impl Budget {
    pub(super) fn new(limits: &Limits) -> Budget {
        let per_second = |limit: NonZeroU32| f64::from(limit.get()) / 60.0;
        Budget {
            spacing: limits.rpm.map(|rpm| Spacing::new(USED * per_second(rpm))),
            lines: [None, limits.tpm, limits.itpm, limits.otpm]
                .map(|told| Line { told: told.map(per_second), ..Line::default() }),
        }
    }

    /// When a request of `cost` may be sent, the limits being shared by `runs` runs; `now` if it may.
    pub(super) fn ready(&mut self, now: Instant, cost: Cost, runs: f64) -> Instant {
        let mut ready = now;
        if let Some(spacing) = &mut self.spacing {
            ready = ready.max(spacing.ready(now, runs));
        }
        for (meter, line) in Meter::ALL.into_iter().zip(&mut self.lines) {
            if let Some(rate) = line.rate(runs) {
                ready = ready.max(line.bucket.ready(now, rate, cost.of(meter)));
            }
            if let Some(until) = line.quota.empty_until() {
                ready = ready.max(until);
            }
        }
        ready
    }

    /// Requests a second that are allowed, as far as requests are limited.
    pub(super) fn pace(&self, runs: f64) -> Option<f64> {
        let learnt = self.lines[Meter::Requests as usize].rate(runs);
        let told = self.spacing.as_ref().map(|spacing| spacing.rate(runs));
        learnt.into_iter().chain(told).reduce(f64::min)
    }

    pub(super) fn take(&mut self, cost: Cost) {
        if let Some(spacing) = &mut self.spacing {
            spacing.take();
        }
        for (meter, line) in Meter::ALL.into_iter().zip(&mut self.lines) {
            line.bucket.take(cost.of(meter));
            line.in_flight += cost.of(meter);
        }
    }

    /// A request that reserved `cost` is over; it used `used`, as far as one knows.
    pub(super) fn settle(&mut self, cost: Cost, used: Cost) {
        for (meter, line) in Meter::ALL.into_iter().zip(&mut self.lines) {
            line.bucket.take(used.of(meter) - cost.of(meter));
            line.in_flight = (line.in_flight - cost.of(meter)).max(0.0);
        }
    }

    /// Learns from a response's headers.
    pub(super) fn learn(&mut self, claims: &[(Meter, Claim)], now: Instant, runs: f64) {
        for (meter, claim) in claims {
            let Some(line) = self.lines.get_mut(*meter as usize) else { continue };
            line.quota.learn(claim, now);
            // What is in flight may not be counted yet.
            if let Some(remaining) = claim.remaining.filter(|remaining| remaining.is_finite()) {
                line.bucket.at_most((remaining.max(0.0) / runs - line.in_flight).max(-line.in_flight));
            }
        }
    }
}
