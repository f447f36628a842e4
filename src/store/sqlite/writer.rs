//! The thread that owns the writing connection.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use rusqlite::OptionalExtension;

use super::error;
use super::handle::Handle;
use super::line;
use super::purse;
use super::reply_row::{self, select};
use super::run_lock::{self, Liveness, RunLock};
use crate::domain::{Paid, Reply, Usage};
use crate::store::job::{BATCH, CommitAck, Job, Op, Written};
use crate::store::lease_clock::{LEASE, RENEWAL};
use crate::store::stored_reply::StoredReply;
use crate::store::{Claim, Failure, Fingerprint, ReplyKind, Reuse, Seen, StoreError};

/// A question that is alone sends its answer and the claim of the next one: more than these are a crowd.
const ALONE: usize = 2;
/// However slow the disk, a question does not wait longer than this for others to share its commit.
const MAX_PATIENCE: Duration = Duration::from_millis(1);
/// Pages of 4 kB in the log before they are moved to where they belong. Most answers touch pages that others touched before:
/// the longer the log, the less often each is moved, and the less often the disk is waited for.
const LOG_PAGES: u32 = 4000;
/// How long a run waits for a lock of another process, such as that of `store prune`, before it gives up what it has been paid for. Chosen:
/// longer than any file takes to be rewritten, short enough that a process which hangs is found out within the hour.
const LONGEST_LOCK: Duration = if cfg!(test) { Duration::from_secs(30) } else { Duration::from_secs(600) };

pub(super) struct Writer {
    connection: Handle,
    path: PathBuf,
    run: String,
    run_lock: Option<RunLock>,
    renewed: (Instant, SystemTime),
    /// Claims of living runs whose lease is over, with that lease and since when we know.
    overdue: HashMap<Fingerprint, (i64, Instant)>,
    /// What this run has claimed although there may be a reply: its own takes the place of that.
    afresh: HashSet<Fingerprint>,
    seen: Arc<Seen>,
    /// Whether commits reach the disk before anybody is told.
    syncs: bool,
}

impl Writer {
    /// Begins with clearing away what dead runs have left.
    pub(super) fn new(
        connection: Handle,
        path: PathBuf,
        run: String,
        seen: Arc<Seen>,
    ) -> rusqlite::Result<Writer> {
        connection.set_prepared_statement_cache_capacity(32);
        connection.pragma_update(None, "wal_autocheckpoint", LOG_PAGES)?;
        for dead in run_lock::dead(&path) {
            connection.execute("DELETE FROM claims WHERE claimant = ?1", [&dead])?;
            connection.execute("DELETE FROM askers WHERE run = ?1", [&dead])?;
            line::leave(&connection, &dead, None)?;
            run_lock::forget(&path, &dead);
        }
        let run_lock = RunLock::begin(&path, &run);
        let (renewed, overdue) = ((Instant::now(), SystemTime::now()), HashMap::new());
        let afresh = HashSet::new();
        Ok(Writer { connection, path, run, run_lock, renewed, overdue, afresh, seen, syncs: true })
    }

    /// Commits whatever is queued, until the last sender is gone.
    pub(super) fn serve(mut self, queue: &mpsc::Receiver<Job>) {
        // How long to let more come together: half as long as the last commit took, if several shared it.
        let mut patience = Duration::ZERO;
        loop {
            let first = match queue.recv_timeout(RENEWAL) {
                Ok(job) => Some(job),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => break,
            };
            if first.is_some() && !patience.is_zero() {
                std::thread::sleep(patience);
            }
            let jobs: Vec<Job> = first.into_iter().chain(queue.try_iter()).take(BATCH).collect();
            let (shared, began) = (jobs.len() > ALONE, Instant::now());
            self.commit(jobs);
            patience = if shared { (began.elapsed() / 2).min(MAX_PATIENCE) } else { Duration::ZERO };
        }
        // Fails only where the next statements do.
        let _ = self.sync(false);
        let claims = self.connection.execute("DELETE FROM claims WHERE claimant = ?1", [&self.run]);
        let place = self.connection.execute("DELETE FROM askers WHERE run = ?1", [&self.run]);
        let grants = line::leave(&self.connection, &self.run, None);
        // What stays behind is cleared away by the next run, which finds this one dead.
        if let (Ok(_), Ok(_), Ok(_), Some(run_lock)) = (claims, place, grants, self.run_lock) {
            run_lock.end();
        }
    }

