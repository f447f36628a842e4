//! Checks, prunes and merges an SQLite file.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params_from_iter};

use super::handle::Handle;
use super::reply_row::{self, select};
use super::{connect, create_private, error, purse, upgrade};
use crate::store::archive::{
    Archive as AnyArchive, ArchivedReply, ArchivedRun, Contents, Dropped, LearntAdaptation, Merged,
    ModelContents, Pruning, Wasted,
};
use crate::store::stored_reply::StoredReply;
use crate::store::{Fingerprint, ReplyKind, StoreError};

/// Replies that are taken over in one transaction. Chosen: runs on the store wait for fractions of a second.
const BATCH: usize = 500;
/// The longest rest between two transactions.
const LONGEST_REST: Duration = Duration::from_millis(500);

/// A store that exists, without a writer of its own.
#[derive(Debug)]
pub(in crate::store) struct Archive {
    connection: Handle,
    path: PathBuf,
}

impl Archive {
    /// # Errors
    /// When there is no store at `path`, or none of ours.
    pub(in crate::store) fn open(path: &Path) -> Result<Archive, StoreError> {
        if !path.is_file() {
            return Err(StoreError::Missing { place: path.display().to_string() });
        }
        let connection = connect(path)?;
        if upgrade::version(&connection, path)?.is_none() {
            return Err(StoreError::NotOurs { place: path.display().to_string() });
        }
        upgrade::migrate(&connection, path)?;
        Ok(Archive { connection, path: path.to_owned() })
    }

    /// The same, of a store that is made if there is none.
    ///
    /// # Errors
    /// When it cannot be made, or what is there is none of ours.
    pub(in crate::store) fn open_or_create(path: &Path) -> Result<Archive, StoreError> {
        create_private(path)?;
        let connection = connect(path)?;
        upgrade::migrate(&connection, path)?;
        Ok(Archive { connection, path: path.to_owned() })
    }

