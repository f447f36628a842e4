//! The state that decides when the next request may be sent: the caller passes the time, and nothing waits here.

use std::time::Duration;

use tokio::time::Instant;

use super::bucket::Bucket;
use super::budget::{Budget, Cost, Meter};
use super::concurrency_controller::{Answered, ConcurrencyController, MAX_IN_FLIGHT};
use super::quota::Claim;
use super::rate_estimator::{RateEstimator, Refusal};
use super::waiting::WaitingRoom;
use super::{Concurrency, LimitedBy, Limits};
use crate::judge::retry;

/// The longest pause: 30 days. Chosen; however long a server asks to wait, the clock must be able to say until when. Runs end long
/// before, by their longest wait (`max_wait`).
const MAX_PAUSE: Duration = Duration::from_secs(30 * 86_400);

/// Requests in a row without a response that are an outage and not an accident. Chosen.
const OUTAGE: u32 = 8;
/// How much the last answer weighs in the moving average of what is usual, from 0 to 1. Chosen: about the last ten count.
const LATELY: f64 = 0.1;
/// Places for each request in flight that a rate comes to on average (Little's law), as a factor of at least 1. Chosen: latencies vary.
const SPARE: f64 = 1.2;
/// Seconds. Places that are free within this, and the time that the store takes, count as free where time is reserved. Chosen: what is
/// reserved lasts twice as long.
const SOON: f64 = 0.05;

/// What the limiter knows.
#[derive(Debug)]
pub(super) struct State {
    pub(super) places: ConcurrencyLimit,
    pub(super) in_flight: usize,
    /// Requests admitted so far.
    pub(super) sent: u64,
    /// Requests admitted when the last refusal was heard: the refusals of these are the same one.
    pub(super) sent_when_refused: u64,
    /// Refusals that told something new, since the last answer.
    pub(super) streak: u32,
    pub(super) throttled: u64,
    /// Requests without a response, since the last answer.
    pub(super) lost: u32,
    pub(super) paused_until: Option<Instant>,
    pub(super) budget: Budget,
    pub(super) pace: RateEstimator,
    /// Of answers lately, in seconds.
    pub(super) latency: Option<f64>,
    /// Paces the requests, one at a time.
    pub(super) paced: Bucket,
    /// Runs on this machine that share the limits, this one included.
    pub(super) runs: u32,
    /// Requests that wait for their turn.
    pub(super) waiting: WaitingRoom,
    /// Until when the endpoint wants to be left alone, where this run was the one that was told and others are to hear of it.
    pub(super) untold: Option<Instant>,
    /// Until when and for whose sake the next request waits.
    pub(super) limited_by: Option<(Instant, LimitedBy)>,
}

#[derive(Debug)]
pub(super) enum ConcurrencyLimit {
    Fixed(usize),
    Found(Box<ConcurrencyController>),
}

/// A request that was let go.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sent {
    /// Its number, counted from 1.
    pub(super) number: u64,
    pub(super) at: Instant,
    /// Requests in flight then, itself included.
    pub(super) level: usize,
    /// What all requests had taken by then, itself included.
    pub(super) taken: [f64; 4],
}

impl State {
    pub(super) fn new(limits: Limits) -> State {
        let places = match limits.concurrency {
            Concurrency::Auto => {
                ConcurrencyLimit::Found(Box::new(ConcurrencyController::new(limits.pace_is_told())))
            }
            Concurrency::Fixed(places) => ConcurrencyLimit::Fixed(places.get() as usize),
        };
        State {
            places,
            in_flight: 0,
            sent: 0,
            sent_when_refused: 0,
            streak: 0,
            throttled: 0,
            lost: 0,
            paused_until: None,
            budget: Budget::new(&limits),
            pace: RateEstimator::default(),
            latency: None,
            paced: Bucket::default(),
            runs: 1,
            waiting: WaitingRoom::default(),
            untold: None,
            limited_by: None,
        }
    }

    /// Takes what a request needs; or says when to come again, if that can be said.
    pub(super) fn admit(&mut self, now: Instant, cost: Cost) -> Result<Sent, Option<Instant>> {
        if self.waiting.has_again() || self.in_flight >= self.places() {
            return Err(None);
        }
        self.in_flight += 1;
        self.admit_placed(now, cost).map_err(|ready| {
            self.in_flight -= 1;
            Some(ready)
        })
    }

    /// The same for a request that has its place.
    pub(super) fn admit_placed(&mut self, now: Instant, cost: Cost) -> Result<Sent, Instant> {
        let (mut ready, mut limited_by) = self.budget.ready(now, cost, f64::from(self.runs));
        if let Some(rate) = self.pace.rate(now) {
            let paced = self.paced.ready(now, rate, 1.0).max(self.paused_until.unwrap_or(now));
            if paced > ready {
                (ready, limited_by) = (paced, Some(LimitedBy::Refused(60.0 * rate)));
            }
        }
        if let Some(until) = self.paused_until {
            ready = ready.max(until);
        }
        if ready > now {
            self.limited_by = limited_by.map(|limited_by| (ready, limited_by));
            return Err(ready);
        }
        self.budget.take(cost);
        self.paced.take(1.0);
        self.sent += 1;
        self.pace.sent(self.sent, now);
        Ok(Sent { number: self.sent, at: now, level: self.in_flight, taken: self.budget.taken() })
    }

