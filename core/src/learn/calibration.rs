//! Calibrates log-odds into probabilities.

use super::isotonic::Isotonic;
use super::platt::Platt;

/// No probability is below this, nor above 1 less this: examples are too few to be surer.
const LEAST: f64 = 0.01;

/// A growing function from log-odds to probabilities from 0.01 to 0.99.
#[derive(Debug, Clone, PartialEq)]
pub enum Calibration {
    /// Any growing function, in straight pieces: for many scores.
    Isotonic(Isotonic),
    /// A logistic curve: for few.
    Platt(Platt),
}

/// A score whose answer is known. It should be of an example that the score was not fitted to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    /// The log-odds that the answer is yes, as a forest gives them.
    pub margin: f64,
    /// Whether it is.
    pub label: bool,
    /// How many examples it stands for: above 0.
    pub weight: f64,
}

/// Why scores do not give a calibration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnusableScores {
    /// A margin that is not finite, or a weight that is not a finite number above 0.
    #[error("score {0} is not a finite number, or its weight is not one above 0")]
    Number(usize),
    /// No scores, or all with one answer.
    #[error("scores of both answers are needed")]
    OneLabel,
    /// "Yes" is no likelier at higher scores than at lower ones.
    #[error("the scores do not grow with the answer")]
    Reversed,
}

impl Calibration {
    /// The probability that the answer is yes, from 0.01 to 0.99. It never falls as the margin grows.
    pub fn probability(&self, margin: f64) -> f64 {
        let free = match self {
            Calibration::Isotonic(isotonic) => isotonic.value(margin),
            Calibration::Platt(platt) => platt.value(margin),
        };
        free.clamp(LEAST, 1.0 - LEAST)
    }
}

/// Refuses scores that nothing can be fitted to.
pub(super) fn check(scores: &[Scored]) -> Result<(), UnusableScores> {
    let is_usable =
        |score: &Scored| score.margin.is_finite() && score.weight.is_finite() && score.weight > 0.0;
    if let Some(at) = scores.iter().position(|score| !is_usable(score)) {
        return Err(UnusableScores::Number(at));
    }
    let right = scores.iter().filter(|score| score.label).count();
    if right == 0 || right == scores.len() {
        return Err(UnusableScores::OneLabel);
    }
    Ok(())
}
