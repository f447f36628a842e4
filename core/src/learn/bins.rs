//! Sorts a column's values into a few bins, so that a split has tens of candidate thresholds instead of thousands.

use super::digits::rounded;
use super::examples::Examples;

/// Bins of one column at most.
pub(super) const MOST_BINS: usize = 63;

/// Digits of a threshold, as long as it still separates its neighbours; a single-precision number has no more than the last.
const DIGITS: std::ops::RangeInclusive<usize> = 5..=9;

/// Some examples with each value replaced by the number of its bin.
#[derive(Debug)]
pub(super) struct Bins {
    rows: usize,
    /// Column after column, the bin of each row.
    codes: Vec<u8>,
    /// Between the bins of each column: a value at a threshold or below belongs to the left.
    thresholds: Vec<Vec<f32>>,
}

impl Bins {
    /// The bins of some rows of a table: of each column the distinct values, or where they are too many, neighbours of about equal
    /// weight together.
    pub(super) fn new(examples: &Examples, rows: &[u32]) -> Bins {
        let mut codes = Vec::with_capacity(rows.len() * examples.columns());
        let mut thresholds = Vec::with_capacity(examples.columns());
        for column in 0..examples.columns() {
            let values: Vec<f32> = rows.iter().map(|row| examples.row(*row as usize)[column]).collect();
            let weights = rows.iter().map(|row| examples.weights()[*row as usize]);
            let found = separate(distinct(values.iter().copied().zip(weights).collect()));
            let code = |value: &f32| found.partition_point(|threshold| threshold < value) as u8;
            codes.extend(values.iter().map(code));
            thresholds.push(found);
        }
        Bins { rows: rows.len(), codes, thresholds }
    }

    /// Rows that have bins.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// The bin of each row in a column.
    pub(super) fn codes(&self, column: usize) -> &[u8] {
        &self.codes[column * self.rows..][..self.rows]
    }

    /// What separates the bins of a column, in order.
    pub(super) fn thresholds(&self, column: usize) -> &[f32] {
        &self.thresholds[column]
    }
}

/// Distinct values in order, with the weight of each.
fn distinct(mut values: Vec<(f32, f64)>) -> Vec<(f32, f64)> {
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    // Equality and not the total order decides here: -0 is 0, as in the test of a node.
    let alike = values.chunk_by(|a, b| a.0 == b.0);
    alike.map(|same| (same[0].0, same.iter().map(|(_, weight)| weight).sum())).collect()
}

/// Thresholds between distinct values.
///
/// A value that alone weighs as much as a bin should gets one to itself; the others share what bins are left.
fn separate(values: Vec<(f32, f64)>) -> Vec<f32> {
    let pairs = values.windows(2);
    if values.len() <= MOST_BINS {
        return pairs.map(|pair| between(pair[0].0, pair[1].0)).collect();
    }
    let heavy = least_heavy(&values);
    let light = values.iter().filter(|(_, weight)| *weight < heavy);
    let mut left: f64 = light.map(|(_, weight)| weight).sum();
    let mut bins = MOST_BINS - values.iter().filter(|(_, weight)| *weight >= heavy).count();
    let mut held = 0.0;
    let mut thresholds = Vec::with_capacity(MOST_BINS - 1);
    for pair in pairs {
        let ((low, weight), (high, next)) = (pair[0], pair[1]);
        let target = left / bins.max(1) as f64;
        let alone = weight >= heavy;
        held += if alone { 0.0 } else { weight };
        let full = held >= target || (next >= heavy && held >= target / 2.0);
        if (alone || full) && thresholds.len() < MOST_BINS - 1 {
            thresholds.push(between(low, high));
            if held > 0.0 {
                bins = bins.saturating_sub(1);
            }
            left -= held;
            held = 0.0;
        }
    }
    thresholds
}

/// From which weight on a value gets a bin to itself: the mean weight of the bins that heavier values leave.
fn least_heavy(values: &[(f32, f64)]) -> f64 {
    let mut weights: Vec<f64> = values.iter().map(|(_, weight)| *weight).collect();
    weights.sort_by(|a, b| b.total_cmp(a));
    let mut left: f64 = weights.iter().sum();
    for (taken, weight) in weights.iter().enumerate().take(MOST_BINS - 1) {
        let mean = left / (MOST_BINS - taken) as f64;
        if *weight < mean {
            return mean;
        }
        left -= weight;
    }
    f64::INFINITY
}

/// A number from `low` up to, not reaching, `high`, near their middle and with few digits.
fn between(low: f32, high: f32) -> f32 {
    let middle = (f64::from(low) + f64::from(high)) / 2.0;
    let candidates = DIGITS.map(|digits| rounded(middle, digits) as f32);
    candidates.into_iter().find(|cut| low <= *cut && *cut < high).unwrap_or(low)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn few_digits_between() {
        for (low, high, expected) in [
            (0.0, 1.0, 0.5),
            (-1.0, 0.0, -0.5),
            (1.0, 1.000_001, 1.0),
            (123_456.0, 123_457.0, 123_456.0),
            (123_456.5, 123_456.7, 123_456.6),
            (0.333_333_34, 0.666_666_7, 0.5),
            (1.0 / 3.0, 0.4, 0.36667),
            (f32::MIN, f32::MAX, 0.0),
            (1.0, 1.0 + f32::EPSILON, 1.0),
        ] {
            assert_eq!(between(low, high), expected, "{low} {high}");
        }
    }

    #[test]
    fn heavy_values_stand_alone() {
        // Nine in ten examples are 1000, the last value; the rest are all different.
        let mut values: Vec<(f32, f64)> = (0..100).map(|at| (at as f32, 1.0)).collect();
        values.push((1000.0, 900.0));
        let thresholds = separate(values);
        assert_eq!(thresholds.last(), Some(&549.5));
        assert!(thresholds.len() > 45, "{thresholds:?}");
    }

    proptest! {
        #[test]
        fn bins_are_few_and_in_order(values in prop::collection::vec((any::<i8>(), 1u8..5, any::<bool>()), 1..400)) {
            let values: Vec<(f32, f64)> = values
                .into_iter()
                .map(|(value, weight, odd)| (f32::from(value) / if odd { 3.0 } else { 1.0 }, f64::from(weight)))
                .collect();
            let distinct = distinct(values);
            let found = separate(distinct.clone());
            prop_assert!(found.len() < MOST_BINS);
            prop_assert!(found.windows(2).all(|pair| pair[0] < pair[1]));
            let code = |value: f32| found.partition_point(|threshold| *threshold < value);
            if distinct.len() <= MOST_BINS {
                prop_assert!(distinct.iter().enumerate().all(|(at, (value, _))| code(*value) == at));
            }
            // No bin is empty.
            let mut bins: Vec<usize> = distinct.iter().map(|(value, _)| code(*value)).collect();
            bins.dedup();
            prop_assert_eq!(bins, (0..=found.len()).collect::<Vec<_>>());
        }
    }
}
