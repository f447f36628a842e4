//! The confusion matrix of gold and labels.

use std::iter::Sum;

/// Counts of items by what is true and what was said; items without a label are kept apart, never counted as wrong.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Confusion {
    /// Right calls that the judge passes.
    pub true_positive: u64,
    /// Right calls that the judge fails.
    pub false_negative: u64,
    /// Wrong calls that the judge passes.
    pub false_positive: u64,
    /// Wrong calls that the judge fails.
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

    /// Labelled items.
    pub fn judged(&self) -> u64 {
        self.true_positive + self.false_negative + self.false_positive + self.true_negative
    }

    /// Items without a label.
    pub fn unjudged(&self) -> u64 {
        self.unjudged_positive + self.unjudged_negative
    }
}

impl<'a> Sum<&'a Confusion> for Confusion {
    /// The items of all tables.
    fn sum<I: Iterator<Item = &'a Confusion>>(tables: I) -> Confusion {
        tables.fold(Confusion::default(), |sum, table| Confusion {
            true_positive: sum.true_positive + table.true_positive,
            false_negative: sum.false_negative + table.false_negative,
            false_positive: sum.false_positive + table.false_positive,
            true_negative: sum.true_negative + table.true_negative,
            unjudged_positive: sum.unjudged_positive + table.unjudged_positive,
            unjudged_negative: sum.unjudged_negative + table.unjudged_negative,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Measure;

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
        let table: Confusion = items.into_iter().collect();
        assert_eq!((table.judged(), table.unjudged()), (6, 3));
        assert_eq!(Measure::Accuracy.of(&table), Some(4.0 / 6.0));
        assert_eq!(Measure::RecallCorrect.of(&table), Some(0.75));
        assert_eq!(Measure::RecallIncorrect.of(&table), Some(0.5));
        assert_eq!(Measure::BalancedAccuracy.of(&table), Some(0.625));
        let twice: Confusion = [table, table].iter().sum();
        assert_eq!((twice.judged(), twice.unjudged(), twice.true_positive), (12, 6, 6));
    }

    #[test]
    fn nothing_is_made_of_nothing() {
        let none = Confusion::default();
        assert_eq!(
            [Measure::Accuracy, Measure::BalancedAccuracy].map(|measure| measure.of(&none)),
            [None, None]
        );
        let one_class: Confusion = [(true, Some(true)), (false, None)].into_iter().collect();
        assert_eq!(Measure::RecallCorrect.of(&one_class), Some(1.0));
        assert_eq!(Measure::BalancedAccuracy.of(&one_class), None);
    }
}
