//! Reviewers' marks in an SQLite file: each is on disk before it is confirmed, and none is ever changed or overwritten.

mod error;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior, params};

use super::sqlite::handle::{Handle, identity};
use super::sqlite::{self, header};
pub use error::MarksError;

/// Marks the file as ours: "tjmk".
const APPLICATION_ID: i64 = 0x746a_6d6b;
/// The version of the file's tables.
const SCHEMA_VERSION: i64 = 2;
/// What makes version 2 of version 1; the marks stay as they are.
const TO_VERSION_2: &str = "ALTER TABLE marks ADD COLUMN correction TEXT";
/// How long a lock of another process is waited for: less than a page waits for its answer.
const PATIENCE: Duration = if cfg!(test) { Duration::from_secs(2) } else { Duration::from_secs(10) };

/// An open file of marks.
#[derive(Debug)]
pub struct MarkStore {
    connection: Handle,
    path: PathBuf,
    /// What the file is recognised by, where the system says so.
    file: Option<(u64, u64)>,
}

/// What a reviewer says of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMark {
    /// Who.
    pub reviewer: String,
    /// The row, by what it holds.
    pub row_key: String,
    /// The row's own id, if it has one.
    pub row_id: Option<String>,
    /// JSON object: column of gold to label.
    pub gold: String,
    /// Why; empty for no reason.
    pub note: String,
    /// JSON array of the calls that should have been made, in normal form, if the reviewer wrote them.
    pub correction: Option<String>,
    /// When, RFC 3339 in UTC.
    pub at: String,
}

/// A mark in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Its place among all marks of the file.
    pub id: u64,
    /// What it says.
    pub mark: NewMark,
    /// How many marks of this reviewer on this row there are up to this one.
    pub version: u64,
}

/// Rows that were picked to be marked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picked {
    /// How they were picked: `random` or `unsure`.
    pub queue: String,
    /// Their keys, in the order in which they were picked.
    pub rows: Vec<String>,
    /// Rows that they were picked from.
    pub of: u64,
}

/// What became of something that is to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Kept<T> {
    /// It is on the disk.
    Kept(T),
    /// Somebody was faster: what it was based on is no longer the latest. Nothing was kept.
    Conflict,
}

const MARK: &str = "SELECT id, reviewer, row_key, row_id, gold, note, version, at, correction FROM marks";

impl MarkStore {
    /// Opens the marks at `path`, which are made if need be (mode 0600).
    ///
    /// # Errors
    /// If the file cannot be written, or is none of ours: it stays as it is then.
    pub fn open(path: &Path) -> Result<MarkStore, MarksError> {
        let io = |why: std::io::Error| MarksError::Open {
            place: path.display().to_string(),
            why: why.to_string(),
        };
        sqlite::private_file(path).map_err(io)?;
        MarkStore::connect(path)
    }

    /// Opens marks that are there.
    ///
    /// # Errors
    /// As [`MarkStore::open`], and if there are none.
    pub fn existing(path: &Path) -> Result<MarkStore, MarksError> {
        if !path.is_file() {
            return Err(MarksError::Missing { place: path.display().to_string() });
        }
        MarkStore::connect(path)
    }

    fn connect(path: &Path) -> Result<MarkStore, MarksError> {
        let wrap = |error| error::of(path, &error);
        let look = || match header::origin(path, APPLICATION_ID).map_err(wrap)? {
            header::Origin::Ours(version) => check(version, path),
            header::Origin::Open => Ok(()),
            header::Origin::Foreign => Err(MarksError::NotOurs { place: path.display().to_string() }),
        };
        let connection = Handle::open(path, look, || sqlite::durable(path).map_err(wrap))?;
        connection.busy_timeout(PATIENCE).map_err(wrap)?;
        let mut store = MarkStore { connection, path: path.to_owned(), file: identity(path) };
        store.make_tables()?;
        Ok(store)
    }

    fn make_tables(&mut self) -> Result<(), MarksError> {
        let MarkStore { connection, path, .. } = self;
        let made = connection.transaction_with_behavior(TransactionBehavior::Immediate).and_then(|change| {
            let stated = |name| change.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
            let (application, version) = (stated("application_id")?, stated("user_version")?);
            let is_empty: bool =
                change.query_row("SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)", [], |row| row.get(0))?;
            // Somebody may have made something else of it since it was looked at.
            if application != APPLICATION_ID && !is_empty {
                return Ok(None);
            }
            match version {
                0 => change.execute_batch(include_str!("schema.sql"))?,
                1 => change.execute_batch(TO_VERSION_2)?,
                _ => {}
            }
            if version < SCHEMA_VERSION {
                change.pragma_update(None, "application_id", APPLICATION_ID)?;
                change.pragma_update(None, "user_version", SCHEMA_VERSION)?;
            }
            change.commit()?;
            Ok(Some(version))
        });
        match made.map_err(|error| error::of(path, &error))? {
            Some(version) => check(version, path),
            None => Err(MarksError::NotOurs { place: path.display().to_string() }),
        }
    }

