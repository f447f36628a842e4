//! Gold against labels, counted.

use std::iter::Sum;
use std::ops::AddAssign;

/// Counts of items by what is true and what was said; items without a label are kept apart, never counted as wrong.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Confusion {
    pub true_positive: u64,
    pub false_negative: u64,
    pub false_positive: u64,
    pub true_negative: u64,
    /// Gold positives without a label.
    pub unjudged_positive: u64,
    /// Gold negatives without a label.
    pub unjudged_negative: u64,
}

impl Confusion {
    /// Counts one item: whether it is positive, and whether it was labelled so, if it was labelled.
    pub fn add(&mut self, gold: bool, label: Option<bool>) {
        self.add_many(gold, label, 1);
    }

    /// Counts `items` alike.
    pub(super) fn add_many(&mut self, gold: bool, label: Option<bool>, items: u64) {
        let count = match (gold, label) {
            (true, Some(true)) => &mut self.true_positive,
            (true, Some(false)) => &mut self.false_negative,
            (false, Some(true)) => &mut self.false_positive,
            (false, Some(false)) => &mut self.true_negative,
            (true, None) => &mut self.unjudged_positive,
            (false, None) => &mut self.unjudged_negative,
        };
        *count += items;
    }

    /// Both tables' items.
    #[must_use]
    pub fn plus(self, other: Confusion) -> Confusion {
        Confusion {
            true_positive: self.true_positive + other.true_positive,
            false_negative: self.false_negative + other.false_negative,
            false_positive: self.false_positive + other.false_positive,
            true_negative: self.true_negative + other.true_negative,
            unjudged_positive: self.unjudged_positive + other.unjudged_positive,
            unjudged_negative: self.unjudged_negative + other.unjudged_negative,
        }
    }

    /// Labelled items.
    pub fn judged(&self) -> u64 {
        self.true_positive + self.false_negative + self.false_positive + self.true_negative
    }

    /// Items without a label.
    pub fn unjudged(&self) -> u64 {
        self.unjudged_positive + self.unjudged_negative
    }

    /// Share of labelled items whose label is right; `None` when nothing was labelled.
    pub fn accuracy(&self) -> Option<f64> {
        ratio(self.true_positive + self.true_negative, self.judged())
    }

    /// Share of labelled gold positives labelled positive (recall); `None` without any.
    pub fn sensitivity(&self) -> Option<f64> {
        ratio(self.true_positive, self.true_positive + self.false_negative)
    }

    /// Share of labelled gold negatives labelled negative; `None` without any.
    pub fn specificity(&self) -> Option<f64> {
        ratio(self.true_negative, self.true_negative + self.false_positive)
    }

    /// Mean of sensitivity and specificity: 0.5 for any judge that does not look, however uneven the classes are. `None` unless
    /// both classes were labelled.
    pub fn balanced_accuracy(&self) -> Option<f64> {
        Some((self.sensitivity()? + self.specificity()?) / 2.0)
    }
}

impl AddAssign<&Confusion> for Confusion {
    fn add_assign(&mut self, other: &Confusion) {
        self.true_positive += other.true_positive;
        self.false_negative += other.false_negative;
        self.false_positive += other.false_positive;
        self.true_negative += other.true_negative;
        self.unjudged_positive += other.unjudged_positive;
        self.unjudged_negative += other.unjudged_negative;
    }
}

impl<'a> Sum<&'a Confusion> for Confusion {
    fn sum<I: Iterator<Item = &'a Confusion>>(tables: I) -> Confusion {
        tables.fold(Confusion::default(), |mut sum, table| {
            sum += table;
            sum
        })
    }
}

impl FromIterator<(bool, Option<bool>)> for Confusion {
    fn from_iter<I: IntoIterator<Item = (bool, Option<bool>)>>(items: I) -> Confusion {
        let mut confusion = Confusion::default();
        items.into_iter().for_each(|(gold, label)| confusion.add(gold, label));
        confusion
    }
}

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_by_hand() {
        let items = [
            (true, Some(true)),
            (true, Some(true)),
            (true, Some(true)),
            (true, Some(false)),
            (false, Some(false)),
            (false, Some(true)),
            (true, None),
            (false, None),
            (false, None),
        ];
        let confusion: Confusion = items.into_iter().collect();
        assert_eq!((confusion.judged(), confusion.unjudged()), (6, 3));
        assert_eq!(confusion.accuracy(), Some(4.0 / 6.0));
        assert_eq!(confusion.sensitivity(), Some(0.75));
        assert_eq!(confusion.specificity(), Some(0.5));
        assert_eq!(confusion.balanced_accuracy(), Some(0.625));
        let twice: Confusion = [confusion, confusion].iter().sum();
        assert_eq!((twice.judged(), twice.unjudged(), twice.true_positive), (12, 6, 6));
    }

    #[test]
    fn nothing_is_made_of_nothing() {
        let none = Confusion::default();
        assert_eq!((none.accuracy(), none.balanced_accuracy()), (None, None));
        let one_class: Confusion = [(true, Some(true)), (false, None)].into_iter().collect();
        assert_eq!(one_class.sensitivity(), Some(1.0));
        assert_eq!(one_class.balanced_accuracy(), None);
    }
}
