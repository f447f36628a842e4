//! Whether people who label the same rows agree.

use std::collections::{BTreeMap, BTreeSet};

use super::clusters::{Part, coefficient_interval, spread};
use super::estimate::Estimate;

/// Artificial rows that keep few rows without a disagreement from passing for certainty, by their sum.
const PSEUDO: f64 = 4.0;

/// Cohen's kappa of two raters: their agreement beyond what labels drawn at random with each rater's shares would give (J. Cohen, "A
/// coefficient of agreement for nominal scales", Educational and Psychological Measurement 20, 1960). 1 for raters that always agree,
/// about 0 for agreement by chance. Its 95 % interval by the jackknife over rows. `None` without rows, or when both gave one and the
/// same label to all.
pub fn cohen_kappa<L: Ord>(rows: &[(L, L)]) -> Option<Estimate> {
    let labels: BTreeSet<&L> = rows.iter().flat_map(|(first, second)| [first, second]).collect();
    let place: BTreeMap<&L, usize> = labels.into_iter().zip(0..).collect();
    let rows: Vec<Vec<usize>> =
        rows.iter().map(|(first, second)| vec![place[first], place[second]]).collect();
    coefficient(&rows, place.len(), |all| {
        let agreed = 1.0 - all.differ / all.rows;
        let by_chance: f64 =
            all.first.iter().zip(&all.second).map(|(first, second)| first * second).sum::<f64>()
                / all.rows.powi(2);
        (by_chance < 1.0 - 1e-12).then(|| (agreed - by_chance) / (1.0 - by_chance))
    })
}

/// Krippendorff's alpha of any number of raters, for labels without an order: 1 for raters that always agree, about 0 for labels drawn at
/// random (K. Krippendorff, "Computing Krippendorff's alpha-reliability", University of Pennsylvania, 2011). Each row holds the labels that
/// it got; rows with fewer than two are left out. Its 95 % interval by the jackknife over rows. `None` without rows that have two labels,
/// or when all labels are the same.
pub fn krippendorff_alpha<L: Ord>(rows: &[Vec<L>]) -> Option<Estimate> {
    let rows = || rows.iter().filter(|row| row.len() > 1);
    let labels: BTreeSet<&L> = rows().flatten().collect();
    let place: BTreeMap<&L, usize> = labels.into_iter().zip(0..).collect();
    let rows: Vec<Vec<usize>> = rows().map(|row| row.iter().map(|label| place[label]).collect()).collect();
    coefficient(&rows, place.len(), |all| {
        let squares: f64 = all.given.iter().map(|count| count * count).sum();
        let expected = all.labels.powi(2) - squares;
        (expected > 1e-9).then(|| 1.0 - (all.labels - 1.0) * all.differ_labels / expected)
    })
}

/// What rows add up to.
#[derive(Clone)]
struct Sums {
    rows: f64,
    /// Rows, each by the share of its pairs of labels that differ.
    differ: f64,
    /// Labels, and those by what each is.
    labels: f64,
    given: Vec<f64>,
    /// Labels, each row's by the share of its pairs that differ.
    differ_labels: f64,
    /// Rows by the label of the first rater, and of the second.
    first: Vec<f64>,
    second: Vec<f64>,
}

impl Sums {
    fn none(labels: usize) -> Sums {
        let zeros = vec![0.0; labels];
        let [given, first, second] = [zeros.clone(), zeros.clone(), zeros];
        Sums { rows: 0.0, differ: 0.0, labels: 0.0, given, differ_labels: 0.0, first, second }
    }

    /// Counts a row so many times.
    fn add(&mut self, row: &[usize], times: f64) {
        let share = differing(row);
        self.rows += times;
        self.differ += times * share;
        self.labels += times * row.len() as f64;
        self.differ_labels += times * share * row.len() as f64;
        row.iter().for_each(|label| self.given[*label] += times);
        self.first[row[0]] += times;
        self.second[row[1]] += times;
    }
}

/// The share of pairs of labels that differ.
fn differing(row: &[usize]) -> f64 {
    let mut counts: BTreeMap<usize, f64> = BTreeMap::new();
    row.iter().for_each(|label| *counts.entry(*label).or_default() += 1.0);
    let given = row.len() as f64;
    let same: f64 = counts.values().map(|count| count * (count - 1.0)).sum();
    1.0 - same / (given * (given - 1.0))
}