    /// Where they are.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps a mark whose maker had seen the version `seen` of theirs on that row (0 for none).
    ///
    /// # Errors
    /// If the file cannot be written; the mark is not kept then.
    pub fn add(&mut self, mark: &NewMark, seen: u64) -> Result<Kept<Mark>, MarksError> {
        self.change(|change| insert(change, mark, seen, None))
    }

    /// Takes back the last change of a reviewer that was not taken back, among rows that `is_here`: its row gets the mark that it had
    /// before. `change` is the change that the reviewer had seen.
    ///
    /// # Errors
    /// As [`MarkStore::add`].
    pub fn undo(
        &mut self,
        reviewer: &str,
        change: u64,
        at: &str,
        is_here: impl Fn(&str) -> bool,
    ) -> Result<Kept<Mark>, MarksError> {
        self.change(|open| {
            let Some(last) = last_change(open, reviewer, &is_here)?.filter(|last| last.id == change) else {
                return Ok(Kept::Conflict);
            };
            let (key, version) = (&last.mark.row_key, int(last.version));
            let before = format!(
                "{MARK} WHERE reviewer = ?1 AND row_key = ?2 AND version < ?3 ORDER BY version DESC LIMIT 1"
            );
            let before = open.query_row(&before, params![reviewer, key, version], mark_of).optional()?;
            let (gold, note, correction) = before.map_or(("{}".to_owned(), String::new(), None), |before| {
                (before.mark.gold, before.mark.note, before.mark.correction)
            });
            let mark = NewMark { gold, note, correction, at: at.to_owned(), ..last.mark.clone() };
            let seen = version_of(open, reviewer, key)?;
            insert(open, &mark, seen, Some(last.id))
        })
    }

    /// The last change of a reviewer that was not taken back, among rows that `is_here`.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn last_change(
        &self,
        reviewer: &str,
        is_here: impl Fn(&str) -> bool,
    ) -> Result<Option<Mark>, MarksError> {
        last_change(&self.connection, reviewer, &is_here).map_err(|error| self.wrap(&error))
    }

    /// All marks after the one with the id `after` (0 for all), in the order in which they were made.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn since(&self, after: u64) -> Result<Vec<Mark>, MarksError> {
        let read = || {
            let mut found = self.connection.prepare_cached(&format!("{MARK} WHERE id > ?1 ORDER BY id"))?;
            found.query_map([int(after)], mark_of)?.collect::<rusqlite::Result<Vec<Mark>>>()
        };
        read().map_err(|error| self.wrap(&error))
    }

    /// The latest mark of each reviewer on each row, those that were taken back left out; by row, then in the order in which they were made.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn latest(&self) -> Result<Vec<Mark>, MarksError> {
        let read = || {
            let mut found = self.connection.prepare(&format!(
                "{MARK} AS mark WHERE (gold <> '{{}}' OR note <> '' OR correction IS NOT NULL) AND version = (SELECT max(version) FROM marks WHERE reviewer = \
                 mark.reviewer AND row_key = mark.row_key) ORDER BY row_key, id"
            ))?;
            found.query_map([], mark_of)?.collect::<rusqlite::Result<Vec<Mark>>>()
        };
        read().map_err(|error| self.wrap(&error))
    }

    /// The last mark of a reviewer on a row, also one that says nothing any more.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn last_of(&self, reviewer: &str, row_key: &str) -> Result<Option<Mark>, MarksError> {
        let read = || {
            let mut found = self.connection.prepare_cached(&format!(
                "{MARK} WHERE reviewer = ?1 AND row_key = ?2 ORDER BY version DESC LIMIT 1"
            ))?;
            found.query_row([reviewer, row_key], mark_of).optional()
        };
        read().map_err(|error| self.wrap(&error))
    }

    /// Rows that were picked from the table of that key, in the order in which they were.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn draws(&self, table_key: &str) -> Result<Vec<Picked>, MarksError> {
        draws(&self.connection, table_key).map_err(|error| self.wrap(&error))
    }

    /// Rows that were picked from any other table.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn other_draws(&self, table_key: &str) -> Result<Vec<Picked>, MarksError> {
        picked(&self.connection, "<>", table_key).map_err(|error| self.wrap(&error))
    }

    /// Keeps rows that a reviewer picked who had seen that many `seen` picks of this table.
    ///
    /// # Errors
    /// If the file cannot be written; they are not kept then.
    pub fn add_draw(
        &mut self,
        table_key: &str,
        reviewer: &str,
        at: &str,
        picked: &Picked,
        seen: u64,
    ) -> Result<Kept<()>, MarksError> {
        self.change(|change| {
            let there = draws(change, table_key)?.len() as u64;
            if there != seen {
                return Ok(Kept::Conflict);
            }
            let rows = serde_json::json!(picked.rows).to_string();
            change.execute(
                "INSERT INTO draws (table_key, round, queue, rows, picked_of, reviewer, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![table_key, int(there + 1), picked.queue, rows, int(picked.of), reviewer, at],
            )?;
            Ok(Kept::Kept(()))
        })
    }

    /// Does `work` in one transaction, which is on the disk when this returns.
    fn change<T>(
        &mut self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<Kept<T>>,
    ) -> Result<Kept<T>, MarksError> {
        let MarkStore { connection, path, file } = self;
        // What is written into a file that has no name any more is lost when this process ends.
        if identity(path) != *file {
            return Err(MarksError::Replaced { place: path.display().to_string() });
        }
        let done = connection.transaction_with_behavior(TransactionBehavior::Immediate).and_then(|change| {
            let kept = work(&change)?;
            change.commit()?;
            Ok(kept)
        });
        done.map_err(|error| error::of(path, &error))
    }

    fn wrap(&self, error: &rusqlite::Error) -> MarksError {
        error::of(&self.path, error)
    }
}

