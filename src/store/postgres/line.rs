//! A rate limit that several runs share: [`Line`](crate::domain::Line), as the server does it under one lock.

use tokio_postgres::{Error, Row};

use super::statements::is_away;
use crate::domain::{Granted, LATELY, ROUND};
use std::time::Duration;

/// Of the server's clock, in microseconds since 1970.
const NOW: &str = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint";

/// Those that hold the line of an endpoint and a model for the transaction, move what is reserved with a clock that was set back,
/// reserve a block, and tell of a pause.
pub(super) fn statements() -> [String; 4] {
    let (round, lately) = (ROUND.as_micros(), LATELY.as_micros());
    [
        "SELECT pg_advisory_xact_lock(hashtextextended('line ' || $1::text || ' ' || $2::text, 0))"
            .to_owned(),
        format!(
            "WITH ahead AS MATERIALIZED (SELECT max(asked) - {NOW} AS by FROM grants WHERE endpoint = $1 AND model = $2) \
             UPDATE grants SET asked = asked - by, starts = starts - by, ends = ends - by FROM ahead \
             WHERE endpoint = $1 AND model = $2 AND by > 0"
        ),
        format!(
            "WITH moment AS MATERIALIZED (SELECT {NOW} AS now), \
             again AS MATERIALIZED (SELECT starts, ends FROM grants \
             WHERE endpoint = $1 AND model = $2 AND run = $3 AND number = $4), \
             taken AS MATERIALIZED (SELECT run, starts, ends FROM grants, moment WHERE endpoint = $1 AND model = $2 \
             AND CASE WHEN run = $3 THEN ends > now WHEN starts <= now THEN true WHEN EXISTS (SELECT FROM askers WHERE askers.endpoint = $1 AND askers.model = $2 \
             AND askers.run = grants.run AND lease_until > clock_timestamp()) THEN true ELSE NOT {} END), \
             others AS (SELECT count(DISTINCT run) AS others FROM taken, moment WHERE run <> $3 AND ends > now - {lately}), \
             gaps AS (SELECT greatest(now, max(ends) OVER (ORDER BY starts, ends ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) \
             AS free, starts AS until FROM taken, moment \
             UNION ALL SELECT greatest(now, (SELECT max(ends) FROM taken)), NULL FROM moment), \
             block AS MATERIALIZED (SELECT free AS starts, free + $5::bigint AS ends \
             FROM gaps WHERE until IS NULL OR until - free >= $5::bigint ORDER BY free LIMIT 1), \
             got AS (SELECT starts, ends FROM again UNION ALL SELECT starts, ends FROM block WHERE NOT EXISTS (SELECT FROM again)), \
             gone AS (DELETE FROM grants USING moment WHERE endpoint = $1 AND model = $2 \
             AND CASE WHEN run = $3 THEN number <> $4 AND ends <= now WHEN starts <= now THEN false \
             WHEN EXISTS (SELECT FROM askers WHERE askers.endpoint = $1 AND askers.model = $2 \
             AND askers.run = grants.run AND lease_until > clock_timestamp()) THEN false ELSE {} END), \
             noted AS (INSERT INTO grants (endpoint, model, run, number, asked, starts, ends) \
             SELECT $1, $2, $3, $4, now, starts, ends FROM block, moment WHERE NOT EXISTS (SELECT FROM again) ON CONFLICT DO NOTHING) \
             SELECT greatest(starts - now, 0), greatest(ends - greatest(starts, now), 0), {round} / (others + 1), {} FROM got, moment, others",
            is_away("grants.run"),
            is_away("grants.run"),
            pause()
        ),
        format!(
            "INSERT INTO pauses AS told (endpoint, model, since, until) SELECT $1, $2, now, now + $3 FROM (SELECT {NOW} AS now) AS moment \
             ON CONFLICT (endpoint, model) DO UPDATE SET since = excluded.since, \
             until = CASE WHEN told.since <= excluded.since THEN greatest(told.until, excluded.until) ELSE excluded.until END"
        ),
    ]
}

/// Which blocks of a run that has left or died go: those that it had not begun, as [`Line::leave`](crate::domain::Line::leave) has it, and
/// those that are over.
pub(super) fn is_free() -> String {
    format!("(starts > {NOW} OR ends <= {NOW} - {})", LATELY.as_micros())
}

/// For how many microseconds more the endpoint `$1` wants to be left alone by those that ask `$2` of it.
pub(super) fn pause() -> String {
    format!(
        "coalesce((SELECT until - {NOW} FROM pauses WHERE endpoint = $1 AND model = $2 AND since <= {NOW} AND until > {NOW}), 0)"
    )
}

/// The block in a row.
pub(super) fn granted(row: &Row) -> Result<Granted, Error> {
    Ok(Granted { starts_in: span(row, 0)?, length: span(row, 1)?, part: span(row, 2)?, pause: span(row, 3)? })
}

/// The microseconds in a column.
pub(super) fn span(row: &Row, column: usize) -> Result<Duration, Error> {
    let micros: i64 = row.try_get(column)?;
    Ok(Duration::from_micros(u64::try_from(micros).unwrap_or(0)))
}
