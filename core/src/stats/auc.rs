//! How well scores rank positives above negatives.

use super::weighted::{Weighted, weighted_auc};

/// The area under the ROC curve: the probability that a random positive scores above a random negative, ties counting half.
///
/// The statistic of H. B. Mann and D. R. Whitney, "On a test of whether one of two random variables is stochastically larger than the
/// other", Annals of Mathematical Statistics 18 (1947), divided by the number of pairs; that this is the area is shown by J. A. Hanley
/// and B. J. McNeil, Radiology 143 (1982).
///
/// `None` when `scores` and `gold` differ in length, a score is not a number, or one class is missing.
pub fn auc(scores: &[f64], gold: &[bool]) -> Option<f64> {
    if scores.len() != gold.len() {
        return None;
    }
    let rows =
        scores.iter().zip(gold).map(|(score, gold)| Weighted { score: *score, gold: *gold, weight: 1.0 });
    weighted_auc(&rows.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn by_hand() {
        for (scores, gold, area) in [
            (&[0.1, 0.4, 0.35, 0.8][..], &[false, false, true, true][..], Some(0.75)),
            (&[0.0, 1.0], &[false, true], Some(1.0)),
            (&[0.0, 1.0], &[true, false], Some(0.0)),
            (&[0.5, 0.5, 0.5], &[true, false, false], Some(0.5)),
            (&[0.0, -0.0], &[true, false], Some(0.5)),
            (&[0.5, 0.6], &[true, true], None),
            (&[0.5, f64::NAN], &[true, false], None),
            (&[0.5], &[true, false], None),
            (&[], &[], None),
        ] {
            assert_eq!(auc(scores, gold), area, "{scores:?}");
        }
    }

    proptest! {
        #[test]
        fn equals_the_share_of_ordered_pairs(items in prop::collection::vec((0u8..6, any::<bool>()), 0..40)) {
            let (scores, gold): (Vec<f64>, Vec<bool>) = items.iter().map(|(s, g)| (f64::from(*s), *g)).unzip();
            let (mut won, mut pairs) = (0.0, 0.0);
            for (a, _) in items.iter().filter(|(_, gold)| *gold) {
                for (b, _) in items.iter().filter(|(_, gold)| !gold) {
                    won += if a > b { 1.0 } else if a == b { 0.5 } else { 0.0 };
                    pairs += 1.0;
                }
            }
            match auc(&scores, &gold) {
                Some(area) => prop_assert!((area - won / pairs).abs() < 1e-12),
                None => prop_assert_eq!(pairs, 0.0),
            }
        }
    }
}