    /// Writes `jobs` in one transaction. If it fails nothing of it is on disk, and everyone who waits is told.
    fn commit(&mut self, jobs: Vec<Job>) {
        let ack: Vec<_> = match self.persist(&jobs) {
            Ok(written) => {
                jobs.into_iter().zip(written).map(|(job, written)| (job.done, Ok(written))).collect()
            }
            Err(error) => jobs.into_iter().map(|job| (job.done, Err(error.clone()))).collect(),
        };
        CommitAck::tell(ack);
    }

    /// Tries for as long as another process may hold the lock.
    fn persist(&mut self, jobs: &[Job]) -> Result<Vec<Written>, StoreError> {
        let (began, seen) = (Instant::now(), Arc::clone(&self.seen));
        let wait = seen.outage.wait("is locked by another process, or its disk is slow; waiting");
        loop {
            let error = match self.transact(jobs) {
                Ok(written) => return Ok(written),
                Err(error) => error,
            };
            // Fails when the transaction is gone already, which is what it is for.
            let _ = self.connection.execute_batch("ROLLBACK");
            match error::of(&self.path, &error) {
                StoreError::Locked { place, lock_owner, .. } if began.elapsed() < LONGEST_LOCK => {
                    let owner = lock_owner.unwrap_or_else(|| "another process".to_owned());
                    let most = LONGEST_LOCK.as_secs() / 60;
                    let text = format!("is locked by {owner}; waiting, for {most} minutes at most");
                    tracing::info!("the reply store {place} {text}");
                    wait.because(text);
                }
                StoreError::Locked { place, lock_owner, .. } => {
                    return Err(StoreError::Locked { place, lock_owner, seconds: began.elapsed().as_secs() });
                }
                error => return Err(error),
            }
        }
    }

    fn transact(&mut self, jobs: &[Job]) -> rusqlite::Result<Vec<Written>> {
        let renewal_due = self.renewed.0.elapsed() >= RENEWAL;
        if jobs.is_empty() && !renewal_due {
            return Ok(Vec::new());
        }
        self.sync(jobs.iter().any(|job| job.op.is_lasting()))?;
        self.connection.execute_batch("BEGIN IMMEDIATE")?;
        if renewal_due {
            self.renew()?;
        }
        let now = Timestamp::now().to_string();
        let mut written = Vec::with_capacity(jobs.len());
        for job in jobs {
            written.push(self.write(&job.op, &now)?);
        }
        self.connection.execute_batch("COMMIT")?;
        if renewal_due {
            self.seen.lease_clock.renewed(self.renewed);
        }
        Ok(written)
    }

    /// Has commits reach the disk, or only other processes: what is committed later brings it there.
    fn sync(&mut self, syncs: bool) -> rusqlite::Result<()> {
        if syncs != self.syncs {
            self.connection.pragma_update(None, "synchronous", if syncs { "FULL" } else { "NORMAL" })?;
            self.syncs = syncs;
        }
        Ok(())
    }

