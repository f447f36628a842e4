//! Figures of labels with confidences: how well they rank, and how far they are off.

use std::collections::BTreeMap;

use super::clusters::{Part, Spread, bounded_mean, freedom};
use super::estimate::Estimate;

/// One judged row with a confidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rated {
    /// Rows with the same number go together (all rows of one question).
    pub cluster: u32,
    /// How probable the judge makes it that the call is right, from 0 to 1.
    pub score: f64,
    /// Whether it is.
    pub gold: bool,
}

/// The mean squared distance between score and gold (1 for right, 0 for wrong) with its 95 % interval: 0 at best, 0.25 for one who
/// always says 0.5 (G. W. Brier, "Verification of forecasts expressed in terms of probability", Monthly Weather Review 78,
/// 1950). The interval is that of a [`share`](super::share) whose rows are successes in part. `None` without rows, or with a score
/// outside of 0 to 1.
pub fn brier(rated: &[Rated]) -> Option<Estimate> {
    if !all_probabilities(rated) {
        return None;
    }
    let mut clusters: BTreeMap<u32, Part> = BTreeMap::new();
    for row in rated {
        let part = clusters.entry(row.cluster).or_default();
        part.0 += (row.score - f64::from(u8::from(row.gold))).powi(2);
        part.1 += 1.0;
    }
    bounded_mean(&clusters.into_values().collect::<Vec<_>>())
}

/// Whether there are rows, all with a score from 0 to 1.
pub(super) fn all_probabilities(rated: &[Rated]) -> bool {
    !rated.is_empty() && rated.iter().all(|row| (0.0..=1.0).contains(&row.score))
}

/// The area under the ROC curve, see [`auc`](super::auc), with its 95 % interval. `None` when a class is missing or a score is not a
/// number; 0 to 1 where all rows are in one cluster.
///
/// The variance is that of the structural components of Mann and Whitney's statistic (E. R. DeLong, D. M. DeLong and D. L.
/// Clarke-Pearson, Biometrics 44, 1988), summed within clusters (N. A. Obuchowski, "Nonparametric analysis of clustered ROC
/// curve data", Biometrics 53, 1997); the interval is Wilson's on the effective number of cases that it gives. While
/// the variance is taken, four clusters of three quarters of the mean size join in, of each class one ranked above and one below all others, so that
/// a perfect ranking of few rows does not pass for certainty.
pub fn auc_estimate(rated: &[Rated]) -> Option<Estimate> {
    let (scores, gold): (Vec<f64>, Vec<bool>) = rated.iter().map(|row| (row.score, row.gold)).unzip();
    let value = super::auc(&scores, &gold)?;
    let mut sizes: BTreeMap<u32, [f64; 2]> = BTreeMap::new();
    for row in rated {
        sizes.entry(row.cluster).or_default()[usize::from(row.gold)] += 1.0;
    }
    let count = sizes.len();
    if count < 2 {
        return Some(Estimate::unknown(value, 0.0, 1.0));
    }
    let places: BTreeMap<u32, usize> = sizes.keys().enumerate().map(|(at, cluster)| (*cluster, at)).collect();
    let mut items: Vec<Item> = rated
        .iter()
        .map(|row| Item { place: places[&row.cluster], score: row.score, gold: row.gold, weight: 1.0 })
        .collect();
    let mean_size = |gold: bool| {
        let with: Vec<f64> = sizes.values().map(|s| s[usize::from(gold)]).filter(|s| *s > 0.0).collect();
        with.iter().sum::<f64>() / with.len() as f64
    };
    let ends = [f64::INFINITY, f64::NEG_INFINITY].into_iter().flat_map(|end| [(end, true), (end, false)]);
    items.extend(ends.enumerate().map(|(at, (score, gold))| Item {
        place: count + at,
        score,
        gold,
        weight: 0.75 * mean_size(gold),
    }));
    let (area, variance) = area_and_variance(&mut items, count + 4);
    let effective = area * (1.0 - area) / variance * count as f64 / (count as f64 + 4.0);
    let sizes: Vec<f64> = sizes.values().map(|size| size[0] + size[1]).collect();
    let alike = if sizes.iter().all(|size| *size == 1.0) { 0.0 } else { 1.0 };
    let spread =
        Spread { effective: effective.min(rated.len() as f64), freedom: freedom(&sizes, alike), least: None };
    let (low, high) = spread.interval(value);
    Some(Estimate { value, low, high })
}

/// A row that weighs something, at its cluster's place.
struct Item {
    place: usize,
    score: f64,
    gold: bool,
    weight: f64,
}

fn area_and_variance(items: &mut [Item], clusters: usize) -> (f64, f64) {
    items.sort_by(|a, b| a.score.total_cmp(&b.score));
    let weigh = |items: &[Item], gold: bool| -> f64 {
        items.iter().filter(|item| item.gold == gold).map(|item| item.weight).sum()
    };
    let (positives, negatives) = (weigh(items, true), weigh(items, false));
    let mut area = 0.0;
    let (mut positives_below, mut negatives_below) = (0.0, 0.0);
    let mut components: Vec<f64> = Vec::with_capacity(items.len());
    for ties in items.chunk_by(|a, b| a.score == b.score) {
        let (tied_positives, tied_negatives) = (weigh(ties, true), weigh(ties, false));
        for item in ties {
            let component = if item.gold {
                (negatives_below + tied_negatives / 2.0) / negatives
            } else {
                (positives - positives_below - tied_positives / 2.0) / positives
            };
            components.push(component);
            area += if item.gold { item.weight * component / positives } else { 0.0 };
        }
        positives_below += tied_positives;
        negatives_below += tied_negatives;
    }
    let mut pulls = vec![0.0; clusters];
    for (item, component) in items.iter().zip(components) {
        let class = if item.gold { positives } else { negatives };
        pulls[item.place] += item.weight * (component - area) / class;
    }
    let count = clusters as f64;
    (area, pulls.iter().map(|pull| pull * pull).sum::<f64>() * count / (count - 1.0))
}
