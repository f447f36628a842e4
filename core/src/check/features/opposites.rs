//! Opposites in many languages: which side a text names, such as `up` or `down`, `cheapest first` or `dearest first`.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::LazyLock;

use crate::reading::words::{EMPTY_HASH, Prehashed, fold, hash, hash_on, words};

/// Letters of a word that are looked at for its beginning.
const MAX_START: usize = 12;
/// Lines of a table.
const MAX_LINES: usize = 48;

/// Opposites, one pair of sides a line.
pub(super) static OPPOSITES: LazyLock<Table> =
    LazyLock::new(|| Table::of(include_str!("../../../data/opposites.tsv")));

/// Small words that say how a clause means what it says, one kind a line.
pub(super) static MARKERS: LazyLock<Table> =
    LazyLock::new(|| Table::of(include_str!("../../../data/markers.tsv")));

/// One of two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    First,
    Second,
}

impl Side {
    pub(super) fn other(self) -> Side {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }
}

/// A word or phrase of a line.
struct Entry {
    line: usize,
    side: Side,
    /// The words behind its first.
    rest: Vec<String>,
    /// Whether its last word may go on.
    is_open: bool,
    /// How much of a text it takes: more is surer.
    weight: usize,
}

/// What stands at a place of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hit {
    pub line: usize,
    /// None of a word that both sides have.
    pub side: Option<Side>,
    pub words: usize,
    weight: usize,
}

type ByHash<T> = HashMap<u64, T, BuildHasherDefault<Prehashed>>;

/// Words of two sides, line by line.
pub(super) struct Table {
    names: Vec<&'static str>,
    /// By the hash of the first word, as a whole.
    whole: ByHash<Vec<Entry>>,
    /// By the hash of how a word begins.
    starts: ByHash<Vec<Entry>>,
}

impl Table {
    fn of(text: &'static str) -> Table {
        let mut table = Table { names: Vec::new(), whole: ByHash::default(), starts: ByHash::default() };
        for line in text.lines().filter(|line| !line.starts_with('#')).take(MAX_LINES) {
            let mut fields = line.split('\t');
            let at = table.names.len();
            table.names.push(fields.next().unwrap_or_default());
            for (side, field) in [Side::First, Side::Second].into_iter().zip(fields) {
                field.split('|').for_each(|phrase| table.add(at, side, phrase));
            }
        }
        table
    }

    fn add(&mut self, line: usize, side: Side, phrase: &str) {
        let is_open = phrase.ends_with('*');
        let folded = fold(phrase);
        let mut own = words(&folded);
        let Some(first) = own.next() else { return };
        let rest: Vec<String> = own.map(str::to_owned).collect();
        // A word that is whole counts more than the beginning of one.
        let weight = folded.chars().count() * 2 + usize::from(!is_open);
        let starts = is_open && rest.is_empty();
        let map = if starts { &mut self.starts } else { &mut self.whole };
        map.entry(hash(first)).or_default().push(Entry { line, side, rest, is_open, weight });
    }

    /// The number of a line.
    pub(super) fn line(&self, name: &str) -> usize {
        self.names.iter().position(|own| *own == name).unwrap_or(MAX_LINES)
    }

    /// What stands at a place, at most one of each line: the longest.
    pub(super) fn at(&self, words: &[&str], at: usize) -> Vec<Hit> {
        let mut found = Vec::new();
        let mut key = EMPTY_HASH;
        for c in words[at].chars().take(MAX_START) {
            key = hash_on(key, c);
            if let Some(entries) = self.starts.get(&key) {
                entries.iter().for_each(|entry| note(&mut found, entry));
            }
        }
        let fits = |entry: &&Entry| {
            let Some(behind) = words.get(at + 1..at + 1 + entry.rest.len()) else { return false };
            let last = entry.rest.len().saturating_sub(1);
            entry.rest.iter().zip(behind).enumerate().all(|(place, (own, word))| {
                own == word || (entry.is_open && place == last && word.starts_with(own.as_str()))
            })
        };
        if let Some(entries) = self.whole.get(&hash(words[at])) {
            entries.iter().filter(fits).for_each(|entry| note(&mut found, entry));
        }
        found
    }

    /// The side of a line that a word alone is on.
    pub(super) fn side(&self, line: usize, word: &str) -> Option<Side> {
        self.at(&[word], 0).into_iter().find(|hit| hit.line == line)?.side
    }

    /// On which side of which lines a text is; a text of both sides is on none. Words of which `is_left_out` is true say nothing.
    pub(super) fn sides(&self, words: &[&str], is_left_out: impl Fn(usize) -> bool) -> Sides {
        let mut sides = Sides([None; MAX_LINES]);
        let mut taken = [0; MAX_LINES];
        for at in (0..words.len()).filter(|at| !is_left_out(*at)) {
            for hit in self.at(words, at) {
                if at < taken[hit.line] {
                    continue;
                }
                taken[hit.line] = at + hit.words;
                let Some(side) = hit.side else { continue };
                let own = &mut sides.0[hit.line];
                *own = Some(match own {
                    None => Some(side),
                    Some(before) => before.filter(|before| *before == side),
                });
            }
        }
        sides
    }
}

fn note(found: &mut Vec<Hit>, entry: &Entry) {
    let hit =
        Hit { line: entry.line, side: Some(entry.side), words: entry.rest.len() + 1, weight: entry.weight };
    match found.iter_mut().find(|own| own.line == entry.line) {
        None => found.push(hit),
        Some(own) if own.weight < hit.weight => *own = hit,
        Some(own) if own.weight == hit.weight && own.side != hit.side => own.side = None,
        Some(_) => {}
    }
}

/// The sides that a text is on, by line: nothing where it has no word of it, and no side where it has words of both.
pub(super) struct Sides([Option<Option<Side>>; MAX_LINES]);

impl Sides {
    /// The side of a line.
    pub(super) fn of(&self, line: usize) -> Option<Side> {
        self.0.get(line).copied().flatten().flatten()
    }

    /// Each line with the side.
    pub(super) fn each(&self) -> impl Iterator<Item = (usize, Side)> {
        self.0.iter().enumerate().filter_map(|(line, own)| Some((line, (*own)??)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_on_a_side() {
        for (text, line, side) in [
            ("turn the heating up a notch", "level", Some(Side::First)),
            ("make it quieter", "level", Some(Side::Second)),
            ("louder here and quieter there", "level", None),
            ("mach es leiser", "level", Some(Side::Second)),
            ("the most expensive one", "order", Some(Side::Second)),
            ("price asc", "order", Some(Side::First)),
            ("音量を下げて", "level", Some(Side::Second)),
            ("what is the time", "level", None),
        ] {
            let folded = fold(text);
            let own: Vec<&str> = words(&folded).collect();
            let sides = OPPOSITES.sides(&own, |_| false);
            assert_eq!(sides.of(OPPOSITES.line(line)), side, "{text}");
        }
    }

    #[test]
    fn all_lines_are_read() {
        for name in ["denial", "turn", "limit", "role", "beside", "behind", "absence"] {
            assert!(MARKERS.line(name) < MAX_LINES, "{name}");
        }
        for name in ["level", "bound", "order", "member"] {
            assert!(OPPOSITES.line(name) < MAX_LINES, "{name}");
        }
    }
}
