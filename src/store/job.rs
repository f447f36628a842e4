//! Operations for the writing thread, and how callers learn that they are committed.

use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::{Claim, Failure, Fingerprint, ReplyKind, Reuse, StoreError};
use crate::domain::{Given, Granted, Paid, Reply, Taking};

/// Operations in one commit; bounds how long the first of them waits.
pub(super) const BATCH: usize = 1024;

/// Something to write.
pub(super) enum Op {
    Claim { fingerprint: Fingerprint, reuse: Reuse },
    Answer { fingerprint: Fingerprint, kind: ReplyKind, reply: Box<Reply>, prompt: Option<String> },
    Fail { fingerprint: Fingerprint, failure: Failure },
    Waste { fingerprint: Fingerprint, paid: Paid },
    Release { fingerprint: Fingerprint },
    Join { endpoint: String, model: String },
    Leave { endpoint: String, model: String },
    Learn { endpoint: String, model: String, adaptation: String },
    Manifest { manifest: String, finished: bool },
    Take { purse: String, taking: Taking },
    Settle { purse: String, spent: u64 },
    Grant { endpoint: String, model: String, number: i64, length: i64 },
    Pause { endpoint: String, model: String, pause: Duration },
}

impl Op {
    /// Whether it must outlive a failure of power: a lost reply is a paid call. Of the rest nothing is lost that the next run
    /// would miss.
    pub(super) fn is_lasting(&self) -> bool {
        match self {
            Op::Answer { .. } | Op::Waste { .. } | Op::Take { .. } | Op::Settle { .. } => true,
            Op::Manifest { finished, .. } => *finished,
            _ => false,
        }
    }
}

/// What an operation came to.
#[derive(Debug, Clone, Copy)]
pub(super) enum Written {
    Claim(Claim),
    Given(Given),
    /// And when the store's clock showed what it begins by.
    Granted(Granted, Instant),
    Kept,
}

/// An operation, and who waits for its commit.
pub(super) struct Job {
    pub op: Op,
    pub done: oneshot::Sender<CommitAck>,
}

impl Job {
    /// The question that it claims, if it does.
    #[cfg(feature = "postgres")]
    pub(super) fn claimed(&self) -> Option<Fingerprint> {
        match self.op {
            Op::Claim { fingerprint, .. } => Some(fingerprint),
            _ => None,
        }
    }
}

/// The answer to a caller that waited for a commit: its own outcome, and the outcomes of those that wait for the same commit.
///
/// Waking a task on another thread takes a system call, so the writer does it once for each commit. The woken task wakes the next
/// one, if only by dropping this.
pub(super) struct CommitAck {
    pub outcome: Result<Written, StoreError>,
    waiters: OtherWaiters,
}

#[derive(Default)]
struct OtherWaiters(Vec<(oneshot::Sender<CommitAck>, Result<Written, StoreError>)>);

impl CommitAck {
    /// Tells each of these what became of its operation.
    pub(super) fn tell(outcomes: Vec<(oneshot::Sender<CommitAck>, Result<Written, StoreError>)>) {
        OtherWaiters(outcomes).wake_next();
    }
}

impl OtherWaiters {
    fn wake_next(mut self) {
        while let Some((done, outcome)) = self.0.pop() {
            match done.send(CommitAck { outcome, waiters: OtherWaiters(std::mem::take(&mut self.0)) }) {
                Ok(()) => return,
                // This caller no longer waits: its run has stopped.
                Err(mut ack) => self.0 = std::mem::take(&mut ack.waiters.0),
            }
        }
    }
}

impl Drop for OtherWaiters {
    fn drop(&mut self) {
        for (done, outcome) in self.0.drain(..) {
            // As above.
            let _ = done.send(CommitAck { outcome, waiters: OtherWaiters::default() });
        }
    }
}
