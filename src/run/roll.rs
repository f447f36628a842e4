//! Which questions were asked about which rows: noted by the ask pass, so that the write pass need not render them again.

use std::hash::{BuildHasher, Hash};

use crate::domain::Sample;
use crate::store::Fingerprint;

/// Names in one piece of memory: a list that doubles would take twice its size while it grows.
const PIECE: usize = 1 << 14;

/// The names of the questions asked, row by row; rows that cannot be read have none. 20 bytes each.
#[derive(Debug, Default)]
pub struct Roll {
    pieces: Vec<Vec<Noted>>,
    /// Seeded anew in each process: no row can be made to look like another.
    seed: foldhash::fast::RandomState,
}

/// A question's name, and what its row looked like.
#[derive(Debug)]
struct Noted {
    look: u32,
    fingerprint: Fingerprint,
}

impl Roll {
    /// A short hash of all that a prompt is made of.
    pub(super) fn look(&self, sample: &Sample) -> u32 {
        let mut hasher = self.seed.build_hasher();
        let raw = &sample.raw;
        (&raw.question, &raw.tool_call, &raw.tool_definitions).hash(&mut hasher);
        let hash = std::hash::Hasher::finish(&hasher);
        (hash >> 32) as u32 ^ hash as u32
    }

    /// Adds a question about a row of such a look.
    pub(super) fn note(&mut self, look: u32, fingerprint: Fingerprint) {
        match self.pieces.last_mut() {
            Some(piece) if piece.len() < PIECE => piece.push(Noted { look, fingerprint }),
            _ => {
                let mut piece = Vec::with_capacity(PIECE);
                piece.push(Noted { look, fingerprint });
                self.pieces.push(piece);
            }
        }
    }

    /// The names of `number` questions about `sample`, the first of which was the `at`-th that was noted: unless others were,
    /// as where a file has changed meanwhile, or none.
    pub(super) fn recall(&self, at: usize, number: usize, sample: &Sample) -> Option<Vec<Fingerprint>> {
        let noted = |at: usize| self.pieces.get(at / PIECE)?.get(at % PIECE);
        noted(at + number - 1)?;
        let look = self.look(sample);
        let name = |at| noted(at).filter(|noted| noted.look == look).map(|noted| noted.fingerprint);
        (at..at + number).map(name).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Cell, Prompt, Rails, RawRow};
    use crate::normalize::{Normalizer, Options};
    use crate::store::AskHasher;

    fn sample(question: &str) -> Sample {
        let cell = |text: &str| Cell::Text(text.to_owned());
        let row =
            RawRow { question: cell(question), tool_call: cell("f(1)"), tool_definitions: cell("f: a tool") };
        Normalizer::new(Options::default()).unwrap().sample(row).unwrap()
    }

    fn fingerprint(question: &str, vote: u32) -> Fingerprint {
        let rails = std::sync::Arc::new(Rails::correctness());
        let prompt = Prompt { text: question.to_owned(), rails, explain: false };
        AskHasher::new("http://judge", "m", "{}").fingerprint(&prompt, vote)
    }

    #[test]
    fn names_come_back_for_the_row_that_they_were_noted_for_only() {
        let mut roll = Roll::default();
        let rows = PIECE + 3;
        let question = |row: usize| format!("question {row}");
        for row in 0..rows {
            let look = roll.look(&sample(&question(row)));
            (0..2).for_each(|vote| roll.note(look, fingerprint(&question(row), vote)));
        }
        for row in [0, 1, PIECE / 2 - 1, PIECE / 2, PIECE - 1, PIECE, rows - 1] {
            let names = [0, 1].map(|vote| fingerprint(&question(row), vote));
            assert_eq!(
                roll.recall(2 * row, 2, &sample(&question(row))).as_deref(),
                Some(&names[..]),
                "{row}"
            );
            assert_eq!(roll.recall(2 * row, 2, &sample("another question")), None);
            assert_eq!(roll.recall(2 * (row + 1), 2, &sample(&question(row))), None);
        }
        assert_eq!(
            roll.recall(2 * rows - 1, 2, &sample(&question(rows - 1))),
            None,
            "one of two is no answer"
        );
    }
}
