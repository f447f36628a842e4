//! What a stage changes: figures before and after, by kind, and which labels.

use std::collections::BTreeMap;

use super::chance::Groups;
use super::evaluation::{Held, shipped};
use super::training::Training;
use crate::stats::{
    Confusion, Difference, Estimate, Measure, Paired, Rated, Weighted, auc_estimate, difference, estimate,
    weighted_ece,
};

/// What a stage changes on rows that it did not see.
#[derive(Debug, Clone, PartialEq)]
pub struct Changes {
    /// As shipped.
    pub before: Figures,
    /// With the stage.
    pub after: Figures,
    /// How balanced accuracy differs.
    pub balanced_accuracy: Option<Difference>,
    /// Rows with another label.
    pub changed: Vec<Change>,
    /// By kind, those with the most rows first.
    pub slices: Vec<SliceChange>,
}

/// A row that gets another label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// Its place in the input, from 1.
    pub row: u64,
    /// Whether its calls are right.
    pub right: bool,
    /// Whether the stage says so.
    pub now: bool,
}

/// Figures of labels and confidences.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures {
    /// The mean of both recalls.
    pub balanced_accuracy: Option<Estimate>,
    /// How well right calls are ranked above wrong ones.
    pub auc: Option<Estimate>,
    /// How far confidences are from what comes true, where right and wrong calls are equally frequent.
    pub ece: Option<Estimate>,
}

/// What changes of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct SliceChange {
    /// The column that says which kind.
    pub column: String,
    /// The kind.
    pub value: String,
    /// Rows of it.
    pub rows: usize,
    /// How many of these were labelled as gold has it, and are now.
    pub right_before: usize,
    /// As above.
    pub right_after: usize,
}

/// Parts of 0 to 1 for the calibration error.
const BINS: usize = 10;

pub(super) fn changes(training: &Training, held: &Held) -> Changes {
    let rows = &training.material.rows;
    let groups = &training.foldings[held.folding].groups;
    let before = shipped(training);
    let after = &held.probabilities;
    let mut pairs: BTreeMap<u64, Paired> = BTreeMap::new();
    let (mut changed, mut slices) = (Vec::new(), vec![[0; 3]; training.material.slices.len()]);
    for (at, row) in rows.iter().enumerate() {
        let (then, now) = (before[at] >= 0.5, after[at] >= 0.5);
        pairs.entry(groups[at]).or_default().add(row.right, Some(then), Some(now));
        if then != now {
            changed.push(Change { row: row.number, right: row.right, now });
        }
        for slice in &row.slices {
            let [all, before, after] = &mut slices[*slice as usize];
            *all += 1;
            *before += usize::from(then == row.right);
            *after += usize::from(now == row.right);
        }
    }
    let pairs: Vec<Paired> = pairs.into_values().collect();
    let named = training.material.slices.iter().zip(slices);
    let mut slices: Vec<SliceChange> = named
        .map(|((column, value), [rows, right_before, right_after])| {
            let (column, value) = (column.clone(), value.clone());
            SliceChange { column, value, rows, right_before, right_after }
        })
        .collect();
    slices
        .sort_by(|a, b| b.rows.cmp(&a.rows).then_with(|| (&a.column, &a.value).cmp(&(&b.column, &b.value))));
    Changes {
        before: figures(training, groups, &before),
        after: figures(training, groups, after),
        balanced_accuracy: difference(Measure::BalancedAccuracy, &pairs),
        changed,
        slices,
    }
}

fn figures(training: &Training, groups: &[u64], probabilities: &[f64]) -> Figures {
    let rows = &training.material.rows;
    let mut numbers: BTreeMap<u64, u32> = BTreeMap::new();
    let mut tables: Vec<Confusion> = Vec::new();
    let mut rated = Vec::with_capacity(rows.len());
    for ((row, group), score) in rows.iter().zip(groups).zip(probabilities) {
        let cluster = *numbers.entry(*group).or_insert(tables.len() as u32);
        if cluster as usize == tables.len() {
            tables.push(Confusion::default());
        }
        tables[cluster as usize].add(row.right, Some(*score >= 0.5));
        rated.push(Rated { cluster, score: *score, gold: row.right });
    }
    let error = |times: &dyn Fn(usize) -> f64| {
        let weighted = rated.iter().enumerate().map(|(at, row)| Weighted {
            score: row.score,
            gold: row.gold,
            weight: training.measuring[at] * times(at),
        });
        weighted_ece(&weighted.filter(|row| row.weight > 0.0).collect::<Vec<_>>(), BINS)
    };
    let ece = error(&|_| 1.0).and_then(|value| Groups::new(groups).figure(value, training.seed, error));
    Figures {
        balanced_accuracy: estimate(Measure::BalancedAccuracy, &tables),
        auc: auc_estimate(&rated),
        ece,
    }
}
