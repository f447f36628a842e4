//! Crash-safe storage of paid replies: one SQLite file, shared by all runs on a machine, or a schema on a PostgreSQL server,
//! shared by all machines.
//!
//! The store holds replies, never verdicts. It answers three questions: what is already paid for (resume, reuse), which run is
//! sending what right now (claims), and what an endpoint does not support. One thread owns the writing connection and commits
//! everything that has arrived since its last commit, so a busy run shares each fsync and an idle one does not wait.

#[cfg(feature = "cli")]
mod archive;
mod error;
mod fingerprint;
mod job;
mod lease_clock;
mod marks;
mod outage;
mod place;
#[cfg(feature = "postgres")]
mod postgres;
mod reader;
mod reply_kind;
mod sqlite;
mod stored_reply;

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use tokio::sync::oneshot;

#[cfg(feature = "cli")]
pub use archive::{Archive, Contents, Dropped, LearntAdaptation, Merged, Pruning, PurseContents, Wasted};
pub use error::StoreError;
pub use fingerprint::{AskHasher, Fingerprint};
use job::{Job, Op, Written};
use lease_clock::LeaseClock;
pub use lease_clock::LeaseToken;
pub use marks::{Kept, Mark, MarkStore, MarksError, NewMark, Picked};
use outage::Outage;
pub use outage::Waiting;
pub use place::StorePlace;
pub use reader::{Asking, Found, Reader, StoppedRun};
pub use reply_kind::ReplyKind;

use crate::domain::{Given, Granted, Paid, Reply, Taking, length};

/// The right to ask, or why not to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// Nobody has asked; now we do.
    Ours,
    /// The reply is there.
    Answered,
    /// This run is asking it already, or has failed to get an answer.
    Pending,
    /// Another run is asking; look again later.
    Theirs,
}

/// Which stored replies count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reuse {
    /// Every reply that fits the question.
    All,
    /// Only those of this run: every other question is asked anew.
    OwnOnly,
    /// None at all: even a reply of this run is asked for once more, and the new one takes its place.
    Nothing,
}

/// Why a question has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// A word for its kind.
    pub code: String,
    /// What was said.
    pub message: String,
    /// Requests sent.
    pub attempts: u32,
}

/// What the writing thread has noticed.
#[derive(Debug)]
struct Seen {
    /// Replies that turned out damaged when their question was claimed.
    damaged: AtomicU64,
    lease_clock: LeaseClock,
    outage: Outage,
}

/// An open store: a handle to its writing thread.
#[derive(Debug)]
pub struct Store {
    place: StorePlace,
    jobs: Option<Jobs>,
    seen: Arc<Seen>,
    kept: AtomicU64,
    unkept: AtomicU64,
    /// Blocks that were asked for.
    granted: AtomicI64,
    access: Access,
    thread: Option<std::thread::JoinHandle<()>>,
}

/// What a run does with a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Only looks things up, for which a role on a server needs fewer rights.
    Read,
    /// Claims questions and keeps replies, too.
    Write,
}

/// The way to the writing thread, and where it also looks things up, to that.
#[derive(Debug)]
enum Jobs {
    Sqlite(mpsc::Sender<Job>),
    #[cfg(feature = "postgres")]
    Postgres(tokio::sync::mpsc::UnboundedSender<Job>, postgres::Link),
}

impl Store {
    /// Opens the store at `place`; a file and its folder (mode 0600), or a schema and its tables, are made if need be. `run` names
    /// this run.
    pub fn open(place: StorePlace, run: &str) -> Result<Store, StoreError> {
        Store::open_for(Access::Write, place, run)
    }

    /// [`Store::open`] for no more than this `access`.
    pub fn open_for(access: Access, place: StorePlace, run: &str) -> Result<Store, StoreError> {
        let (damaged, lease_clock) = (AtomicU64::new(0), LeaseClock::new());
        let seen = Arc::new(Seen { damaged, lease_clock, outage: Outage::default() });
        let (jobs, thread) = match &place {
            StorePlace::File(path) => {
                let (jobs, thread) = sqlite::open(path, run, &seen)?;
                (Jobs::Sqlite(jobs), thread)
            }
            #[cfg(feature = "postgres")]
            StorePlace::Server(address) => {
                let (jobs, link, thread) = postgres::open(address, run, access, &seen)?;
                (Jobs::Postgres(jobs, link), thread)
            }
            #[cfg(not(feature = "postgres"))]
            StorePlace::Server(address) => return Err(StoreError::NoServers { place: address.to_string() }),
        };
        let (kept, unkept) = (AtomicU64::new(0), AtomicU64::new(0));
        let granted = AtomicI64::new(0);
        Ok(Store { place, jobs: Some(jobs), seen, kept, unkept, granted, access, thread: Some(thread) })
    }