    /// For how long this run would like to reserve the limits that it shares; or when to look again, if that can be said.
    pub(super) fn wanted(&mut self, now: Instant) -> Result<Duration, Option<Instant>> {
        let Some(takes) = self.budget.grants.as_ref().map(|grants| grants.takes().as_secs_f64()) else {
            return Err(None);
        };
        if let Some(until) = self.paused_until.filter(|until| *until > now) {
            return Err(Some(until));
        }
        // Those that have a place, or will have one so soon that what is reserved for them does not pass before.
        let soon = SOON + takes;
        let share = self.latency.map_or(0.0, |latency| soon / latency.max(soon));
        let soon = (self.in_flight as f64 * share) as usize;
        let places = self.places().saturating_sub(self.in_flight) + soon;
        let sendable = self.waiting.first(places);
        let seconds: Vec<f64> = sendable.filter_map(|cost| Some(self.budget.reserved(cost)?.0)).collect();
        self.budget.grants.as_mut().ok_or(None)?.lacks(now, &seconds)
    }

    /// Requests that may be in flight now.
    pub(super) fn places(&self) -> usize {
        match (&self.places, self.pace.last_rate()) {
            (ConcurrencyLimit::Fixed(places), _) => *places,
            // A pace that was found out needs so many, by Little's law; what is refused then is refused for the pace.
            (ConcurrencyLimit::Found(controller), Some(rate)) => {
                let needed = (SPARE * rate * self.latency.unwrap_or(0.0)).ceil() as usize;
                controller.target().max(needed).min(MAX_IN_FLIGHT)
            }
            (ConcurrencyLimit::Found(controller), None) => controller.target(),
        }
    }

    pub(super) fn learn(&mut self, now: Instant, sent: Sent, claims: &[(Meter, Claim)]) {
        self.budget.learn(claims, sent.at, sent.taken, now, f64::from(self.runs));
    }

    pub(super) fn succeeded(&mut self, now: Instant, sent: Sent, latency: Duration) {
        self.lost = 0;
        let seconds = latency.as_secs_f64();
        self.latency = Some(self.latency.map_or(seconds, |usual| usual + LATELY * (seconds - usual)));
        if sent.number > self.sent_when_refused {
            self.streak = 0;
        }
        if let ConcurrencyLimit::Found(controller) = &mut self.places {
            let Sent { number, level, .. } = sent;
            let answered = Answered { number, level, latency, in_flight: self.in_flight, sent: self.sent };
            controller.succeeded(answered, now);
        }
    }

    pub(super) fn refused(
        &mut self,
        now: Instant,
        sent: Sent,
        asked: Option<Duration>,
        random: f64,
    ) -> Duration {
        self.throttled += 1;
        self.budget.refused();
        let news = self.is_news(sent);
        self.streak += u32::from(news);
        let wait = retry::delay(self.streak, asked, random);
        // A server may say anything; who gets to see the wait decides whether it is worth it.
        let until = now + wait.min(MAX_PAUSE);
        if news || asked.is_some() {
            self.pause(until);
        }
        if let Some(asked) = asked.filter(|asked| !asked.is_zero()) {
            self.untold = self.untold.max(Some(now + asked.min(MAX_PAUSE)));
        }
        if news {
            let refusal = Refusal {
                number: sent.number,
                sent_at: sent.at,
                sent: self.sent,
                resumes: until,
                allowed: self.budget.pace(f64::from(self.runs)),
                told: self.budget.is_told(),
            };
            self.pace.refused(refusal, now);
            if let ConcurrencyLimit::Found(controller) = &mut self.places {
                controller.refused(sent.level, self.in_flight, self.sent, now);
            }
        }
        wait
    }

    pub(super) fn lost(&mut self, now: Instant, sent: Sent) {
        self.lost += 1;
        if self.lost >= OUTAGE {
            self.overloaded(now, sent, None);
        }
    }

    pub(super) fn overloaded(&mut self, now: Instant, sent: Sent, asked: Option<Duration>) {
        if let Some(asked) = asked {
            self.pause(now + asked.min(MAX_PAUSE));
        }
        if self.is_news(sent)
            && let ConcurrencyLimit::Found(controller) = &mut self.places
        {
            controller.overloaded(sent.level, self.sent, now);
        }
    }

    pub(super) fn pause(&mut self, until: Instant) {
        self.paused_until = Some(self.paused_until.map_or(until, |earlier| earlier.max(until)));
    }

    /// Requests that were in flight together are refused together: that is one signal, not as many.
    fn is_news(&mut self, sent: Sent) -> bool {
        let news = sent.number > self.sent_when_refused;
        if news {
            self.sent_when_refused = self.sent;
        }
        news
    }
}
