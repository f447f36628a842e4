//! Self-consistency: whether a judge gives the same label again.

use super::clusters::{Part, bounded_mean, coefficient_interval, root_mean_square, spread};
use super::estimate::Estimate;

/// What several labels of the same rows say about steadiness, for the rows of one cluster.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Repeats {
    /// Rows with at least two labels.
    rows: f64,
    /// Sum over rows of the share of pairs of labels that differ.
    flips: f64,
    /// Sum over rows of the share of labels that are "correct".
    positive: f64,
}

impl Repeats {
    /// Counts one row by all its labels; those that are missing are left out, and so is a row with fewer than two.
    pub fn add(&mut self, labels: &[Option<bool>]) {
        let given = labels.iter().flatten().count() as f64;
        if given < 2.0 {
            return;
        }
        let positive = labels.iter().flatten().filter(|label| **label).count() as f64;
        self.rows += 1.0;
        self.flips += 2.0 * positive * (given - positive) / (given * (given - 1.0));
        self.positive += positive / given;
    }
}

/// The probability that two labels of the same row differ, with its 95 % interval (that of a [`share`](super::share)). `None`
/// without rows that have two labels.
pub fn flip_rate(clusters: &[Repeats]) -> Option<Estimate> {
    bounded_mean(&clusters.iter().map(|cluster| (cluster.flips, cluster.rows)).collect::<Vec<_>>())
}

/// Fleiss' kappa over the repeats: agreement beyond what labels drawn at random with the same share of "correct" would give
/// (J. L. Fleiss, "Measuring nominal scale agreement among many raters", Psychological Bulletin 76, 1971), 1 for a judge that
/// never flips; rows with fewer labels weigh the same. Interval by the jackknife over clusters. `None` without rows that
/// have two labels, or when all labels are the same.
pub fn repeat_kappa(clusters: &[Repeats]) -> Option<Estimate> {
    let clusters: Vec<Repeats> = clusters.iter().copied().filter(|cluster| cluster.rows > 0.0).collect();
    let value = kappa(&sum(&clusters))?;
    let unknown = Some(Estimate::unknown(value, -1.0, 1.0));
    let flips: Vec<Part> = clusters.iter().map(|cluster| (cluster.flips, cluster.rows)).collect();
    let Some(spread) = spread(&flips) else { return unknown };
    let cases: f64 = flips.iter().map(|part| part.1).sum();
    let weight = root_mean_square(&flips.iter().map(|part| part.1).collect::<Vec<_>>());
    // Clusters that flip, and steady ones of either label, keep few rows that never flipped from passing for certainty.
    let pseudo = [(1.0, 0.5), (0.0, 1.0), (0.0, 0.0)].map(|(flips, positive)| Repeats {
        rows: weight,
        flips: weight * flips,
        positive: weight * positive,
    });
    let smoothed: Vec<Repeats> = clusters.iter().copied().chain(pseudo).collect();
    let whole = sum(&smoothed);
    let Some(middle) = kappa(&whole) else { return unknown };
    let pulls = smoothed.iter().map(|one| {
        let rest = Repeats {
            rows: whole.rows - one.rows,
            flips: whole.flips - one.flips,
            positive: whole.positive - one.positive,
        };
        Some(middle - kappa(&rest)?)
    });
    let Some(pulls) = pulls.collect::<Option<Vec<f64>>>() else { return unknown };
    Some(coefficient_interval(value, middle, &pulls, clusters.len(), (cases, spread)))
}

fn sum(clusters: &[Repeats]) -> Repeats {
    clusters.iter().fold(Repeats::default(), |all, one| Repeats {
        rows: all.rows + one.rows,
        flips: all.flips + one.flips,
        positive: all.positive + one.positive,
    })
}

fn kappa(all: &Repeats) -> Option<f64> {
    let share = all.positive / all.rows;
    let by_chance = 2.0 * share * (1.0 - share);
    (by_chance > 0.0).then(|| 1.0 - all.flips / all.rows / by_chance)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cluster(rows: &[&[Option<bool>]]) -> Repeats {
        let mut repeats = Repeats::default();
        rows.iter().for_each(|labels| repeats.add(labels));
        repeats
    }

    #[test]
    fn by_hand() {
        let (yes, no) = (Some(true), Some(false));
        let clusters = [
            cluster(&[&[yes, yes, no], &[yes, yes, yes]]),
            cluster(&[&[no, no, no], &[no, None, None]]),
            cluster(&[&[yes, None, yes]]),
        ];
        // Pairs that differ: 2 of 3, 0, 0, 0. Share of "correct": (2/3 + 1 + 0 + 1) / 4 = 2/3.
        let flips = flip_rate(&clusters).unwrap();
        assert!((flips.value - 1.0 / 6.0).abs() < 1e-12);
        let kappa = repeat_kappa(&clusters).unwrap();
        assert!((kappa.value - (1.0 - (1.0 / 6.0) / (4.0 / 9.0))).abs() < 1e-12);
        assert!(kappa.low < kappa.value && kappa.value < kappa.high);
        assert_eq!(flip_rate(&[cluster(&[&[yes]])]), None);
        assert_eq!(repeat_kappa(&[cluster(&[&[yes, yes]]), cluster(&[&[yes, yes]])]), None);
    }
}
