//! What a store waits for that cannot be used just now. Whoever waits says so here, and whoever talks to people looks.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// All waits, by a number of their own.
#[derive(Debug, Default)]
pub(super) struct Outage(Mutex<(u64, BTreeMap<u64, Waiting>)>);

/// A store that is waited for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    since: Instant,
    /// What is the matter, and for how long that is borne.
    pub why: Cow<'static, str>,
}

/// A wait, which ends when this is dropped.
pub(super) struct Wait<'a> {
    outage: &'a Outage,
    number: u64,
}

impl Waiting {
    /// For how long it has been waited for.
    pub fn time(&self) -> Duration {
        self.since.elapsed()
    }
}

impl Outage {
    /// Somebody begins to wait; `why`, as far as is known.
    pub(super) fn wait(&self, why: impl Into<Cow<'static, str>>) -> Wait<'_> {
        let (number, waits) = &mut *self.waits();
        *number += 1;
        waits.insert(*number, Waiting { since: Instant::now(), why: why.into() });
        Wait { outage: self, number: *number }
    }

    /// What was begun first of all that is waited for.
    pub(super) fn longest(&self) -> Option<Waiting> {
        self.waits().1.first_key_value().map(|(_, waiting)| waiting.clone())
    }

    fn waits(&self) -> MutexGuard<'_, (u64, BTreeMap<u64, Waiting>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wait<'_> {
    /// More is known of the cause.
    pub(super) fn because(&self, why: String) {
        if let Some(waiting) = self.outage.waits().1.get_mut(&self.number) {
            waiting.why = why.into();
        }
    }
}

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        self.outage.waits().1.remove(&self.number);
    }
}
