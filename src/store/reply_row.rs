//! A reply as a row of the store: columns, and the checksum that guards them.

use rusqlite::{Row, Statement};
use serde_json::json;

use super::Fingerprint;
use crate::domain::{RailProbability, Reply, Stop, Usage};

pub(super) const COLUMNS: &str = "text, stop, prompt_tokens, cached_tokens, completion_tokens, model, latency_ms, attempts, adapted, probabilities, \
     cost_usd, run, checksum";

/// What [`insert`] fills in.
pub(super) const INSERT: &str = "INSERT OR REPLACE INTO replies (fingerprint, run, text, stop, prompt_tokens, \
     cached_tokens, completion_tokens, model, latency_ms, attempts, adapted, probabilities, cost_usd, prompt, \
     answered_at, checksum) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)";

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
        checksum(fingerprint, run, reply),
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
    let stop: String = row.get("stop")?;
    let run: String = row.get("run")?;
    let stored: Vec<u8> = row.get("checksum")?;
    let Some(stop) = Stop::ALL.into_iter().find(|known| known.as_str() == stop) else { return Ok(None) };
    let Ok(adapted) = serde_json::from_str(&row.get::<_, String>("adapted")?) else { return Ok(None) };
    let Some(probabilities) = read_probabilities(&row.get::<_, String>("probabilities")?) else {
        return Ok(None);
    };
    let tokens =
        |column| Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(column)?.map(i64::cast_unsigned));
    let reply = Reply {
        text: row.get("text")?,
        stop,
        usage: Usage {
            prompt_tokens: tokens("prompt_tokens")?,
            cached_tokens: tokens("cached_tokens")?,
            completion_tokens: tokens("completion_tokens")?,
        },
        model: row.get("model")?,
        latency_ms: row.get::<_, i64>("latency_ms")?.cast_unsigned(),
        attempts: row.get("attempts")?,
        adapted,
        probabilities,
        cost_usd: row.get("cost_usd")?,
    };
    Ok((checksum(fingerprint, &run, &reply) == stored).then_some((reply, run)))
}

/// `[["correct",0.98],["incorrect",0.02]]`
fn probabilities_text(probabilities: &[RailProbability]) -> String {
    let pairs: Vec<(&str, f64)> =
        probabilities.iter().map(|rail| (rail.label.as_str(), rail.probability)).collect();
    json!(pairs).to_string()
}

fn read_probabilities(text: &str) -> Option<Vec<RailProbability>> {
    let pairs: Vec<(String, f64)> = serde_json::from_str(text).ok()?;
    Some(pairs.into_iter().map(|(label, probability)| RailProbability { label, probability }).collect())
}

fn checksum(fingerprint: Fingerprint, run: &str, reply: &Reply) -> Vec<u8> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&fingerprint.0);
    let adapted = reply.adapted.join("\0");
    let probabilities = probabilities_text(&reply.probabilities);
    let model = reply.model.as_deref().unwrap_or("\0");
    for text in [run, &reply.text, reply.stop.as_str(), model, &adapted, &probabilities] {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    let usage = reply.usage;
    let cost = reply.cost_usd.map(f64::to_bits);
    for number in [usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens, cost] {
        hasher.update(&[u8::from(number.is_some())]);
        hasher.update(&number.unwrap_or(0).to_le_bytes());
    }
    hasher.update(&reply.latency_ms.to_le_bytes());
    hasher.update(&reply.attempts.to_le_bytes());
    hasher.finalize().as_bytes()[..16].to_vec()
}
