//! Records in the ask pass which questions were sent about which rows, so that the write pass need not parse or
//! render them again.

use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

use crate::domain::Flag;
use crate::run::Row;
use crate::store::Fingerprint;

/// Names in one piece of memory: a list that doubles would take twice its size while it grows.
const PIECE: usize = 1 << 14;

/// The names of the questions asked, row by row, as many for each. 24 bytes each.
#[derive(Debug, Default)]
pub struct AskIndex {
    pieces: Vec<Vec<IndexEntry>>,
    /// The sets of flags that rows have: few, whatever the rows.
    flags: Vec<Arc<[Flag]>>,
    /// Seeded anew in each process: no row can be made to look like another.
    seed: foldhash::fast::RandomState,
}

/// A question's name, and what its row looked like.
#[derive(Debug, Clone, Copy)]
struct IndexEntry {
    content_hash: u32,
    /// Absent where there is nothing to recall: the row could not be read.
    fingerprint: Option<Fingerprint>,
    /// Which set of flags the row has.
    flags: u8,
}

/// What was asked about a row, and what was unusual about it.
#[derive(Debug, PartialEq)]
pub(in crate::run) struct IndexedAsk {
    pub(in crate::run) fingerprints: Vec<Fingerprint>,
    pub(in crate::run) flags: Arc<[Flag]>,
}

impl AskIndex {
    /// A short hash of all that a prompt is made of.
    pub(in crate::run) fn content_hash(&self, row: &Row) -> u32 {
        let mut hasher = self.seed.build_hasher();
        row.hash_into(&mut hasher);
        let hash = hasher.finish();
        (hash >> 32) as u32 ^ hash as u32
    }

    /// Adds `number` entries for a row of such a look: the questions asked, or nothing if it could not be read.
    pub(in crate::run) fn record<'a>(
        &mut self,
        content_hash: u32,
        number: usize,
        flags: &[Flag],
        questions: impl Iterator<Item = &'a Fingerprint>,
    ) {
        let set = self.set(flags);
        let mut questions = questions.copied().filter(|_| set.is_some());
        for _ in 0..number {
            self.push(IndexEntry {
                content_hash,
                fingerprint: questions.next(),
                flags: set.unwrap_or_default(),
            });
        }
    }

    /// The number of a set of flags; none where there are too many sets to be told apart.
    fn set(&mut self, flags: &[Flag]) -> Option<u8> {
        let known = self.flags.iter().position(|known| **known == *flags);
        let number = u8::try_from(known.unwrap_or(self.flags.len())).ok()?;
        if known.is_none() {
            self.flags.push(flags.into());
        }
        Some(number)
    }

    fn push(&mut self, entry: IndexEntry) {
        match self.pieces.last_mut() {
            Some(piece) if piece.len() < PIECE => piece.push(entry),
            _ => {
                let mut piece = Vec::with_capacity(PIECE);
                piece.push(entry);
                self.pieces.push(piece);
            }
        }
    }

    /// The `number` questions about `row`, the first of which was the `at`-th that was recorded: unless others were, as where a
    /// file has changed meanwhile, or none.
    pub(in crate::run) fn lookup(&self, at: usize, number: usize, row: &Row) -> Option<IndexedAsk> {
        let entry = |at: usize| self.pieces.get(at / PIECE)?.get(at % PIECE);
        let flags = self.flags.get(usize::from(entry(at)?.flags))?;
        let content_hash = self.content_hash(row);
        let name = |at| entry(at).filter(|entry| entry.content_hash == content_hash)?.fingerprint;
        let fingerprints = (at..at + number).map(name).collect::<Option<_>>()?;
        Some(IndexedAsk { fingerprints, flags: Arc::clone(flags) })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::domain::{AnswerForm, Cell, Prompt, Rails, RawRow};
    use crate::normalize::{Normalizer, Options};
    use crate::store::AskHasher;

    fn row(question: &str) -> Row {
        let cell = |text: &str| Cell::Text(text.to_owned());
        let cells = RawRow {
            question: cell(question),
            tool_call: cell("f(1)"),
            tool_definitions: cell("f: a tool"),
            ..RawRow::default()
        };
        Row::unread(cells, None, None, Arc::new(Normalizer::new(Options::default()).unwrap()))
    }

    fn fingerprint(question: &str, vote: u32) -> Fingerprint {
        let rails = Arc::new(Rails::correctness());
        let prompt = Prompt { text: question.to_owned(), rails, form: AnswerForm::LABEL };
        AskHasher::new("http://judge", "m", "{}").fingerprint(&prompt, vote)
    }

    fn names(question: &str) -> Vec<Fingerprint> {
        (0..2).map(|vote| fingerprint(question, vote)).collect()
    }

    #[test]
    fn names_come_back_for_the_row_that_they_were_noted_for_only() {
        let mut ask_index = AskIndex::default();
        let rows = PIECE + 3;
        let question = |at: usize| format!("question {at}");
        let flags = |at: usize| if at.is_multiple_of(2) { &[Flag::Positional][..] } else { &[] };
        for at in 0..rows {
            let content_hash = ask_index.content_hash(&row(&question(at)));
            ask_index.record(content_hash, 2, flags(at), names(&question(at)).iter());
        }
        for at in [0, 1, PIECE / 2 - 1, PIECE / 2, PIECE - 1, PIECE, rows - 1] {
            let indexed = ask_index.lookup(2 * at, 2, &row(&question(at)));
            let expected = IndexedAsk { fingerprints: names(&question(at)), flags: flags(at).into() };
            assert_eq!(indexed, Some(expected), "{at}");
            assert_eq!(ask_index.lookup(2 * at, 2, &row("another question")), None);
            assert_eq!(ask_index.lookup(2 * (at + 1), 2, &row(&question(at))), None);
        }
        let last = row(&question(rows - 1));
        assert_eq!(ask_index.lookup(2 * rows - 1, 2, &last), None, "one of two is no answer");
    }

    #[test]
    fn rows_with_nothing_to_recall_keep_their_place() {
        let mut ask_index = AskIndex::default();
        let content_hash = |ask_index: &AskIndex, question| ask_index.content_hash(&row(question));
        let (bad, good) = (content_hash(&ask_index, "bad"), content_hash(&ask_index, "good"));
        ask_index.record(bad, 2, &[], [].iter());
        ask_index.record(good, 2, &[], names("good").iter());
        assert_eq!(ask_index.lookup(0, 2, &row("bad")), None);
        assert_eq!(ask_index.lookup(2, 2, &row("good")).unwrap().fingerprints, names("good"));
    }

    #[test]
    fn more_sets_of_flags_than_can_be_told_apart_are_read_anew() {
        let mut ask_index = AskIndex::default();
        let content_hash = ask_index.content_hash(&row("q"));
        // Repeats make as many sets as needed.
        for length in 0..300 {
            ask_index.record(content_hash, 2, &vec![Flag::Positional; length], names("q").iter());
        }
        let indexed = |at: usize| ask_index.lookup(2 * at, 2, &row("q")).map(|indexed| indexed.flags.len());
        assert_eq!(indexed(255), Some(255));
        assert_eq!(indexed(256), None);
    }

    #[test]
    fn a_name_takes_24_bytes() {
        assert_eq!(size_of::<IndexEntry>(), 24);
    }
}
