//! A reply as a row of the store: columns, and the checksum that guards them.

use rusqlite::{Row, Statement};

use super::Fingerprint;
use crate::domain::{Reply, Stop, Usage};

pub(super) const COLUMNS: &str =
    "text, stop, prompt_tokens, completion_tokens, model, latency_ms, attempts, adapted, run, checksum";

/// What stands in a row: a reply, or bytes that are no longer what was written.
pub(super) enum StoredReply {
    Sound { reply: Reply, run: String },
    Damaged,
}

pub(super) fn insert(
    statement: &mut Statement<'_>,
    fingerprint: Fingerprint,
    run: &str,
    reply: &Reply,
    prompt: Option<&str>,
    now: &str,
) -> rusqlite::Result<()> {
    let adapted = serde_json::Value::from(reply.adapted.clone()).to_string();
    statement.execute(rusqlite::params![
        fingerprint.0,
        run,
        reply.text,
        reply.stop.as_str(),
        reply.usage.prompt_tokens.map(u64::cast_signed),
        reply.usage.completion_tokens.map(u64::cast_signed),
        reply.model,
        reply.latency_ms.cast_signed(),
        reply.attempts,
        adapted,
        prompt,
        now,
        checksum(fingerprint, run, reply, &adapted),
    ])?;
    Ok(())
}

/// Reads the columns of [`COLUMNS`].
pub(super) fn read(fingerprint: Fingerprint, row: &Row<'_>) -> StoredReply {
    match sound(fingerprint, row) {
        Ok(Some((reply, run))) => StoredReply::Sound { reply, run },
        // A value of the wrong type is damage too.
        Ok(None) | Err(_) => StoredReply::Damaged,
    }
}

fn sound(fingerprint: Fingerprint, row: &Row<'_>) -> rusqlite::Result<Option<(Reply, String)>> {
    let stop: String = row.get(1)?;
    let adapted: String = row.get(7)?;
    let run: String = row.get(8)?;
    let stored: Vec<u8> = row.get(9)?;
    let Some(stop) = Stop::ALL.into_iter().find(|known| known.as_str() == stop) else { return Ok(None) };
    let Ok(parsed) = serde_json::from_str(&adapted) else { return Ok(None) };
    let tokens =
        |column| Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(column)?.map(i64::cast_unsigned));
    let reply = Reply {
        text: row.get(0)?,
        stop,
        usage: Usage { prompt_tokens: tokens(2)?, completion_tokens: tokens(3)? },
        model: row.get(4)?,
        latency_ms: row.get::<_, i64>(5)?.cast_unsigned(),
        attempts: row.get(6)?,
        adapted: parsed,
    };
    Ok((checksum(fingerprint, &run, &reply, &adapted) == stored).then_some((reply, run)))
}

fn checksum(fingerprint: Fingerprint, run: &str, reply: &Reply, adapted: &str) -> Vec<u8> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&fingerprint.0);
    for text in [run, &reply.text, reply.stop.as_str(), reply.model.as_deref().unwrap_or("\0"), adapted] {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    for number in [reply.usage.prompt_tokens, reply.usage.completion_tokens] {
        hasher.update(&number.map_or([0xff; 9], |n| {
            let mut bytes = [0; 9];
            bytes[..8].copy_from_slice(&n.to_le_bytes());
            bytes
        }));
    }
    hasher.update(&reply.latency_ms.to_le_bytes());
    hasher.update(&reply.attempts.to_le_bytes());
    hasher.finalize().as_bytes()[..16].to_vec()
}
