//! Figures of scores with weighted rows.

use super::calibration::bin_of;

/// A score whose answer is known, and how much it counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weighted {
    /// A probability from 0 to 1, or log-odds, as the figure says.
    pub score: f64,
    /// Whether the answer is yes.
    pub gold: bool,
    /// How many examples it stands for: above 0.
    pub weight: f64,
}

/// What a judge that may abstain can decide.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decidable {
    /// The share of rows, by weight, from 0 to 1.
    pub share: f64,
    /// The least distance from 0 of the log-odds that are decided; infinite where none are.
    pub margin: f64,
}

/// The area under the ROC curve of scores of any scale, by weight: [`auc`](super::auc) where all weights are equal. `None` when a
/// number is unusable or one class is missing.
pub fn weighted_auc(rows: &[Weighted]) -> Option<f64> {
    let sorted = sorted(rows, |row| row.score)?;
    let (mut won, mut wrong_below) = (0.0, 0.0);
    let (mut right, mut wrong) = (0.0, 0.0);
    for ties in sorted.chunk_by(|a, b| a.score == b.score) {
        let (here, other) = weights(ties);
        won += here * (wrong_below + other / 2.0);
        wrong_below += other;
        right += here;
        wrong += other;
    }
    (right > 0.0 && wrong > 0.0).then(|| won / (right * wrong))
}

/// The mean of both recalls, by weight, where scores of any scale pass from `threshold` on. `None` as [`weighted_auc`].
pub fn weighted_balanced_accuracy(rows: &[Weighted], threshold: f64) -> Option<f64> {
    let rows = usable(rows)?;
    let passed: Vec<Weighted> = rows.iter().copied().filter(|row| row.score >= threshold).collect();
    let ((right, wrong), (right_passed, wrong_passed)) = (weights(rows), weights(&passed));
    (right > 0.0 && wrong > 0.0).then(|| (right_passed / right + 1.0 - wrong_passed / wrong) / 2.0)
}

/// The mean of minus the logarithm of the probability given to the answer, by weight: 0 at best, 0.693 for one who always says 0.5,
/// infinite for one who was certain and wrong (I. J. Good, "Rational decisions", JRSS B 14, 1952). `None` without rows, when a
/// number is unusable or a probability not from 0 to 1.
pub fn log_loss(rows: &[Weighted]) -> Option<f64> {
    let rows = probabilities(rows)?;
    let loss = |row: &Weighted| -row.weight * if row.gold { row.score.ln() } else { (-row.score).ln_1p() };
    Some(rows.iter().map(loss).sum::<f64>() / total(rows))
}

/// The expected calibration error over `bins` equal parts of 0 to 1, by weight, as [`ece`](super::ece) has it without an interval.
/// `None` as [`log_loss`], and without bins.
pub fn weighted_ece(rows: &[Weighted], bins: usize) -> Option<f64> {
    let rows = probabilities(rows)?;
    if bins == 0 {
        return None;
    }
    let mut gaps = vec![0.0; bins];
    for row in rows {
        gaps[bin_of(row.score, bins)] += row.weight * (row.score - f64::from(u8::from(row.gold)));
    }
    Some(gaps.iter().map(|gap: &f64| gap.abs()).sum::<f64>() / total(rows))
}

/// How many rows log-odds decide with at most a share of `error` of them wrong (from 0 to 1), when those nearest to 0 are left open: the
/// largest share of all rows, by weight (the coverage at a given risk of R. El-Yaniv and Y. Wiener, "On the foundations of noise-free
/// selective classification", JMLR 11, 2010). Log-odds from 0 on say yes. `None` without rows or when a number is unusable.
///
/// The figure is found on the same rows that it is about, so it flatters where rows are few.
pub fn decidable(rows: &[Weighted], error: f64) -> Option<Decidable> {
    let mut sorted = sorted(rows, |row| row.score.abs())?;
    sorted.reverse();
    let all = total(&sorted);
    let (mut decided, mut mistaken) = (0.0, 0.0);
    let mut best = Decidable { share: 0.0, margin: f64::INFINITY };
    for ties in sorted.chunk_by(|a, b| a.score.abs() == b.score.abs()) {
        for row in ties {
            decided += row.weight;
            mistaken += if row.gold == (row.score >= 0.0) { 0.0 } else { row.weight };
        }
        if mistaken <= error * decided {
            best = Decidable { share: decided / all, margin: ties[0].score.abs() };
        }
    }
    Some(best)
}

/// The rows, if there are any and all can be counted.
fn usable(rows: &[Weighted]) -> Option<&[Weighted]> {
    let is_usable = |row: &Weighted| !row.score.is_nan() && row.weight > 0.0 && row.weight.is_finite();
    (!rows.is_empty() && rows.iter().all(is_usable)).then_some(rows)
}

/// The rows, if all scores are probabilities.
fn probabilities(rows: &[Weighted]) -> Option<&[Weighted]> {
    usable(rows).filter(|rows| rows.iter().all(|row| (0.0..=1.0).contains(&row.score)))
}

