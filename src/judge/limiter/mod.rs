//! Decides how long a request waits: concurrency, requests and tokens per minute, pauses.
//!
//! One [`Limiter`] serves all requests to one model at one endpoint. They wait in one queue, so small requests cannot overtake a
//! large one forever. All decisions are made by [`state`] and its pure state machines ([`bucket`], [`budget`], [`grants`],
//! [`quota`], [`request_pacer`], [`rate_estimator`], [`concurrency_controller`]), which get the time as an argument; this file
//! only waits as long as they say.

mod bucket;
mod budget;
mod concurrency_controller;
mod grants;
mod limited_by;
mod quota;
mod rate_estimator;
mod request_pacer;
mod state;
mod waiting;
mod window;

use std::num::NonZeroU32;
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Mutex as FairMutex, Notify};
use tokio::time::Instant;

use crate::domain::Granted;

pub(super) use budget::{Cost, Meter};
use grants::Grants;
pub use limited_by::LimitedBy;
pub use quota::Stated;
pub(super) use quota::{Claim, Reset};
use state::{ConcurrencyLimit, Sent, State};

/// A wait that ended no longer ago than this is still worth a word to the user. Chosen.
const JUST_NOW: Duration = Duration::from_secs(2);

/// Requests in flight at once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Concurrency {
    /// As many as the endpoint serves well, found out on the way; 512 at most.
    #[default]
    Auto,
    /// So many requests in flight at most.
    Fixed(NonZeroU32),
}

/// A text that is neither `auto` nor a number of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected `auto` or a number above 0")]
pub struct UnknownConcurrency;

impl FromStr for Concurrency {
    type Err = UnknownConcurrency;

    fn from_str(text: &str) -> Result<Concurrency, UnknownConcurrency> {
        match text {
            "auto" => Ok(Concurrency::Auto),
            _ => text.parse().map(Concurrency::Fixed).map_err(|_| UnknownConcurrency),
        }
    }
}

/// What judges may use, as far as the user said so. What an endpoint's headers say is kept where nothing is said here; beside
/// a limit that is, only where the endpoint's refusals agree, and a larger one there does not lift a smaller one here.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// Requests in flight. Default: found by trying.
    pub concurrency: Concurrency,
    /// Requests per minute.
    pub rpm: Option<NonZeroU32>,
    /// Tokens per minute, of prompts and answers together.
    pub tpm: Option<NonZeroU32>,
    /// Tokens of prompts per minute.
    pub itpm: Option<NonZeroU32>,
    /// Tokens of answers per minute.
    pub otpm: Option<NonZeroU32>,
    /// Whether what an endpoint's headers state counts for nothing; refusals, and the waits that they ask for, do.
    pub ignore_headers: bool,
}

impl Limits {
    fn pace_is_told(&self) -> bool {
        [self.rpm, self.tpm, self.itpm, self.otpm].iter().any(Option::is_some)
    }
}

/// The budget of one model at one endpoint, shared by all requests to it.
#[derive(Debug)]
pub struct Limiter {
    /// Whether a limit of requests or tokens a minute was set.
    has_rate_limit: bool,
    /// Held by the next in line.
    turn: FairMutex<()>,
    /// Tells the next one that something has changed.
    changed: Notify,
    /// Tells whoever speaks with the other runs that there may be something to say.
    errand: Notify,
    state: Mutex<State>,
}

/// A place in flight, taken until this is dropped.
#[derive(Debug)]
pub struct Slot {
    limiter: Arc<Limiter>,
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.limiter.state().in_flight -= 1;
        self.limiter.changed.notify_one();
    }
}

/// The permission to send one request.
#[derive(Debug)]
pub(super) struct Permit {
    pub slot: Slot,
    pub reservation: QuotaReservation,
}

/// What is reserved for one request; without a word of how it ended, that counts as used.
#[derive(Debug)]
pub(super) struct QuotaReservation {
    limiter: Arc<Limiter>,
    sent: Sent,
    reserved: Cost,
    used: Cost,
}

