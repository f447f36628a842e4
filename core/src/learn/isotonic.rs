//! Isotonic regression: the increasing function closest to the answers.

use super::calibration::{Scored, UnusableScores, check};
use super::digits::rounded;

/// Digits that are kept of a knot.
const DIGITS: usize = 5;

/// Knots joined by straight lines; level before the first and after the last.
#[derive(Debug, Clone, PartialEq)]
pub struct Isotonic {
    /// Log-odds, growing, and the probability there, never falling. At least one.
    knots: Vec<(f64, f64)>,
}

/// Neighbouring scores that get one probability.
#[derive(Debug, Clone, Copy)]
struct Block {
    weight: f64,
    /// Sums over scores, by weight.
    margins: f64,
    right: f64,
}

impl Isotonic {
    /// Knots at most.
    pub const MOST_KNOTS: usize = 30;

    /// Isotonic regression of the answers on the scores (B. Zadrozny and C. Elkan, "Transforming classifier scores into accurate
    /// multiclass probability estimates", KDD 2002), by pooling adjacent violators (M. Ayer and others, Annals of Mathematical
    /// Statistics 26, 1955): blocks of scores, each with the share of "yes" in it. A knot stands at the mean score of each block.
    ///
    /// A block with less than a thirtieth of all weight joins a neighbour: so there are at most 30, and a handful of scores at either
    /// end, which by chance have one answer, does not pass for certainty.
    ///
    /// # Errors
    /// When a number is unusable, or scores of one of the answers are missing.
    pub fn fit(scores: &[Scored]) -> Result<Isotonic, UnusableScores> {
        check(scores)?;
        let mut sorted = scores.to_vec();
        sorted.sort_by(|a, b| a.margin.total_cmp(&b.margin));
        let mut blocks: Vec<Block> = Vec::new();
        for alike in sorted.chunk_by(|a, b| a.margin == b.margin) {
            let one = alike.iter().map(Block::of).reduce(Block::with);
            let Some(mut last) = one else { continue };
            while let Some(before) = blocks.pop_if(|before| before.share() >= last.share()) {
                last = before.with(last);
            }
            blocks.push(last);
        }
        let all: f64 = blocks.iter().map(|block| block.weight).sum();
        join_light(&mut blocks, all / Self::MOST_KNOTS as f64);
        let mut knots: Vec<(f64, f64)> = Vec::new();
        for block in blocks {
            let knot = (rounded(block.margins / block.weight, DIGITS), rounded(block.share(), DIGITS));
            // Two blocks so near that rounding makes one score of them: the first stands for both.
            if knots.last().is_none_or(|last| last.0 < knot.0) {
                knots.push(knot);
            }
        }
        Ok(Isotonic { knots })
    }

    /// A function through given knots; `None` when there are none or too many, when log-odds do not grow, when probabilities fall or
    /// are not from 0 to 1, or when a number is not finite.
    pub(super) fn through(knots: Vec<(f64, f64)>) -> Option<Isotonic> {
        let in_order = knots.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1);
        let in_range = |(margin, share): &(f64, f64)| margin.is_finite() && (0.0..=1.0).contains(share);
        let possible = (1..=Self::MOST_KNOTS).contains(&knots.len()) && in_order;
        (possible && knots.iter().all(in_range)).then_some(Isotonic { knots })
    }

    /// Log-odds in growing order, and the probability at each.
    pub fn knots(&self) -> &[(f64, f64)] {
        &self.knots
    }

    pub(super) fn value(&self, margin: f64) -> f64 {
        let after = self.knots.partition_point(|knot| knot.0 <= margin);
        let last = self.knots.len() - 1;
        let (Some(before), true) = (after.checked_sub(1), after <= last) else {
            return self.knots[after.min(last)].1;
        };
        let ((left, low), (right, high)) = (self.knots[before], self.knots[after]);
        // Halves first: the distance of two finite numbers need not be finite.
        let part = (margin / 2.0 - left / 2.0) / (right / 2.0 - left / 2.0);
        (low + (high - low) * part).clamp(low, high)
    }
}

impl Block {
    fn of(score: &Scored) -> Block {
        let right = if score.label { score.weight } else { 0.0 };
        Block { weight: score.weight, margins: score.weight * score.margin, right }
    }

    fn with(self, other: Block) -> Block {
        Block {
            weight: self.weight + other.weight,
            margins: self.margins + other.margins,
            right: self.right + other.right,
        }
    }

    fn share(&self) -> f64 {
        self.right / self.weight
    }
}

