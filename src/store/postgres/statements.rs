//! The SQL statements of a run.

use super::line;
use super::reply_row::{COLUMNS, IN_ITS_PLACE, IN_ORDER, INSERT};
use crate::store::lease_clock::LEASE;

/// Statements of the writing connection, by their place among [`all`].
#[derive(Debug, Clone, Copy)]
pub(super) enum Write {
    Renew,
    Join,
    Leave,
    Answer,
    LateAnswer,
    Fail,
    Waste,
    Learn,
    Manifest,
    Release,
    Claim,
    Look,
    Overdue,
    Begin,
    HoldPurse,
    Take,
    Commit,
    Settle,
    HoldLine,
    SetBack,
    Grant,
    Pause,
}

/// Those of the connection for looking up, by their place among [`look_ups`].
#[derive(Debug, Clone, Copy)]
pub(super) enum LookUp {
    Find,
    Failure,
    Wasted,
    AnyReply,
    ReplyOf,
    LastRun,
    Asking,
    Adaptations,
}

/// Until when a claim made now holds.
fn lease() -> String {
    format!("clock_timestamp() + interval '{} seconds'", LEASE.as_secs())
}

/// Whether the lease in `column` is over; one from beyond the longest possible one was written before the clock was set back.
fn is_over(column: &str) -> String {
    format!("{column} NOT BETWEEN clock_timestamp() AND {}", lease())
}

/// Whether the lease in `column` holds.
#[cfg(feature = "cli")]
pub(super) fn present(column: &str) -> String {
    format!("NOT ({})", is_over(column))
}

/// The number of the lock that the run in `column` holds while it is connected.
fn lock_of(column: &str) -> String {
    format!("hashtextextended('run ' || {column}, 0)")
}

/// Whether the run in `column` is not connected.
pub(super) fn is_away(column: &str) -> String {
    format!(
        "NOT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 \
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) \
         AND (classid::bigint << 32) | objid::bigint = {})",
        lock_of(column)
    )
}

/// Takes the lock that tells that a run is connected. A connection that broke may hold it still, which is no hindrance.
pub(super) fn hold_lock() -> String {
    format!("SELECT pg_advisory_lock_shared({})", lock_of("$1::text"))
}

/// Clears away what runs have left that are no more.
pub(super) fn tidy() -> [String; 3] {
    let [claims, askers] = [("claims", "claimant"), ("askers", "run")].map(|(table, run)| {
        format!(
            "DELETE FROM {table} WHERE {} AND {}",
            is_over("lease_until"),
            is_away(&format!("{table}.{run}"))
        )
    });
    let lives = "EXISTS (SELECT FROM askers WHERE askers.run = grants.run)";
    let free = line::is_free();
    [claims, askers, format!("DELETE FROM grants WHERE {free} AND NOT {lives} AND {}", is_away("grants.run"))]
}

/// Drops what this run holds.
pub(super) fn leave() -> [String; 3] {
    [
        "DELETE FROM claims WHERE claimant = $1".to_owned(),
        format!("DELETE FROM grants WHERE run = $1 AND {}", line::is_free()),
        "DELETE FROM askers WHERE run = $1".to_owned(),
    ]
}

