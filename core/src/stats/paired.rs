//! Compares two judges on the same rows: which is better, and by how much.

use super::clusters::effective_clusters;
use super::confusion::Confusion;
use super::estimate::Estimate;
use super::figures::{correlation, estimate_cells, pulls, total};
use super::measure::{Cells, Measure, cells};
use super::significance::{mcnemar_exact, sign_flip, sign_flip_whole};

/// Rows of one cluster by gold and by what two judges, A and B, said about each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Paired {
    /// By gold, A's label and B's label, at their [`place`]s.
    counts: [[[u64; LABELS.len()]; LABELS.len()]; 2],
}

/// What a judge may say.
const LABELS: [Option<bool>; 3] = [Some(false), Some(true), None];

fn place(label: Option<bool>) -> usize {
    label.map_or(2, usize::from)
}

impl Paired {
    /// Counts one row: its gold, and the label A and B gave it, if they gave one.
    pub fn add(&mut self, gold: bool, a: Option<bool>, b: Option<bool>) {
        self.counts[usize::from(gold)][place(a)][place(b)] += 1;
    }

    /// The same rows with A and B exchanged.
    pub fn exchanged(&self) -> Paired {
        let mut exchanged = Paired::default();
        for (of, counts) in exchanged.counts.iter_mut().zip(&self.counts) {
            for (a, by_b) in counts.iter().enumerate() {
                by_b.iter().enumerate().for_each(|(b, rows)| of[b][a] = *rows);
            }
        }
        exchanged
    }

    /// Rows that both judged.
    pub(crate) fn judged(&self) -> u64 {
        self.both().0.judged()
    }

    /// Rows that both judged and only A judged rightly, and those that only B did.
    pub(crate) fn discordant(&self) -> (u64, u64) {
        let said =
            |gold: bool, a: bool, b: bool| self.counts[usize::from(gold)][place(Some(a))][place(Some(b))];
        (
            said(true, true, false) + said(false, false, true),
            said(true, false, true) + said(false, true, false),
        )
    }

    /// Both tables, of the rows that both judged.
    fn both(&self) -> (Confusion, Confusion) {
        let judged = |a: Option<bool>, b: Option<bool>| a.is_some() && b.is_some();
        (self.table(|a, b| (a, judged(a, b))), self.table(|a, b| (b, judged(a, b))))
    }

    /// The table of the label that `of` takes from A's and B's, where it says that the row counts.
    fn table(&self, of: impl Fn(Option<bool>, Option<bool>) -> (Option<bool>, bool)) -> Confusion {
        let mut table = Confusion::default();
        for (gold, by_label) in [false, true].into_iter().zip(&self.counts) {
            for (a, by_b) in LABELS.into_iter().zip(by_label) {
                for (b, rows) in LABELS.into_iter().zip(by_b) {
                    let (label, counts) = of(a, b);
                    table.add_many(gold, label, if counts { *rows } else { 0 });
                }
            }
        }
        table
    }
}

/// How two judges differ in a measure on the rows that both judged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// In what they differ.
    pub measure: Measure,
    /// The measure's value for A, on the rows that both judged.
    pub a: f64,
    /// The same for B.
    pub b: f64,
    /// B less A.
    pub difference: Estimate,
    /// The probability of a difference at least as large by chance, were they equally good.
    pub p: f64,
}

/// How A and B differ in `measure`; one table per cluster of rows that go together. Rows that one of them left unjudged are left
/// out for both. `None` where the measure is not defined for both.
///
/// The interval recovers each judge's own interval and how far both are pulled by the same clusters ([`Estimate`] of a sum; for
/// shares of single rows it is R. G. Newcombe's hybrid score interval, Statistics in Medicine 17, 1998). p is that of flipping the
/// signs of clusters: each contributes its part of the difference, as seen from halfway between both judges. For accuracy and the
/// recalls that is exact whenever judges that are equally good are as likely to be exchanged on any cluster; else it holds for
/// many clusters. Interval and p are made differently and may disagree when p is near 0.05.
pub fn difference(measure: Measure, clusters: &[Paired]) -> Option<Difference> {
    let (a_tables, b_tables): (Vec<Cells>, Vec<Cells>) = clusters
        .iter()
        .map(Paired::both)
        .filter(|(a, _)| a.judged() > 0)
        .map(|(a, b)| (cells(&a), cells(&b)))
        .unzip();
    let (a, b) = (estimate_cells(measure, &a_tables)?, estimate_cells(measure, &b_tables)?);
    let together = together(measure, &a_tables, &b_tables) * reliance(&a_tables);
    let (least, most) = measure.range();
    let found = Estimate::sum(&[(1.0, b), (-1.0, a)], |_, _| together);
    let found = Estimate { low: found.low.max(least - most), high: found.high.min(most - least), ..found };
    let p = match measure {
        Measure::Accuracy => paired_test(clusters).p,
        _ => sign_flip(&contributions(measure, &a_tables, &b_tables)).0,
    };
    Some(Difference { measure, a: a.value, b: b.value, difference: found, p })
}

