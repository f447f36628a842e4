//! Tests whether logs look like the calibration set that a correction is based on.

use super::clusters::{Part, spread};
use super::quantile::f_upper;

/// Parts of 0 to 1 that confidences are counted in, and one place more for rows that were not judged.
const BINS: usize = 10;
/// Places of a [`Histogram`]: ten tenths, and one for rows that were not judged.
pub const PLACES: usize = BINS + 1;

/// Rows of a cluster by how probable the judge made it that the call is right.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Histogram([u64; PLACES]);

impl Histogram {
    /// Rows in each tenth of 0 to 1, and rows that were not judged.
    pub(crate) fn counts(&self) -> [u64; PLACES] {
        self.0
    }

    /// The histogram with these [`counts`](Histogram::counts).
    pub(crate) fn of_counts(counts: [u64; PLACES]) -> Histogram {
        Histogram(counts)
    }

    /// Counts a row by that probability; one without, or one outside of 0 to 1, was not judged.
    pub fn add(&mut self, score: Option<f64>) {
        let place = match score {
            Some(score) if (0.0..=1.0).contains(&score) => ((score * BINS as f64) as usize).min(BINS - 1),
            _ => BINS,
        };
        self.0[place] += 1;
    }
}

/// How logs compare with the best mixture of right and wrong calls of the calibration set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shift {
    /// The share of right calls in that mixture.
    pub share: f64,
    /// The share of log rows that would have to move for both to look the same (total variation), from 0 to 1. Chance alone makes
    /// it larger the fewer rows there are.
    pub distance: f64,
    /// The probability of a fit at least as bad by chance, were the logs such a mixture.
    pub p: f64,
}

/// Compares the confidences of logs with those of a calibration set, given by cluster for `right` calls, `wrong` calls and `logs`.
/// `None` when one of them is empty, or when they fill fewer than three places, so that some mixture always fits.
///
/// When the logs differ from the calibration set only in how many calls are right, their histogram is a mixture of those of
/// right and of wrong calls (M. Saerens, P. Latinne and C. Decaestecker, "Adjusting the outputs of a classifier to new a priori
/// probabilities", Neural Computation 14, 2002). The mixture and both histograms are fitted together by expectation
/// maximisation, and the fit is tested by Pearson's statistic, on rows divided by their mean design effect, as F because that
/// effect is itself an estimate (J. N. K. Rao and A. J. Scott, JASA 76, 1981; D. R. Thomas and J. N. K. Rao, JASA 82, 1987).
/// Places with few rows are joined to their neighbours first.
///
/// It notices that the judge's confidence is spread in another way than any share of right calls explains: other tools, other
/// wording, more rows that cannot be judged. It cannot notice a judge that became worse in just the way that a smaller share of right
/// calls looks, nor anything that few rows hide.
pub fn shifted(right: &[Histogram], wrong: &[Histogram], logs: &[Histogram]) -> Option<Shift> {
    let samples = [right, wrong, logs];
    let designs = samples.map(design);
    let counts: Vec<[f64; PLACES]> =
        samples.iter().zip(designs).map(|(sample, (effect, _))| total(sample).map(|n| n / effect)).collect();
    let joined = join(&counts)?;
    let [right, wrong, logs] =
        [0, 1, 2].map(|sample| joined.iter().map(|place| place[sample]).collect::<Vec<f64>>());
    let sizes = [&right, &wrong, &logs].map(|counts| counts.iter().sum::<f64>());
    if sizes.iter().any(|size| *size <= 0.0) || joined.len() < 3 {
        return None;
    }
    let (share, fitted) = fit(&right, &wrong, &logs);
    let mixture: Vec<f64> = fitted.iter().map(|(r, w)| share * r + (1.0 - share) * w).collect();
    let rights: Vec<f64> = fitted.iter().map(|place| place.0).collect();
    let wrongs: Vec<f64> = fitted.iter().map(|place| place.1).collect();
    let total = misfit(&right, &rights) + misfit(&wrong, &wrongs) + misfit(&logs, &mixture);
    let distance =
        logs.iter().zip(&mixture).map(|(seen, fit)| (seen / sizes[2] - fit).abs()).sum::<f64>() / 2.0;
    let places = joined.len() as f64 - 2.0;
    let freedom = designs.iter().map(|(_, freedom)| *freedom).fold(f64::INFINITY, f64::min);
    Some(Shift { share, distance, p: f_upper(total / places, places, places * freedom) })
}

fn total(clusters: &[Histogram]) -> [f64; PLACES] {
    let mut sum = [0.0; PLACES];
    clusters.iter().for_each(|h| sum.iter_mut().zip(h.0).for_each(|(sum, count)| *sum += count as f64));
    sum
}

/// The mean design effect of the places' shares, each weighing as it does in a goodness-of-fit statistic, at least 1; and the mean
/// degrees of freedom behind it.
fn design(clusters: &[Histogram]) -> (f64, f64) {
    let counts = total(clusters);
    let rows: f64 = counts.iter().sum();
    let (mut effects, mut freedoms, mut weights) = (0.0, 0.0, 0.0);
    for (place, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0.0) {
        let parts: Vec<Part> =
            clusters.iter().map(|h| (h.0[place] as f64, h.0.iter().sum::<u64>() as f64)).collect();
        let (effect, freedom) =
            spread(&parts).map_or((rows, 0.1), |spread| (rows / spread.effective, spread.freedom));
        let weight = 1.0 - count / rows;
        effects += weight * effect;
        freedoms += weight * freedom;
        weights += weight;
    }
    if weights > 0.0 { ((effects / weights).max(1.0), freedoms / weights) } else { (1.0, f64::INFINITY) }
}

