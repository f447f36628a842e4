//! How long the budget makes a request wait: places in flight, requests and tokens per minute, pauses.

use std::num::NonZeroU32;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use tokio::sync::{Mutex as FairMutex, OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// What a judge may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Requests in flight at once.
    pub concurrency: NonZeroU32,
    /// Requests per minute.
    pub rpm: Option<NonZeroU32>,
    /// Tokens per minute, of prompts and answers together.
    pub tpm: Option<NonZeroU32>,
}

/// One endpoint's budget, shared by all requests to it.
#[derive(Debug)]
pub(super) struct Limiter {
    places: Arc<Semaphore>,
    concurrency: usize,
    requests: Option<Bucket>,
    tokens: Option<Bucket>,
    /// Tokens used beyond what was reserved (positive) or reserved in vain (negative); the next request settles them.
    owed: AtomicI64,
    paused_until: Mutex<Option<Instant>>,
    throttled: AtomicU64,
    /// Refusals since the last success.
    refusals: AtomicU64,
}

/// A place in flight.
#[derive(Debug)]
pub struct Slot(#[allow(dead_code, reason = "held, to be dropped")] OwnedSemaphorePermit);

impl Limiter {
    pub(super) fn new(limits: Limits) -> Limiter {
        let concurrency = limits.concurrency.get() as usize;
        Limiter {
            places: Arc::new(Semaphore::new(concurrency)),
            concurrency,
            requests: limits.rpm.map(Bucket::per_minute),
            tokens: limits.tpm.map(Bucket::per_minute),
            owed: AtomicI64::new(0),
            paused_until: Mutex::new(None),
            throttled: AtomicU64::new(0),
            refusals: AtomicU64::new(0),
        }
    }

    /// Waits for a place in flight.
    pub(super) async fn place(&self) -> Slot {
        let Ok(place) = Arc::clone(&self.places).acquire_owned().await else {
            unreachable!("the semaphore is never closed")
        };
        Slot(place)
    }

    /// Waits until one more request of about `tokens` tokens may be sent.
    pub(super) async fn budget(&self, tokens: u32) {
        self.resume().await;
        if let Some(requests) = &self.requests {
            requests.take(1).await;
        }
        if let Some(bucket) = &self.tokens {
            let wanted = i64::from(tokens) + self.owed.swap(0, Ordering::Relaxed);
            if wanted < 0 {
                self.owed.fetch_add(wanted, Ordering::Relaxed);
            }
            bucket.take(u32::try_from(wanted.max(0)).unwrap_or(u32::MAX)).await;
        }
        // A pause may have begun while the budget made us wait.
        self.resume().await;
    }

    /// Corrects a reservation by what was really used.
    pub(super) fn settle(&self, reserved: u32, used: u64) {
        if self.tokens.is_some() {
            let used = i64::try_from(used).unwrap_or(i64::MAX);
            self.owed.fetch_add(used.saturating_sub(i64::from(reserved)), Ordering::Relaxed);
        }
    }

    pub(super) fn succeeded(&self) {
        self.refusals.store(0, Ordering::Relaxed);
    }

    /// Notes that the endpoint found us too fast; returns how often it did since it last answered.
    pub(super) fn refused(&self) -> u32 {
        self.throttled.fetch_add(1, Ordering::Relaxed);
        // Requests that were in flight together are refused together: that is one refusal, not as many.
        let streak = self.refusals.fetch_add(1, Ordering::Relaxed) / self.concurrency as u64 + 1;
        u32::try_from(streak).unwrap_or(u32::MAX)
    }

    /// Lets nothing be sent for `wait`.
    pub(super) fn pause(&self, wait: Duration) {
        let until = Instant::now() + wait;
        let mut paused = self.paused_until.lock().unwrap_or_else(PoisonError::into_inner);
        *paused = Some(paused.map_or(until, |earlier| earlier.max(until)));
    }

    pub(super) fn in_flight(&self) -> usize {
        self.concurrency - self.places.available_permits()
    }

    pub(super) fn throttled(&self) -> u64 {
        self.throttled.load(Ordering::Relaxed)
    }

    async fn resume(&self) {
        loop {
            let until = *self.paused_until.lock().unwrap_or_else(PoisonError::into_inner);
            match until {
                Some(until) if until > Instant::now() => tokio::time::sleep_until(until).await,
                _ => return,
            }
        }
    }
}

/// A token bucket (GCRA) whose waiters are served in order.
///
/// `governor` has no queue: a large request would starve behind small ones, so one waiter at a time asks it. It refuses
/// amounts above its burst, so a large amount is taken in parts.
#[derive(Debug)]
struct Bucket {
    limiter: DefaultDirectRateLimiter,
    clock: DefaultClock,
    burst: NonZeroU32,
    turn: FairMutex<()>,
}

impl Bucket {
    /// The burst is a tenth of a second's worth: enough to make up for a late timer, too little to offend a server that
    /// counts by the second.
    fn per_minute(rate: NonZeroU32) -> Bucket {
        let burst = NonZeroU32::new(rate.get().div_ceil(600)).unwrap_or(NonZeroU32::MIN);
        let limiter = RateLimiter::direct(Quota::per_minute(rate).allow_burst(burst));
        Bucket { limiter, clock: DefaultClock::default(), burst, turn: FairMutex::new(()) }
    }

    async fn take(&self, amount: u32) {
        let _turn = self.turn.lock().await;
        let mut left = amount;
        while let Some(part) = NonZeroU32::new(left.min(self.burst.get())) {
            // A part never exceeds the burst, so the outer error cannot occur.
            while let Ok(Err(early)) = self.limiter.check_n(part) {
                tokio::time::sleep(early.wait_time_from(self.clock.now())).await;
            }
            left -= part.get();
        }
    }
}
