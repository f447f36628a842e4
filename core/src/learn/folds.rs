//! Splits examples for cross-validation without separating groups.

use std::collections::BTreeMap;

use crate::domain::Random;

/// A number of folds of about equal size; all examples of a group are in one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folds {
    of_row: Vec<usize>,
    count: usize,
}

impl Folds {
    /// `count` folds (at least one) of examples given by their groups. The largest groups are placed first, each into the fold that
    /// has the fewest examples; `seed` decides the order of equal ones. The order of examples has no influence.
    pub fn new(groups: &[u64], count: usize, seed: u64) -> Folds {
        let count = count.max(1);
        let mut sizes: BTreeMap<u64, usize> = BTreeMap::new();
        groups.iter().for_each(|group| *sizes.entry(*group).or_default() += 1);
        let mut order: Vec<(usize, u64, u64)> =
            sizes.into_iter().map(|(group, size)| (size, hash(seed, group), group)).collect();
        order.sort_by(|a, b| b.0.cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let mut held = vec![0; count];
        let mut folds = BTreeMap::new();
        for (size, _, group) in order {
            let fold = (0..count).min_by_key(|fold| held[*fold]).unwrap_or(0);
            held[fold] += size;
            folds.insert(group, fold);
        }
        Folds { of_row: groups.iter().map(|group| folds[group]).collect(), count }
    }

    /// How many folds there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The fold of each example, from 0.
    pub fn of_rows(&self) -> &[usize] {
        &self.of_row
    }

    /// The examples of a fold, in order: to measure on.
    pub fn held_out(&self, fold: usize) -> Vec<u32> {
        self.rows(|of_row| of_row == fold)
    }

    /// The examples of all other folds, in order: to learn from.
    pub fn rest(&self, fold: usize) -> Vec<u32> {
        self.rows(|of_row| of_row != fold)
    }

    fn rows(&self, is_wanted: impl Fn(usize) -> bool) -> Vec<u32> {
        let rows = self.of_row.iter().enumerate();
        rows.filter(|(_, fold)| is_wanted(**fold)).map(|(row, _)| row as u32).collect()
    }
}

/// Bits that depend on all bits of both.
fn hash(seed: u64, group: u64) -> u64 {
    Random::new(Random::new(seed).bits() ^ group).bits()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_seed_decides() {
        let groups: Vec<u64> = (0..100).collect();
        let folds = |seed| Folds::new(&groups, 5, seed);
        assert_eq!(folds(1), folds(1));
        assert_ne!(folds(1), folds(2));
        assert!((0..5).all(|fold| folds(3).held_out(fold).len() == 20 && folds(3).rest(fold).len() == 80));
        assert_eq!(Folds::new(&groups, 0, 1).held_out(0).len(), 100);
        assert_eq!(Folds::new(&[], 3, 1).held_out(0), Vec::<u32>::new());
    }

    proptest! {
        #[test]
        fn groups_stay_together_and_folds_are_balanced(
            groups in prop::collection::vec(0u64..40, 1..300),
            count in 1_usize..8,
            seed in any::<u64>(),
        ) {
            let folds = Folds::new(&groups, count, seed);
            let mut largest: BTreeMap<u64, usize> = BTreeMap::new();
            for (row, group) in groups.iter().enumerate() {
                *largest.entry(*group).or_default() += 1;
                let first = groups.iter().position(|other| other == group).unwrap();
                prop_assert_eq!(folds.of_rows()[row], folds.of_rows()[first]);
            }
            let sizes: Vec<usize> = (0..count).map(|fold| folds.held_out(fold).len()).collect();
            let gap = sizes.iter().max().unwrap() - sizes.iter().min().unwrap();
            prop_assert!(gap <= largest.into_values().max().unwrap());
            let mut reversed = groups.clone();
            reversed.reverse();
            let mut mirrored = Folds::new(&reversed, count, seed).of_rows().to_vec();
            mirrored.reverse();
            prop_assert_eq!(mirrored, folds.of_rows().to_vec());
        }
    }
}