/// Places from low to high confidence, each with what the three samples have there, joined until five rows are expected in the smaller
/// of logs and calibration set, were they alike; rows that were not judged stay apart where there are as many. `None` without any.
fn join(counts: &[[f64; PLACES]]) -> Option<Vec<[f64; 3]>> {
    const FEWEST: f64 = 5.0;
    let sizes: Vec<f64> = counts.iter().map(|sample| sample.iter().sum()).collect();
    let fewest = FEWEST * sizes.iter().sum::<f64>() / sizes[2].min(sizes[0] + sizes[1]);
    let mut joined: Vec<[f64; 3]> = Vec::new();
    let mut open = [0.0; 3];
    for place in 0..PLACES {
        if place == BINS {
            close(&mut joined, &mut open);
        }
        open.iter_mut().zip(counts).for_each(|(sum, sample)| *sum += sample[place]);
        if open.iter().sum::<f64>() >= fewest {
            joined.push(std::mem::take(&mut open));
        }
    }
    close(&mut joined, &mut open);
    (!joined.is_empty()).then_some(joined)
}

/// Adds what is left over to the last place.
fn close(joined: &mut [[f64; 3]], open: &mut [f64; 3]) {
    if let Some(last) = joined.last_mut() {
        last.iter_mut().zip(std::mem::take(open)).for_each(|(sum, rest)| *sum += rest);
    }
}

/// The share of right calls in the logs, and the probabilities of each place for right and for wrong calls, that make all three
/// samples most likely.
fn fit(right: &[f64], wrong: &[f64], logs: &[f64]) -> (f64, Vec<(f64, f64)>) {
    const ROUNDS: usize = 2000;
    let sum = |counts: &[f64]| counts.iter().sum::<f64>();
    let (rights, wrongs, all) = (sum(right), sum(wrong), sum(logs));
    let mut share = 0.5;
    let mut fitted: Vec<(f64, f64)> =
        right.iter().zip(wrong).map(|(r, w)| ((r + 1e-3) / rights, (w + 1e-3) / wrongs)).collect();
    for _ in 0..ROUNDS {
        let taken: Vec<f64> = fitted
            .iter()
            .zip(logs)
            .map(|((r, w), seen)| {
                let both = share * r + (1.0 - share) * w;
                if both > 0.0 { seen * share * r / both } else { 0.0 }
            })
            .collect();
        let before = share;
        share = sum(&taken) / all;
        let (r_all, w_all) = (rights + sum(&taken), wrongs + all - sum(&taken));
        fitted = (0..logs.len())
            .map(|at| ((right[at] + taken[at]) / r_all, (wrong[at] + logs[at] - taken[at]) / w_all))
            .collect();
        if (share - before).abs() < 1e-10 {
            break;
        }
    }
    (share, fitted)
}

/// Pearson's statistic of `counts` under the probabilities `fitted`.
fn misfit(counts: &[f64], fitted: &[f64]) -> f64 {
    let all: f64 = counts.iter().sum();
    let expected = counts.iter().zip(fitted).map(|(count, fit)| (count, all * fit));
    expected.filter(|(_, fit)| *fit > 0.0).map(|(count, fit)| (count - fit).powi(2) / fit).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(scores: &[(f64, usize)]) -> Vec<Histogram> {
        let one = |score: f64| {
            let mut histogram = Histogram::default();
            histogram.add((score >= 0.0).then_some(score));
            histogram
        };
        scores.iter().flat_map(|(score, n)| std::iter::repeat_n(one(*score), *n)).collect()
    }

    #[test]
    fn a_mixture_is_no_shift_and_anything_else_is() {
        let right = rows(&[(0.95, 80), (0.55, 15), (0.1, 5)]);
        let wrong = rows(&[(0.95, 20), (0.55, 20), (0.1, 60)]);
        // 100 right and 100 wrong calls.
        let mixed = shifted(&right, &wrong, &rows(&[(0.95, 100), (0.55, 35), (0.1, 65)])).unwrap();
        assert!((mixed.share - 0.5).abs() < 1e-3 && mixed.distance < 1e-3 && mixed.p > 0.99, "{mixed:?}");
        let other = shifted(&right, &wrong, &rows(&[(0.95, 60), (0.55, 120), (0.1, 20)])).unwrap();
        assert!(other.p < 1e-6 && other.distance > 0.1, "{other:?}");
        let scores = [(0.95, 100), (0.55, 35), (0.1, 65), (-1.0, 60)];
        let unjudged = shifted(&right, &wrong, &rows(&scores)).unwrap();
        assert!(unjudged.p < 1e-6, "the calibration set has no such rows: {unjudged:?}");
        assert_eq!(shifted(&right, &wrong, &[]), None);
        assert_eq!(shifted(&rows(&[(0.95, 9)]), &rows(&[(0.1, 9)]), &rows(&[(0.95, 9), (0.1, 9)])), None);
    }
}
