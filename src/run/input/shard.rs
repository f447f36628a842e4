//! A shard: one of several parts of the input, which a separate process can label.

use std::str::FromStr;

use crate::domain::{Item, Message, Sample};

/// The column that says which of the rows that the whole run would write a row is, counted from 0.
pub const SHARD_ROW: &str = "shard_row";

/// The part `index` of `count`, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// Below `count`.
    pub index: u32,
    /// At least 1.
    pub count: u32,
}

/// More processes than anybody starts.
const MOST: u32 = 1_000_000;

/// Why a text is no shard.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a shard: use INDEX/COUNT, the index from 0 on, such as 0/16 to 15/16")]
pub struct NoShard(pub String);

impl FromStr for Shard {
    type Err = NoShard;

    fn from_str(text: &str) -> Result<Shard, NoShard> {
        let parts =
            text.split_once('/').and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
        match parts {
            Some((index, count)) if index < count && count <= MOST => Ok(Shard { index, count }),
            _ => Err(NoShard(text.to_owned())),
        }
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl Shard {
    /// Whether the row at this position belongs to it: by what a prompt can show of the row, so that equal questions meet in one shard
    /// whoever judges them; by its position if it cannot be read.
    pub fn holds(self, item: &Item, position: u64) -> bool {
        let number = match item {
            Ok(sample) => hash(sample),
            Err(_) => position,
        };
        number % u64::from(self.count) == u64::from(self.index)
    }
}

/// A hash that is the same on every machine and in every version.
fn hash(sample: &Sample) -> u64 {
    let Sample { raw, after, .. } = sample;
    let results = after.results_shown();
    let next = after.next.as_ref().map(Message::shown);
    let shown = [
        Some(raw.question.as_ref()),
        raw.tool_call.as_deref(),
        raw.tool_definitions.as_deref(),
        results.as_deref(),
        after.final_answer.as_deref(),
        next.as_deref(),
    ];
    let mut hasher = StableHasher(blake3::Hasher::new());
    for text in shown {
        hasher.text(text);
    }
    hasher.finish()
}

/// Hashes texts so that none can be taken for two.
struct StableHasher(blake3::Hasher);

impl StableHasher {
    fn text(&mut self, text: Option<&str>) {
        let length = text.map_or(u64::MAX, |text| text.len() as u64);
        self.0.update(&length.to_le_bytes());
        self.0.update(text.unwrap_or_default().as_bytes());
    }

    fn finish(&self) -> u64 {
        let mut first = [0; 8];
        first.copy_from_slice(&self.0.finalize().as_bytes()[..8]);
        u64::from_le_bytes(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_written_as_index_and_count() {
        for (text, shard) in [
            ("0/2", Some((0, 2))),
            ("15/16", Some((15, 16))),
            ("16/16", None),
            ("0/4294967295", None),
            ("0/0", None),
            ("1", None),
            ("-1/2", None),
            ("a/b", None),
        ] {
            assert_eq!(text.parse().ok(), shard.map(|(index, count)| Shard { index, count }), "{text}");
        }
    }
}
