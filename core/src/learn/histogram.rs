//! Sums over the examples in a leaf by bin of each column: all that a split depends on.

use super::bins::{Bins, MOST_BINS};

/// First and second derivative of the loss of one example by its margin, times its weight.
pub(super) type Derivatives = [f64; 2];

/// Sums over examples.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    /// Of the loss' first derivatives.
    pub gradient: f64,
    /// Of its second derivatives.
    pub hessian: f64,
    /// How many examples.
    pub rows: f64,
}

/// Of each column that a tree may test, the sums in each bin. The last place is never used: a power of two needs no check of range.
#[derive(Debug)]
pub(super) struct Histogram(Vec<[Sums; MOST_BINS + 1]>);

impl Histogram {
    /// Of these rows.
    pub(super) fn new(
        bins: &Bins,
        columns: &[usize],
        rows: &[u32],
        derivatives: &[Derivatives],
    ) -> Histogram {
        // Gathered once, read once for each column.
        let own: Vec<Derivatives> = rows.iter().map(|row| derivatives[*row as usize]).collect();
        let of_column = |column: &usize| {
            let mut sums = [Sums::default(); MOST_BINS + 1];
            let codes = bins.codes(*column);
            for (row, [gradient, hessian]) in rows.iter().zip(&own) {
                let sum = &mut sums[usize::from(codes[*row as usize]) & MOST_BINS];
                sum.gradient += gradient;
                sum.hessian += hessian;
                sum.rows += 1.0;
            }
            sums
        };
        Histogram(columns.iter().map(of_column).collect())
    }

    /// The sums of one column, by its place among those that the tree may test.
    pub(super) fn column(&self, place: usize) -> &[Sums; MOST_BINS + 1] {
        &self.0[place]
    }

    /// What is left of a leaf when one of its halves is taken out: the other half.
    pub(super) fn without(mut self, half: &Histogram) -> Histogram {
        for (all, taken) in self.0.iter_mut().flatten().zip(half.0.iter().flatten()) {
            *all = all.minus(taken);
        }
        self
    }
}

impl Sums {
    /// Of these rows.
    pub(super) fn of(rows: &[u32], derivatives: &[Derivatives]) -> Sums {
        let mut sums = Sums { rows: rows.len() as f64, ..Sums::default() };
        for [gradient, hessian] in rows.iter().map(|row| derivatives[*row as usize]) {
            sums.gradient += gradient;
            sums.hessian += hessian;
        }
        sums
    }

    pub(super) fn plus(&self, other: &Sums) -> Sums {
        Sums {
            gradient: self.gradient + other.gradient,
            hessian: self.hessian + other.hessian,
            rows: self.rows + other.rows,
        }
    }

    pub(super) fn minus(&self, other: &Sums) -> Sums {
        Sums {
            gradient: self.gradient - other.gradient,
            hessian: self.hessian - other.hessian,
            rows: self.rows - other.rows,
        }
    }
}
