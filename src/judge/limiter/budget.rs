//! Requests and tokens per minute: limits that were set, limits that were learned, and what is left.
//!
//! The constants are chosen; with them, limits that the user sets are used to 0.98 of the ideal throughput or more in the cells
//! of `simulation/grid.rs` with more than 60 requests a minute (`docs/proof.md`).

use std::num::NonZeroU32;
use std::time::Duration;

use tokio::time::Instant;

use super::LimitedBy;
use super::Limits;
use super::bucket::Bucket;
use super::grants::Grants;
use super::quota::{Claim, Moment, Quota};
use super::request_pacer::RequestPacer;

/// The share of a limit that is used, from 0 to 1. Chosen: clocks and timers differ by less than the rest, and a server may be strict.
const USED: f64 = 0.998;
/// The largest share of a limit that is left unused because requests differ in size, from 0 to 1. Chosen.
const MAX_SPARE: f64 = 0.05;
/// When to look again for what others must grant first; whoever waits is told before. Chosen.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// Seconds over which a strict server counts.
const MINUTE: f64 = 60.0;

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
    /// The flag that tells its limit.
    fn flag(self) -> &'static str {
        match self {
            Meter::Requests => "--rpm",
            Meter::Tokens => "--tpm",
            Meter::InputTokens => "--itpm",
            Meter::OutputTokens => "--otpm",
        }
    }

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
    /// What may be used a second, by the user's word. Requests told are spaced instead.
    told: Option<f64>,
    is_told: bool,
    /// Whether the server refused when by its own statement nothing was left.
    agreed: bool,
    quota: Quota,
    bucket: Bucket,
    /// Taken by all requests so far: what they used, or reserved as long as that is not known.
    taken: f64,
    /// The most that one request took.
    largest: f64,
    /// Whether the server refused although no more was used than it allows: then it counts every minute anew.
    strict: bool,
}

impl Line {
    /// Whether what the server states counts: against the user's word only where its refusals agree.
    fn heeds_server(&self) -> bool {
        !self.is_told || self.agreed
    }

    /// A second, as far as the server's statements count.
    fn stated(&self) -> Option<f64> {
        self.quota.rate().filter(|_| self.heeds_server())
    }

    /// A second; the user's word is the upper bound.
    fn rate(&self, runs: f64) -> Option<f64> {
        let rate = match (self.told, self.stated()) {
            (Some(told), Some(learnt)) => Some(told.min(learnt)),
            (told, learnt) => told.or(learnt),
        };
        rate.map(|rate| {
            // Requests differ in size, so a minute that begins with one may hold one more than its share. Few servers mind.
            let minds = self.strict || !self.is_told;
            let spare = if self.largest > 1.0 && minds { self.largest / MINUTE } else { 0.0 };
            (USED * rate).min(rate - spare.min(MAX_SPARE * rate)) / runs
        })
    }
}

/// All that an endpoint counts.
#[derive(Debug, Default)]
pub(super) struct Budget {
    /// Of requests, by the user's word.
    pacer: Option<RequestPacer>,
    lines: [Line; 4],
    /// What is reserved of the limits that were told, where other runs share them.
    pub(super) grants: Option<Grants>,
    /// Whether what headers state counts for nothing.
    ignores_headers: bool,
}

impl Budget {
    pub(super) fn new(limits: &Limits) -> Budget {
        let per_second = |limit: NonZeroU32| f64::from(limit.get()) / 60.0;
        Budget {
            pacer: limits.rpm.map(|rpm| RequestPacer::new(USED * per_second(rpm))),
            lines: [
                (limits.rpm, None),
                (limits.tpm, limits.tpm),
                (limits.itpm, limits.itpm),
                (limits.otpm, limits.otpm),
            ]
            .map(|(told, counted)| Line {
                told: counted.map(per_second),
                is_told: told.is_some(),
                ..Line::default()
            }),
            grants: None,
            ignores_headers: limits.ignore_headers,
        }
    }

    /// When a request of `cost` may be sent, the limits being shared by `runs` runs; `now` if it may. Else also for whose
    /// sake it waits.
    pub(super) fn ready(&mut self, now: Instant, cost: Cost, runs: f64) -> (Instant, Option<LimitedBy>) {
        let (mut ready, mut limited_by) = (now, None);
        let mut later = |until: Instant, by: Option<LimitedBy>| {
            if until > ready {
                (ready, limited_by) = (until, by);
            }
        };
        let reserved = self.reserved(cost);
        if let Some((grants, (seconds, meter))) = self.grants.as_mut().zip(reserved) {
            let ready = grants.ready(now, seconds).unwrap_or(now + LOOK_AGAIN);
            later(ready, Some(LimitedBy::Told(meter.flag())));
        } else if let Some(pacer) = &mut self.pacer {
            later(pacer.ready(now, runs), Some(LimitedBy::Told(Meter::Requests.flag())));
        }
        let is_shared = self.grants.is_some();
        for (meter, line) in Meter::ALL.into_iter().zip(&mut self.lines) {
            let stated = line.stated();
            let by_server = stated.is_some_and(|stated| line.told.is_none_or(|told| stated < told));
            let by = match line.quota.stated().filter(|_| by_server) {
                Some(stated) => LimitedBy::Stated(stated),
                None => LimitedBy::Told(meter.flag()),
            };
            if let Some(rate) = line.rate(runs).filter(|_| !(is_shared && line.is_told)) {
                later(line.bucket.ready(now, rate, cost.of(meter)), Some(by));
            }
            if let Some(until) = line.quota.empty_until().filter(|_| line.heeds_server()) {
                later(until, line.quota.stated().map(LimitedBy::Stated));
            }
        }
        (ready, limited_by)
    }

