//! A cost limit that several runs share.

#[cfg(feature = "cli")]
use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::{Connection, params};

use super::run_lock::{self, Liveness};
use crate::domain::{Given, Taking};
#[cfg(feature = "cli")]
use crate::store::PurseContents;

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
    let (mut taken, mut spent_by_others, mut lost, mut may_return) = (0_u64, 0_u64, 0_u64, false);
    for other in others.query_map([purse, run], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))? {
        let (other, its, used): (String, u64, u64) = other?;
        taken = taken.saturating_add(its);
        spent_by_others = spent_by_others.saturating_add(used);
        if its > used {
            let is_alive = run_lock::liveness(path, &other) == Liveness::Alive;
            may_return |= is_alive;
            lost = lost.saturating_add(if is_alive { 0 } else { its - used });
        }
    }
    let free = ceiling.saturating_sub(taken.saturating_add(granted));
    let more = if free >= need { want.max(need).min(free) } else { 0 };
    connection
        .prepare_cached("INSERT OR REPLACE INTO purses (purse, run, taken, spent) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![purse, run, granted + more, spent])?;
    Ok(Given { more, may_return, spent: spent_by_others, lost })
}

/// All purses of the store at `path`, by name.
#[cfg(feature = "cli")]
pub(super) fn all(connection: &Connection, path: &Path) -> rusqlite::Result<Vec<PurseContents>> {
    let mut purses: BTreeMap<String, [u64; 3]> = BTreeMap::new();
    let mut rows = connection.prepare("SELECT purse, run, taken, spent FROM purses")?;
    let mut rows = rows.query([])?;
    while let Some(row) = rows.next()? {
        let (run, taken, spent): (String, u64, u64) = (row.get(1)?, row.get(2)?, row.get(3)?);
        let is_lost = taken > spent && run_lock::liveness(path, &run) != Liveness::Alive;
        let amounts = [taken, spent, if is_lost { taken - spent } else { 0 }];
        let sums = purses.entry(row.get(0)?).or_default();
        sums.iter_mut().zip(amounts).for_each(|(sum, amount)| *sum = sum.saturating_add(amount));
    }
    Ok(purses.into_iter().map(|(purse, amounts)| PurseContents::new(purse, amounts)).collect())
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
