//! The progress of a run: counters that the passes advance and anyone can read.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::domain::Verdict;

/// Moved by a run, read by a display. Counting is all it does.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicU64,
    spared: AtomicU64,
    reused: AtomicU64,
    elsewhere: AtomicU64,
    labels: Mutex<BTreeMap<String, u64>>,
}

/// The counters at one moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProgressSnapshot {
    /// Questions (or rows, without model judges) that the current pass has finished.
    pub done: u64,
    /// Of these, those that were not sent: they do not show how long the others take.
    pub spared: u64,
    /// Of these again, those whose reply was there before.
    pub reused: u64,
    /// Questions that wait for another run, which is asking them.
    pub elsewhere: u64,
    /// Labels so far; rows without one count under their status.
    pub labels: BTreeMap<String, u64>,
}

impl Progress {
    /// The current counters.
    pub fn snapshot(&self) -> ProgressSnapshot {
        ProgressSnapshot {
            done: self.done.load(Ordering::Relaxed),
            spared: self.spared.load(Ordering::Relaxed),
            reused: self.reused.load(Ordering::Relaxed),
            elsewhere: self.elsewhere.load(Ordering::Relaxed),
            labels: self.labels.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        }
    }

    pub(super) fn asks_done(&self, asks: u64) {
        self.done.fetch_add(asks, Ordering::Relaxed);
    }

    /// Dealt with, without asking.
    pub(super) fn asks_spared(&self, asks: u64) {
        self.spared.fetch_add(asks, Ordering::Relaxed);
        self.asks_done(asks);
    }

    /// Spared, since the reply was there before.
    pub(super) fn ask_reused(&self) {
        self.reused.fetch_add(1, Ordering::Relaxed);
        self.asks_spared(1);
    }

    /// How many questions wait for another run, until it is withdrawn.
    pub(super) fn wait_for_others(&self, asks: u64) {
        self.elsewhere.fetch_add(asks, Ordering::Relaxed);
    }

    pub(super) fn waited_for_others(&self, asks: u64) {
        self.elsewhere.fetch_sub(asks, Ordering::Relaxed);
    }

    pub(super) fn judged(&self, verdict: &Verdict) {
        let name = verdict.label().unwrap_or(verdict.status().as_str());
        let mut labels = self.labels.lock().unwrap_or_else(PoisonError::into_inner);
        match labels.get_mut(name) {
            Some(count) => *count += 1,
            None => drop(labels.insert(name.to_owned(), 1)),
        }
    }
}
