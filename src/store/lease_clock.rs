//! Measures when a run last renewed its claims: by the monotonic clock, which changes of the system time do not affect, and by
//! the system time, which goes on while the machine sleeps.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

/// How long a claim outlives its last renewal: what a run was asking that hangs can be asked again after this.
pub(super) const LEASE: Duration = Duration::from_secs(10);
/// How often claims are renewed.
pub(super) const RENEWAL: Duration = Duration::from_secs(3);
/// What is left of a lease when it no longer counts: to send a request takes a moment too.
const MARGIN: Duration = Duration::from_secs(1);

/// The writing thread records each renewal; code that is about to use a claim asks whether the lease still holds.
#[derive(Debug)]
pub(super) struct LeaseClock {
    began: (Instant, SystemTime),
    /// The last renewal, in milliseconds from `began`, by either clock.
    renewed: [AtomicU64; 2],
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
        let began = (Instant::now(), SystemTime::now());
        LeaseClock { began, renewed: Default::default(), lapses: AtomicU64::new(0) }
    }

    /// All claims that were left were renewed at `moment`, and others can see that.
    pub(super) fn renewed(&self, moment: (Instant, SystemTime)) {
        // In this order: nobody is to see the renewal and not that it came too late.
        if self.is_long_until(moment) {
            self.lapses.fetch_add(1, Ordering::SeqCst);
        }
        for (renewed, millis) in self.renewed.iter().zip(self.millis(moment)) {
            renewed.store(millis, Ordering::SeqCst);
        }
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
        self.is_late() || self.lapses.load(Ordering::SeqCst) != lease_token.lapses
    }

    /// Whether the leases may be over by now.
    pub(super) fn is_late(&self) -> bool {
        self.is_long_until((Instant::now(), SystemTime::now()))
    }

    /// Whether a lease may be over at `moment`, by the clock that is ahead: one that was set only makes a claim be made anew.
    fn is_long_until(&self, moment: (Instant, SystemTime)) -> bool {
        let since = self.renewed.iter().zip(self.millis(moment));
        { since }.any(|(renewed, millis)| {
            let passed = millis.saturating_sub(renewed.load(Ordering::SeqCst));
            u128::from(passed) >= (LEASE - MARGIN).as_millis()
        })
    }

    fn millis(&self, (moment, time): (Instant, SystemTime)) -> [u64; 2] {
        let passed = [
            moment.saturating_duration_since(self.began.0),
            time.duration_since(self.began.1).unwrap_or_default(),
        ];
        passed.map(|passed| u64::try_from(passed.as_millis()).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_hold_for_a_lease_after_their_renewal() {
        let now = || (Instant::now(), SystemTime::now());
        let Some(long_ago) = Instant::now().checked_sub(LEASE) else { return };
        let lease_clock = LeaseClock { began: (long_ago, SystemTime::now()), ..LeaseClock::new() };
        let before = lease_clock.lease_token();
        assert!(lease_clock.is_expired(before));
        lease_clock.renewed(now());
        assert!(lease_clock.is_expired(before), "what was held before is lost for good");
        let lease_token = lease_clock.lease_token();
        lease_clock.renewed(now());
        assert!(!lease_clock.is_expired(lease_token));
    }

    /// The monotonic clock stands still then.
    #[test]
    fn while_the_machine_sleeps_leases_lapse() {
        let lease_clock =
            LeaseClock { began: (Instant::now(), SystemTime::now() - LEASE), ..LeaseClock::new() };
        let before = lease_clock.lease_token();
        assert!(lease_clock.is_expired(before));
        lease_clock.renewed((Instant::now(), SystemTime::now()));
        assert!(lease_clock.is_expired(before) && !lease_clock.is_expired(lease_clock.lease_token()));
    }
}
