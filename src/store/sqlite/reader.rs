//! Looks up replies on a separate connection.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, OptionalExtension};

use super::handle::Handle;
use super::reply_row::{self, select};
use super::run_lock::{self, Liveness};
use super::writer::lease;
use super::{connect, error, line};
use crate::domain::{Paid, Usage};
use crate::store::stored_reply::StoredReply;
use crate::store::{Asking, Failure, Fingerprint, Found, StoppedRun, StoreError};

/// A connection that only reads.
#[derive(Debug)]
pub(in crate::store) struct Reader {
    connection: Mutex<Handle>,
    path: PathBuf,
}

impl Reader {
    pub(in crate::store) fn open(path: &Path) -> Result<Reader, StoreError> {
        Ok(Reader { connection: Mutex::new(connect(path)?), path: path.to_owned() })
    }

    /// What is known of each of these questions, all at one moment.
    pub(in crate::store) fn get_all(&self, fingerprints: &[Fingerprint]) -> Result<Vec<Found>, StoreError> {
        self.look(|connection| {
            // One transaction for all: to begin one takes longer than to look something up.
            let _moment = match fingerprints.len() {
                1 => None,
                _ => Some(connection.unchecked_transaction()?),
            };
            fingerprints.iter().map(|fingerprint| find(connection, *fingerprint)).collect()
        })
    }

    pub(in crate::store) fn failure_of(
        &self,
        fingerprint: Fingerprint,
        run: &str,
    ) -> Result<Option<Failure>, StoreError> {
        let found = self.look(|connection| failure(connection, fingerprint))?;
        Ok(found.filter(|(_, of)| of == run).map(|(failure, _)| failure))
    }

    pub(in crate::store) fn wasted(
        &self,
        fingerprints: &[Fingerprint],
        run: &str,
    ) -> Result<HashMap<Fingerprint, Paid>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT prompt_tokens, completion_tokens, cost_usd FROM wasted WHERE fingerprint = ?1 AND run = ?2",
            )?;
            let mut wasted = HashMap::new();
            for fingerprint in fingerprints {
                let paid = statement.query_map((fingerprint.0, run), |row| {
                    let (prompt_tokens, completion_tokens) = (row.get(0)?, row.get(1)?);
                    let usage = Usage { prompt_tokens, cached_tokens: None, completion_tokens };
                    Ok(Paid { usage, cost_usd: row.get(2)?, attempts: 0 })
                })?;
                let sum = paid.map(|paid| paid.map(Some)).try_fold(None, |sum, paid| {
                    Ok::<_, rusqlite::Error>(Paid::sum(sum, paid?))
                })?;
                wasted.extend(sum.map(|paid| (*fingerprint, paid)));
            }
            Ok(wasted)
        })
    }

    pub(in crate::store) fn holds_replies(&self) -> Result<bool, StoreError> {
        self.look(|connection| {
            connection.query_row("SELECT EXISTS (SELECT 1 FROM replies)", [], |row| row.get(0))
        })
    }

    pub(in crate::store) fn holds_replies_of(&self, run: &str) -> Result<bool, StoreError> {
        self.look(|connection| {
            connection
                .query_row("SELECT EXISTS (SELECT 1 FROM replies WHERE run = ?1)", [run], |row| row.get(0))
        })
    }

    pub(in crate::store) fn stopped_run(
        &self,
        keys: &[&str],
        value: &str,
    ) -> Result<Option<StoppedRun>, StoreError> {
        let last = self.look(|connection| {
            let last = connection.query_row(
                "SELECT id, manifest, started_at, finished_at IS NOT NULL FROM runs \
                 WHERE json_valid(manifest) AND json_extract(manifest, ?1) = ?2 ORDER BY started_at DESC, rowid DESC LIMIT 1",
                [&format!("$.{}", keys.join(".")), value],
                |row| {
                    let stopped =
                        StoppedRun { run: row.get(0)?, manifest: row.get(1)?, started_at: row.get(2)? };
                    Ok((stopped, row.get::<_, bool>(3)?))
                },
            );
            last.optional()
        })?;
        let is_stopped = |(last, finished): &(StoppedRun, bool)| {
            !finished && run_lock::liveness(&self.path, &last.run) != Liveness::Alive
        };
        Ok(last.filter(is_stopped).map(|(last, _)| last))
    }

    pub(in crate::store) fn asking(&self, endpoint: &str, model: &str) -> Result<Asking, StoreError> {
        // A lease from beyond the longest possible one was written before the clock was set back.
        let (now, lease_until) = lease();
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT count(*) FROM askers WHERE endpoint = ?1 AND model = ?2 AND lease_until BETWEEN ?3 AND ?4",
            )?;
            let runs = statement.query_row((endpoint, model, now, lease_until), |row| row.get(0))?;
            Ok(Asking { runs, pause: line::pause(connection, (endpoint, model))? })
        })
    }

    pub(in crate::store) fn adaptations(
        &self,
        endpoint: &str,
        model: &str,
    ) -> Result<Vec<String>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare(
                "SELECT adaptation FROM adaptations WHERE endpoint = ?1 AND model = ?2 ORDER BY adaptation",
            )?;
            statement.query_map([endpoint, model], |row| row.get(0))?.collect()
        })
    }

    fn look<T>(&self, look: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        look(&self.connection()).map_err(|error| error::of(&self.path, &error))
    }

    fn connection(&self) -> MutexGuard<'_, Handle> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn find(connection: &Connection, fingerprint: Fingerprint) -> rusqlite::Result<Found> {
    let reply = connection
        .prepare_cached(select!(", id FROM replies WHERE fingerprint = ?1"))?
        .query_row([fingerprint.0], |row| Ok((row.get(reply_row::MORE)?, reply_row::read(fingerprint, row))))
        .optional()?;
    if let Some((id, Some(StoredReply { reply, run, .. }))) = reply {
        return Ok(Found::Reply { id, reply, run });
    }
    let failure = failure(connection, fingerprint)?;
    Ok(failure.map_or(Found::Nothing, |(failure, run)| Found::Failure { failure, run }))
}

fn failure(connection: &Connection, fingerprint: Fingerprint) -> rusqlite::Result<Option<(Failure, String)>> {
    connection
        .prepare_cached("SELECT code, message, attempts, run FROM failures WHERE fingerprint = ?1")?
        .query_row([fingerprint.0], |row| {
            let failure = Failure { code: row.get(0)?, message: row.get(1)?, attempts: row.get(2)? };
            Ok((failure, row.get(3)?))
        })
        .optional()
}