    fn write(&mut self, op: &Op, now: &str) -> rusqlite::Result<Written> {
        match op {
            Op::Claim { fingerprint, reuse } => {
                return self.claim(*fingerprint, *reuse).map(Written::Claim);
            }
            Op::Answer { fingerprint, kind, reply, prompt } => {
                self.answer(*fingerprint, (*kind, reply), prompt.as_deref(), now)?;
            }
            Op::Fail { fingerprint, failure } => self.fail(*fingerprint, failure, now)?,
            Op::Waste { fingerprint, paid } => self.waste(*fingerprint, paid, now)?,
            Op::Release { fingerprint } => drop(self.release(*fingerprint)?),
            Op::Join { endpoint, model } => self.execute(
                "INSERT OR REPLACE INTO askers (endpoint, model, run, lease_until) VALUES (?1, ?2, ?3, ?4)",
                (endpoint, model, &self.run, lease().1),
            )?,
            Op::Leave { endpoint, model } => {
                let sql = "DELETE FROM askers WHERE endpoint = ?1 AND model = ?2 AND run = ?3";
                self.execute(sql, (endpoint, model, &self.run))?;
                line::leave(&self.connection, &self.run, Some((endpoint.as_str(), model.as_str())))?;
            }
            Op::Learn { endpoint, model, adaptation } => self.execute(
                "INSERT OR IGNORE INTO adaptations (endpoint, model, adaptation, learnt_at) VALUES (?1, ?2, ?3, ?4)",
                (endpoint, model, adaptation, now),
            )?,
            Op::Manifest { manifest, finished } => self.execute(
                "INSERT INTO runs (id, started_at, finished_at, manifest) VALUES (?1, ?2, iif(?4, ?2, NULL), ?3) \
                 ON CONFLICT (id) DO UPDATE SET manifest = ?3, finished_at = iif(?4, ?2, NULL)",
                (&self.run, now, manifest, finished),
            )?,
            Op::Take { purse, taking } => {
                return purse::take(&self.connection, (&self.path, &self.run), purse, taking).map(Written::Given);
            }
            Op::Grant { endpoint, model, number, length } => {
                let run = (&*self.path, &*self.run);
                return line::grant(&self.connection, run, (endpoint, model), (*number, *length))
                    .map(|granted| Written::Granted(granted, Instant::now()));
            }
            Op::Pause { endpoint, model, pause } => {
                line::set_pause(&self.connection, (endpoint, model), *pause)?;
            }
            Op::Settle { purse, spent } => purse::settle(&self.connection, &self.run, purse, *spent)?,
        }
        Ok(Written::Kept)
    }

