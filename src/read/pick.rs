//! Chooses rows: all that match the conditions, the first N, or a random sample.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::table::{Batch, TableError};

/// How many rows, and which.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Take {
    /// All of them.
    #[default]
    All,
    /// At most so many, from the top.
    First(u64),
    /// So many at random, each equally likely; the same ones for the same seed and input.
    Sample {
        /// How many, at most.
        rows: u64,
        /// Decides which.
        seed: u64,
    },
}

/// Goes through rows in order and keeps those that are meant.
#[derive(Debug, Clone)]
pub(super) enum Pick {
    First {
        left: u64,
    },
    These {
        /// Ascending, counted from 0.
        numbers: Arc<[u64]>,
        /// Of `numbers`, those behind us.
        taken: usize,
        /// Rows behind us.
        passed: u64,
    },
}

impl Pick {
    pub(super) fn first(left: u64) -> Pick {
        Pick::First { left }
    }

    /// `rows` of `of` rows at random, by Floyd's algorithm (Bentley and Floyd, "A sample of brilliance", CACM 30(9), 1987):
    /// every set of that size is equally likely, and memory holds the chosen numbers only.
    pub(super) fn sample(rows: u64, of: u64, seed: u64) -> Pick {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut numbers = BTreeSet::new();
        for last in of.saturating_sub(rows)..of {
            if !numbers.insert(random.u64(0..=last)) {
                numbers.insert(last);
            }
        }
        Pick::These { numbers: numbers.into_iter().collect(), taken: 0, passed: 0 }
    }

    pub(super) fn is_done(&self) -> bool {
        match self {
            Pick::First { left } => *left == 0,
            Pick::These { numbers, taken, .. } => *taken == numbers.len(),
        }
    }

    pub(super) fn of(&mut self, batch: Batch) -> Result<Batch, TableError> {
        match self {
            Pick::First { left } => {
                let wanted = usize::try_from(*left).unwrap_or(usize::MAX).min(batch.len());
                *left -= wanted as u64;
                Ok(if wanted < batch.len() { batch.head(wanted) } else { batch })
            }
            Pick::These { numbers, taken, passed } => {
                let mut keep = vec![false; batch.len()];
                let end = *passed + batch.len() as u64;
                while let Some(number) = numbers.get(*taken).filter(|number| **number < end) {
                    // Below the batch's length, since `number` is below `end`.
                    keep[(number - *passed) as usize] = true;
                    *taken += 1;
                }
                *passed = end;
                batch.retain(&keep)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_even_and_repeatable() {
        let numbers = |rows, of, seed| match Pick::sample(rows, of, seed) {
            Pick::These { numbers, .. } => numbers.to_vec(),
            Pick::First { .. } => unreachable!(),
        };
        assert_eq!(numbers(3, 10, 7), numbers(3, 10, 7));
        assert_ne!(numbers(30, 1000, 7), numbers(30, 1000, 8));
        assert_eq!(numbers(10, 10, 1), (0..10).collect::<Vec<_>>());
        assert_eq!(numbers(20, 10, 1), (0..10).collect::<Vec<_>>());
        assert!(numbers(5, 0, 1).is_empty());
        // Each of 10 rows is in 3 of 10 samples: 3,000 of 10,000, give or take six standard deviations.
        let mut counts = [0; 10];
        for seed in 0..10_000 {
            for number in numbers(3, 10, seed) {
                counts[number as usize] += 1;
            }
        }
        assert!(counts.iter().all(|count| (2725..3275).contains(count)), "{counts:?}");
    }
}