impl Drop for QuotaReservation {
    fn drop(&mut self) {
        let earlier = self.limiter.state().budget.settle(self.reserved, self.used);
        if earlier {
            self.limiter.changed.notify_one();
        }
    }
}

/// Something to say to the runs that share the endpoint's limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Errand {
    /// To reserve a block of the limits for so long.
    Reserve(Duration),
    /// That the endpoint wants to be left alone for so long.
    Pause(Duration),
}

/// One that waits for its turn, as long as this is there.
struct Waiting<'a>(&'a Limiter, u64);

impl<'a> Waiting<'a> {
    fn new(limiter: &'a Limiter, cost: Cost) -> Waiting<'a> {
        Waiting(limiter, limiter.state().waiting.join(cost))
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.state().waiting.leave(self.1);
    }
}

/// How long a request that is sent again sleeps at most before it looks anew. Chosen.
const LOOK_ANEW: Duration = Duration::from_secs(1);

/// As long as this is there, its owner comes before everybody else.
struct First<'a>(&'a Limiter, u64);

impl<'a> First<'a> {
    fn new(limiter: &'a Limiter, cost: Cost) -> First<'a> {
        First(limiter, limiter.state().waiting.join_again(cost))
    }
}

impl Drop for First<'_> {
    fn drop(&mut self) {
        self.0.state().waiting.leave(self.1);
        self.0.changed.notify_one();
    }
}

impl Limiter {
    /// A limiter that no judge uses yet; judges of one endpoint and model share one.
    pub fn new(limits: Limits) -> Arc<Limiter> {
        let has_rate_limit = limits.pace_is_told();
        let state = State::new(limits);
        Arc::new(Limiter {
            has_rate_limit,
            turn: FairMutex::new(()),
            changed: Notify::new(),
            errand: Notify::new(),
            state: Mutex::new(state),
        })
    }

    /// The most requests that can ever be in flight.
    pub(crate) fn most_in_flight(&self) -> usize {
        match &self.state().places {
            ConcurrencyLimit::Fixed(places) => *places,
            ConcurrencyLimit::Found(_) => concurrency_controller::MAX_IN_FLIGHT,
        }
    }

    /// Tells how many runs share the endpoint's limits, this one included: each gets an equal part of those that are not reserved.
    pub(crate) fn set_runs(&self, runs: u32) {
        self.state().runs = runs.max(1);
        self.changed.notify_one();
    }

    /// From now on what is reserved in a line that all runs share counts for the limits that were told; or else each run's own pace does.
    pub(crate) fn share_line(&self, is_shared: bool) {
        self.state().budget.grants = (is_shared && self.has_rate_limit).then(Grants::default);
        self.changed.notify_one();
    }

    /// Waits until there is something to say to the other runs.
    pub(crate) async fn errand(&self) -> Errand {
        loop {
            let now = Instant::now();
            let again = {
                let mut state = self.state();
                if let Some(until) = state.untold.take().filter(|until| *until > now) {
                    return Errand::Pause(until - now);
                }
                match state.wanted(now) {
                    Ok(time) => return Errand::Reserve(time),
                    Err(again) => again,
                }
            };
            match again {
                Some(again) => tokio::select! {
                    () = tokio::time::sleep_until(again) => {}
                    () = self.errand.notified() => {}
                },
                None => self.errand.notified().await,
            }
        }
    }

    /// What was reserved, as heard just now.
    pub(crate) fn granted(&self, granted: Granted) {
        if let Some(grants) = &mut self.state().budget.grants {
            grants.add(granted, Instant::now());
        }
        self.changed.notify_one();
    }

    /// Another run was told to leave the endpoint alone for so long. Returns how much longer than was known that is.
    pub(crate) fn pause(&self, pause: Duration) -> Duration {
        let (mut state, now) = (self.state(), Instant::now());
        let known = state.paused_until.unwrap_or(now).max(now);
        state.pause(now + pause);
        (now + pause).saturating_duration_since(known)
    }

