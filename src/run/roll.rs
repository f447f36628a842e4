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
