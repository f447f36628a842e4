//! When a run last renewed its claims, by the monotonic clock, which no change of the system time moves.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long a claim outlives its last renewal: what a run was asking that hangs can be asked again after this.
pub(super) const LEASE: Duration = Duration::from_secs(10);
/// How often claims are renewed.
pub(super) const RENEWAL: Duration = Duration::from_secs(3);
/// What is left of a lease when it no longer counts: to send a request takes a moment too.
const MARGIN: Duration = Duration::from_secs(1);

/// The writing thread records each renewal; code that is about to use a claim asks whether the lease still holds.
#[derive(Debug)]
pub(super) struct LeaseClock {
    began: Instant,
    /// The last renewal, in milliseconds from `began`.
    renewed: AtomicU64,
    /// How often a renewal came too late.
    lapses: AtomicU64,
}

/// A moment at which claims were held: from then on one can tell whether they still are.
#[derive(Debug, Clone, Copy)]
pub struct LeaseToken {
    lapses: u64,
}

impl LeaseClock {
    pub(super) fn new() -> LeaseClock {
        LeaseClock { began: Instant::now(), renewed: AtomicU64::new(0), lapses: AtomicU64::new(0) }
    }

    /// All claims that were left were renewed at `moment`, and others can see that.
    pub(super) fn renewed(&self, moment: Instant) {
        let moment = self.millis(moment);
        // In this order: nobody is to see the renewal and not that it came too late.
        if is_long(self.renewed.load(Ordering::SeqCst), moment) {
            self.lapses.fetch_add(1, Ordering::SeqCst);
        }
        self.renewed.store(moment, Ordering::SeqCst);
    }

    /// A claim was lost to another run, in time or not.
    #[cfg(feature = "postgres")]
    pub(super) fn lapsed(&self) {
        self.lapses.fetch_add(1, Ordering::SeqCst);
    }

    pub(super) fn lease_token(&self) -> LeaseToken {
        LeaseToken { lapses: self.lapses.load(Ordering::SeqCst) }
    }

    pub(super) fn is_expired(&self, lease_token: LeaseToken) -> bool {
        let late = is_long(self.renewed.load(Ordering::SeqCst), self.millis(Instant::now()));
        late || self.lapses.load(Ordering::SeqCst) != lease_token.lapses
    }

    fn millis(&self, moment: Instant) -> u64 {
        u64::try_from(moment.saturating_duration_since(self.began).as_millis()).unwrap_or(u64::MAX)
    }
}

fn is_long(from: u64, to: u64) -> bool {
    u128::from(to.saturating_sub(from)) >= (LEASE - MARGIN).as_millis()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_hold_for_a_lease_after_their_renewal() {
        let Some(long_ago) = Instant::now().checked_sub(LEASE) else { return };
        let lease_clock = LeaseClock { began: long_ago, ..LeaseClock::new() };
        let before = lease_clock.lease_token();
        assert!(lease_clock.is_expired(before));
        lease_clock.renewed(Instant::now());
        assert!(lease_clock.is_expired(before), "what was held before is lost for good");
        let lease_token = lease_clock.lease_token();
        lease_clock.renewed(Instant::now());
        assert!(!lease_clock.is_expired(lease_token));
    }
}
