//! A rate limit that several runs share.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, OptionalExtension, params};

use super::run_lock::{self, Liveness};
use crate::domain::{Block, Granted, LATELY, Line};

/// Reserves a block of the limits of `place`, an endpoint and a model, for `run` of the store at `path`.
pub(super) fn grant(
    connection: &Connection,
    (path, run): (&Path, &str),
    place: (&str, &str),
    (number, length): (i64, i64),
) -> rusqlite::Result<Granted> {
    let now = now();
    let ahead: Option<i64> = connection
        .prepare_cached("SELECT max(asked) - ?3 FROM grants WHERE endpoint = ?1 AND model = ?2")?
        .query_row(params![place.0, place.1, now], |row| row.get(0))?;
    if let Some(set_back) = ahead.filter(|ahead| *ahead > 0) {
        connection.execute(
            "UPDATE grants SET asked = asked - ?3, starts = starts - ?3, ends = ends - ?3 WHERE endpoint = ?1 AND model = ?2",
            params![place.0, place.1, set_back],
        )?;
    }
    let mut line = living(connection, (path, run), place, now)?;
    let block = line.grant(now, run, number, length);
    connection
        .prepare_cached(
            "DELETE FROM grants WHERE endpoint = ?1 AND model = ?2 AND run = ?3 AND number <> ?4 AND ends <= ?5",
        )?
        .execute(params![place.0, place.1, run, number, now])?;
    connection
        .prepare_cached(
            "INSERT OR IGNORE INTO grants (endpoint, model, run, number, asked, starts, ends) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![place.0, place.1, run, number, block.asked, block.starts, block.ends])?;
    Ok(block.granted(now, line.part(now, run), pause(connection, place)?))
}

/// `run` has left, at one `place` or at all, or died: what it has reserved and not begun is free again, as [`Line::leave`] has it, and
/// what is over is cleared away.
pub(super) fn leave(connection: &Connection, run: &str, place: Option<(&str, &str)>) -> rusqlite::Result<()> {
    let (endpoint, model) = place.unzip();
    connection
        .prepare_cached(
            "DELETE FROM grants WHERE run = ?1 AND (?2 IS NULL OR endpoint = ?2 AND model = ?3) AND (starts > ?4 OR ends <= ?5)",
        )?
        .execute(params![run, endpoint, model, now(), forgotten(now())])?;
    Ok(())
}

/// What was over by then is no longer counted.
fn forgotten(now: i64) -> i64 {
    now - micros(LATELY)
}

/// What living runs have reserved, and what others have begun; the rest of theirs is cleared away.
fn living(
    connection: &Connection,
    (path, run): (&Path, &str),
    place: (&str, &str),
    now: i64,
) -> rusqlite::Result<Line> {
    let mut reserved = connection.prepare_cached(
        "SELECT grants.run, number, asked, starts, ends, ifnull(lease_until, 0) FROM grants \
         LEFT JOIN askers ON askers.endpoint = grants.endpoint AND askers.model = grants.model AND askers.run = grants.run \
         WHERE grants.endpoint = ?1 AND grants.model = ?2",
    )?;
    let reserved = reserved.query_map([place.0, place.1], |row| {
        let [number, asked, starts, ends] = [row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?];
        Ok((Block { run: row.get(0)?, number, asked, starts, ends }, row.get::<_, i64>(5)?))
    })?;
    let reserved = reserved.collect::<rusqlite::Result<Vec<_>>>()?;
    let (living, dead): (Vec<_>, Vec<_>) = reserved.into_iter().partition(|(block, lease_until)| {
        // The lock tells where the clock was set.
        block.run == run
            || block.starts <= now && block.ends > forgotten(now)
            || *lease_until > now / 1000
            || run_lock::liveness(path, &block.run) == Liveness::Alive
    });
    for (block, _) in dead {
        connection.execute(
            "DELETE FROM grants WHERE endpoint = ?1 AND model = ?2 AND run = ?3 AND number = ?4",
            params![place.0, place.1, &block.run, block.number],
        )?;
    }
    Ok(Line(living.into_iter().map(|(block, _)| block).collect()))
}

/// How long `place` wants to be left alone. One that was told in the future was told before the clock was set back.
pub(super) fn pause(connection: &Connection, place: (&str, &str)) -> rusqlite::Result<Duration> {
    let left = connection
        .prepare_cached(
            "SELECT until - ?3 FROM pauses WHERE endpoint = ?1 AND model = ?2 AND ?3 >= since AND ?3 < until",
        )?
        .query_row(params![place.0, place.1, now()], |row| row.get::<_, u64>(0))
        .optional()?;
    Ok(Duration::from_micros(left.unwrap_or(0)))
}

/// `place` wants to be left alone for so long.
pub(super) fn set_pause(
    connection: &Connection,
    place: (&str, &str),
    pause: Duration,
) -> rusqlite::Result<()> {
    let since = now();
    connection.execute(
        "INSERT INTO pauses (endpoint, model, since, until) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (endpoint, model) \
         DO UPDATE SET until = iif(since <= ?3, max(until, ?4), ?4), since = ?3",
        params![place.0, place.1, since, since.saturating_add(micros(pause))],
    )?;
    Ok(())
}

/// In microseconds since 1970.
fn now() -> i64 {
    micros(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
}

fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}
