//! An SQLite file looked over, thinned out, filled from another store.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, params_from_iter};

use super::reply_row::{self, select};
use super::{connect, create_private, error, upgrade};
use crate::store::archive::{
    Archive as AnyArchive, ArchivedReply, ArchivedRun, Contents, LearntAdaptation, Merged, ModelContents,
    Pruning, Wasted,
};
use crate::store::stored_reply::StoredReply;
use crate::store::{Fingerprint, ReplyKind, StoreError};

/// A store that exists, without a writer of its own: each operation is one transaction.
#[derive(Debug)]
pub(in crate::store) struct Archive {
    connection: Connection,
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
            "SELECT count(*), ifnull(sum(prompt_tokens), 0), ifnull(sum(completion_tokens), 0), ifnull(sum(cost_usd), 0.0) \
             FROM wasted",
            [],
            |row| {
                let (questions, prompt_tokens) = (row.get(0)?, row.get(1)?);
                Ok(Wasted { questions, prompt_tokens, completion_tokens: row.get(2)?, cost_usd: row.get(3)? })
            },
        )?;
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
            adaptations: Vec::new(),
        })
    }

    /// Drops the replies that `pruning` means, and gives their room back; with `rehearse`, only counts them.
    pub(in crate::store) fn prune(&self, pruning: &Pruning, rehearse: bool) -> Result<u64, StoreError> {
        let conditions = [
            ("answered_at < ?", pruning.before.as_deref()),
            ("model = ?", pruning.model.as_deref()),
            ("run = ?", pruning.run.as_deref()),
            ("kind = ?", pruning.kind.map(ReplyKind::as_str)),
        ];
        let (clauses, values): (Vec<&str>, Vec<&str>) =
            conditions.iter().filter_map(|(clause, value)| Some((*clause, (*value)?))).unzip();
        let condition = if clauses.is_empty() { "TRUE".to_owned() } else { clauses.join(" AND ") };
        let pruned = if rehearse {
            let sql = format!("SELECT count(*) FROM replies WHERE {condition}");
            self.connection.query_row(&sql, params_from_iter(values), |row| row.get(0))
        } else {
            self.connection
                .execute(&format!("DELETE FROM replies WHERE {condition}"), params_from_iter(values))
                .and_then(|rows| self.connection.execute_batch("VACUUM").map(|()| rows as u64))
        };
        pruned.map_err(|error| self.explain(&error))
    }

    /// Drops the prompts kept beside replies, and gives their room back; returns how many there were.
    pub(in crate::store) fn forget_prompts(&self) -> Result<u64, StoreError> {
        self.connection
            .execute("UPDATE replies SET prompt = NULL WHERE prompt IS NOT NULL", [])
            .and_then(|rows| self.connection.execute_batch("VACUUM").map(|()| rows as u64))
            .map_err(|error| self.explain(&error))
    }

    /// Forgets what endpoints were found not to support, so that it is found out again; returns how much that was.
    pub(in crate::store) fn forget_adaptations(&self) -> Result<u64, StoreError> {
        self.connection
            .execute("DELETE FROM adaptations", [])
            .map(|rows| rows as u64)
            .map_err(|error| self.explain(&error))
    }

    /// Takes over what `other` has and this store lacks. All or nothing.
    pub(in crate::store) fn merge(&mut self, other: &AnyArchive) -> Result<Merged, StoreError> {
        let path = self.path.clone();
        let explain = |error: rusqlite::Error| error::of(&path, &error);
        let transaction = self.connection.transaction().map_err(explain)?;
        let mut merged = Merged::default();
        {
            let mut known =
                transaction.prepare("SELECT 1 FROM replies WHERE fingerprint = ?1").map_err(explain)?;
            let mut insert = transaction.prepare(reply_row::INSERT).map_err(explain)?;
            other.each_reply(&mut |archived| {
                let Some(StoredReply { reply, kind, run }) = &archived.reply else {
                    merged.damaged += 1;
                    return Ok(());
                };
                if known.exists([archived.fingerprint.0]).map_err(explain)? {
                    merged.known += 1;
                    return Ok(());
                }
                let (prompt, answered_at) = (archived.prompt.as_deref(), &archived.answered_at);
                reply_row::insert(
                    &mut insert,
                    archived.fingerprint,
                    run,
                    (*kind, reply),
                    prompt,
                    answered_at,
                )
                .map_err(explain)?;
                merged.added += 1;
                Ok(())
            })?;
            let mut insert = transaction
                .prepare("INSERT OR IGNORE INTO adaptations (endpoint, model, adaptation, learnt_at) VALUES (?, ?, ?, ?)")
                .map_err(explain)?;
            for LearntAdaptation { endpoint, model, adaptation, learnt_at } in other.learnt()? {
                insert.execute((endpoint, model, adaptation, learnt_at)).map_err(explain)?;
            }
            let mut insert = transaction
                .prepare(
                    "INSERT OR IGNORE INTO runs (id, started_at, finished_at, manifest) VALUES (?, ?, ?, ?)",
                )
                .map_err(explain)?;
            for ArchivedRun { id, started_at, finished_at, manifest } in other.runs()? {
                insert.execute((id, started_at, finished_at, manifest)).map_err(explain)?;
            }
        }
        transaction.commit().map_err(explain)?;
        Ok(merged)
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

    fn explain(&self, error: &rusqlite::Error) -> StoreError {
        error::of(&self.path, error)
    }
}
