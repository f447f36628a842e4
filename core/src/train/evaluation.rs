//! Tests whether a candidate is better than the shipped judge on held-out rows.

use super::chance::Groups;
use super::groups::Grouping;
use super::training::Training;
use crate::check::MAX_WITH_FAULT;
use crate::check::StageKind;
use crate::learn::{Calibration, Isotonic, Platt, Scored};
use crate::stats::Estimate;

/// No probability is nearer to 0 or 1, of calibrations as of the shipped judge: else it would gain by boldness alone.
const LEAST: f64 = 0.01;
/// From so many rows on a calibration may be any growing function.
const ROWS_FOR_ANY_CURVE: usize = 1000;

/// A candidate and what it gained.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// Which candidate.
    pub kind: StageKind,
    /// By each way to hold rows out; empty where it could not be fitted.
    pub gains: Vec<Gain>,
    /// Why it could not be fitted.
    pub failure: Option<String>,
}

/// What a candidate gained on rows that were held out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gain {
    /// What was held out together.
    pub by: Grouping,
    /// How many groups there are.
    pub groups: usize,
    /// How much less the logarithmic loss of a row is than the shipped judge's, right and wrong rows weighed alike.
    pub over_shipped: Estimate,
    /// The same against saying of all rows that no fault settles how frequent right ones are: what looks at nothing.
    pub over_nothing: Estimate,
}

/// Margins and probabilities of all rows by a candidate that did not see them.
#[derive(Debug)]
pub(super) struct Held {
    pub folding: usize,
    pub margins: Vec<f64>,
    pub probabilities: Vec<f64>,
}

impl Evaluation {
    pub(super) fn failed(kind: StageKind, why: String) -> Evaluation {
        Evaluation { kind, gains: Vec::new(), failure: Some(why) }
    }

    /// Whether every gain is beyond chance.
    pub fn is_kept(&self) -> bool {
        !self.gains.is_empty() && self.lower_bound() > 0.0
    }

    /// The least of the lower ends of its gains.
    pub fn lower_bound(&self) -> f64 {
        let low = |gain: &Gain| gain.over_shipped.low.min(gain.over_nothing.low);
        self.gains.iter().map(low).fold(f64::INFINITY, f64::min)
    }
}

impl Held {
    /// Each fold is calibrated on the others.
    pub fn new(training: &Training, folding: usize, margins: Vec<f64>) -> Result<Held, String> {
        let folds = &training.foldings[folding].folds;
        let mut probabilities = shipped(training);
        for fold in 0..folds.count() {
            let is_open = |at: &u32| !training.material.rows[*at as usize].is_settled;
            let rest: Vec<u32> = folds.rest(fold).into_iter().filter(is_open).collect();
            let calibration = calibrate(training, &rest, &margins)?;
            for at in folds.held_out(fold).into_iter().filter(is_open) {
                probabilities[at as usize] = calibration.probability(margins[at as usize]);
            }
        }
        Ok(Held { folding, margins, probabilities })
    }
}

/// What the shipped judge says of each row, at even odds.
pub(super) fn shipped(training: &Training) -> Vec<f64> {
    let rows = training.material.rows.iter().zip(&training.margins);
    rows.map(|(row, margin)| {
        let probability = (1.0 / (1.0 + (-margin).exp())).clamp(LEAST, 1.0 - LEAST);
        if row.is_settled { probability.min(MAX_WITH_FAULT) } else { probability }
    })
    .collect()
}

/// The calibration of `margins` on these rows.
pub(super) fn calibrate(training: &Training, rows: &[u32], margins: &[f64]) -> Result<Calibration, String> {
    let scored = |at: &u32| {
        let at = *at as usize;
        Scored { margin: margins[at], label: training.material.rows[at].right, weight: training.learning[at] }
    };
    let scores: Vec<Scored> = rows.iter().map(scored).collect();
    // By all rows and not by those at hand: what is measured in folds must be what is written.
    let fitted = match training.open.len() {
        few if few < ROWS_FOR_ANY_CURVE => Platt::fit(&scores).map(Calibration::Platt),
        _ => Isotonic::fit(&scores).map(Calibration::Isotonic),
    };
    fitted.map_err(|why| why.to_string())
}

/// What `kind` gained, by each way to hold rows out.
pub(super) fn evaluate(training: &Training, kind: StageKind, held: &[Held]) -> Evaluation {
    let shipped = shipped(training);
    let rows = &training.material.rows;
    let losses = |probabilities: &[f64]| -> Vec<f64> {
        rows.iter().zip(probabilities).map(|(row, p)| -(if row.right { *p } else { 1.0 - p }).ln()).collect()
    };
    let before = losses(&shipped);
    // Of rows that no fault settles, how frequent right ones are: the best that can be said of all alike.
    let open: Vec<f64> = rows
        .iter()
        .zip(&training.measuring)
        .map(|(row, weight)| if row.is_settled { 0.0 } else { *weight })
        .collect();
    let right: f64 = rows.iter().zip(&open).filter(|(row, _)| row.right).map(|(_, weight)| weight).sum();
    let nothing = losses(&vec![right / open.iter().sum::<f64>(); rows.len()]);
    let mut gains = Vec::new();
    for one in held {
        let folding = &training.foldings[one.folding];
        let groups = Groups::new(&folding.groups);
        let after = losses(&one.probabilities);
        let gain = |from: &[f64], weights: &[f64]| {
            let differences: Vec<f64> = from.iter().zip(&after).map(|(from, after)| from - after).collect();
            groups.mean(&differences, weights, training.seed)
        };
        let (Some(over_shipped), Some(over_nothing)) =
            (gain(&before, &training.measuring), gain(&nothing, &open))
        else {
            return Evaluation::failed(kind, format!("too few groups of {}", folding.grouping.as_str()));
        };
        let groups = super::groups::count(&folding.groups);
        gains.push(Gain { by: folding.grouping, groups, over_shipped, over_nothing });
    }
    Evaluation { kind, gains, failure: None }
}