    /// The file at `path`.
    #[cfg(test)]
    pub(super) fn at(path: impl AsRef<std::path::Path>, run: &str) -> Result<Store, StoreError> {
        Store::open(StorePlace::File(path.as_ref().to_owned()), run)
    }

    /// Where it is.
    pub fn place(&self) -> &StorePlace {
        &self.place
    }

    /// What it was opened for.
    pub fn access(&self) -> Access {
        self.access
    }

    /// What it waits for, if it cannot be used just now.
    pub fn waiting(&self) -> Option<Waiting> {
        self.seen.outage.longest()
    }

    /// Replies that turned out damaged when their question was claimed; these questions are asked again.
    pub fn damaged(&self) -> u64 {
        self.seen.damaged.load(Ordering::Relaxed)
    }

    /// Replies that this run got, and that are kept.
    pub fn kept(&self) -> u64 {
        self.kept.load(Ordering::Relaxed)
    }

    /// Replies that came and could not be kept: they are paid for, and will be asked for again.
    pub fn unkept(&self) -> u64 {
        self.unkept.load(Ordering::Relaxed)
    }

    /// What is claimed from now on is held, until it is lost.
    pub fn lease_token(&self) -> LeaseToken {
        self.seen.lease_clock.lease_token()
    }

    /// Whether what was claimed since `lease_token` may have lapsed without this run's knowing, as after it was stopped for a while:
    /// then nothing of it may be asked before it is claimed anew.
    pub fn is_expired(&self, lease_token: LeaseToken) -> bool {
        self.seen.lease_clock.is_expired(lease_token)
    }

    /// A second connection, for looking up.
    pub fn reader(&self) -> Result<Reader, StoreError> {
        match (&self.place, &self.jobs) {
            (StorePlace::File(path), _) => Reader::of_file(path),
            #[cfg(feature = "postgres")]
            (_, Some(Jobs::Postgres(_, link))) => Ok(Reader::of_server(link.clone())),
            _ => Err(self.gone()),
        }
    }

    /// Claims the right to ask. Returns after other runs can see the claim.
    pub async fn claim(&self, fingerprint: Fingerprint, reuse: Reuse) -> Result<Claim, StoreError> {
        match self.write(Op::Claim { fingerprint, reuse }).await? {
            Written::Claim(claim) => Ok(claim),
            _ => Err(self.gone()),
        }
    }

    /// Takes money out of a purse, a limit on cost that all runs share which name it, for good until it is settled: what a run that
    /// dies has taken counts as spent. What is said is how it is, so it may be said twice. Returns after it is on disk.
    pub async fn take(&self, purse: String, taking: Taking) -> Result<Given, StoreError> {
        match self.write(Op::Take { purse, taking }).await? {
            Written::Given(given) => Ok(given),
            _ => Err(self.gone()),
        }
    }

    /// Books what this run has `spent` of a purse since it was last settled, and gives back the rest that it has taken.
    pub async fn settle(&self, purse: String, spent: u64) -> Result<(), StoreError> {
        self.write(Op::Settle { purse, spent }).await.map(drop)
    }

    /// Keeps a reply and drops the claim. Returns after both are on disk. `prompt` is what was asked, where that is to be kept
    /// too: of a turn, the dialogue as JSON.
    pub async fn answer(
        &self,
        fingerprint: Fingerprint,
        kind: ReplyKind,
        reply: Reply,
        prompt: Option<String>,
    ) -> Result<(), StoreError> {
        let kept = self.write(Op::Answer { fingerprint, kind, reply: Box::new(reply), prompt }).await;
        let count = if kept.is_ok() { &self.kept } else { &self.unkept };
        count.fetch_add(1, Ordering::Relaxed);
        kept.map(drop)
    }

    /// Keeps why there is no reply and drops the claim.
    pub async fn fail(&self, fingerprint: Fingerprint, failure: Failure) -> Result<(), StoreError> {
        self.write(Op::Fail { fingerprint, failure }).await.map(drop)
    }

