//! Records of traces that a log holds twice: all that the second says is the same, its own id too. It is no other answer of a model's.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::domain::Object;
use crate::normalize::logs::LogFormat;

/// Where a record stands: the number of its input, and its own in it.
pub(super) type At = (usize, u64);

/// The records met so far, and where those stand that repeat one of them.
#[derive(Debug, Default)]
pub(super) struct Repeats {
    met: HashSet<u128>,
    again: HashSet<At>,
}

impl Repeats {
    /// Takes note of what stands for a record; tells whether the same was met before.
    pub(super) fn note(&mut self, print: u128, at: At) -> bool {
        let is_new = self.met.insert(print);
        if !is_new {
            self.again.insert(at);
        }
        !is_new
    }

    /// Whether what stands there repeats something.
    pub(super) fn holds(&self, at: At) -> bool {
        self.again.contains(&at)
    }

    /// The same, with nothing to compare further records by.
    pub(super) fn closed(self) -> Repeats {
        Repeats { met: HashSet::new(), again: self.again }
    }
}

/// What stands for all that a record says; `None` of formats whose records have no id that no other record has: of those, two may be
/// alike.
pub(super) fn print(record: &Object, format: &LogFormat) -> Option<u128> {
    if !format.has_own_ids(record) {
        return None;
    }
    let half = |number: u8| {
        let mut hasher = DefaultHasher::new();
        (number, format.name).hash(&mut hasher);
        for (key, value) in record.iter() {
            (key, value.to_string()).hash(&mut hasher);
        }
        u128::from(hasher.finish())
    };
    // Among millions, two of 64 bits may be equal by chance.
    Some(half(0) << u64::BITS | half(1))
}