/// How far both judges' figures go together from sample to sample. Four clusters more, in which one judge is right and the other
/// wrong, keep judges that never differed from being taken for the same.
fn together(measure: Measure, a: &[Cells], b: &[Cells]) -> f64 {
    let weight = total(a).iter().sum::<f64>() / a.len() as f64 / 4.0;
    let only = |at: usize| {
        let mut table = [0.0; 4];
        table[at] = weight;
        table
    };
    // Right and wrong on positives are cells 0 and 1, on negatives 3 and 2.
    let a: Vec<Cells> = a.iter().copied().chain([0, 1, 3, 2].map(only)).collect();
    let b: Vec<Cells> = b.iter().copied().chain([1, 0, 2, 3].map(only)).collect();
    match (pulls(measure, &a), pulls(measure, &b)) {
        (Some((_, a)), Some((_, b))) => correlation(&a, &b),
        _ => 0.0,
    }
}

/// How far a correlation over these clusters may be relied on, from 0 to 1: it is as if two of the effective clusters had gone the
/// other way. Where one cluster holds most rows every two judges seem to go together.
fn reliance(tables: &[Cells]) -> f64 {
    let clusters = effective_clusters(tables.iter().map(|table| table.iter().sum()));
    ((clusters - 1.0) / (clusters + 1.0)).max(0.0)
}

/// What each cluster adds to the difference, to first order about the mean of both judges' tables.
fn contributions(measure: Measure, a: &[Cells], b: &[Cells]) -> Vec<f64> {
    let both: Vec<Cells> = a.iter().chain(b).copied().collect();
    let slope = measure.gradient(&total(&both).map(|count| count / 2.0));
    let part = |(a, b): (&Cells, &Cells)| -> f64 { (0..4).map(|at| slope[at] * (b[at] - a[at])).sum() };
    a.iter().zip(b).map(part).collect()
}

/// How two judges were compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairedMethod {
    /// McNemar's exact test: no cluster has more than one row on which only one of both is right.
    McNemarExact,
    /// All choices of clusters' signs.
    SignFlipExact,
    /// Up to 9,999 choices of clusters' signs, always the same ones.
    SignFlipSampled,
}

/// Whether one of two judges is right more often, on the rows that both judged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairedTest {
    /// Which test gave `p`.
    pub method: PairedMethod,
    /// Rows that only A judged rightly.
    pub only_a_right: u64,
    /// Rows that only B judged rightly.
    pub only_b_right: u64,
    /// Clusters in which one of them is right more often. With fewer than six, p cannot fall below 0.05.
    pub clusters: u64,
    /// Two-sided.
    pub p: f64,
}

/// Compares how often A and B are right; one table per cluster of rows that go together.
///
/// Clusters with one such row at most: McNemar's exact test. Else the test that flips the signs of clusters' differences, which
/// keeps its level however alike the rows of a cluster are, and has McNemar's p on clusters when none differs by more than a row.
pub fn paired_test(clusters: &[Paired]) -> PairedTest {
    let discordant: Vec<(u64, u64)> = clusters.iter().map(Paired::discordant).collect();
    let (only_a_right, only_b_right) = discordant.iter().fold((0, 0), |sum, (a, b)| (sum.0 + a, sum.1 + b));
    let net: Vec<i64> =
        discordant.iter().map(|(a, b)| *b as i64 - *a as i64).filter(|net| *net != 0).collect();
    let (method, p) = if net.iter().all(|net| net.abs() == 1) {
        let ahead = net.iter().filter(|net| **net > 0).count() as u64;
        let method = match discordant.iter().all(|(a, b)| a + b <= 1) {
            true => PairedMethod::McNemarExact,
            false => PairedMethod::SignFlipExact,
        };
        (method, mcnemar_exact(net.len() as u64 - ahead, ahead))
    } else if let Some(p) = sign_flip_whole(&net) {
        (PairedMethod::SignFlipExact, p)
    } else {
        let net: Vec<f64> = net.iter().map(|net| *net as f64).collect();
        (PairedMethod::SignFlipSampled, sign_flip(&net).0)
    };
    PairedTest { method, only_a_right, only_b_right, clusters: net.len() as u64, p }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cluster with so many rows that only A, and only B, judged rightly.
    fn cluster(only_a: u64, only_b: u64) -> Paired {
        let mut cluster = Paired::default();
        (0..only_a).for_each(|_| cluster.add(true, Some(true), Some(false)));
        (0..only_b).for_each(|_| cluster.add(false, Some(true), Some(false)));
        cluster
    }

    #[test]
    fn the_test_is_named_for_what_it_is() {
        use PairedMethod::{McNemarExact, SignFlipExact};
        for (pairs, method, clusters) in [
            (&[(1, 0), (0, 1), (1, 0), (0, 0)][..], McNemarExact, 3),
            // Opposite rows of one cluster cancel out: McNemar's test would count them.
            (&[(1, 0), (0, 1), (1, 1)], SignFlipExact, 2),
            (&[(1, 0), (2, 1)], SignFlipExact, 2),
            (&[(1, 0), (2, 0)], SignFlipExact, 2),
        ] {
            let tables: Vec<Paired> = pairs.iter().map(|(a, b)| cluster(*a, *b)).collect();
            let found = paired_test(&tables);
            assert_eq!((found.method, found.clusters), (method, clusters), "{pairs:?}");
            let a = pairs.iter().map(|pair| pair.0).sum::<u64>();
            assert_eq!(found.only_a_right, a, "every row is told: {pairs:?}");
        }
    }
}
