//! Estimates the share of right calls in logs with gold for some rows (prediction-powered inference).

use super::clusters::{Part, Spread, proportion, root_mean_square, spread, total};
use super::confusion::Confusion;
use super::estimate::Estimate;

/// The share of right calls in logs whose rows a judge labelled, and some of which, drawn at random by cluster, have gold too.
/// `unlabelled` gives `(passed, judged)` per cluster without gold, `labelled` a table per cluster with gold. Unjudged rows are left
/// out. `None` without judged rows with gold; without others it is the share among those with gold.
///
/// Prediction-powered inference with power tuning (A. N. Angelopoulos, J. C. Duchi and T. Zrnic, "PPI++: efficient
/// prediction-powered inference", 2023): the share in gold, plus lambda times how much more often the judge passes rows without
/// gold than rows with it, lambda chosen so that the variance over clusters is least. A judge that knows nothing gets lambda 0 and
/// costs nothing; unlike [`corrected_share`](super::corrected_share) nothing is assumed about its errors.
pub fn prediction_powered_share(unlabelled: &[(u64, u64)], labelled: &[Confusion]) -> Option<Estimate> {
    let judged = |table: &&Confusion| table.judged() > 0;
    let of = |part: fn(&Confusion) -> u64| -> Vec<Part> {
        labelled.iter().filter(judged).map(|t| (part(t) as f64, t.judged() as f64)).collect()
    };
    let gold = of(|t| t.true_positive + t.false_negative);
    let passed = of(|t| t.true_positive + t.false_positive);
    let others: Vec<Part> =
        unlabelled.iter().filter(|part| part.1 > 0).map(|part| (part.0 as f64, part.1 as f64)).collect();
    let (truth, seen) = (share_of(&gold)?, share_of(&passed)?);
    let own_spread = spread(&gold);
    let Some(elsewhere) = share_of(&others).filter(|_| others.len() > 1) else {
        return proportion(&gold);
    };
    let Some(spread) = own_spread else { return Some(Estimate::unknown(truth, 0.0, 1.0)) };
    // Two clusters on which the judge is wrong keep few on which it is right from passing for certainty.
    let weight = root_mean_square(&gold.iter().map(|part| part.1).collect::<Vec<_>>()) / 2.0;
    let (all, none) = ((weight, weight), (0.0, weight));
    let with = |parts: &[Part], pseudo: [Part; 2]| parts.iter().copied().chain(pseudo).collect::<Vec<_>>();
    let gold_pulls = residuals(&with(&gold, [all, none]));
    let seen_pulls = residuals(&with(&passed, [none, all]));
    let other_pulls = residuals(&others);
    let product = |a: &[f64], b: &[f64]| -> f64 {
        let count = a.len() as f64;
        a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() * count / (count - 1.0).max(1.0)
    };
    let mut elsewhere_noise = product(&other_pulls, &other_pulls);
    // A few clusters that happen to be alike do not show how much such clusters differ; all of them do.
    if others.len() < FEW {
        let all: Vec<Part> = passed.iter().chain(&others).copied().collect();
        let cases = |parts: &[Part]| parts.iter().map(|part| part.1).sum::<f64>();
        let pulls = residuals(&all);
        elsewhere_noise = elsewhere_noise.max(product(&pulls, &pulls) * cases(&all) / cases(&others));
    }
    let noise = product(&seen_pulls, &seen_pulls) + elsewhere_noise;
    let common = product(&gold_pulls, &seen_pulls);
    let lambda = if noise > 0.0 { (common / noise).clamp(0.0, 1.0) } else { 0.0 };
    // Whatever the rows without gold are, the share among all of them lies between these.
    let (right, known) = total(&gold);
    let rows: f64 = known + total(&others).1;
    let value = (truth + lambda * (elsewhere - seen)).clamp(right / rows, (right + rows - known) / rows);
    // How much of the variance of the share in gold remains, applied to what that share's own interval rests on.
    let own = product(&gold_pulls, &gold_pulls);
    let remains = if own > 0.0 { 1.0 - (2.0 * lambda * common - lambda * lambda * noise) / own } else { 1.0 };
    let effective = (spread.effective / remains.max(1e-9)).min(rows);
    let freedom = spread.freedom.min(gold.len() as f64 - 1.0);
    // With the judge's part it is no share of these clusters alone, whose variance would have a bound.
    let least = spread.least.filter(|_| lambda == 0.0);
    let (low, high) = Spread { effective, freedom, least }.interval(value);
    Some(Estimate { value, low, high })
}

/// So many clusters tell by themselves how much they differ.
const FEW: usize = 30;

fn share_of(parts: &[Part]) -> Option<f64> {
    let (part, whole) = total(parts);
    (whole > 0.0).then(|| part / whole)
}

/// What each cluster adds to the share beyond its due.
fn residuals(parts: &[Part]) -> Vec<f64> {
    let cases: f64 = parts.iter().map(|part| part.1).sum();
    let share = share_of(parts).unwrap_or(0.0);
    parts.iter().map(|part| (part.0 - share * part.1) / cases).collect()
}
