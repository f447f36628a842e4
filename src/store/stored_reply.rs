//! A stored reply with its checksum.

use super::{Fingerprint, ReplyKind};
use crate::domain::{RailProbability, Reply};

/// What stands in a row whose bytes are still what was written.
#[derive(Debug, Clone)]
pub(super) struct StoredReply {
    pub reply: Reply,
    pub kind: ReplyKind,
    pub run: String,
}

/// `[["correct",0.98],["incorrect",0.02]]`
pub(super) fn probabilities_text(probabilities: &[RailProbability]) -> String {
    let pairs: Vec<(&str, f64)> =
        probabilities.iter().map(|rail| (rail.label.as_str(), rail.probability)).collect();
    // A list of texts and numbers can always be written.
    serde_json::to_string(&pairs).unwrap_or_default()
}

pub(super) fn read_probabilities(text: &str) -> Option<Vec<RailProbability>> {
    let pairs: Vec<(String, f64)> = serde_json::from_str(text).ok()?;
    Some(pairs.into_iter().map(|(label, probability)| RailProbability { label, probability }).collect())
}

/// 16 bytes over all that a row says of a reply.
pub(super) fn checksum(fingerprint: Fingerprint, run: &str, kind: ReplyKind, reply: &Reply) -> [u8; 16] {
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
    // Checksums of verdicts stay those of the versions that knew nothing else.
    if kind == ReplyKind::Turn {
        hasher.update(kind.as_str().as_bytes());
    }
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    bytes
}