    /// Requests a second that are allowed, as far as requests are limited.
    pub(super) fn pace(&self, runs: f64) -> Option<f64> {
        let line = &self.lines[Meter::Requests as usize];
        // What is reserved of a line is divided by those who reserve.
        let runs = if self.grants.is_some() && line.is_told { 1.0 } else { runs };
        let learnt = line.rate(runs);
        let told = self.pacer.as_ref().map(|pacer| pacer.rate(runs));
        learnt.into_iter().chain(told).reduce(f64::min)
    }

    /// Whether the user told any limit.
    pub(super) fn is_told(&self) -> bool {
        self.lines.iter().any(|line| line.is_told)
    }

    /// The server refused a request that the budget had let go.
    pub(super) fn refused(&mut self) {
        for line in &mut self.lines {
            line.strict = true;
            line.agreed |= line.quota.lacks(line.largest.max(1.0));
        }
    }

    /// How many seconds of the limits that were told a request of `cost` takes, and which of them takes the longest to bear it.
    pub(super) fn reserved(&self, cost: Cost) -> Option<(f64, Meter)> {
        let paced = self.pacer.as_ref().map(|pacer| pacer.rate(1.0));
        let told = Meter::ALL.into_iter().zip(&self.lines).filter(|(_, line)| line.is_told);
        let seconds = told.filter_map(|(meter, line)| {
            let paced = paced.filter(|_| meter == Meter::Requests);
            let rate = line.rate(1.0).into_iter().chain(paced).reduce(f64::min)?;
            Some((cost.of(meter) / rate, meter))
        });
        seconds.max_by(|one, other| one.0.total_cmp(&other.0))
    }

    pub(super) fn take(&mut self, cost: Cost) {
        let reserved = self.reserved(cost);
        if let Some((grants, (seconds, _))) = self.grants.as_mut().zip(reserved) {
            grants.take(seconds);
        } else if let Some(pacer) = &mut self.pacer {
            pacer.take();
        }
        for (meter, line) in Meter::ALL.into_iter().zip(&mut self.lines) {
            line.bucket.take(cost.of(meter));
            line.taken += cost.of(meter);
            line.largest = line.largest.max(cost.of(meter));
        }
    }

    /// What all requests so far took, of each meter.
    pub(super) fn taken(&self) -> [f64; 4] {
        self.lines.each_ref().map(|line| line.taken)
    }

    /// A request that reserved `cost` is over; it used `used`, as far as one knows. Returns whether others may go earlier
    /// for that.
    pub(super) fn settle(&mut self, cost: Cost, used: Cost) -> bool {
        let mut earlier = false;
        let more = self.reserved(used).zip(self.reserved(cost)).map(|(used, thought)| used.0 - thought.0);
        if let Some((grants, more)) = self.grants.as_mut().zip(more) {
            // A minute later the limit has forgotten it.
            grants.settle(more.min(MINUTE));
            earlier = more < 0.0;
        }
        for (meter, line) in Meter::ALL.into_iter().zip(&mut self.lines) {
            earlier |= used.of(meter) < cost.of(meter) && line.rate(1.0).is_some();
            line.bucket.take(used.of(meter) - cost.of(meter));
            line.taken += used.of(meter) - cost.of(meter);
        }
        earlier
    }

    /// Learns from the headers of a response to a request that was sent at `sent`, when all of them together had `taken` so
    /// much, itself included.
    pub(super) fn learn(
        &mut self,
        claims: &[(Meter, Claim)],
        sent: Instant,
        taken: [f64; 4],
        now: Instant,
        runs: f64,
    ) {
        if self.ignores_headers {
            return;
        }
        for (meter, claim) in claims {
            let at = *meter as usize;
            let (Some(line), Some(taken)) = (self.lines.get_mut(at), taken.get(at)) else { continue };
            line.quota.learn(claim, Moment { sent, taken: *taken }, now);
            if !line.heeds_server() {
                continue;
            }
            // The server spoke when that request came: others came since, and something flowed in.
            if let Some(remaining) = claim.remaining.filter(|remaining| remaining.is_finite()) {
                let since = now.saturating_duration_since(sent).as_secs_f64();
                let flowed = line.rate(runs).map_or(0.0, |rate| rate * since);
                line.bucket.at_most(remaining.max(0.0) / runs + flowed - (line.taken - taken));
            }
        }
    }
}
