//! What really happened at a server: who came when, what was sent, who came too early.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use super::Seen;

/// The account of one server.
#[derive(Debug, Default)]
pub struct Truth {
    log: Mutex<Log>,
    in_flight: AtomicUsize,
    most_in_flight: AtomicUsize,
}

#[derive(Debug, Default)]
struct Log {
    seen: Vec<Seen>,
    prompts: HashMap<String, usize>,
    /// Completions sent whole, per prompt.
    answered: HashMap<String, usize>,
    waits: Vec<Wait>,
}

/// Whose wait a request came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Early {
    /// Its own prompt's, of which nothing can have been on its way.
    Own,
    /// Everybody's; whoever was in flight with the one that was told may have been on the way.
    Everybodys,
}

/// A wait that an answer asked for.
#[derive(Debug)]
struct Wait {
    until: Instant,
    prompt: String,
    /// Whether it is the client that is too fast, and not one request that failed.
    everybody: bool,
}

impl Truth {
    /// Enters a request, and tells it how many came before.
    pub fn arrived(&self, seen: &mut Seen) {
        let mut log = self.log.lock().unwrap();
        let count = log.prompts.entry(seen.prompt().to_owned()).or_default();
        seen.earlier = *count;
        *count += 1;
        seen.number = log.seen.len();
        seen.early = log.waits.iter().filter_map(|wait| wait.forbids(seen)).min();
        log.seen.push(seen.clone());
    }

    /// From now on the prompt of `seen`, or everybody, is to wait.
    pub fn told_to_wait(&self, seen: &Seen, until: Instant, everybody: bool) {
        let wait = Wait { until, prompt: seen.prompt().to_owned(), everybody };
        self.log.lock().unwrap().waits.push(wait);
    }

    /// A completion was sent to its last byte.
    pub fn answered(&self, seen: &Seen) {
        *self.log.lock().unwrap().answered.entry(seen.prompt().to_owned()).or_default() += 1;
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.log.lock().unwrap().seen.clone()
    }

    pub fn requests(&self) -> usize {
        self.log.lock().unwrap().seen.len()
    }

    /// How often each prompt was asked.
    pub fn asked(&self) -> HashMap<String, usize> {
        self.log.lock().unwrap().prompts.clone()
    }

    /// How many completions each prompt got.
    pub fn completions(&self) -> HashMap<String, usize> {
        self.log.lock().unwrap().answered.clone()
    }

    /// How often everybody was asked to wait.
    pub fn waits(&self) -> usize {
        self.log.lock().unwrap().waits.iter().filter(|wait| wait.everybody).count()
    }

    pub fn most_in_flight(&self) -> usize {
        self.most_in_flight.load(Ordering::SeqCst)
    }
}

impl Wait {
    /// Whether `seen` should not have come yet.
    fn forbids(&self, seen: &Seen) -> Option<Early> {
        if seen.at >= self.until {
            None
        } else if self.prompt == seen.prompt() {
            Some(Early::Own)
        } else {
            self.everybody.then_some(Early::Everybodys)
        }
    }
}

/// Counts a request in, and out again, whichever way it ends.
pub struct InFlight(Arc<Truth>);

impl InFlight {
    pub fn enter(truth: &Arc<Truth>) -> InFlight {
        let now = truth.in_flight.fetch_add(1, Ordering::SeqCst) + 1;
        truth.most_in_flight.fetch_max(now, Ordering::SeqCst);
        InFlight(Arc::clone(truth))
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::SeqCst);
    }
}
