//! Estimates the share of right calls in logs without gold, from a judge with known error rates.

use super::clusters::{Part, proportion};
use super::confusion::Confusion;
use super::estimate::Estimate;
use super::figures::{correlation, pulls_of_share};
use super::measure::{Cells, Measure, cells};

/// Steps in which the interval is searched.
const STEPS: u32 = 2000;

/// A share of passed rows, corrected for the judge's errors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Corrected {
    /// The share that the judge passed.
    pub observed: Estimate,
    /// The share that is right.
    pub corrected: Estimate,
    /// The share of right calls that the judge passes, in the calibration set.
    pub sensitivity: Estimate,
    /// The share of wrong calls that the judge fails, in the calibration set.
    pub specificity: Estimate,
    /// Whether the corrected share came out below 0 or above 1, and was set to that end. By chance when the true share is near an
    /// end; else the calibration set is unlike the logs.
    pub clamped: bool,
}

/// Why a share cannot be corrected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NoInformation {
    /// The logs have no judged rows, or the calibration set no judged rows of one class.
    Missing,
    /// The judge may be no better than chance: the interval of sensitivity + specificity - 1 (given) is not above 0.
    ChanceLike(Estimate),
    /// No share between 0 and 1 explains what the judge passed in the logs (given), with the errors it makes in the calibration
    /// set: the calibration set is unlike the logs.
    Contradiction(Estimate),
}

/// The share of right calls in unlabelled logs, of which `observed` gives `(passed, judged)` per cluster, by a judge that
/// labelled a `calibration` set with gold, one table per cluster.
///
/// (observed + specificity - 1) / (sensitivity + specificity - 1): W. J. Rogan and B. Gladen, "Estimating prevalence from the
/// results of a screening test", American Journal of Epidemiology 107, 1978. The interval holds all shares p for which
/// observed - p sensitivity - (1 - p)(1 - specificity) may be 0 (E. C. Fieller, JRSS B 16, 1954), the interval of that sum put
/// together from those of its three parts, so it carries the error of both samples and stays within 0 to 1.
///
/// It assumes that the judge errs in the logs as it does in the calibration set; [`shifted`](super::shifted) looks for signs to
/// the contrary. Unjudged rows are left out of both.
pub fn corrected_share(
    observed: &[(u64, u64)],
    calibration: &[Confusion],
) -> Result<Corrected, NoInformation> {
    let logs: Vec<Part> = observed.iter().map(|(passed, judged)| (*passed as f64, *judged as f64)).collect();
    let tables: Vec<Cells> = calibration.iter().map(cells).collect();
    let parts = |of: Measure| -> Vec<Part> { tables.iter().filter_map(|table| of.share_of(table)).collect() };
    let [right, wrong] = [Measure::RecallCorrect, Measure::RecallIncorrect].map(parts);
    let known = (proportion(&logs), proportion(&right), proportion(&wrong));
    let (Some(observed), Some(sensitivity), Some(specificity)) = known else {
        return Err(NoInformation::Missing);
    };
    let together = correlation(&pulls_of_share(&right), &pulls_of_share(&wrong));
    let youden = Estimate::cautious_sum(&[(1.0, sensitivity), (1.0, specificity)], |_, _| together)
        .map(|sum| sum - 1.0);
    if youden.low <= 0.0 {
        return Err(NoInformation::ChanceLike(youden));
    }
    // Observed less what a share of p right calls would make the judge pass.
    let surplus = |p: f64| {
        let parts = [(1.0, observed), (-p, sensitivity), (1.0 - p, specificity)];
        let both = |i, j| if (i, j) == (1, 2) { together } else { 0.0 };
        Estimate::cautious_sum(&parts, both).map(|sum| sum - (1.0 - p))
    };
    let possible = |step: u32| surplus(f64::from(step) / f64::from(STEPS)).holds(0.0);
    let (Some(first), Some(last)) =
        ((0..=STEPS).find(|s| possible(*s)), (0..=STEPS).rev().find(|s| possible(*s)))
    else {
        return Err(NoInformation::Contradiction(observed));
    };
    let exact = (observed.value + specificity.value - 1.0) / youden.value;
    let value = exact.clamp(0.0, 1.0);
    let corrected = Estimate {
        value,
        low: (f64::from(first.saturating_sub(1)) / f64::from(STEPS)).min(value),
        high: (f64::from((last + 1).min(STEPS)) / f64::from(STEPS)).max(value),
    };
    Ok(Corrected { observed, corrected, sensitivity, specificity, clamped: exact != value })
}
