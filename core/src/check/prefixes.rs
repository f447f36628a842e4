//! Matches the words of tool definitions by their first letters: related words of one language, or of related languages, begin
//! alike. [`Index`](super::index::Index) requires the same stem instead.

use super::toolbox::Tool;
use crate::reading::words::{EMPTY_HASH, fold_identifier, hash_on, is_content, stem, words};

/// The first letters of a word, hashed.
pub(super) type Prefix = u64;

/// Letters kept.
const LETTERS: usize = 5;
/// Tools and words of each that are read: bounds the work on hostile definitions.
const MAX_TOOLS: usize = 128;
const MAX_WORDS: usize = 300;

/// What a word of a tool's name, of its description and of its parameters counts.
const OF_NAME: f32 = 1.0;
const OF_DESCRIPTION: f32 = 0.7;
const OF_PARAMETERS: f32 = 0.35;

/// Which tools have words that begin so.
pub(super) struct Prefixes {
    tools: usize,
    /// By prefix, then by tool, one for each pair.
    entries: Vec<Entry>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    prefix: Prefix,
    tool: u32,
    weight: f32,
}

impl Prefixes {
    pub(super) fn new(tools: &[Tool]) -> Prefixes {
        let mut entries = Vec::new();
        for (at, tool) in tools.iter().enumerate().take(MAX_TOOLS) {
            let at = at as u32;
            let named = prefixes(&fold_identifier(&tool.name));
            let of_name = named.iter().map(|prefix| Entry { prefix: *prefix, tool: at, weight: OF_NAME });
            entries.extend(of_name);
            for word in content(&tool.text).take(MAX_WORDS) {
                let described = tool.stems.binary_search(&stem(word)).is_ok();
                let weight = if described { OF_DESCRIPTION } else { OF_PARAMETERS };
                entries.push(Entry { prefix: prefix(word), tool: at, weight });
            }
        }
        entries.sort_unstable_by(|a, b| {
            (a.prefix, a.tool).cmp(&(b.prefix, b.tool)).then(b.weight.total_cmp(&a.weight))
        });
        entries.dedup_by_key(|entry| (entry.prefix, entry.tool));
        entries.shrink_to_fit();
        Prefixes { tools: tools.len().min(MAX_TOOLS), entries }
    }

    fn of(&self, prefix: Prefix) -> &[Entry] {
        let start = self.entries.partition_point(|entry| entry.prefix < prefix);
        let length = self.entries[start..].partition_point(|entry| entry.prefix == prefix);
        &self.entries[start..start + length]
    }

    /// How much each tool covers of some distinct words, each weighed by how few tools have it.
    pub(super) fn cover(&self, wanted: &[Prefix]) -> Vec<f32> {
        let mut covers = vec![0.0; self.tools];
        for prefix in wanted {
            let found = self.of(*prefix);
            let rare = (1.0 + self.tools as f32 / found.len().max(1) as f32).ln();
            found.iter().for_each(|entry| covers[entry.tool as usize] += rare * entry.weight);
        }
        covers
    }

    /// What a word counts of a tool; 0 if it has none that begins so.
    pub(super) fn weight(&self, prefix: Prefix, tool: usize) -> f32 {
        let found = self.of(prefix).iter().find(|entry| entry.tool as usize == tool);
        found.map_or(0.0, |entry| entry.weight)
    }

    /// Whether a word is one of a tool's name or description.
    pub(super) fn describes(&self, prefix: Prefix, tool: usize) -> bool {
        self.weight(prefix, tool) >= OF_DESCRIPTION
    }
}

/// The words of a folded text that mean something.
fn content(folded: &str) -> impl Iterator<Item = &str> {
    words(folded).filter(|word| is_content(word))
}

fn prefix(word: &str) -> Prefix {
    word.chars().take(LETTERS).fold(EMPTY_HASH, hash_on)
}

/// The distinct prefixes of a folded text's words, sorted.
pub(super) fn prefixes(folded: &str) -> Vec<Prefix> {
    let mut all: Vec<Prefix> = content(folded).take(MAX_WORDS).map(prefix).collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::words::fold;

    #[test]
    fn kin_words_begin_alike() {
        for (one, other, alike) in [
            ("reminder", "reminds", true),
            ("reservation", "reserver", true),
            ("library", "liberty", false),
            ("mute", "muted", false),
        ] {
            assert_eq!(prefixes(&fold(one)) == prefixes(&fold(other)), alike, "{one}, {other}");
        }
    }
}
