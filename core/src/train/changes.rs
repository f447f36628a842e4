//! The effect of a trained stage: figures before and after, by kind, and which labels change.

use std::collections::BTreeMap;

use super::chance::Groups;
use super::evaluation::{Held, shipped};
use super::material::TrainingRow;
use super::training::Training;
use crate::check::leaves_open;
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
    /// Its place among the rows that were read, from 1.
    pub row: u64,
    /// Whether its calls are right.
    pub right: bool,
    /// Whether the stage says so; nothing where it abstains.
    pub now: Option<bool>,
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
    /// The share of rows without a label, because the judge abstains: after a tool's result, where it is close.
    pub abstained: f64,
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
    /// How many passed, and do now.
    pub passed_before: usize,
    /// As above.
    pub passed_after: usize,
}

/// Parts of 0 to 1 for the calibration error.
const BINS: usize = 10;

pub(super) fn changes(training: &Training, held: &Held) -> Changes {
    let rows = &training.material.rows;
    let groups = &training.foldings[held.folding].groups;
    let before = shipped(training);
    let after = &held.probabilities;
    let mut pairs: BTreeMap<u64, Paired> = BTreeMap::new();
    let (mut changed, mut slices) = (Vec::new(), vec![[0; 5]; training.material.slices.len()]);
    for (at, row) in rows.iter().enumerate() {
        let (then, now) = (label(row, before[at]), label(row, after[at]));
        pairs.entry(groups[at]).or_default().add(row.right, then, now);
        if then != now {
            changed.push(Change { row: row.number, right: row.right, now });
        }
        for slice in &row.slices {
            let [all, before, after, passed_before, passed_after] = &mut slices[*slice as usize];
            *all += 1;
            *passed_before += usize::from(then == Some(true));
            *passed_after += usize::from(now == Some(true));
            *before += usize::from(then == Some(row.right));
            *after += usize::from(now == Some(row.right));
        }
    }
    let pairs: Vec<Paired> = pairs.into_values().collect();
    let named = training.material.slices.iter().zip(slices);
    let mut slices: Vec<SliceChange> = named
        .map(|((column, value), [rows, right_before, right_after, passed_before, passed_after])| {
            let (column, value) = (column.clone(), value.clone());
            SliceChange { column, value, rows, right_before, right_after, passed_before, passed_after }
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

/// What the judge says at that probability, as [`BuiltinJudge`](crate::check::BuiltinJudge) does.
fn label(row: &TrainingRow, probability: f64) -> Option<bool> {
    let is_open = !row.is_settled && leaves_open(probability, row.under_way);
    (!is_open).then_some(probability >= 0.5)
}

fn figures(training: &Training, groups: &[u64], probabilities: &[f64]) -> Figures {
    let rows = &training.material.rows;
    let mut numbers: BTreeMap<u64, u32> = BTreeMap::new();
    let mut tables: Vec<Confusion> = Vec::new();
    let mut rated = Vec::with_capacity(rows.len());
    let mut open = 0;
    for ((row, group), score) in rows.iter().zip(groups).zip(probabilities) {
        let cluster = *numbers.entry(*group).or_insert(tables.len() as u32);
        if cluster as usize == tables.len() {
            tables.push(Confusion::default());
        }
        let said = label(row, *score);
        open += usize::from(said.is_none());
        tables[cluster as usize].add(row.right, said);
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
        abstained: open as f64 / rows.len().max(1) as f64,
        balanced_accuracy: estimate(Measure::BalancedAccuracy, &tables),
        auc: auc_estimate(&rated),
        ece,
    }
}