fn coefficient(rows: &[Vec<usize>], labels: usize, of: impl Fn(&Sums) -> Option<f64>) -> Option<Estimate> {
    let mut all = Sums::none(labels);
    rows.iter().for_each(|row| all.add(row, 1.0));
    let value = of(&all)?;
    let unknown = Some(Estimate::unknown(value, -1.0, 1.0));
    let differ: Vec<Part> = rows.iter().map(|row| (differing(row), 1.0)).collect();
    let Some(spread) = spread(&differ) else { return unknown };
    let weight = PSEUDO / (labels * labels) as f64;
    let pairs = (0..labels).flat_map(|first| (0..labels).map(move |second| vec![first, second]));
    let pseudo: Vec<Vec<usize>> = pairs.collect();
    pseudo.iter().for_each(|row| all.add(row, weight));
    let Some(middle) = of(&all) else { return unknown };
    let weighted = rows.iter().map(|row| (row, 1.0)).chain(pseudo.iter().map(|row| (row, weight)));
    let pulls = weighted.map(|(row, weight)| {
        let mut rest = all.clone();
        rest.add(row, -weight);
        Some(middle - of(&rest)?)
    });
    let Some(pulls) = pulls.collect::<Option<Vec<f64>>>() else { return unknown };
    Some(coefficient_interval(value, middle, &pulls, rows.len(), (rows.len() as f64, spread)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Random;

    fn near(estimate: Option<Estimate>, value: f64) -> Estimate {
        let estimate = estimate.unwrap();
        assert!((estimate.value - value).abs() < 5e-4, "{estimate:?}, and not {value}");
        assert!(estimate.low <= estimate.value && estimate.value <= estimate.high, "{estimate:?}");
        estimate
    }

    #[test]
    fn two_raters() {
        let rows = |counts: [usize; 4]| {
            let cells = [("y", "y"), ("y", "n"), ("n", "y"), ("n", "n")];
            cells.into_iter().zip(counts).flat_map(|(cell, times)| vec![cell; times]).collect::<Vec<_>>()
        };
        // Agreement .7; by chance .5 * .6 + .5 * .4 = .5.
        let few = near(cohen_kappa(&rows([20, 5, 10, 15])), 0.4);
        let many = near(cohen_kappa(&rows([200, 50, 100, 150])), 0.4);
        assert!(many.width() < few.width() / 2.5, "{many:?}, {few:?}");
        let agreed = near(cohen_kappa(&rows([10, 0, 0, 10])), 1.0);
        assert!(agreed.low < 0.9 && agreed.low > 0.4, "{agreed:?}");
        near(cohen_kappa(&rows([0, 10, 10, 0])), -1.0);
        assert_eq!(cohen_kappa(&rows([10, 0, 0, 0])), None);
        assert_eq!(cohen_kappa(&rows([0; 4])), None);
        near(cohen_kappa(&rows([0, 3, 0, 0])), 0.0);
    }

    #[test]
    fn many_raters() {
        // The example of the paper: 4 raters, 12 rows, not every rater labeled each.
        let rows: Vec<Vec<u32>> =
            ["111", "2232", "3333", "3333", "2222", "1234", "4444", "1121", "2222", "555", "11", "3"]
                .iter()
                .map(|row| row.chars().filter_map(|label| label.to_digit(10)).collect())
                .collect();
        near(krippendorff_alpha(&rows), 0.743);
        // Two raters, ten rows, six of them alike: 8 of 20 labels in pairs that differ, 1 - 19 * 8 / (400 - 14 * 14 - 6 * 6).
        let rows: Vec<Vec<u32>> = ["00", "11", "01", "00", "00", "00", "00", "01", "10", "10"]
            .iter()
            .map(|row| row.chars().filter_map(|label| label.to_digit(10)).collect())
            .collect();
        near(krippendorff_alpha(&rows), 1.0 - 19.0 * 8.0 / (400.0 - 14.0 * 14.0 - 6.0 * 6.0));
        assert_eq!(krippendorff_alpha(&[vec![1], vec![1, 1], vec![]]), None);
        assert_eq!(krippendorff_alpha::<u32>(&[]), None);
    }

    /// Raters who are right about that share of rows, each by chance of its own; `right` of the rows deserve a 1.
    fn drawn(rows: usize, raters: usize, right: f64, able: f64, random: &mut Random) -> Vec<Vec<bool>> {
        let row = |random: &mut Random| {
            let truth = random.unit() < right;
            (0..raters).map(|_| (random.unit() < able) == truth).collect()
        };
        (0..rows).map(|_| row(random)).collect()
    }

    #[test]
    fn intervals_hold_the_agreement_of_all_rows() {
        let random = &mut Random::new(7);
        let usual =
            [(20, 0.5, 0.9), (20, 0.8, 0.7), (100, 0.9, 0.95), (100, 0.5, 0.8)].map(|cell| (cell, 0.92));
        // Where one of the labels is rare, most samples miss what few rows say.
        for ((rows, right, able), least) in usual.into_iter().chain([((100, 0.98, 0.98), 0.84)]) {
            // The share of 1, and that of pairs that differ, among rows without number.
            let ones: f64 = right * able + (1.0 - right) * (1.0 - able);
            let truth = 1.0 - 2.0 * able * (1.0 - able) / (2.0 * ones * (1.0 - ones));
            let (mut kappas, mut alphas, mut held) = (0.0, 0.0, [0.0; 2]);
            for _ in 0..400 {
                let drawn = drawn(rows, 3, right, able, random);
                let pairs: Vec<(bool, bool)> = drawn.iter().map(|row| (row[0], row[1])).collect();
                if let Some(kappa) = cohen_kappa(&pairs) {
                    kappas += 1.0;
                    held[0] += f64::from(u8::from(kappa.holds(truth)));
                }
                if let Some(alpha) = krippendorff_alpha(&drawn) {
                    alphas += 1.0;
                    held[1] += f64::from(u8::from(alpha.holds(truth)));
                }
            }
            let held = [held[0] / kappas, held[1] / alphas];
            println!("{rows} rows, {right} of them 1, raters right about {able}: {held:?}");
            assert!(held.iter().all(|held| *held > least), "{rows} rows, {right}, {able}: {held:?}");
        }
    }
}
