//! Looks replies up, on a connection of its own.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension};

use super::reply_row::{self, StoredReply, select};
use super::run_lock::{self, Liveness};
use super::writer::lease;
use super::{Failure, Fingerprint, StoreError, connect};
use crate::domain::{Paid, Reply, Usage};

/// A connection that only reads.
#[derive(Debug)]
pub struct Reader {
    connection: Connection,
    path: PathBuf,
}

/// What the store knows of a question.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    /// The reply, and the run that paid for it.
    Reply {
        /// Its row in the store: no other reply has the same, unless this one is pruned.
        id: i64,
        reply: Reply,
        run: String,
    },
    /// The last attempt to get one failed, in the run named.
    Failure {
        failure: Failure,
        run: String,
    },
    Nothing,
}

/// A run that came to no end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoppedRun {
    pub run: String,
    pub manifest: String,
    pub started_at: String,
}

impl Reader {
    pub(super) fn open(path: &Path) -> Result<Reader, StoreError> {
        Ok(Reader { connection: connect(path)?, path: path.to_owned() })
    }

    /// A reply whose bytes changed on disk counts as absent: it is asked again, never trusted.
    pub fn get(&self, fingerprint: Fingerprint) -> Result<Found, StoreError> {
        self.find(fingerprint).map_err(|error| StoreError::from_sqlite(&self.path, &error))
    }

    /// What is known of each of these questions, all at one moment.
    pub fn get_all(&self, fingerprints: &[Fingerprint]) -> Result<Vec<Found>, StoreError> {
        // One transaction for all: to begin one takes longer than to look something up.
        let look = || {
            let _moment = self.connection.unchecked_transaction()?;
            fingerprints.iter().map(|fingerprint| self.find(*fingerprint)).collect::<rusqlite::Result<_>>()
        };
        look().map_err(|error| StoreError::from_sqlite(&self.path, &error))
    }

    fn find(&self, fingerprint: Fingerprint) -> rusqlite::Result<Found> {
        let reply = self
            .connection
            .prepare_cached(select!(", id FROM replies WHERE fingerprint = ?1"))?
            .query_row([fingerprint.0], |row| {
                Ok((row.get(reply_row::MORE)?, reply_row::read(fingerprint, row)))
            })
            .optional()?;
        if let Some((id, Some(StoredReply { reply, run, .. }))) = reply {
            return Ok(Found::Reply { id, reply, run });
        }
        let failure = self.failure(fingerprint)?;
        Ok(failure.map_or(Found::Nothing, |(failure, run)| Found::Failure { failure, run }))
    }

    /// Why `run` got no reply to a question, of which an earlier run may have one.
    pub fn failure_of(&self, fingerprint: Fingerprint, run: &str) -> Result<Option<Failure>, StoreError> {
        let found = self.failure(fingerprint).map_err(|error| StoreError::from_sqlite(&self.path, &error))?;
        Ok(found.filter(|(_, of)| of == run).map(|(failure, _)| failure))
    }

    fn failure(&self, fingerprint: Fingerprint) -> rusqlite::Result<Option<(Failure, String)>> {
        self.connection
            .prepare_cached("SELECT code, message, attempts, run FROM failures WHERE fingerprint = ?1")?
            .query_row([fingerprint.0], |row| {
                let failure = Failure { code: row.get(0)?, message: row.get(1)?, attempts: row.get(2)? };
                Ok((failure, row.get(3)?))
            })
            .optional()
    }

    /// What `run` paid for answers to a question that were of no use and are part of no reply.
    pub fn wasted(&self, fingerprint: Fingerprint, run: &str) -> Result<Option<Paid>, StoreError> {
        let look = || {
            let mut statement = self.connection.prepare_cached(
                "SELECT prompt_tokens, completion_tokens, cost_usd FROM wasted WHERE fingerprint = ?1 AND run = ?2",
            )?;
            let paid = statement.query_map((fingerprint.0, run), |row| {
                let (prompt_tokens, completion_tokens) = (row.get(0)?, row.get(1)?);
                let usage = Usage { prompt_tokens, cached_tokens: None, completion_tokens };
                Ok(Paid { usage, cost_usd: row.get(2)?, attempts: 0 })
            })?;
            paid.map(|paid| paid.map(Some)).try_fold(None, |sum, paid| Ok(Paid::sum(sum, paid?)))
        };
        look().map_err(|error| StoreError::from_sqlite(&self.path, &error))
    }

    /// Whether there is any reply.
    pub fn holds_replies(&self) -> Result<bool, StoreError> {
        self.connection
            .query_row("SELECT EXISTS (SELECT 1 FROM replies)", [], |row| row.get(0))
            .map_err(|error| StoreError::from_sqlite(&self.path, &error))
    }

    /// Whether `run` paid for any reply.
    pub fn holds_replies_of(&self, run: &str) -> Result<bool, StoreError> {
        self.connection
            .query_row("SELECT EXISTS (SELECT 1 FROM replies WHERE run = ?1)", [run], |row| row.get(0))
            .map_err(|error| StoreError::from_sqlite(&self.path, &error))
    }

    /// The last run whose manifest has `value` at a path such as `$.command`, if it came to no end and is not under way.
    pub fn stopped_run(&self, path: &str, value: &str) -> Result<Option<StoppedRun>, StoreError> {
        let last = self
            .connection
            .query_row(
                "SELECT id, manifest, started_at, finished_at IS NOT NULL FROM runs \
                 WHERE json_valid(manifest) AND json_extract(manifest, ?1) = ?2 ORDER BY started_at DESC, rowid DESC LIMIT 1",
                [path, value],
                |row| {
                    let stopped = StoppedRun { run: row.get(0)?, manifest: row.get(1)?, started_at: row.get(2)? };
                    Ok((stopped, row.get::<_, bool>(3)?))
                },
            )
            .optional()
            .map_err(|error| StoreError::from_sqlite(&self.path, &error))?;
        Ok(last.and_then(|(last, finished)| {
            let is_stopped = !finished && run_lock::liveness(&self.path, &last.run) != Liveness::Alive;
            is_stopped.then_some(last)
        }))
    }

    /// How many runs are asking `model` at `endpoint` right now.
    pub fn asking(&self, endpoint: &str, model: &str) -> Result<u32, StoreError> {
        // A lease from beyond the longest possible one was written before the clock was set back.
        let (now, lease_until) = lease();
        self.connection
            .prepare_cached(
                "SELECT count(*) FROM askers WHERE endpoint = ?1 AND model = ?2 AND lease_until BETWEEN ?3 AND ?4",
            )
            .and_then(|mut statement| {
                statement.query_row((endpoint, model, now, lease_until), |row| row.get(0))
            })
            .map_err(|error| StoreError::from_sqlite(&self.path, &error))
    }

    /// What is known not to be supported by `model` at `endpoint`.
    pub fn adaptations(&self, endpoint: &str, model: &str) -> Result<Vec<String>, StoreError> {
        self.connection
            .prepare(
                "SELECT adaptation FROM adaptations WHERE endpoint = ?1 AND model = ?2 ORDER BY adaptation",
            )
            .and_then(|mut statement| {
                statement.query_map([endpoint, model], |row| row.get(0))?.collect::<Result<_, _>>()
            })
            .map_err(|error| StoreError::from_sqlite(&self.path, &error))
    }
}
