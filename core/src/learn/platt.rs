//! Platt scaling: the logistic curve closest to the answers.

use super::calibration::{Scored, UnusableScores, check};
use super::digits::rounded;

/// Digits that are kept of slope and intercept.
const DIGITS: usize = 6;

/// Newton's method needs about ten steps.
const STEPS: usize = 100;

/// Log-odds that are a straight line in the score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Platt {
    slope: f64,
    intercept: f64,
}

/// Loss, gradient and second derivatives (slope twice, both, intercept twice) of a line.
type Derivatives = (f64, [f64; 2], [f64; 3]);

impl Platt {
    /// Platt scaling: logistic regression of the answers on the scores, with answers drawn in a little as if each had one example more
    /// (J. C. Platt, "Probabilistic outputs for support vector machines", Advances in Large Margin Classifiers, 1999), by Newton's
    /// method with steps halved until they help (H.-T. Lin, C.-J. Lin and R. C. Weng, "A note on Platt's probabilistic outputs for support
    /// vector machines", Machine Learning 68, 2007).
    ///
    /// # Errors
    /// When a number is unusable, scores of one of the answers are missing, or the slope would not be above 0.
    pub fn fit(scores: &[Scored]) -> Result<Platt, UnusableScores> {
        check(scores)?;
        let weight = |label| scores.iter().filter(|s| s.label == label).map(|s| s.weight).sum::<f64>();
        let (right, wrong) = (weight(true), weight(false));
        let targets = [1.0 / (wrong + 2.0), (right + 1.0) / (right + 2.0)];
        let mut line = [0.0, ((right + 1.0) / (wrong + 1.0)).ln()];
        let (mut loss, mut gradient, mut second) = derivatives(scores, targets, line);
        for _ in 0..STEPS {
            let step = newton(gradient, second);
            let along = gradient[0] * step[0] + gradient[1] * step[1];
            // Half a step until the loss falls as it should (Armijo's rule).
            let tried = (0..40).map(|halvings| 0.5_f64.powi(halvings)).find_map(|part| {
                let next = [line[0] + part * step[0], line[1] + part * step[1]];
                let found = derivatives(scores, targets, next);
                (found.0 < loss + 1e-4 * part * along).then_some((next, found))
            });
            let Some((next, found)) = tried else { break };
            (line, (loss, gradient, second)) = (next, found);
            if gradient.iter().all(|part| part.abs() < 1e-9 * (right + wrong)) {
                break;
            }
        }
        let [slope, intercept] = line.map(|part| rounded(part, DIGITS));
        Platt::line(slope, intercept).ok_or(UnusableScores::Reversed)
    }

    /// A given line; `None` when the slope is not above 0, or a number is not finite.
    pub(super) fn line(slope: f64, intercept: f64) -> Option<Platt> {
        (slope > 0.0 && slope.is_finite() && intercept.is_finite()).then_some(Platt { slope, intercept })
    }

    /// What one unit of the score adds to the log-odds: above 0.
    pub fn slope(&self) -> f64 {
        self.slope
    }

    /// The log-odds at score 0.
    pub fn intercept(&self) -> f64 {
        self.intercept
    }

    pub(super) fn value(&self, margin: f64) -> f64 {
        logistic(self.slope * margin + self.intercept)
    }
}

fn logistic(margin: f64) -> f64 {
    1.0 / (1.0 + (-margin).exp())
}

fn derivatives(scores: &[Scored], targets: [f64; 2], [slope, intercept]: [f64; 2]) -> Derivatives {
    // A little of the identity keeps the matrix regular where all scores are one.
    let (mut loss, mut gradient, mut second) = (0.0, [0.0; 2], [1e-12, 0.0, 1e-12]);
    for Scored { margin, label, weight } in scores {
        let line = slope * margin + intercept;
        let (target, probability) = (targets[usize::from(*label)], logistic(line));
        // ln(1 + e^line), without overflow.
        loss += weight * (line.max(0.0) + (-line.abs()).exp().ln_1p() - target * line);
        let first = weight * (probability - target);
        let curve = weight * probability * (1.0 - probability);
        gradient[0] += first * margin;
        gradient[1] += first;
        second[0] += curve * margin * margin;
        second[1] += curve * margin;
        second[2] += curve;
    }
    (loss, gradient, second)
}

/// The step to where gradient and second derivatives put the minimum.
fn newton(gradient: [f64; 2], [slopes, both, intercepts]: [f64; 3]) -> [f64; 2] {
    let determinant = slopes * intercepts - both * both;
    [
        -(intercepts * gradient[0] - both * gradient[1]) / determinant,
        -(slopes * gradient[1] - both * gradient[0]) / determinant,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Random;
    use crate::learn::Calibration;

    #[test]
    fn the_line_is_found_again() {
        let mut random = Random::new(7);
        for (slope, intercept) in [(0.5, 1.0), (1.0, 0.0), (2.5, -1.5)] {
            let scores: Vec<Scored> = (0..40_000)
                .map(|at| {
                    let margin = 6.0 * random.unit() - 3.0;
                    let label = random.chance(logistic(slope * margin + intercept));
                    Scored { margin, label, weight: f64::from(1 + at % 2) }
                })
                .collect();
            let fit = Platt::fit(&scores).unwrap();
            assert!((fit.slope / slope - 1.0).abs() < 0.06, "{fit:?} for {slope}");
            assert!((fit.intercept - intercept).abs() < 0.08, "{fit:?} for {intercept}");
        }
    }

    #[test]
    fn a_weight_of_two_is_two_examples() {
        let mut random = Random::new(8);
        let mut weighted = Vec::new();
        let mut doubled = Vec::new();
        for at in 0..200 {
            let margin = random.unit();
            let one = Scored { margin, label: random.chance(margin), weight: 1.0 };
            weighted.push(Scored { weight: f64::from(1 + at % 2), ..one });
            doubled.extend(vec![one; 1 + at as usize % 2]);
        }
        let (a, b) = (Platt::fit(&weighted).unwrap(), Platt::fit(&doubled).unwrap());
        assert!((a.slope - b.slope).abs() < 1e-4 && (a.intercept - b.intercept).abs() < 1e-4, "{a:?} {b:?}");
    }

    #[test]
    fn no_line() {
        let score = |margin, label| Scored { margin, label, weight: 1.0 };
        for (scores, error) in [
            (vec![score(0.0, true), score(1.0, false)], UnusableScores::Reversed),
            (vec![score(1.0, true), score(1.0, false)], UnusableScores::Reversed),
            (vec![score(1.0, true)], UnusableScores::OneLabel),
            (vec![score(f64::INFINITY, true)], UnusableScores::Number(0)),
        ] {
            assert_eq!(Platt::fit(&scores), Err(error));
        }
        // What is parted without error has a slope all the same.
        let parted: Vec<Scored> = (0..20).map(|at| score(f64::from(at), at >= 10)).collect();
        let fit = Calibration::Platt(Platt::fit(&parted).unwrap());
        assert!(fit.probability(0.0) < 0.1 && fit.probability(19.0) > 0.9);
        assert_eq!([fit.probability(-1e300), fit.probability(1e300)], [0.01, 0.99]);
    }
}
