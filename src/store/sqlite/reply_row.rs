//! A reply as a row of the file.

use rusqlite::{Row, Statement};

use crate::domain::{Reply, Stop, Usage};
use crate::store::stored_reply::{StoredReply, checksum, probabilities_text, read_probabilities};
use crate::store::{Fingerprint, ReplyKind};

/// Selects what [`read`] reads, and behind that whatever else is wanted.
macro_rules! select {
    ($more:literal) => {
        concat!(
            "SELECT text, stop, prompt_tokens, cached_tokens, completion_tokens, model, latency_ms, attempts, adapted, \
             probabilities, cost_usd, run, checksum, kind",
            $more
        )
    };
}
pub(super) use select;

/// Where the columns begin that follow those of a reply.
pub(super) const MORE: usize = 14;

/// What [`insert`] fills in.
pub(super) const INSERT: &str = "INSERT OR REPLACE INTO replies (fingerprint, run, text, stop, prompt_tokens, \
     cached_tokens, completion_tokens, model, latency_ms, attempts, adapted, probabilities, cost_usd, prompt, \
     answered_at, checksum, kind) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)";

pub(super) fn insert(
    statement: &mut Statement<'_>,
    fingerprint: Fingerprint,
    run: &str,
    (kind, reply): (ReplyKind, &Reply),
    prompt: Option<&str>,
    now: &str,
) -> rusqlite::Result<()> {
    let adapted = serde_json::to_string(&reply.adapted).unwrap_or_default();
    let probabilities = probabilities_text(&reply.probabilities);
    statement.execute(rusqlite::params![
        fingerprint.0,
        run,
        reply.text,
        reply.stop.as_str(),
        reply.usage.prompt_tokens.map(u64::cast_signed),
        reply.usage.cached_tokens.map(u64::cast_signed),
        reply.usage.completion_tokens.map(u64::cast_signed),
        reply.model,
        reply.latency_ms.cast_signed(),
        reply.attempts,
        adapted,
        probabilities,
        reply.cost_usd,
        prompt,
        now,
        checksum(fingerprint, run, kind, reply),
        kind.as_str(),
    ])?;
    Ok(())
}

/// Reads the columns of [`select`]; `None` where they are damaged.
pub(super) fn read(fingerprint: Fingerprint, row: &Row<'_>) -> Option<StoredReply> {
    // A value of the wrong type is damage too.
    sound(fingerprint, row).ok().flatten()
}

fn sound(fingerprint: Fingerprint, row: &Row<'_>) -> rusqlite::Result<Option<StoredReply>> {
    // By number: to find a column by its name takes longer than to read it.
    let text = |column| Ok::<_, rusqlite::Error>(row.get_ref(column)?.as_str()?);
    let tokens =
        |column| Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(column)?.map(i64::cast_unsigned));
    let stop = text(1)?;
    let Some(stop) = Stop::ALL.into_iter().find(|known| known.as_str() == stop) else { return Ok(None) };
    let Some(kind) = ReplyKind::named(text(13)?) else { return Ok(None) };
    let Ok(adapted) = serde_json::from_str(text(8)?) else { return Ok(None) };
    let Some(probabilities) = read_probabilities(text(9)?) else { return Ok(None) };
    let reply = Reply {
        text: text(0)?.to_owned(),
        stop,
        usage: Usage { prompt_tokens: tokens(2)?, cached_tokens: tokens(3)?, completion_tokens: tokens(4)? },
        model: row.get(5)?,
        latency_ms: row.get::<_, i64>(6)?.cast_unsigned(),
        attempts: row.get(7)?,
        adapted,
        probabilities,
        cost_usd: row.get(10)?,
    };
    let run = text(11)?;
    let stored = row.get_ref(12)?.as_blob()?;
    let is_sound = checksum(fingerprint, run, kind, &reply) == stored;
    Ok(is_sound.then(|| StoredReply { reply, kind, run: run.to_owned() }))
}