/// In the order of [`Write`].
pub(super) fn all() -> Vec<String> {
    let lease = lease();
    let [hold_line, set_back, grant, pause] = line::statements();
    // What a run asks no longer, once there is an outcome.
    let settled = "settled AS (DELETE FROM claims WHERE fingerprint = ANY($1) AND claimant = ANY($2) RETURNING fingerprint)";
    vec![
        // Also puts back what a crash of the server has lost, unless another run has it now, or has answered it: the claim had lapsed
        // then, as when this machine was asleep.
        format!(
            "INSERT INTO claims AS held (fingerprint, claimant, lease_until) \
             SELECT fingerprint, $2, {lease} FROM unnest($1::uuid[]) AS ours (fingerprint) \
             WHERE EXISTS (SELECT FROM claims WHERE claims.fingerprint = ours.fingerprint AND claims.claimant = $2) \
             OR NOT EXISTS (SELECT FROM replies WHERE replies.fingerprint = ours.fingerprint AND replies.run <> $2) \
             ORDER BY fingerprint \
             ON CONFLICT (fingerprint) DO UPDATE SET lease_until = excluded.lease_until \
             WHERE held.claimant = excluded.claimant RETURNING fingerprint"
        ),
        format!(
            "INSERT INTO askers (endpoint, model, run, lease_until) \
             SELECT endpoint, model, $3, {lease} FROM unnest($1::text[], $2::text[]) AS places (endpoint, model) ORDER BY 1, 2 \
             ON CONFLICT (endpoint, model, run) DO UPDATE SET lease_until = excluded.lease_until"
        ),
        format!(
            "WITH free AS (DELETE FROM grants WHERE endpoint = $1 AND model = $2 AND run = $3 AND {}) \
             DELETE FROM askers WHERE endpoint = $1 AND model = $2 AND run = $3",
            line::is_free()
        ),
        format!(
            "WITH {settled}, mended AS (DELETE FROM failures WHERE fingerprint = ANY($1)) {INSERT}{IN_ORDER}{IN_ITS_PLACE}"
        ),
        // The same where claims may have lapsed. Of a question whose claim had, and that another run has answered meanwhile, that reply stays: whoever waited for it has
        // it. What came here was paid for and is of no use.
        format!(
            "WITH {settled}, mended AS (DELETE FROM failures WHERE fingerprint = ANY($1)), \
             late AS (SELECT fingerprint, number FROM unnest($1::uuid[], $18::bool[], $19::bigint[]) \
             AS came (fingerprint, as_good, number) JOIN replies USING (fingerprint) \
             WHERE as_good AND replies.run <> ALL($2) AND fingerprint NOT IN (SELECT fingerprint FROM settled)), \
             noted AS (INSERT INTO wasted (run, number, fingerprint, prompt_tokens, completion_tokens, cost_usd, paid_at) \
             SELECT run, number, fingerprint, prompt_tokens, completion_tokens, cost_usd, clock_timestamp() \
             FROM unnest($1::uuid[], $2::text[], $5::bigint[], $7::bigint[], $13::float8[]) \
             AS paid (fingerprint, run, prompt_tokens, completion_tokens, cost_usd) JOIN late USING (fingerprint) \
             ON CONFLICT DO NOTHING) \
             {INSERT} WHERE fingerprint NOT IN (SELECT fingerprint FROM late){IN_ORDER}{IN_ITS_PLACE}"
        ),
        format!(
            "WITH {settled} INSERT INTO failures (fingerprint, run, code, message, attempts, failed_at) \
             SELECT fingerprint, run, code, message, attempts, clock_timestamp() \
             FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::bigint[]) \
             AS new (fingerprint, run, code, message, attempts) ORDER BY fingerprint \
             ON CONFLICT (fingerprint) DO UPDATE SET run = excluded.run, code = excluded.code, message = excluded.message, \
             attempts = excluded.attempts, failed_at = excluded.failed_at"
        ),
        "INSERT INTO wasted (run, number, fingerprint, prompt_tokens, completion_tokens, cost_usd, paid_at) \
         SELECT $1, number, fingerprint, prompt_tokens, completion_tokens, cost_usd, clock_timestamp() \
         FROM unnest($2::bigint[], $3::uuid[], $4::bigint[], $5::bigint[], $6::float8[]) \
         AS new (number, fingerprint, prompt_tokens, completion_tokens, cost_usd) ON CONFLICT DO NOTHING"
            .to_owned(),
        "INSERT INTO adaptations (endpoint, model, adaptation, learnt_at) VALUES ($1, $2, $3, clock_timestamp()) \
         ON CONFLICT DO NOTHING"
            .to_owned(),
        "INSERT INTO runs (id, started_at, finished_at, manifest) \
         VALUES ($1, clock_timestamp(), CASE WHEN $3 THEN clock_timestamp() END, $2) ON CONFLICT (id) DO UPDATE \
         SET manifest = excluded.manifest, finished_at = excluded.finished_at"
            .to_owned(),
        "DELETE FROM claims WHERE fingerprint = ANY($1) AND claimant = $2".to_owned(),
        // Of two runs only one gets it. A claim of another run is taken over if it is void: its lease is over and the run is away, or
        // it is one of those that this run has seen overdue for the time of a lease.
        format!(
            "INSERT INTO claims AS held (fingerprint, claimant, lease_until) \
             SELECT fingerprint, $2, {lease} FROM unnest($1::uuid[]) AS fingerprint ORDER BY fingerprint \
             ON CONFLICT (fingerprint) DO UPDATE SET claimant = excluded.claimant, lease_until = excluded.lease_until \
             WHERE held.claimant = excluded.claimant OR {} AND ({} \
             OR (held.fingerprint, held.lease_until) IN (SELECT * FROM unnest($3::uuid[], $4::timestamptz[]))) \
             RETURNING fingerprint",
            is_over("held.lease_until"),
            is_away("held.claimant")
        ),
        // After the claim: whoever had it until then has left its answer.
        format!(
            "SELECT asked.fingerprint, failures.run IS NOT NULL, replies.fingerprint IS NOT NULL, {COLUMNS} \
             FROM unnest($1::uuid[]) AS asked (fingerprint) \
             LEFT JOIN replies ON replies.fingerprint = asked.fingerprint \
             LEFT JOIN failures ON failures.fingerprint = asked.fingerprint AND failures.run = $2 \
             WHERE replies.fingerprint IS NOT NULL OR failures.fingerprint IS NOT NULL"
        ),
        format!(
            "SELECT fingerprint, lease_until FROM claims WHERE fingerprint = ANY($1) AND {}",
            is_over("lease_until")
        ),
        // One after the other: what is left is what all others have left.
        "BEGIN".to_owned(),
        "SELECT pg_advisory_xact_lock(hashtextextended('purse ' || $1::text, 0))".to_owned(),
        // What the run says it has is what it has, so that it may say it twice.
        format!(
            "WITH others AS (SELECT $3::bigint - $4::bigint - coalesce(sum(taken), 0)::bigint AS free, \
             coalesce(bool_or(taken > spent AND NOT {away}), false) AS may_return, coalesce(sum(spent), 0)::bigint AS spent, \
             coalesce(sum(taken - spent) FILTER (WHERE taken > spent AND {away}), 0)::bigint AS lost FROM purses WHERE purse = $1 AND run <> $2), \
             given AS (SELECT CASE WHEN free >= $6::bigint THEN least(greatest($7::bigint, $6), free) ELSE 0 END AS more, may_return, \
             spent, lost FROM others), \
             noted AS (INSERT INTO purses (purse, run, taken, spent) SELECT $1, $2, $4 + more, $5 FROM given \
             ON CONFLICT (purse, run) DO UPDATE SET taken = excluded.taken, spent = excluded.spent) \
             SELECT more, may_return, spent, lost FROM given",
            away = is_away("purses.run")
        ),
        "COMMIT".to_owned(),
        "WITH gone AS (DELETE FROM purses WHERE purse = $1 AND run = $2 RETURNING purse) \
         INSERT INTO purses (purse, run, taken, spent) SELECT purse, '', $3, $3 FROM gone \
         ON CONFLICT (purse, run) DO UPDATE SET taken = purses.taken + excluded.taken, spent = purses.spent + excluded.spent"
            .to_owned(),
        hold_line,
        set_back,
        grant,
        pause,
    ]
}

