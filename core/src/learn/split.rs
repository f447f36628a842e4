//! Finds the best split of the examples in a leaf.

use super::bins::{Bins, MOST_BINS};
use super::histogram::{Histogram, Sums};

/// A gain below this is rounding.
const LEAST_GAIN: f64 = 1e-6;

/// Second derivatives that a leaf sums up to at least: below it a step would be a guess.
const LEAST_HESSIAN: f64 = 1e-3;

/// What decides whether a split may be made, and what it is worth.
#[derive(Debug)]
pub(super) struct Rules<'a> {
    /// Examples in a leaf at least.
    pub least_rows: f64,
    /// Added to the sum of second derivatives of a leaf.
    pub l2: f64,
    /// Of each column: 1 where the margin may only grow with it, -1 where it may only fall; 0, or nothing, where it is free.
    pub monotone: &'a [i8],
}

/// Between which values a leaf must stay, so that no monotone column above it is belied.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub low: f64,
    pub high: f64,
}

/// A way to part a leaf.
#[derive(Debug, Clone, Copy)]
pub(super) struct Split {
    /// By how much the loss falls, twice.
    pub gain: f64,
    /// The column, by its place among those the tree may test.
    pub place: usize,
    /// The last bin that goes left.
    pub bin: u8,
    pub left: Sums,
    pub right: Sums,
}

impl Bounds {
    /// Of a root.
    pub(super) const NONE: Bounds = Bounds { low: f64::NEG_INFINITY, high: f64::INFINITY };

    /// Those of the two halves. Where the column is monotone, the middle of their values comes between them, and whatever they are split
    /// into stays on its side: the basic method of LightGBM, and that of XGBoost.
    pub(super) fn halves(self, direction: i8, middle: f64) -> (Bounds, Bounds) {
        let (lower, upper) = (Bounds { high: middle, ..self }, Bounds { low: middle, ..self });
        match direction {
            0 => (self, self),
            1.. => (lower, upper),
            _ => (upper, lower),
        }
    }
}

impl Rules<'_> {
    /// Which way the margin may go with a column.
    pub(super) fn direction(&self, column: usize) -> i8 {
        self.monotone.get(column).copied().unwrap_or(0)
    }

    /// The best value of a leaf (Newton's step) within its bounds.
    pub(super) fn value(&self, sums: &Sums, bounds: Bounds) -> f64 {
        let free = -sums.gradient / (sums.hessian + self.l2);
        // Not `clamp`, which panics when rounding turns the bounds around.
        free.max(bounds.low).min(bounds.high)
    }

    /// By how much a leaf's loss falls with this value, twice.
    fn worth(&self, sums: &Sums, value: f64) -> f64 {
        -(2.0 * sums.gradient + (sums.hessian + self.l2) * value) * value
    }

    /// The split with the largest gain; of equals the one of the first column, then of the lowest threshold.
    pub(super) fn best(
        &self,
        histogram: &Histogram,
        (bins, columns): (&Bins, &[usize]),
        all: &Sums,
        bounds: Bounds,
    ) -> Option<Split> {
        let before = self.worth(all, self.value(all, bounds));
        let mut best: Option<Split> = None;
        for (place, column) in columns.iter().enumerate() {
            let direction = f64::from(self.direction(*column));
            let sums = histogram.column(place);
            let mut left = Sums::default();
            for (bin, own) in sums.iter().enumerate().take(bins.thresholds(*column).len().min(MOST_BINS)) {
                if own.rows == 0.0 {
                    continue;
                }
                left = left.plus(own);
                let right = all.minus(&left);
                if right.rows < self.least_rows {
                    break;
                }
                if left.rows < self.least_rows || left.hessian.min(right.hessian) < LEAST_HESSIAN {
                    continue;
                }
                let values = (self.value(&left, bounds), self.value(&right, bounds));
                if direction * (values.1 - values.0) < 0.0 {
                    continue;
                }
                let gain = self.worth(&left, values.0) + self.worth(&right, values.1) - before;
                if gain > best.map_or(LEAST_GAIN, |best| best.gain) {
                    best = Some(Split { gain, place, bin: bin as u8, left, right });
                }
            }
        }
        best
    }
}
