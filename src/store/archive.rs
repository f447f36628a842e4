//! A store that nobody is asking for: looked over, thinned out, filled from another.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, params_from_iter};

use super::reply_row::{self, StoredReply, select};
use super::{Fingerprint, ReplyKind, StoreError, connect, create_private, upgrade};

/// A store that exists, without a writer of its own: each operation is one transaction.
#[derive(Debug)]
pub struct Archive {
    connection: Connection,
    path: PathBuf,
}

/// What a store holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Contents {
    /// Bytes of the file.
    pub bytes: u64,
    pub replies: u64,
    /// Replies that are turns of agents.
    pub turns: u64,
    /// Replies whose bytes are no longer what was written: they count as absent.
    pub damaged: u64,
    /// Questions whose last attempt failed.
    pub failures: u64,
    /// What was paid for answers that were of no use and are part of no reply.
    pub wasted: Wasted,
    /// Questions that a run is asking right now.
    pub claims: u64,
    pub runs: u64,
    /// Runs that did not end with a table.
    pub unfinished: u64,
    /// Replies with their prompt beside them.
    pub prompts: u64,
    /// When the first and the last reply came, RFC 3339.
    pub span: Option<(String, String)>,
    pub models: Vec<ModelContents>,
    /// Endpoint, model, and what was found out about them.
    pub adaptations: Vec<(String, String, String)>,
}

/// Answers of no use, to questions that ended without a reply.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Wasted {
    pub questions: u64,
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
    /// US dollars, as far as the price is known.
    pub cost_usd: f64,
}

/// The replies of one model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelContents {
    /// As it names itself; absent where it does not.
    pub model: Option<String>,
    pub replies: u64,
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
    /// US dollars, of the replies with a known price.
    pub cost_usd: f64,
    pub unpriced: u64,
}

/// Which replies go. A reply must meet all conditions that are given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pruning {
    /// Answered before this moment, RFC 3339 in UTC.
    pub before: Option<String>,
    pub model: Option<String>,
    pub run: Option<String>,
    pub kind: Option<ReplyKind>,
}

/// What a merge brought.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Merged {
    pub added: u64,
    /// Replies to questions that were answered already: ours stay.
    pub known: u64,
    /// Replies left behind because they are damaged.
    pub damaged: u64,
}

impl Archive {
    /// # Errors
    /// When there is no store at `path`, or none of ours.
    pub fn open(path: &Path) -> Result<Archive, StoreError> {
        if !path.is_file() {
            return Err(StoreError::Missing { path: path.to_owned() });
        }
        let connection = connect(path)?;
        if upgrade::version(&connection, path)?.is_none() {
            return Err(StoreError::NotOurs { path: path.to_owned() });
        }
        upgrade::migrate(&connection, path)?;
        Ok(Archive { connection, path: path.to_owned() })
    }

    /// The same, of a store that is made if there is none.
    ///
    /// # Errors
    /// When it cannot be made, or what is there is none of ours.
    pub fn open_or_create(path: &Path) -> Result<Archive, StoreError> {
        create_private(path)?;
        let connection = connect(path)?;
        upgrade::migrate(&connection, path)?;
        Ok(Archive { connection, path: path.to_owned() })
    }

