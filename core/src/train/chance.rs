//! Bootstrap intervals over groups of rows.

use std::collections::BTreeMap;

use crate::domain::Random;
use crate::stats::Estimate;
use crate::stats::quantile::{normal_upper, t_quantile};

/// Groups that are drawn again, and how much each weighs.
#[derive(Debug)]
pub(super) struct Groups {
    /// The group of each row, counted from 0.
    of_row: Vec<usize>,
    /// Rows in each.
    sizes: Vec<f64>,
}

/// Draws for an interval.
const DRAWS: usize = 1000;

impl Groups {
    pub(super) fn new(groups: &[u64]) -> Groups {
        let mut places: BTreeMap<u64, usize> = BTreeMap::new();
        let mut sizes: Vec<f64> = Vec::new();
        let of_row = groups
            .iter()
            .map(|group| {
                let place = *places.entry(*group).or_insert(sizes.len());
                if place == sizes.len() {
                    sizes.push(0.0);
                }
                sizes[place] += 1.0;
                place
            })
            .collect();
        Groups { of_row, sizes }
    }

    /// The mean of `values` by `weights`, with an interval from draws of groups with replacement (B. Efron, "Bootstrap methods: another
    /// look at the jackknife", Annals of Statistics 7, 1979; of clusters: A. C. Davison and D. V. Hinkley, "Bootstrap Methods and their
    /// Application", 1997, section 3.8). Percentiles are moved outwards as a t-quantile is, since with few groups they are too near (T. C.
    /// Hesterberg, "What teachers should know about the bootstrap", The American Statistician 69, 2015, section 5.4). `None` where fewer
    /// than two groups count.
    pub(super) fn mean(&self, values: &[f64], weights: &[f64], seed: u64) -> Option<Estimate> {
        let mut parts = vec![(0.0, 0.0); self.sizes.len()];
        for ((group, value), weight) in self.of_row.iter().zip(values).zip(weights) {
            parts[*group].0 += value * weight;
            parts[*group].1 += weight;
        }
        parts.retain(|part| part.1 > 0.0);
        let of = |sum: (f64, f64)| sum.0 / sum.1;
        let add = |sum: (f64, f64), part: &(f64, f64)| (sum.0 + part.0, sum.1 + part.1);
        let value = of(parts.iter().fold((0.0, 0.0), add));
        let sizes: Vec<f64> = parts.iter().map(|part| part.1).collect();
        self.interval(value, &sizes, seed, |drawn| {
            Some(of(drawn.iter().map(|at| &parts[*at]).fold((0.0, 0.0), add)))
        })
    }

    /// A figure of drawn rows, `figure` of how many times each row was drawn.
    pub(super) fn figure(
        &self,
        value: f64,
        seed: u64,
        figure: impl Fn(&dyn Fn(usize) -> f64) -> Option<f64>,
    ) -> Option<Estimate> {
        self.interval(value, &self.sizes, seed, |drawn| {
            let mut times = vec![0.0; self.sizes.len()];
            drawn.iter().for_each(|at| times[*at] += 1.0);
            figure(&|row| times[self.of_row[row]])
        })
    }

    fn interval(
        &self,
        value: f64,
        sizes: &[f64],
        seed: u64,
        of: impl Fn(&[usize]) -> Option<f64>,
    ) -> Option<Estimate> {
        let (sum, squares) = sizes.iter().fold((0.0, 0.0), |sum, size| (sum.0 + size, sum.1 + size * size));
        // Few large groups know less than as many equal ones (Kish's effective number).
        let effective = sum * sum / squares;
        if sizes.len() < 2 || effective < 1.5 || !value.is_finite() {
            return None;
        }
        let mut random = Random::new(seed);
        let count = sizes.len();
        let mut drawn = vec![0; count];
        let mut figures: Vec<f64> = Vec::with_capacity(DRAWS);
        for _ in 0..DRAWS {
            drawn.iter_mut().for_each(|at| *at = ((random.unit() * count as f64) as usize).min(count - 1));
            figures.extend(of(&drawn));
        }
        figures.sort_by(f64::total_cmp);
        let reach = (effective / (effective - 1.0)).sqrt() * t_quantile(0.975, effective - 1.0);
        let tail = normal_upper(reach);
        let last = figures.len().checked_sub(1)? as f64;
        let at = |share: f64| figures[((share * last).round() as usize).min(figures.len() - 1)];
        Some(Estimate { value, low: at(tail).min(value), high: at(1.0 - tail).max(value) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_of_a_mean_is_about_that_of_student() {
        let values: Vec<f64> = (0..400).map(|at| f64::from(at % 10)).collect();
        let groups: Vec<u64> = (0..400).collect();
        let found = Groups::new(&groups).mean(&values, &vec![1.0; 400], 1).unwrap();
        // Ten digits have a standard deviation of 2.872.
        let half = 1.966 * 2.876 / 20.0;
        assert!((found.value - 4.5).abs() < 1e-9);
        assert!(
            (found.low - (4.5 - half)).abs() < 0.05 && (found.high - (4.5 + half)).abs() < 0.05,
            "{found:?}"
        );
        // Ten rows that always agree know as much as one.
        let tens: Vec<u64> = (0..400).map(|at| at % 10).collect();
        let wide = Groups::new(&tens).mean(&values, &vec![1.0; 400], 1).unwrap();
        assert!(wide.width() > 5.0 * found.width(), "{wide:?}");
        assert_eq!(Groups::new(&[7; 400]).mean(&values, &vec![1.0; 400], 1), None);
    }
}