    /// Keeps what was paid for answers that were of no use, where no reply bears it. The claim stays.
    pub async fn waste(&self, fingerprint: Fingerprint, paid: Paid) -> Result<(), StoreError> {
        self.write(Op::Waste { fingerprint, paid }).await.map(drop)
    }

    /// Drops a claim without an outcome: the run stops.
    pub async fn release(&self, fingerprint: Fingerprint) -> Result<(), StoreError> {
        self.write(Op::Release { fingerprint }).await.map(drop)
    }

    /// Tells the runs that share this store that this one asks `model` at `endpoint`, until it leaves or dies. Returns
    /// after they can see it.
    pub async fn join(&self, endpoint: String, model: String) -> Result<(), StoreError> {
        self.write(Op::Join { endpoint, model }).await.map(drop)
    }

    /// Takes [`Store::join`] back.
    pub async fn leave(&self, endpoint: String, model: String) -> Result<(), StoreError> {
        self.write(Op::Leave { endpoint, model }).await.map(drop)
    }

    /// Reserves a block of the limits of `model` at `endpoint`, long enough for `time`, which all share that ask it and were told a limit. What a run that dies or
    /// leaves has reserved is free again.
    pub async fn grant(
        &self,
        endpoint: String,
        model: String,
        time: Duration,
    ) -> Result<Granted, StoreError> {
        // Its number makes it one block, however often it is asked for.
        let number = 1 + self.granted.fetch_add(1, Ordering::Relaxed);
        match self.write(Op::Grant { endpoint, model, number, length: length(time) }).await? {
            // The commit may have taken a while.
            Written::Granted(granted, at) => {
                Ok(Granted { starts_in: granted.starts_in.saturating_sub(at.elapsed()), ..granted })
            }
            _ => Err(self.gone()),
        }
    }

    /// Tells the runs that share this store that `model` at `endpoint` wants to be left alone for so long.
    pub async fn pause(&self, endpoint: String, model: String, pause: Duration) -> Result<(), StoreError> {
        self.write(Op::Pause { endpoint, model, pause }).await.map(drop)
    }

    /// Remembers what an endpoint does not support.
    pub async fn learn(&self, endpoint: String, model: String, adaptation: String) -> Result<(), StoreError> {
        self.write(Op::Learn { endpoint, model, adaptation }).await.map(drop)
    }

    /// Keeps the run's manifest; the last one written counts.
    pub async fn manifest(&self, manifest: String, finished: bool) -> Result<(), StoreError> {
        self.write(Op::Manifest { manifest, finished }).await.map(drop)
    }

    async fn write(&self, op: Op) -> Result<Written, StoreError> {
        let (done, written) = oneshot::channel();
        let jobs = self.jobs.as_ref().ok_or_else(|| self.gone())?;
        let job = Job { op, done };
        let is_sent = match jobs {
            Jobs::Sqlite(jobs) => jobs.send(job).is_ok(),
            #[cfg(feature = "postgres")]
            Jobs::Postgres(jobs, _) => jobs.send(job).is_ok(),
        };
        if !is_sent {
            return Err(self.gone());
        }
        written.await.map_err(|_| self.gone())?.outcome
    }

    fn gone(&self) -> StoreError {
        StoreError::Gone { place: self.place.to_string() }
    }
}

impl Drop for Store {
    /// Waits until everything queued is on disk and this run's claims are dropped.
    fn drop(&mut self) {
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take() {
            // A panic of the writer already failed every waiting operation.
            let _ = thread.join();
        }
    }
}

#[cfg(all(test, not(feature = "postgres")))]
mod tests {
    use super::*;

    #[test]
    fn without_postgres_an_address_is_an_error_that_says_how_to_get_it() {
        let place = StorePlace::parse("postgres://u:hidden@h/d").unwrap();
        for error in [
            Store::open(place.clone(), "a").unwrap_err(),
            place.is_missing().unwrap_err(),
            #[cfg(feature = "cli")]
            Archive::open_or_create(&place).unwrap_err(),
        ] {
            let error = error.to_string();
            assert!(error.contains("postgres://u@h/d: it was built without PostgreSQL"), "{error}");
            assert!(error.contains("--features postgres") && !error.contains("hidden"), "{error}");
        }
    }
}
