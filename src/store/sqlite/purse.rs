//! A cost limit that several runs share.

use std::path::Path;

use rusqlite::{Connection, params};

use super::run_lock::{self, Liveness};
use crate::domain::{Given, Taking};

/// Takes what there is to have for `run` of the store at `path`. What the run says it has is what it has.
pub(super) fn take(
    connection: &Connection,
    (path, run): (&Path, &str),
    purse: &str,
    taking: &Taking,
) -> rusqlite::Result<Given> {
    let Taking { ceiling, granted, spent, need, want } = *taking;
    let mut others =
        connection.prepare_cached("SELECT run, taken, spent FROM purses WHERE purse = ?1 AND run <> ?2")?;
    let (mut taken, mut spent_by_others, mut may_return) = (0_u64, 0_u64, false);
    for other in others.query_map([purse, run], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))? {
        let (other, its, used): (String, u64, u64) = other?;
        taken = taken.saturating_add(its);
        spent_by_others = spent_by_others.saturating_add(used);
        may_return |= its > used && run_lock::liveness(path, &other) == Liveness::Alive;
    }
    let free = ceiling.saturating_sub(taken.saturating_add(granted));
    let more = if free >= need { want.max(need).min(free) } else { 0 };
    connection
        .prepare_cached("INSERT OR REPLACE INTO purses (purse, run, taken, spent) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![purse, run, granted + more, spent])?;
    Ok(Given { more, may_return, spent: spent_by_others })
}

/// Adds what `run` has spent to what was spent by all that have ended.
pub(super) fn settle(connection: &Connection, run: &str, purse: &str, spent: u64) -> rusqlite::Result<()> {
    let was_there = connection.execute("DELETE FROM purses WHERE purse = ?1 AND run = ?2", [purse, run])?;
    if was_there > 0 {
        connection.execute(
            "INSERT INTO purses (purse, run, taken, spent) VALUES (?1, '', ?2, ?2) \
             ON CONFLICT (purse, run) DO UPDATE SET taken = taken + ?2, spent = spent + ?2",
            params![purse, spent],
        )?;
    }
    Ok(())
}
