//! Sums over the examples of a leaf by bin of each column, which is all that a split depends on.

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
        let mut sums = vec![[Sums::default(); MOST_BINS + 1]; columns.len()];
        // Two columns at a time: examples in one bin wait for each other's sum, columns do not.
        for (columns, sums) in columns.chunks(2).zip(sums.chunks_mut(2)) {
            match (columns, sums) {
                ([one, other], [of_one, of_other]) => {
                    let (one, other) = (bins.codes(*one), bins.codes(*other));
                    for (row, derivatives) in rows.iter().zip(&own) {
                        add(of_one, one[*row as usize], derivatives);
                        add(of_other, other[*row as usize], derivatives);
                    }
                }
                ([last], [of_last]) => {
                    let last = bins.codes(*last);
                    rows.iter().zip(&own).for_each(|(row, own)| add(of_last, last[*row as usize], own));
                }
                _ => {}
            }
        }
        Histogram(sums)
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

/// Counts one example in its bin.
fn add(sums: &mut [Sums; MOST_BINS + 1], code: u8, [gradient, hessian]: &Derivatives) {
    let sum = &mut sums[usize::from(code) & MOST_BINS];
    sum.gradient += gradient;
    sum.hessian += hessian;
    sum.rows += 1.0;
}
