//! Calibration: whether calls with a probability of 80 % are right 80 times in 100.

use std::collections::BTreeMap;

use super::clusters::{Part, freedom, proportion};
use super::estimate::Estimate;
use super::quantile::{Z, t_quantile};
use super::rated::{Rated, all_probabilities};
use crate::domain::Random;

/// Resamples behind the interval of the calibration error, and their seed.
const RESAMPLES: usize = 1000;
const SEED: u64 = 95;

/// Rows whose score is from `low` up to `high`.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Bin {
    /// From here, included.
    pub low: f64,
    /// Up to here: excluded, but for 1.
    pub high: f64,
    /// Rows.
    pub n: u64,
    /// Mean of their scores.
    pub mean_score: f64,
    /// The share of them that is right.
    pub share: Estimate,
}

/// The reliability diagram: rows by score in `bins` equal parts of 0 to 1 (the upper end belongs to the next, 1 to the last),
/// empty ones left out. Empty when there are no bins, no rows, or a score outside of 0 to 1.
pub fn reliability(rated: &[Rated], bins: usize) -> Vec<Bin> {
    if bins == 0 || !all_probabilities(rated) {
        return Vec::new();
    }
    let mut clusters: Vec<BTreeMap<u32, Part>> = vec![BTreeMap::new(); bins];
    let mut scores = vec![0.0; bins];
    for row in rated {
        let bin = bin_of(row.score, bins);
        scores[bin] += row.score;
        let part = clusters[bin].entry(row.cluster).or_default();
        part.0 += f64::from(u8::from(row.gold));
        part.1 += 1.0;
    }
    let found = clusters.into_iter().zip(scores).enumerate().filter_map(|(at, (parts, score))| {
        let parts: Vec<Part> = parts.into_values().collect();
        let n: f64 = parts.iter().map(|part| part.1).sum();
        Some(Bin {
            low: at as f64 / bins as f64,
            high: (at + 1) as f64 / bins as f64,
            n: n as u64,
            mean_score: score / n,
            share: proportion(&parts)?,
        })
    });
    found.collect()
}

/// Which of equal parts of 0 to 1 a score belongs to.
pub(super) fn bin_of(score: f64, bins: usize) -> usize {
    ((score * bins as f64) as usize).min(bins - 1)
}

/// The expected calibration error with its 95 % interval: the mean distance between score and share of right calls over `bins` equal
/// parts of 0 to 1, weighed by rows (M. P. Naeini, G. F. Cooper and M. Hauskrecht, "Obtaining well calibrated probabilities
/// using Bayesian binning", AAAI 2015). `None` without bins or rows, with a score outside of 0 to 1, or with one cluster only.
///
/// The figure is too high for few rows, because chance errors of bins do not cancel. The interval knows: it is all errors whose
/// distance from the one seen, summed over bins, chance explains (triangle inequality; the distance by flipping the signs of
/// clusters' residuals at random, C. F. J. Wu, Annals of Statistics 14, 1986). It is cautious, often much too wide upwards.
pub fn ece(rated: &[Rated], bins: usize) -> Option<Estimate> {
    if bins == 0 || !all_probabilities(rated) {
        return None;
    }
    let mut clusters: BTreeMap<u32, (f64, Vec<f64>)> = BTreeMap::new();
    let mut gaps = vec![0.0; bins];
    let mut filled = vec![false; bins];
    for row in rated {
        let bin = bin_of(row.score, bins);
        let gap = row.score - f64::from(u8::from(row.gold));
        let cluster = clusters.entry(row.cluster).or_insert_with(|| (0.0, vec![0.0; bins]));
        cluster.0 += 1.0;
        cluster.1[bin] += gap;
        gaps[bin] += gap;
        filled[bin] = true;
    }
    let (n, count) = (rated.len() as f64, clusters.len() as f64);
    if clusters.len() < 2 {
        return None;
    }
    let value = gaps.iter().map(|gap| gap.abs()).sum::<f64>() / n;
    let mut residuals: Vec<Vec<f64>> = clusters
        .values()
        .map(|(rows, own)| own.iter().zip(&gaps).map(|(own, all)| (own - rows * all / n) / n).collect())
        .collect();
    // A bin whose rows all came out alike is not certain to: two rows of the mean cluster, one right and one wrong, join in.
    let pseudo = (n / count).sqrt() / n / 2.0;
    for bin in (0..bins).filter(|bin| filled[*bin]) {
        let mut residual = vec![0.0; bins];
        residual[bin] = pseudo;
        residuals.push(residual);
    }
    let mut random = Random::new(SEED);
    let mut distances: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let mut sums = vec![0.0; bins];
            for residual in &residuals {
                let sign = if random.chance(0.5) { 1.0 } else { -1.0 };
                sums.iter_mut().zip(residual).for_each(|(sum, own)| *sum += sign * own);
            }
            sums.iter().map(|sum| sum.abs()).sum()
        })
        .collect();
    distances.sort_by(f64::total_cmp);
    let sizes: Vec<f64> = clusters.values().map(|cluster| cluster.0).collect();
    let alike = if sizes.iter().all(|size| *size == 1.0) { 0.0 } else { 1.0 };
    let few = t_quantile(0.975, freedom(&sizes, alike)) / Z * (count / (count - 1.0)).sqrt();
    let reach = distances[RESAMPLES * 95 / 100] * few;
    Some(Estimate { value, low: (value - reach).max(0.0), high: (value + reach).min(1.0) })
}