    /// Counts everything, and checks every reply against its checksum.
    ///
    /// # Errors
    /// When the file's own order is broken: then replies may be in it that nobody finds.
    pub(in crate::store) fn contents(&self) -> Result<Contents, StoreError> {
        let found: String = self
            .connection
            .query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))
            .map_err(|error| self.explain(&error))?;
        if found != "ok" {
            return Err(StoreError::Damaged { place: self.path.display().to_string(), why: found });
        }
        let bytes = std::fs::metadata(&self.path).map_or(0, |file| file.len());
        let mut contents = self.count(bytes).map_err(|error| self.explain(&error))?;
        self.each_reply(&mut |archived| {
            contents.damaged += u64::from(archived.reply.is_none());
            Ok(())
        })?;
        contents.adaptations = self.learnt()?;
        Ok(contents)
    }

    fn count(&self, bytes: u64) -> rusqlite::Result<Contents> {
        let number = |sql: &str| self.connection.query_row(sql, [], |row| row.get::<_, u64>(0));
        let span = self.connection.query_row(
            "SELECT min(answered_at), max(answered_at) FROM replies",
            [],
            |row| Ok(row.get::<_, Option<String>>(0)?.zip(row.get(1)?)),
        )?;
        let models = self
            .connection
            .prepare(
                "SELECT model, count(*), ifnull(sum(prompt_tokens), 0), ifnull(sum(completion_tokens), 0), \
                 ifnull(sum(cost_usd), 0.0), count(*) - count(cost_usd) FROM replies GROUP BY model ORDER BY 2 DESC",
            )?
            .query_map([], |row| {
                Ok(ModelContents {
                    model: row.get(0)?,
                    replies: row.get(1)?,
                    prompt_tokens: row.get(2)?,
                    completion_tokens: row.get(3)?,
                    cost_usd: row.get(4)?,
                    unpriced: row.get(5)?,
                })
            })?
            .collect::<Result<_, _>>()?;
        let wasted = self.connection.query_row(
            "SELECT count(*), ifnull(sum(prompt_tokens), 0), ifnull(sum(completion_tokens), 0), ifnull(sum(cost_usd), 0.0), \
             count(*) - count(cost_usd) FROM wasted",
            [],
            |row| {
                Ok(Wasted {
                    questions: row.get(0)?,
                    prompt_tokens: row.get(1)?,
                    completion_tokens: row.get(2)?,
                    cost_usd: row.get(3)?,
                    unpriced: row.get(4)?,
                })
            },
        )?;
        let purses = purse::all(&self.connection, &self.path)?;
        Ok(Contents {
            bytes,
            replies: number("SELECT count(*) FROM replies")?,
            turns: number("SELECT count(*) FROM replies WHERE kind = 'turn'")?,
            damaged: 0,
            failures: number("SELECT count(*) FROM failures")?,
            wasted,
            claims: number("SELECT count(*) FROM claims WHERE lease_until > unixepoch('subsec') * 1000")?,
            runs: number("SELECT count(*) FROM runs")?,
            unfinished: number("SELECT count(*) FROM runs WHERE finished_at IS NULL")?,
            prompts: number("SELECT count(*) FROM replies WHERE prompt IS NOT NULL")?,
            span,
            models,
            purses,
            adaptations: Vec::new(),
        })
    }

    /// Drops the replies that `pruning` means, and gives their room back; with `rehearse`, only counts them.
    pub(in crate::store) fn prune(&self, pruning: &Pruning, rehearse: bool) -> Result<Dropped, StoreError> {
        let conditions = [
            ("answered_at < ?", pruning.before.as_deref()),
            ("model = ?", pruning.model.as_deref()),
            ("run = ?", pruning.run.as_deref()),
            ("kind = ?", pruning.kind.map(ReplyKind::as_str)),
        ];
        let (clauses, values): (Vec<&str>, Vec<&str>) =
            conditions.iter().filter_map(|(clause, value)| Some((*clause, (*value)?))).unzip();
        let condition = if clauses.is_empty() { "TRUE".to_owned() } else { clauses.join(" AND ") };
        let counted = if rehearse {
            let sql = format!("SELECT count(*) FROM replies WHERE {condition}");
            self.connection.query_row(&sql, params_from_iter(values), |row| row.get(0))
        } else {
            let sql = format!("DELETE FROM replies WHERE {condition}");
            self.connection.execute(&sql, params_from_iter(values)).map(|rows| rows as u64)
        };
        let count = counted.map_err(|error| self.explain(&error))?;
        Ok(Dropped { count, not_shrunk: if rehearse { None } else { self.shrink() } })
    }

    /// Drops the prompts kept beside replies, and gives their room back.
    pub(in crate::store) fn forget_prompts(&self) -> Result<Dropped, StoreError> {
        let dropped =
            self.connection.execute("UPDATE replies SET prompt = NULL WHERE prompt IS NOT NULL", []);
        let count = dropped.map_err(|error| self.explain(&error))? as u64;
        Ok(Dropped { count, not_shrunk: self.shrink() })
    }

    /// Gives the room of what was dropped back; otherwise why not. What was dropped is gone all the same.
    fn shrink(&self) -> Option<StoreError> {
        self.connection.execute_batch("VACUUM").err().map(|error| self.explain(&error))
    }

    /// Forgets what endpoints were found not to support, so that it is found out again; returns how much that was.
    pub(in crate::store) fn forget_adaptations(&self) -> Result<u64, StoreError> {
        self.connection
            .execute("DELETE FROM adaptations", [])
            .map(|rows| rows as u64)
            .map_err(|error| self.explain(&error))
    }

    /// Takes over what `other` has and this store lacks or has damaged, batch by batch: in between, runs on this store have their turn.
    pub(in crate::store) fn merge(&mut self, other: &AnyArchive) -> Result<Merged, StoreError> {
        let mut merged = Merged::default();
        let mut batch = Vec::with_capacity(BATCH);
        other.each_reply(&mut |archived| {
            batch.push(archived);
            if batch.len() == BATCH { self.take(&mut batch, &mut merged) } else { Ok(()) }
        })?;
        self.take(&mut batch, &mut merged)?;
        let (learnt, runs) = (other.learnt()?, other.runs()?);
        self.in_one(|connection| {
            let mut insert = connection.prepare(
                "INSERT OR IGNORE INTO adaptations (endpoint, model, adaptation, learnt_at) VALUES (?, ?, ?, ?)",
            )?;
            for LearntAdaptation { endpoint, model, adaptation, learnt_at } in learnt {
                insert.execute((endpoint, model, adaptation, learnt_at))?;
            }
            // What is said of a run at its end counts more than what it said when it began.
            let mut insert = connection.prepare(
                "INSERT INTO runs (id, started_at, finished_at, manifest) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE \
                 SET started_at = excluded.started_at, finished_at = excluded.finished_at, manifest = excluded.manifest \
                 WHERE runs.finished_at IS NULL AND excluded.finished_at IS NOT NULL",
            )?;
            for ArchivedRun { id, started_at, finished_at, manifest } in runs {
                insert.execute((id, started_at, finished_at, manifest))?;
            }
            Ok(())
        })?;
        Ok(merged)
    }

    /// Takes over a batch of replies, and leaves the store to others for as long as that took.
    fn take(&self, batch: &mut Vec<ArchivedReply>, merged: &mut Merged) -> Result<(), StoreError> {
        let began = Instant::now();
        let taken = self.in_one(|connection| {
            let mut known = connection.prepare(select!(" FROM replies WHERE fingerprint = ?1"))?;
            let mut insert = connection.prepare(reply_row::INSERT)?;
            let mut taken = Merged::default();
            for ArchivedReply { fingerprint, reply, prompt, answered_at } in batch.drain(..) {
                let Some(StoredReply { reply, kind, run }) = &reply else {
                    taken.damaged += 1;
                    continue;
                };
                let ours = known
                    .query_row([fingerprint.0], |row| Ok(reply_row::read(fingerprint, row)))
                    .optional()?;
                match ours {
                    Some(Some(_)) => {
                        taken.known += 1;
                        continue;
                    }
                    Some(None) => taken.mended += 1,
                    None => taken.added += 1,
                }
                let prompt = prompt.as_deref();
                reply_row::insert(&mut insert, fingerprint, run, (*kind, reply), prompt, &answered_at)?;
            }
            Ok(taken)
        })?;
        merged.added += taken.added;
        merged.known += taken.known;
        merged.damaged += taken.damaged;
        merged.mended += taken.mended;
        std::thread::sleep(began.elapsed().min(LONGEST_REST));
        Ok(())
    }

    /// Does `work` in one transaction, which waits at its beginning for its turn: one that began by reading would be refused at once when
    /// a run has written since.
    fn in_one<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        let in_one = || {
            let transaction = Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?;
            let done = work(&transaction)?;
            transaction.commit()?;
            Ok(done)
        };
        in_one().map_err(|error| self.explain(&error))
    }

    /// Visits all replies.
    pub(in crate::store) fn each_reply(
        &self,
        visit: &mut dyn FnMut(ArchivedReply) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let explain = |error| self.explain(&error);
        let sql = select!(", fingerprint, prompt, answered_at FROM replies ORDER BY id");
        let mut replies = self.connection.prepare(sql).map_err(explain)?;
        let mut rows = replies.query([]).map_err(explain)?;
        while let Some(row) = rows.next().map_err(explain)? {
            let Ok(bytes) = row.get::<_, [u8; 16]>("fingerprint") else { continue };
            let fingerprint = Fingerprint(bytes);
            visit(ArchivedReply {
                fingerprint,
                reply: reply_row::read(fingerprint, row),
                prompt: row.get("prompt").map_err(explain)?,
                answered_at: row.get("answered_at").map_err(explain)?,
            })?;
        }
        Ok(())
    }

    pub(in crate::store) fn learnt(&self) -> Result<Vec<LearntAdaptation>, StoreError> {
        let sql = "SELECT endpoint, model, adaptation, learnt_at FROM adaptations ORDER BY 1, 2, 3";
        self.rows(sql, |row| {
            let (endpoint, model, adaptation) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(LearntAdaptation { endpoint, model, adaptation, learnt_at: row.get(3)? })
        })
    }

    pub(in crate::store) fn runs(&self) -> Result<Vec<ArchivedRun>, StoreError> {
        self.rows("SELECT id, started_at, finished_at, manifest FROM runs", |row| {
            let (id, started_at, finished_at) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(ArchivedRun { id, started_at, finished_at, manifest: row.get(3)? })
        })
    }

    fn rows<T>(
        &self,
        sql: &str,
        read: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let rows = || self.connection.prepare(sql)?.query_map([], read)?.collect::<rusqlite::Result<_>>();
        rows().map_err(|error| self.explain(&error))
    }

    /// Leaves a transaction open, in which SQLite makes no file smaller.
    #[cfg(test)]
    pub(super) fn hold_open(&self) -> rusqlite::Result<()> {
        self.connection.execute_batch("BEGIN")
    }

    fn explain(&self, error: &rusqlite::Error) -> StoreError {
        error::of(&self.path, error)
    }
}