/// Refuses marks that a newer program has written.
fn check(version: i64, path: &Path) -> Result<(), MarksError> {
    if version > SCHEMA_VERSION {
        let place = path.display().to_string();
        return Err(MarksError::Newer { place, version, known: SCHEMA_VERSION });
    }
    Ok(())
}

fn insert(
    change: &Connection,
    mark: &NewMark,
    seen: u64,
    undoes: Option<u64>,
) -> rusqlite::Result<Kept<Mark>> {
    if version_of(change, &mark.reviewer, &mark.row_key)? != seen {
        return Ok(Kept::Conflict);
    }
    let NewMark { reviewer, row_key, row_id, gold, note, correction, at } = mark;
    let version = seen + 1;
    change.execute(
        "INSERT INTO marks (reviewer, row_key, row_id, gold, note, version, at, undoes, correction) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        params![reviewer, row_key, row_id, gold, note, int(version), at, undoes.map(int), correction],
    )?;
    let id = change.last_insert_rowid().unsigned_abs();
    Ok(Kept::Kept(Mark { id, mark: mark.clone(), version }))
}

/// The version of a reviewer's mark on a row; 0 if there never was one.
fn version_of(connection: &Connection, reviewer: &str, row_key: &str) -> rusqlite::Result<u64> {
    let mut found = connection
        .prepare_cached("SELECT coalesce(max(version), 0) FROM marks WHERE reviewer = ?1 AND row_key = ?2")?;
    found.query_row(params![reviewer, row_key], |row| row.get::<_, i64>(0)).map(i64::unsigned_abs)
}

fn last_change(
    connection: &Connection,
    reviewer: &str,
    is_here: &dyn Fn(&str) -> bool,
) -> rusqlite::Result<Option<Mark>> {
    let mut found = connection.prepare_cached(&format!(
        "{MARK} WHERE reviewer = ?1 AND undoes IS NULL AND id NOT IN (SELECT undoes FROM marks WHERE reviewer = ?1 AND undoes IS NOT NULL) \
         ORDER BY id DESC"
    ))?;
    for mark in found.query_map([reviewer], mark_of)? {
        let mark = mark?;
        if is_here(&mark.mark.row_key) {
            return Ok(Some(mark));
        }
    }
    Ok(None)
}

fn draws(connection: &Connection, table_key: &str) -> rusqlite::Result<Vec<Picked>> {
    picked(connection, "=", table_key)
}

/// The draws whose table is that one, or is not.
fn picked(connection: &Connection, is: &'static str, table_key: &str) -> rusqlite::Result<Vec<Picked>> {
    let mut found = connection.prepare_cached(&format!(
        "SELECT queue, rows, picked_of, id FROM draws WHERE table_key {is} ?1 ORDER BY id"
    ))?;
    let picked = |row: &Row<'_>| {
        let rows: String = row.get(1)?;
        let id: i64 = row.get(3)?;
        let rows = serde_json::from_str(&rows)
            .map_err(|why| damaged(&format!("the rows of draw {id} are damaged ({why})")))?;
        Ok(Picked { queue: row.get(0)?, rows, of: row.get::<_, i64>(2)?.unsigned_abs() })
    };
    found.query_map([table_key], picked)?.collect()
}

fn mark_of(row: &Row<'_>) -> rusqlite::Result<Mark> {
    let number = |at| row.get::<_, i64>(at).map(i64::unsigned_abs);
    let gold: String = row.get(4)?;
    // What cannot be read must not pass for a mark without a label.
    serde_json::from_str::<BTreeMap<&str, Cow<'_, str>>>(&gold).map_err(|why| {
        damaged(&format!("the gold of mark {} is damaged ({why})", number(0).unwrap_or_default()))
    })?;
    let correction: Option<String> = row.get(8)?;
    if let Some(text) = &correction {
        let calls = serde_json::from_str::<Vec<serde_json::Map<String, serde_json::Value>>>(text);
        calls.map_err(|why| {
            damaged(&format!("the correction of mark {} is damaged ({why})", number(0).unwrap_or_default()))
        })?;
    }
    Ok(Mark {
        id: number(0)?,
        mark: NewMark {
            reviewer: row.get(1)?,
            row_key: row.get(2)?,
            row_id: row.get(3)?,
            gold,
            note: row.get(5)?,
            correction,
            at: row.get(7)?,
        },
        version: number(6)?,
    })
}

/// A text is not what was written there.
fn damaged(why: &str) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, why.into())
}

/// A number as SQLite has them.
fn int(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
