//! Agreement on grades, where near misses count for more than far ones.

use super::clusters::{Part, coefficient_interval, root_mean_square, spread};
use super::estimate::Estimate;

/// What gold and labels say of the rows of one cluster, both as places on a scale of grades.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct GradePairs {
    rows: f64,
    /// Rows of which both say the same.
    alike: f64,
    gold: f64,
    label: f64,
    /// Sum over rows of both places' squares.
    squares: f64,
    products: f64,
}

impl GradePairs {
    /// Counts one row, by the places of its gold and its label on the scale, from 0.
    pub fn add(&mut self, gold: u8, label: u8) {
        *self = self.plus(&GradePairs::of(f64::from(gold), f64::from(label), 1.0), 1.0);
    }

    /// How many rows were counted.
    pub fn rows(&self) -> u64 {
        self.rows as u64
    }

    fn of(gold: f64, label: f64, rows: f64) -> GradePairs {
        GradePairs {
            rows,
            alike: if gold == label { rows } else { 0.0 },
            gold: rows * gold,
            label: rows * label,
            squares: rows * (gold * gold + label * label),
            products: rows * gold * label,
        }
    }

    fn plus(&self, other: &GradePairs, times: f64) -> GradePairs {
        GradePairs {
            rows: self.rows + times * other.rows,
            alike: self.alike + times * other.alike,
            gold: self.gold + times * other.gold,
            label: self.label + times * other.label,
            squares: self.squares + times * other.squares,
            products: self.products + times * other.products,
        }
    }

    /// One minus the mean squared distance of gold and label, divided by that of golds and labels paired at random. Both follow
    /// from sums over rows, so no table of grades is needed.
    fn kappa(&self) -> Option<f64> {
        let distance = self.squares - 2.0 * self.products;
        let by_chance = self.squares - 2.0 * self.gold * self.label / self.rows;
        (self.rows > 0.0 && by_chance > 1e-9 * self.squares).then(|| 1.0 - distance / by_chance)
    }
}

/// Cohen's kappa of gold and labels on a scale of `grades` grades, with quadratic weights: a disagreement counts by the square of the
/// distance in grades (J. Cohen, "Weighted kappa: nominal scale agreement with provision for scaled disagreement or partial
/// credit", Psychological Bulletin 70, 1968). Of two grades it is Cohen's kappa. With its 95 % interval, as kappa's: the jackknife over
/// clusters, with a cluster more for each corner of the table. `None` without rows, or where gold and labels are all one grade.
pub fn weighted_kappa(clusters: &[GradePairs], grades: u8) -> Option<Estimate> {
    let clusters: Vec<GradePairs> = clusters.iter().copied().filter(|cluster| cluster.rows > 0.0).collect();
    let sum = |pairs: &[GradePairs]| pairs.iter().fold(GradePairs::default(), |all, one| all.plus(one, 1.0));
    let value = sum(&clusters).kappa()?;
    let unknown = Some(Estimate::unknown(value, -1.0, 1.0));
    let alike: Vec<Part> = clusters.iter().map(|cluster| (cluster.alike, cluster.rows)).collect();
    let Some(spread) = spread(&alike) else { return unknown };
    let cases: f64 = alike.iter().map(|part| part.1).sum();
    let weight = root_mean_square(&alike.iter().map(|part| part.1).collect::<Vec<_>>());
    let last = f64::from(grades.saturating_sub(1));
    let corners = [(last, last), (last, 0.0), (0.0, last), (0.0, 0.0)];
    let pseudo = corners.map(|(gold, label)| GradePairs::of(gold, label, weight));
    let smoothed: Vec<GradePairs> = clusters.iter().copied().chain(pseudo).collect();
    let whole = sum(&smoothed);
    let Some(middle) = whole.kappa() else { return unknown };
    let pulls = smoothed.iter().map(|one| Some(middle - whole.plus(one, -1.0).kappa()?));
    let Some(pulls) = pulls.collect::<Option<Vec<f64>>>() else { return unknown };
    Some(coefficient_interval(value, middle, &pulls, clusters.len(), (cases, spread)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{Confusion, Measure, estimate};

    fn cluster(pairs: &[(u8, u8)]) -> GradePairs {
        let mut cluster = GradePairs::default();
        pairs.iter().for_each(|(gold, label)| cluster.add(*gold, *label));
        cluster
    }

    #[test]
    fn of_two_grades_it_is_kappa() {
        let rows = [[(1, 1), (1, 0)], [(0, 0), (0, 0)], [(1, 1), (0, 1)], [(1, 1), (0, 0)], [(0, 0), (1, 1)]];
        let pairs: Vec<GradePairs> = rows.iter().map(|rows| cluster(rows)).collect();
        let tables: Vec<Confusion> = rows
            .iter()
            .map(|rows| rows.iter().map(|(gold, label)| (*gold == 1, Some(*label == 1))).collect())
            .collect();
        let (found, expected) =
            (weighted_kappa(&pairs, 2).unwrap(), estimate(Measure::Kappa, &tables).unwrap());
        for (found, expected) in
            [(found.value, expected.value), (found.low, expected.low), (found.high, expected.high)]
        {
            assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
        }
    }

    #[test]
    fn near_misses_count_for_more_than_far_ones() {
        let gold = [0, 1, 2, 3, 4, 0, 1, 2, 3, 4];
        let value = |miss: fn(u8) -> u8| {
            let rows: Vec<GradePairs> = gold.iter().map(|gold| cluster(&[(*gold, miss(*gold))])).collect();
            weighted_kappa(&rows, 5).unwrap()
        };
        let (same, near, far) =
            (value(|grade| grade), value(|grade| (grade + 1).min(4)), value(|grade| 4 - grade));
        assert_eq!((same.value, far.value), (1.0, -1.0));
        assert!(near.value > 0.7 && near.value < 1.0);
        assert!(same.low < 1.0 && near.low < near.value && near.value < near.high && far.high > -1.0);
    }

    #[test]
    fn nothing_is_made_of_nothing() {
        assert_eq!(weighted_kappa(&[], 5), None);
        assert_eq!(weighted_kappa(&[GradePairs::default()], 5), None);
        assert_eq!(weighted_kappa(&[cluster(&[(3, 3), (3, 3)]), cluster(&[(3, 3)])], 5), None);
        assert_eq!(weighted_kappa(&[cluster(&[(0, 0)])], 5), None);
        // One cluster says nothing of how much clusters vary.
        let one = weighted_kappa(&[cluster(&[(0, 0), (4, 4)])], 5).unwrap();
        assert_eq!((one.value, one.low, one.high), (1.0, -1.0, 1.0));
        // Labels of one grade beside golds of several have nothing to do with them.
        assert_eq!(weighted_kappa(&[cluster(&[(0, 2), (4, 2)]), cluster(&[(2, 2)])], 5).unwrap().value, 0.0);
    }
}
