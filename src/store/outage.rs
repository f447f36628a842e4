//! What a store waits for that cannot be used just now. Whoever waits says so here, and whoever talks to people looks.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Absent while the store works.
#[derive(Debug, Default)]
pub(super) struct Outage(Mutex<Option<Waiting>>);

/// A store that is waited for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// When it was last used.
    pub since: Instant,
    /// What is the matter, and for how long that is borne.
    pub why: String,
}

impl Waiting {
    /// For how long it has been waited for.
    pub fn time(&self) -> Duration {
        self.since.elapsed()
    }
}

impl Outage {
    /// It has not worked `since` then.
    pub(super) fn begins(&self, since: Instant, why: String) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Waiting { since, why });
    }

    /// It works.
    pub(super) fn ends(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    pub(super) fn now(&self) -> Option<Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
