//! What really happened at a server: who came when, what was sent, who came too early.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::Seen;

/// What may be on its way when everybody is asked to wait.
const ON_ITS_WAY: Duration = Duration::from_millis(100);

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

/// A wait that an answer asked for.
#[derive(Debug)]
struct Wait {
    from: Instant,
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
        seen.early = log.waits.iter().any(|wait| wait.forbids(seen));
        log.seen.push(seen.clone());
    }

    /// From now on the prompt of `seen`, or everybody, is to wait.
    pub fn told_to_wait(&self, seen: &Seen, until: Instant, everybody: bool) {
        let wait = Wait { from: Instant::now(), until, prompt: seen.prompt().to_owned(), everybody };
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

    pub fn most_in_flight(&self) -> usize {
        self.most_in_flight.load(Ordering::SeqCst)
    }
}

impl Wait {
    /// Whether this wait is on for `seen`. Of the same prompt nothing can be on its way.
    fn forbids(&self, seen: &Seen) -> bool {
        let same = self.prompt == seen.prompt();
        seen.at < self.until && (same || self.everybody && seen.at > self.from + ON_ITS_WAY)
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