    /// Counts everything, and checks every reply against its checksum.
    ///
    /// # Errors
    /// When the file's own order is broken: then replies may be in it that nobody finds.
    pub fn contents(&self) -> Result<Contents, StoreError> {
        let found: String = self
            .connection
            .query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))
            .map_err(|error| self.explain(&error))?;
        if found != "ok" {
            return Err(StoreError::Damaged { path: self.path.clone(), why: found });
        }
        let bytes = std::fs::metadata(&self.path).map_or(0, |file| file.len());
        self.count(bytes).map_err(|error| self.explain(&error))
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
        let adaptations = self
            .connection
            .prepare("SELECT endpoint, model, adaptation FROM adaptations ORDER BY 1, 2, 3")?
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
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
        let mut damaged = 0;
        self.each_reply(|_, reply, _| {
            damaged += u64::from(reply.is_none());
            Ok(())
        })?;
        Ok(Contents {
            bytes,
            replies: number("SELECT count(*) FROM replies")?,
            turns: number("SELECT count(*) FROM replies WHERE kind = 'turn'")?,
            damaged,
            failures: number("SELECT count(*) FROM failures")?,
            wasted,
            claims: number("SELECT count(*) FROM claims WHERE lease_until > unixepoch('subsec') * 1000")?,
            runs: number("SELECT count(*) FROM runs")?,
            unfinished: number("SELECT count(*) FROM runs WHERE finished_at IS NULL")?,
            prompts: number("SELECT count(*) FROM replies WHERE prompt IS NOT NULL")?,
            span,
            models,
            adaptations,
        })
    }

    /// Drops the replies that `pruning` means, and gives their room back; with `rehearse`, only counts them.
    pub fn prune(&self, pruning: &Pruning, rehearse: bool) -> Result<u64, StoreError> {
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
    pub fn forget_prompts(&self) -> Result<u64, StoreError> {
        self.connection
            .execute("UPDATE replies SET prompt = NULL WHERE prompt IS NOT NULL", [])
            .and_then(|rows| self.connection.execute_batch("VACUUM").map(|()| rows as u64))
            .map_err(|error| self.explain(&error))
    }

    /// Forgets what endpoints were found not to support, so that it is found out again; returns how much that was.
    pub fn forget_adaptations(&self) -> Result<u64, StoreError> {
        self.connection
            .execute("DELETE FROM adaptations", [])
            .map(|rows| rows as u64)
            .map_err(|error| self.explain(&error))
    }

    /// Takes over what `other` has and this store lacks: replies, runs, and what is known of endpoints. All or nothing.
    pub fn merge(&mut self, other: &Archive) -> Result<Merged, StoreError> {
        let path = self.path.clone();
        self.take_over(other).map_err(|error| StoreError::from_sqlite(&path, &error))
    }

    fn take_over(&mut self, other: &Archive) -> rusqlite::Result<Merged> {
        let transaction = self.connection.transaction()?;
        let mut merged = Merged::default();
        {
            let mut known = transaction.prepare("SELECT 1 FROM replies WHERE fingerprint = ?1")?;
            let mut insert = transaction.prepare(reply_row::INSERT)?;
            other.each_reply(|fingerprint, reply, (prompt, answered_at)| {
                let Some(StoredReply { reply, kind, run }) = reply else {
                    merged.damaged += 1;
                    return Ok(());
                };
                if known.query_row([fingerprint.0], |_| Ok(())).optional()?.is_some() {
                    merged.known += 1;
                    return Ok(());
                }
                let reply = (kind, &reply);
                reply_row::insert(&mut insert, fingerprint, &run, reply, prompt.as_deref(), &answered_at)?;
                merged.added += 1;
                Ok(())
            })?;
            let copy = |from: &str, into: &str, columns: usize| -> rusqlite::Result<()> {
                let mut rows = other.connection.prepare(from)?;
                let mut rows = rows.query([])?;
                let mut insert = transaction.prepare(into)?;
                while let Some(row) = rows.next()? {
                    let values: Vec<rusqlite::types::Value> =
                        (0..columns).map(|at| row.get(at)).collect::<Result<_, _>>()?;
                    insert.execute(params_from_iter(values))?;
                }
                Ok(())
            };
            copy(
                "SELECT endpoint, model, adaptation, learnt_at FROM adaptations",
                "INSERT OR IGNORE INTO adaptations (endpoint, model, adaptation, learnt_at) VALUES (?, ?, ?, ?)",
                4,
            )?;
            copy(
                "SELECT id, started_at, finished_at, manifest FROM runs",
                "INSERT OR IGNORE INTO runs (id, started_at, finished_at, manifest) VALUES (?, ?, ?, ?)",
                4,
            )?;
        }
        transaction.commit()?;
        Ok(merged)
    }

    /// Visits all replies with their prompt, if kept, and the time of their answer.
    fn each_reply(
        &self,
        mut visit: impl FnMut(Fingerprint, Option<StoredReply>, (Option<String>, String)) -> rusqlite::Result<()>,
    ) -> rusqlite::Result<()> {
        let mut replies = self
            .connection
            .prepare(select!(", fingerprint, prompt, answered_at FROM replies ORDER BY id"))?;
        let mut rows = replies.query([])?;
        while let Some(row) = rows.next()? {
            let Ok(bytes) = row.get::<_, [u8; 16]>("fingerprint") else { continue };
            let fingerprint = Fingerprint(bytes);
            let beside = (row.get("prompt")?, row.get("answered_at")?);
            visit(fingerprint, reply_row::read(fingerprint, row), beside)?;
        }
        Ok(())
    }

    fn explain(&self, error: &rusqlite::Error) -> StoreError {
        StoreError::from_sqlite(&self.path, error)
    }
}