fn sorted(rows: &[Weighted], by: impl Fn(&Weighted) -> f64) -> Option<Vec<Weighted>> {
    let mut rows = usable(rows)?.to_vec();
    rows.sort_by(|a, b| by(a).total_cmp(&by(b)));
    Some(rows)
}

fn total(rows: &[Weighted]) -> f64 {
    rows.iter().map(|row| row.weight).sum()
}

/// Of rows whose answer is yes, and of the others.
fn weights(rows: &[Weighted]) -> (f64, f64) {
    rows.iter().fold((0.0, 0.0), |(right, wrong), row| match row.gold {
        true => (right + row.weight, wrong),
        false => (right, wrong + row.weight),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::stats::{Confusion, Measure, Rated, auc, ece};

    fn rows(rows: &[(f64, bool, f64)]) -> Vec<Weighted> {
        rows.iter()
            .map(|(score, gold, weight)| Weighted { score: *score, gold: *gold, weight: *weight })
            .collect()
    }

    #[test]
    fn by_hand() {
        let four = rows(&[(0.9, true, 3.0), (0.5, true, 1.0), (0.5, false, 2.0), (0.1, false, 1.0)]);
        // Of 4 times 3 pairs, 3 times 3 and 1 times 1 in order, 1 times 2 tied.
        assert_eq!(weighted_auc(&four), Some(11.0 / 12.0));
        assert!((weighted_balanced_accuracy(&four, 0.5).unwrap() - 2.0 / 3.0).abs() < 1e-12);
        let loss = -(3.0 * 0.9_f64.ln() + 3.0 * 0.5_f64.ln() + 0.9_f64.ln()) / 7.0;
        assert!((log_loss(&four).unwrap() - loss).abs() < 1e-12);
        // Both rows at a half: one right in three, where 0.5 was said.
        assert!((weighted_ece(&four, 10).unwrap() - (0.3 + 0.5 + 0.1) / 7.0).abs() < 1e-12);
        assert_eq!(log_loss(&rows(&[(1.0, false, 1.0)])), Some(f64::INFINITY));
        assert_eq!(log_loss(&rows(&[(1.0, true, 1.0)])), Some(0.0));
    }

    #[test]
    fn the_nearest_to_a_half_are_left_open() {
        let some = rows(&[
            (3.0, true, 2.0),
            (-2.0, false, 1.0),
            (1.0, false, 1.0),
            (-0.5, false, 4.0),
            (0.1, false, 2.0),
        ]);
        for (error, share, margin) in
            [(0.0, 0.3, 2.0), (0.125, 0.8, 0.5), (0.2, 0.8, 0.5), (0.3, 1.0, 0.1), (1.0, 1.0, 0.1)]
        {
            assert_eq!(decidable(&some, error), Some(Decidable { share, margin }), "{error}");
        }
        let wrong = decidable(&rows(&[(1.0, false, 1.0)]), 0.1);
        assert_eq!(wrong, Some(Decidable { share: 0.0, margin: f64::INFINITY }));
    }

    #[test]
    fn nothing_is_made_of_nothing() {
        for bad in [vec![], rows(&[(f64::NAN, true, 1.0), (0.0, false, 1.0)]), rows(&[(0.5, true, 0.0)])] {
            assert_eq!(
                [weighted_auc(&bad), weighted_balanced_accuracy(&bad, 0.5), log_loss(&bad)],
                [None; 3]
            );
            assert_eq!((weighted_ece(&bad, 15), decidable(&bad, 0.1)), (None, None));
        }
        let one = rows(&[(0.5, true, 1.0)]);
        assert_eq!(
            [weighted_auc(&one), weighted_balanced_accuracy(&one, 0.5), weighted_ece(&one, 0)],
            [None; 3]
        );
        assert_eq!(
            [log_loss(&rows(&[(1.5, true, 1.0)])), weighted_ece(&rows(&[(-0.1, true, 1.0)]), 9)],
            [None; 2]
        );
    }

    proptest! {
        #[test]
        fn equal_weights_change_nothing(items in prop::collection::vec((0u8..=20, any::<bool>()), 2..60), weight in 0.1..9.0f64) {
            let some: Vec<Weighted> =
                items.iter().map(|(s, gold)| Weighted { score: f64::from(*s) / 20.0, gold: *gold, weight }).collect();
            let near = |a: Option<f64>, b: Option<f64>| match (a, b) {
                (Some(a), Some(b)) => (a - b).abs() < 1e-9,
                (a, b) => a == b,
            };
            let (scores, gold): (Vec<f64>, Vec<bool>) = some.iter().map(|row| (row.score, row.gold)).unzip();
            prop_assert!(near(weighted_auc(&some), auc(&scores, &gold)));
            let table: Confusion = some.iter().map(|row| (row.gold, Some(row.score >= 0.5))).collect();
            prop_assert!(near(weighted_balanced_accuracy(&some, 0.5), Measure::BalancedAccuracy.of(&table)));
            let rated: Vec<Rated> = (0..).zip(&some).map(|(cluster, row)| Rated { cluster, score: row.score, gold: row.gold }).collect();
            prop_assert!(near(weighted_ece(&some, 15), ece(&rated, 15).map(|found| found.value)));
        }
    }
}