/// Joins blocks lighter than `least` with the neighbour whose share is nearer, the lightest first; of equals the first.
fn join_light(blocks: &mut Vec<Block>, least: f64) {
    let lightest = |blocks: &[Block]| {
        let light = blocks.iter().enumerate().filter(|(_, block)| block.weight < least);
        light.min_by(|(_, a), (_, b)| a.weight.total_cmp(&b.weight)).map(|(at, _)| at)
    };
    while blocks.len() > 1
        && let Some(at) = lightest(blocks)
    {
        let gap = |one: usize| blocks[one + 1].share() - blocks[one].share();
        let joins_next = at == 0 || (at + 1 < blocks.len() && gap(at) < gap(at - 1));
        let first = if joins_next { at } else { at - 1 };
        blocks[first] = blocks[first].with(blocks[first + 1]);
        blocks.remove(first + 1);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::Random;
    use crate::learn::Calibration;

    fn scores(rows: &[(f64, bool, f64)]) -> Vec<Scored> {
        rows.iter()
            .map(|(margin, label, weight)| Scored { margin: *margin, label: *label, weight: *weight })
            .collect()
    }

    #[test]
    fn by_hand() {
        let knots = |rows: &[(f64, bool, f64)]| Isotonic::fit(&scores(rows)).map(|fit| fit.knots);
        let (yes, no) = (true, false);
        for (rows, expected) in [
            (&[(0.0, no, 1.0), (1.0, yes, 1.0)][..], Ok(vec![(0.0, 0.0), (1.0, 1.0)])),
            // Violators are pooled, by weight.
            (&[(0.0, yes, 1.0), (1.0, no, 3.0)], Ok(vec![(0.75, 0.25)])),
            (&[(0.0, no, 1.0), (1.0, yes, 1.0), (2.0, no, 1.0)], Ok(vec![(0.0, 0.0), (1.5, 0.5)])),
            // Equal scores get one probability.
            (&[(1.0, no, 1.0), (1.0, yes, 1.0), (0.0, no, 1.0)], Ok(vec![(0.0, 0.0), (1.0, 0.5)])),
            (&[(0.0, yes, 1.0)], Err(UnusableScores::OneLabel)),
            (&[], Err(UnusableScores::OneLabel)),
            (&[(0.0, yes, 1.0), (f64::NAN, no, 1.0)], Err(UnusableScores::Number(1))),
            (&[(0.0, yes, 0.0), (0.0, no, 1.0)], Err(UnusableScores::Number(0))),
        ] {
            assert_eq!(knots(rows), expected, "{rows:?}");
        }
    }

    #[test]
    fn straight_between_knots_level_beyond() {
        let fit = Isotonic::through(vec![(-1.0, 0.2), (1.0, 0.6)]).unwrap();
        for (margin, expected) in [(-9.0, 0.2), (-1.0, 0.2), (0.0, 0.4), (0.5, 0.5), (1.0, 0.6), (9.0, 0.6)] {
            assert!((fit.value(margin) - expected).abs() < 1e-12, "{margin}");
        }
        let far = Isotonic::through(vec![(f64::MIN, 0.0), (f64::MAX, 1.0)]).unwrap();
        assert_eq!(far.value(0.0), 0.5);
    }

    #[test]
    fn probabilities_come_true() {
        let mut random = Random::new(5);
        // The true probability is not logistic in the score.
        let truth = |margin: f64| if margin < 0.5 { 0.2 } else { 0.2 + 0.6 * (margin - 0.5) };
        let rows: Vec<(f64, bool, f64)> = (0..50_000)
            .map(|_| {
                let margin = 1.5 * random.unit();
                (margin, random.chance(truth(margin)), 1.0)
            })
            .collect();
        let fit = Isotonic::fit(&scores(&rows)).unwrap();
        assert!(fit.knots.len() <= Isotonic::MOST_KNOTS);
        for margin in [0.1, 0.3, 0.45, 0.7, 1.0, 1.3] {
            assert!((fit.value(margin) - truth(margin)).abs() < 0.03, "{margin}: {}", fit.value(margin));
        }
    }

    proptest! {
        #[test]
        fn never_falls(
            rows in prop::collection::vec((-9.0..9.0f64, any::<bool>(), 0.1..5.0f64), 2..200),
            mut asked in prop::collection::vec(-10.0..10.0f64, 2..40),
        ) {
            let rows = scores(&rows);
            prop_assume!(check(&rows).is_ok());
            let fit = Isotonic::fit(&rows).unwrap();
            prop_assert_eq!(Isotonic::through(fit.knots.clone()), Some(fit.clone()));
            asked.sort_by(f64::total_cmp);
            let fit = Calibration::Isotonic(fit);
            let found: Vec<f64> = asked.iter().map(|margin| fit.probability(*margin)).collect();
            prop_assert!(found.windows(2).all(|pair| pair[0] <= pair[1]));
            prop_assert!(found.iter().all(|probability| (0.01..=0.99).contains(probability)));
        }
    }
}
