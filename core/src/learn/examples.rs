//! The table that trees are grown from: features, labels, weights and groups of examples.

/// Labelled examples, row by row. Every number in it is finite.
#[derive(Debug, Clone, PartialEq)]
pub struct Examples {
    features: Vec<f32>,
    columns: usize,
    labels: Vec<bool>,
    weights: Vec<f64>,
    groups: Vec<u64>,
}

/// Why a table is none of examples.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnusableExamples {
    /// It has no columns, or more than a tree can name.
    #[error("examples have from 1 to {most} columns, not {0}", most = Examples::MOST_COLUMNS)]
    Columns(usize),
    /// More rows than can be counted in 32 bits.
    #[error("there are {0} examples, which are too many")]
    TooMany(usize),
    /// Another number of features, weights or groups than as many labels need.
    #[error("there are {found} {what}, not {expected}")]
    Lengths {
        /// `features`, `weights` or `groups`.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many go with the labels.
        expected: usize,
    },
    /// A feature that is not a number, or infinite.
    #[error("row {row}, column {column} is not a finite number")]
    Feature {
        /// The example, from 0.
        row: usize,
        /// The feature, from 0.
        column: usize,
    },
    /// A weight that is not a finite number above 0.
    #[error("the weight of row {0} is not a finite number above 0")]
    Weight(usize),
}

impl Examples {
    /// Columns that a node of a tree can name.
    pub const MOST_COLUMNS: usize = u16::MAX as usize;

    /// A table of examples, one label each.
    ///
    /// `features` holds one row of `columns` numbers after another. A weight says how many examples a row stands for; only the
    /// proportions of all weights matter but for `l2` and the least size of a leaf. Rows of one group go together: no
    /// [fold](super::Folds) parts them.
    ///
    /// # Errors
    /// When a number is not finite, a weight is not above 0, a column of the table has another length than `labels`, or there
    /// are no or too many columns. No rows are no error.
    pub fn new(
        features: Vec<f32>,
        columns: usize,
        labels: Vec<bool>,
        weights: Vec<f64>,
        groups: Vec<u64>,
    ) -> Result<Examples, UnusableExamples> {
        if columns == 0 || columns > Self::MOST_COLUMNS {
            return Err(UnusableExamples::Columns(columns));
        }
        if u32::try_from(labels.len()).is_err() {
            return Err(UnusableExamples::TooMany(labels.len()));
        }
        for (what, found, expected) in [
            ("features", features.len(), labels.len().saturating_mul(columns)),
            ("weights", weights.len(), labels.len()),
            ("groups", groups.len(), labels.len()),
        ] {
            if found != expected {
                return Err(UnusableExamples::Lengths { what, found, expected });
            }
        }
        if let Some(at) = features.iter().position(|feature| !feature.is_finite()) {
            return Err(UnusableExamples::Feature { row: at / columns, column: at % columns });
        }
        if let Some(row) = weights.iter().position(|weight| !(weight.is_finite() && *weight > 0.0)) {
            return Err(UnusableExamples::Weight(row));
        }
        Ok(Examples { features, columns, labels, weights, groups })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Features of each example.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The features of an example.
    ///
    /// # Panics
    /// When there are not so many examples.
    pub fn row(&self, row: usize) -> &[f32] {
        &self.features[row * self.columns..][..self.columns]
    }

    /// Whether the answer is yes, of each example.
    pub fn labels(&self) -> &[bool] {
        &self.labels
    }

    /// How many examples each row stands for: above 0.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// What each example goes together with.
    pub fn groups(&self) -> &[u64] {
        &self.groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_table() {
        let make = |features: &[f32], columns, weights: &[f64], groups: &[u64]| {
            let labels = vec![true, false];
            Examples::new(features.to_vec(), columns, labels, weights.to_vec(), groups.to_vec())
                .map_err(|error| error.to_string())
        };
        let nan = f32::NAN;
        for (features, columns, weights, groups, error) in [
            (&[1.0, 2.0, 3.0, 4.0][..], 2, &[1.0, 1.0][..], &[1, 2][..], ""),
            (&[], 0, &[1.0, 1.0], &[1, 2], "from 1 to 65535 columns, not 0"),
            (&[1.0, 2.0], 2, &[1.0, 1.0], &[1, 2], "2 features, not 4"),
            (&[1.0, 2.0, 3.0], 2, &[1.0, 1.0], &[1, 2], "3 features, not 4"),
            (&[1.0, 2.0, nan, 4.0], 2, &[1.0, 1.0], &[1, 2], "row 1, column 0"),
            (&[1.0, f32::INFINITY], 1, &[1.0, 1.0], &[1, 2], "row 1, column 0"),
            (&[1.0, 2.0], 1, &[1.0], &[1, 2], "1 weights, not 2"),
            (&[1.0, 2.0], 1, &[1.0, 1.0], &[], "0 groups, not 2"),
            (&[1.0, 2.0], 1, &[1.0, 0.0], &[1, 2], "the weight of row 1"),
            (&[1.0, 2.0], 1, &[f64::NAN, 1.0], &[1, 2], "the weight of row 0"),
        ] {
            match make(features, columns, weights, groups) {
                Ok(examples) => {
                    assert_eq!((error, examples.row(1), examples.len()), ("", &[3.0, 4.0][..], 2));
                }
                Err(found) => assert!(!error.is_empty() && found.contains(error), "{found}"),
            }
        }
    }
}