    fn may_have_errand(&self) {
        if self.has_rate_limit {
            self.errand.notify_one();
        }
    }

    pub(super) fn in_flight(&self) -> usize {
        self.state().in_flight
    }

    /// For whose sake requests wait now, or did just now.
    pub(super) fn limited_by(&self) -> Option<LimitedBy> {
        let limited_by = self.state().limited_by;
        limited_by.filter(|(until, _)| Instant::now() <= *until + JUST_NOW).map(|(_, limited_by)| limited_by)
    }

    /// How often the endpoint found us too fast.
    pub(super) fn throttled(&self) -> u64 {
        self.state().throttled
    }

    /// Waits until one more request of about `cost` may be sent.
    pub(super) async fn admit(self: &Arc<Self>, cost: Cost) -> Permit {
        let waiting = Waiting::new(self, cost);
        let _turn = self.turn.lock().await;
        self.state().waiting.lead(waiting.1);
        loop {
            let now = Instant::now();
            let ready = self.state().admit(now, cost);
            self.may_have_errand();
            match ready {
                Ok(sent) => {
                    let slot = Slot { limiter: Arc::clone(self) };
                    return Permit { slot, reservation: self.reservation(sent, cost) };
                }
                Err(Some(ready)) => tokio::select! {
                    () = tokio::time::sleep_until(ready) => {}
                    () = self.changed.notified() => {}
                },
                Err(None) => self.changed.notified().await,
            }
        }
    }

    /// Waits until a request that holds a place may be sent once more.
    pub(super) async fn admit_again(self: &Arc<Self>, cost: Cost, slot: Slot) -> Permit {
        let _first = First::new(self, cost);
        loop {
            let now = Instant::now();
            let ready = self.state().admit_placed(now, cost);
            self.may_have_errand();
            match ready {
                Ok(sent) => return Permit { slot, reservation: self.reservation(sent, cost) },
                // What is granted or shared meanwhile may change that.
                Err(ready) => tokio::time::sleep_until(ready.min(now + LOOK_ANEW)).await,
            }
        }
    }

    /// Learns from what the headers of a response claim.
    pub(super) fn learn(&self, reservation: &QuotaReservation, claims: &[(Meter, Claim)]) {
        if !claims.is_empty() {
            self.state().learn(Instant::now(), reservation.sent, claims);
            self.changed.notify_one();
        }
    }

    /// The endpoint answered after `latency`, and counted `used` where it says so.
    pub(super) fn succeeded(&self, mut reservation: QuotaReservation, latency: Duration, used: Option<Cost>) {
        reservation.used = used.unwrap_or(reservation.reserved);
        self.state().succeeded(Instant::now(), reservation.sent, latency);
    }

    /// The endpoint found us too fast: nothing is sent for as long as it `asked`, or else for longer and longer. Returns
    /// how long that is. `random` is uniform in [0, 1).
    pub(super) fn refused(
        &self,
        reservation: &QuotaReservation,
        asked: Option<Duration>,
        random: f64,
    ) -> Duration {
        let wait = self.state().refused(Instant::now(), reservation.sent, asked, random);
        self.errand.notify_one();
        wait
    }

    /// The endpoint is busy with what it has: fewer at once from now on, and nothing for as long as it `asked`.
    pub(super) fn overloaded(&self, reservation: &QuotaReservation, asked: Option<Duration>) {
        self.state().overloaded(Instant::now(), reservation.sent, asked);
    }

    /// No response came. One connection may break for any reason; but where one after the other does, the endpoint is gone,
    /// and fewer are sent to the same end.
    pub(super) fn lost(&self, reservation: &QuotaReservation) {
        self.state().lost(Instant::now(), reservation.sent);
    }

    fn reservation(self: &Arc<Self>, sent: Sent, cost: Cost) -> QuotaReservation {
        QuotaReservation { limiter: Arc::clone(self), sent, reserved: cost, used: cost }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod simulation;
#[cfg(test)]
mod tests;