/// In the order of [`LookUp`].
pub(super) fn look_ups() -> Vec<String> {
    vec![
        format!(
            "SELECT asked.fingerprint, failures.code, failures.message, failures.attempts, failures.run, replies.id, {COLUMNS} \
             FROM unnest($1::uuid[]) AS asked (fingerprint) \
             LEFT JOIN replies ON replies.fingerprint = asked.fingerprint \
             LEFT JOIN failures ON failures.fingerprint = asked.fingerprint \
             WHERE replies.fingerprint IS NOT NULL OR failures.fingerprint IS NOT NULL"
        ),
        "SELECT code, message, attempts FROM failures WHERE fingerprint = $1 AND run = $2".to_owned(),
        "SELECT fingerprint, prompt_tokens, completion_tokens, cost_usd FROM wasted \
         WHERE fingerprint = ANY($1) AND run = $2 ORDER BY number"
            .to_owned(),
        "SELECT EXISTS (SELECT FROM replies)".to_owned(),
        "SELECT EXISTS (SELECT FROM replies WHERE run = $1)".to_owned(),
        // Whose manifest has the key is told by its reader: a manifest may hold what PostgreSQL takes for no JSON.
        format!(
            "SELECT id, manifest, to_char(started_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'), finished_at IS NULL AND {} \
             FROM runs WHERE strpos(manifest, $1) > 0 ORDER BY started_at DESC LIMIT 1000",
            is_away("id")
        ),
        format!(
            "SELECT count(*), {} FROM askers WHERE endpoint = $1 AND model = $2 AND NOT ({})",
            line::pause(),
            is_over("lease_until")
        ),
        "SELECT adaptation FROM adaptations WHERE endpoint = $1 AND model = $2 ORDER BY adaptation"
            .to_owned(),
    ]
}