    /// Look, claim: in one transaction, so that of two runs only one comes to ask.
    fn claim(&mut self, fingerprint: Fingerprint, reuse: Reuse) -> rusqlite::Result<Claim> {
        if self.claim_unheard_of(fingerprint)? {
            if reuse != Reuse::All {
                self.afresh.insert(fingerprint);
            }
            return Ok(Claim::Ours);
        }
        let stored = self.stored(fingerprint)?;
        let damaged = matches!(stored, Some(None));
        match stored {
            Some(Some(StoredReply { run, .. }))
                if reuse == Reuse::All || reuse == Reuse::OwnOnly && run == self.run =>
            {
                return Ok(Claim::Answered);
            }
            _ => {}
        }
        let failed_here = self
            .connection
            .prepare_cached("SELECT 1 FROM failures WHERE fingerprint = ?1 AND run = ?2")?
            .exists((fingerprint.0, &self.run))?;
        if failed_here {
            return Ok(Claim::Pending);
        }
        let claimed: Option<(String, i64)> = self
            .connection
            .prepare_cached("SELECT claimant, lease_until FROM claims WHERE fingerprint = ?1")?
            .query_row([fingerprint.0], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        match claimed {
            Some((claimant, _)) if claimant == self.run => return Ok(Claim::Pending),
            Some((claimant, until)) if !self.is_void(fingerprint, &claimant, until) => {
                return Ok(Claim::Theirs);
            }
            _ => {}
        }
        self.overdue.remove(&fingerprint);
        if reuse != Reuse::All {
            self.afresh.insert(fingerprint);
        }
        self.seen.damaged.fetch_add(damaged.into(), Ordering::Relaxed);
        self.execute(
            "INSERT OR REPLACE INTO claims (fingerprint, claimant, lease_until) VALUES (?1, ?2, ?3)",
            (fingerprint.0, &self.run, lease().1),
        )?;
        Ok(Claim::Ours)
    }

    /// What is kept under `fingerprint`; within, nothing where it is damaged.
    fn stored(&self, fingerprint: Fingerprint) -> rusqlite::Result<Option<Option<StoredReply>>> {
        self.connection
            .prepare_cached(select!(" FROM replies WHERE fingerprint = ?1"))?
            .query_row([fingerprint.0], |row| Ok(reply_row::read(fingerprint, row)))
            .optional()
    }

    /// Claims a question of which nothing is known, as most are not; whether it is one.
    fn claim_unheard_of(&self, fingerprint: Fingerprint) -> rusqlite::Result<bool> {
        let claimed = self
            .connection
            .prepare_cached(
                "INSERT INTO claims (fingerprint, claimant, lease_until) SELECT ?1, ?2, ?3 \
                 WHERE NOT EXISTS (SELECT 1 FROM replies WHERE fingerprint = ?1) \
                 AND NOT EXISTS (SELECT 1 FROM failures WHERE fingerprint = ?1) \
                 ON CONFLICT DO NOTHING",
            )?
            .execute((fingerprint.0, &self.run, lease().1))?;
        Ok(claimed == 1)
    }

    /// Whether the claim of another run holds no longer.
    fn is_void(&mut self, fingerprint: Fingerprint, claimant: &str, until: i64) -> bool {
        // A lease from beyond the longest possible one was written before the clock was set back.
        let (now, longest) = lease();
        let is_over = !(now..=longest).contains(&until);
        match run_lock::liveness(&self.path, claimant) {
            Liveness::Dead => true,
            Liveness::Unknown => is_over,
            Liveness::Alive if !is_over => false,
            // Either it hangs, or the clock was set and it is about to renew: it has a lease's time for that, by a clock
            // that nobody sets.
            Liveness::Alive => {
                let since = self.overdue.entry(fingerprint).or_insert((until, Instant::now()));
                if since.0 != until {
                    *since = (until, Instant::now());
                }
                since.1.elapsed() >= LEASE
            }
        }
    }

    /// Of a question whose claim had lapsed, and that another run has answered meanwhile, that reply stays: whoever waited for it has it.
    /// What came here was paid for and is of no use.
    fn answer(
        &mut self,
        fingerprint: Fingerprint,
        reply: (ReplyKind, &Reply),
        prompt: Option<&str>,
        now: &str,
    ) -> rusqlite::Result<()> {
        let is_afresh = self.afresh.contains(&fingerprint);
        self.execute("DELETE FROM failures WHERE fingerprint = ?1", [fingerprint.0])?;
        let is_held = self.release(fingerprint)?;
        if !is_held
            && !is_afresh
            && matches!(self.stored(fingerprint)?, Some(Some(StoredReply { run, .. })) if run != self.run)
        {
            return self.waste(fingerprint, &reply.1.paid(), now);
        }
        let mut statement = self.connection.prepare_cached(reply_row::INSERT)?;
        reply_row::insert(&mut statement, fingerprint, &self.run, reply, prompt, now)
    }

    fn waste(&self, fingerprint: Fingerprint, paid: &Paid, now: &str) -> rusqlite::Result<()> {
        let (Usage { prompt_tokens, completion_tokens, .. }, cost_usd) = (paid.usage, paid.cost_usd);
        self.execute(
            "INSERT INTO wasted (fingerprint, run, prompt_tokens, completion_tokens, cost_usd, paid_at) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            (fingerprint.0, &self.run, prompt_tokens, completion_tokens, cost_usd, now),
        )
    }

    fn fail(&mut self, fingerprint: Fingerprint, failure: &Failure, now: &str) -> rusqlite::Result<()> {
        self.execute(
            "INSERT OR REPLACE INTO failures (fingerprint, run, code, message, attempts, failed_at) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            (fingerprint.0, &self.run, &failure.code, &failure.message, failure.attempts, now),
        )?;
        self.release(fingerprint).map(drop)
    }

    /// Drops the claim; whether it was held still.
    fn release(&mut self, fingerprint: Fingerprint) -> rusqlite::Result<bool> {
        self.afresh.remove(&fingerprint);
        let mut statement =
            self.connection.prepare_cached("DELETE FROM claims WHERE fingerprint = ?1 AND claimant = ?2")?;
        Ok(statement.execute((fingerprint.0, &self.run))? > 0)
    }

    fn renew(&mut self) -> rusqlite::Result<()> {
        self.renewed = (Instant::now(), SystemTime::now());
        self.execute("UPDATE askers SET lease_until = ?1 WHERE run = ?2", (lease().1, &self.run))?;
        self.execute("UPDATE claims SET lease_until = ?1 WHERE claimant = ?2", (lease().1, &self.run))
    }

    fn execute(&self, sql: &str, parameters: impl rusqlite::Params) -> rusqlite::Result<()> {
        self.connection.prepare_cached(sql)?.execute(parameters)?;
        Ok(())
    }
}

/// Now, and until when a claim made now holds, in milliseconds since 1970.
pub(super) fn lease() -> (i64, i64) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let millis = |duration: Duration| i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
    (millis(now), millis(now + LEASE))
}
