//! Crash-safe memory of paid-for replies: one SQLite file, shared by all runs on a machine.
//!
//! Holds replies, never verdicts. It answers three questions at once: what is already paid for (resume, reuse), who is
//! asking what right now (claims), and what an endpoint cannot do. One thread owns the writing connection and commits
//! whatever has come together since its last commit, so a busy run shares each fsync and an idle one waits for nobody.

#[cfg(feature = "cli")]
mod archive;
mod error;
mod fingerprint;
mod lease_clock;
mod lock_owner;
mod reader;
mod reply_kind;
mod reply_row;
mod run_lock;
mod upgrade;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode};
use tokio::sync::oneshot;

#[cfg(feature = "cli")]
pub use archive::{Archive, Contents, Pruning, Wasted};
pub use error::StoreError;
pub use fingerprint::{AskHasher, Fingerprint};
use lease_clock::LeaseClock;
pub use lease_clock::LeaseToken;
pub use reader::{Found, Reader, StoppedRun};
pub use reply_kind::ReplyKind;
use upgrade::migrate;
use writer::{Job, Op, Writer, Written};

use crate::domain::{Paid, Reply};

/// Marks the file as ours: "tjdg".
const APPLICATION_ID: i64 = 0x746a_6467;

/// How long a lock of another process is waited for.
const PATIENCE: Duration = if cfg!(test) { Duration::from_secs(2) } else { Duration::from_secs(30) };

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
    pub code: String,
    pub message: String,
    pub attempts: u32,
}

/// An open store: a handle to its writing thread.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    jobs: Option<mpsc::Sender<Job>>,
    damaged: Arc<AtomicU64>,
    lease_clock: Arc<LeaseClock>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Store {
    /// Opens the store at `path`, creating it (mode 0600) and its folder if need be. `run` names this run.
    pub fn open(path: &Path, run: &str) -> Result<Store, StoreError> {
        create_private(path)?;
        let connection = connect(path)?;
        migrate(&connection, path)?;
        let (jobs, queue) = mpsc::channel();
        let damaged = Arc::new(AtomicU64::new(0));
        let lease_clock = Arc::new(LeaseClock::new());
        let seen = (Arc::clone(&damaged), Arc::clone(&lease_clock));
        let writer = Writer::new(connection, path.to_owned(), run.to_owned(), seen)
            .map_err(|error| StoreError::from_sqlite(path, &error))?;
        let thread = std::thread::Builder::new()
            .name("store".to_owned())
            .spawn(move || writer.serve(&queue))
            .map_err(|error| StoreError::Open { path: path.to_owned(), why: error.to_string() })?;
        Ok(Store { path: path.to_owned(), jobs: Some(jobs), damaged, lease_clock, thread: Some(thread) })
    }

    /// The store's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Replies that turned out damaged when their question was claimed; these questions are asked again.
    pub fn damaged(&self) -> u64 {
        self.damaged.load(Ordering::Relaxed)
    }

    /// What is claimed from now on is held, until it is lost.
    pub fn lease_token(&self) -> LeaseToken {
        self.lease_clock.lease_token()
    }

    /// Whether what was claimed since `lease_token` may have lapsed without this run's knowing, as after it was stopped for a while:
    /// then nothing of it may be asked before it is claimed anew.
    pub fn is_expired(&self, lease_token: LeaseToken) -> bool {
        self.lease_clock.is_expired(lease_token)
    }

    /// A second connection, for looking up.
    pub fn reader(&self) -> Result<Reader, StoreError> {
        Reader::open(&self.path)
    }

    /// Claims the right to ask. Returns after other runs can see the claim.
    pub async fn claim(&self, fingerprint: Fingerprint, reuse: Reuse) -> Result<Claim, StoreError> {
        match self.write(Op::Claim { fingerprint, reuse }).await? {
            Written::Claim(claim) => Ok(claim),
            Written::Kept => Err(self.gone()),
        }
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
        self.write(Op::Answer { fingerprint, kind, reply: Box::new(reply), prompt }).await.map(drop)
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
        jobs.send(Job { op, done }).map_err(|_| self.gone())?;
        written.await.map_err(|_| self.gone())?.outcome
    }

    fn gone(&self) -> StoreError {
        StoreError::Gone { path: self.path.clone() }
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

fn create_private(path: &Path) -> Result<(), StoreError> {
    let open = |error: std::io::Error| StoreError::Open { path: path.to_owned(), why: error.to_string() };
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(open)?;
    }
    let mut options = std::fs::OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(open)?;
    Ok(())
}

fn connect(path: &Path) -> Result<Connection, StoreError> {
    let wrap = |error| StoreError::from_sqlite(path, &error);
    let connection = Connection::open(path).map_err(wrap)?;
    connection.busy_timeout(PATIENCE).map_err(wrap)?;
    write_ahead(&connection).map_err(wrap)?;
    // A lost reply is a paid call: a commit reaches the disk before anybody is told.
    connection.pragma_update(None, "synchronous", "FULL").map_err(wrap)?;
    Ok(connection)
}

/// Has changes written ahead, so that readers and a writer do not wait for each other.
///
/// Of two that ask so of a new file at once, each would wait for the other; SQLite refuses one of them without any wait.
fn write_ahead(connection: &Connection) -> rusqlite::Result<()> {
    let began = Instant::now();
    loop {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && began.elapsed() < PATIENCE =>
            {
                std::thread::sleep(Duration::from_millis(5));
            }
            outcome => return outcome,
        }
    }
}

#[cfg(test)]
mod tests;
