//! Fits the shipped trees, and measures them on held-out rows.

use std::collections::{BTreeMap, BTreeSet};

use super::{Estimate, Experts, mixed, nearness, place, text};
use crate::check::features::{self, is_of_calls, is_of_habits, is_transferable};
use crate::domain::CallTask;
use crate::learn::{
    Calibration, Examples, FitError, Folds, Forest, Growth, Platt, Scored, UnusableExamples, UnusableScores,
};

/// A labelled sample.
#[derive(Debug, Clone)]
pub struct TrainingRow {
    /// As [`measure`](crate::check::measure) finds them.
    pub features: Vec<f32>,
    /// Whether it is right by each task: tool calling, parameter extraction, tool selection.
    pub right: [Option<bool>; 3],
    /// Where it comes from. Sources of one `family` are left out together.
    pub source: String,
    /// The source that its tools and questions are of; of the benchmark, the category.
    pub family: String,
    /// Rows of one question have the same.
    pub question: u64,
    /// Whether it is one of the benchmark's.
    pub near: bool,
    /// Whether it counts when sources are left out in turn, and tells the gate its source; others only help to fit.
    pub measured: bool,
    /// What its source weighs beside others, of each label: above 0.
    pub weight: f64,
    /// Whether it is only measured, by the trees that are shipped: never learned from.
    pub held: bool,
}

/// Why nothing can be fitted.
#[derive(Debug, thiserror::Error)]
pub enum UnusableRows {
    /// The table.
    #[error(transparent)]
    Examples(#[from] UnusableExamples),
    /// The settings.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// The scores to calibrate.
    #[error(transparent)]
    Scores(#[from] UnusableScores),
}

/// One row's estimate by trees that saw neither its question nor its source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeldOut {
    /// Which row.
    pub row: usize,
    /// Log-odds that it is right: of the experts alone, and of both.
    pub near: f64,
    /// Of the second.
    pub wide: f64,
    /// Of both, as they count.
    pub margin: f64,
    /// Calibrated.
    pub probability: f64,
}

impl HeldOut {
    /// Whether the judge had better not decide.
    pub fn is_doubtful(&self, under_way: bool) -> bool {
        Estimate(self.probability).doubt(under_way).is_some()
    }
}

/// The trees of a task, and what they are worth.
#[derive(Debug)]
pub struct FittedTask {
    experts: Experts,
    /// The benchmark's rows, each by trees that had not seen its question.
    pub near: Vec<HeldOut>,
    /// The other sources' rows, each by trees that had not seen its source; rows that are only measured, by those that are shipped.
    pub wide: Vec<HeldOut>,
}

/// The gate, and how near each row is by gates that had not seen its question or source.
#[derive(Debug)]
pub struct FittedGate {
    forest: Forest,
    /// Of each row.
    pub nearness: Vec<f64>,
}

const GROWTH: Growth = Growth {
    trees: 120,
    leaves: 12,
    depth: 6,
    min_rows: 40,
    learning_rate: 0.08,
    row_share: 0.8,
    column_share: 0.25,
    l2: 5.0,
    seed: 1,
};
const NEAR: Growth = Growth { trees: 160, learning_rate: 0.07, ..GROWTH };
const WIDE: Growth = Growth { trees: 240, leaves: 16, min_rows: 20, learning_rate: 0.06, ..GROWTH };
const GATE: Growth = Growth { trees: 50, leaves: 8, column_share: 0.5, ..GROWTH };
/// Parts of the benchmark's questions that are left out in turn.
const FOLDS: usize = 5;
const SEED: u64 = 20_261;

/// Rows of one label, ready to fit.
struct Sheet {
    examples: Examples,
    /// Of each example, its row; copies come behind the originals.
    rows: Vec<usize>,
    originals: usize,
}

/// What every question of every source and label weighs: each source and label what its rows say; in them each question by the root of
/// its rows.
fn weights(rows: &[(&TrainingRow, bool)]) -> Vec<f64> {
    let mut questions: BTreeMap<(&str, u64), f64> = BTreeMap::new();
    for (row, _) in rows {
        *questions.entry((row.source.as_str(), row.question)).or_default() += 1.0;
    }
    let root = |row: &TrainingRow| 1.0 / questions[&(row.source.as_str(), row.question)].sqrt();
    let mut sources: BTreeMap<(&str, bool), f64> = BTreeMap::new();
    for (row, right) in rows {
        *sources.entry((row.source.as_str(), *right)).or_default() += root(row);
    }
    let own = |(row, right): &(&TrainingRow, bool)| {
        row.weight * root(row) / sources[&(row.source.as_str(), *right)]
    };
    let raw: Vec<f64> = rows.iter().map(own).collect();
    let sum = |side: bool| {
        rows.iter().zip(&raw).filter(|((_, right), _)| *right == side).map(|(_, own)| own).sum::<f64>()
    };
    let sums = [sum(false), sum(true)];
    rows.iter()
        .zip(&raw)
        .map(|((_, right), own)| own / sums[usize::from(*right)] * rows.len() as f64)
        .collect()
}

/// The rows that have the label, with the features to keep; the others are 0 in all of them.
fn sheet(
    rows: &[TrainingRow],
    label: &dyn Fn(&TrainingRow) -> Option<bool>,
    keep: &dyn Fn(&str) -> bool,
) -> Result<Sheet, UnusableRows> {
    let chosen: Vec<(usize, bool)> = rows
        .iter()
        .enumerate()
        .filter(|(_, row)| !row.held)
        .filter_map(|(at, row)| Some((at, label(row)?)))
        .collect();
    let originals = chosen.len();
    let copies: Vec<(usize, bool)> = chosen.iter().step_by(COPIES).copied().collect();
    let chosen = [chosen, copies].concat();
    let labelled: Vec<(&TrainingRow, bool)> = chosen.iter().map(|(at, right)| (&rows[*at], *right)).collect();
    let keep: Vec<bool> = features::names().iter().map(|name| keep(name)).collect();
    let numbers = |(at, (row, _)): (usize, &(&TrainingRow, bool))| -> Vec<f32> {
        let mut values = row.features.clone();
        if at >= originals {
            features::without_shared_words(&mut values);
        }
        values.iter_mut().zip(&keep).filter(|(_, keep)| !**keep).for_each(|(value, _)| *value = 0.0);
        values
    };
    let mut weights = weights(&labelled[..originals]);
    weights.extend((0..originals).step_by(COPIES).map(|at| weights[at] * COPY).collect::<Vec<_>>());
    let examples = Examples::new(
        labelled.iter().enumerate().flat_map(numbers).collect(),
        features::COLUMNS,
        labelled.iter().map(|(_, right)| *right).collect(),
        weights,
        labelled.iter().map(|(row, _)| row.question).collect(),
    )?;
    Ok(Sheet { examples, rows: chosen.into_iter().map(|(at, _)| at).collect(), originals })
}

/// Every so many rows, one is learned from once more as if its request were in another language than its definitions; such a copy weighs
/// so much of a row.
const COPIES: usize = 4;
const COPY: f64 = 0.6;

impl Sheet {
    fn fit(
        &self,
        rows: &[TrainingRow],
        growth: &Growth,
        monotone: &[i8],
        of: &dyn Fn(&TrainingRow) -> bool,
    ) -> Result<Forest, FitError> {
        let chosen: Vec<u32> =
            (0u32..).zip(&self.rows).filter(|(_, row)| of(&rows[**row])).map(|(at, _)| at).collect();
        Forest::fit(&self.examples, &chosen, growth, monotone)
    }
}

/// The fold of each row's question; sources of one family share questions.
fn folds(rows: &[TrainingRow]) -> Vec<usize> {
    let questions: Vec<u64> = rows.iter().map(|row| row.question).collect();
    Folds::new(&questions, FOLDS, SEED).of_rows().to_vec()
}

/// The families that are left out in turn.
fn families(rows: &[TrainingRow]) -> BTreeSet<&str> {
    rows.iter().filter(|row| !row.near && row.measured && !row.held).map(|row| row.family.as_str()).collect()
}

/// Fits what tells the benchmark's rows from others.
///
/// # Errors
/// When the rows cannot be learned from.
pub fn fit_gate(rows: &[TrainingRow]) -> Result<FittedGate, UnusableRows> {
    let label = |row: &TrainingRow| (row.measured || row.near).then_some(row.near);
    let sheet = sheet(rows, &label, &is_of_habits)?;
    let forest = sheet.fit(rows, &GATE, &[], &|_| true)?;
    let fold = folds(rows);
    let mut near = vec![0.0; rows.len()];
    for out in 0..FOLDS {
        let held: BTreeSet<u64> =
            rows.iter().zip(&fold).filter(|(_, own)| **own == out).map(|(row, _)| row.question).collect();
        let gate = sheet.fit(rows, &GATE, &[], &|row| !held.contains(&row.question))?;
        for (at, row) in rows.iter().enumerate().filter(|(at, row)| row.near && fold[*at] == out) {
            near[at] = nearness(gate.margin(&row.features));
        }
    }
    for family in families(rows) {
        let gate = sheet.fit(rows, &GATE, &[], &|row| row.family != family)?;
        for (at, row) in rows.iter().enumerate().filter(|(_, row)| row.family == family) {
            near[at] = nearness(gate.margin(&row.features));
        }
    }
    for (at, row) in rows.iter().enumerate().filter(|(_, row)| row.held) {
        near[at] = nearness(forest.margin(&row.features));
    }
    Ok(FittedGate { forest, nearness: near })
}

/// Fits the experts of a task.
///
/// # Errors
/// When the rows cannot be learned from.
pub fn fit_task(rows: &[TrainingRow], gate: &FittedGate, task: CallTask) -> Result<FittedTask, UnusableRows> {
    let label = |row: &TrainingRow| row.right[place(task)];
    let monotone = features::monotone();
    let near = sheet(rows, &|row| label(row).filter(|_| row.near), &is_of_calls)?;
    let wide = sheet(rows, &|row| label(row).filter(|_| row.source != BENCHMARK_CALLS), &is_transferable)?;
    let all = |_: &TrainingRow| true;
    let first = near.fit(rows, &NEAR, &monotone, &all)?;
    let second = wide.fit(rows, &WIDE, &monotone, &all)?;
    let fold = folds(rows);
    let mut measured_near = Vec::new();
    for out in 0..FOLDS {
        let held: BTreeSet<u64> =
            rows.iter().zip(&fold).filter(|(_, own)| **own == out).map(|(row, _)| row.question).collect();
        let seen = |row: &TrainingRow| !held.contains(&row.question);
        let (a, b) = (near.fit(rows, &NEAR, &monotone, &seen)?, wide.fit(rows, &WIDE, &monotone, &seen)?);
        for at in near.rows[..near.originals].iter().copied().filter(|at| fold[*at] == out) {
            measured_near.push(estimate(rows, at, &a, &b, gate.nearness[at]));
        }
    }
    let mut measured_wide = Vec::new();
    for family in families(rows) {
        let b = wide.fit(rows, &WIDE, &monotone, &|row| row.family != family)?;
        for at in wide.rows[..wide.originals]
            .iter()
            .copied()
            .filter(|at| rows[*at].family == family && rows[*at].measured)
        {
            measured_wide.push(estimate(rows, at, &first, &b, gate.nearness[at]));
        }
    }
    let odds = |measured: &[HeldOut], of: fn(&HeldOut) -> f64| -> Result<Calibration, UnusableScores> {
        let labelled: Vec<(&TrainingRow, bool)> =
            measured.iter().filter_map(|own| Some((&rows[own.row], label(&rows[own.row])?))).collect();
        let scores: Vec<Scored> = measured
            .iter()
            .zip(&labelled)
            .zip(weights(&labelled))
            .map(|((own, (_, right)), weight)| Scored { margin: of(own), label: *right, weight })
            .collect();
        Platt::fit(&scores).map(Calibration::Platt)
    };
    // Only real calls: of made ones the share of each kind is whatever was made.
    let real: Vec<HeldOut> =
        measured_near.iter().filter(|own| rows[own.row].source == BENCHMARK_CALLS).copied().collect();
    let near_odds = odds(&real, |own| own.near)?;
    let wide_odds = odds(&measured_wide, |own| own.wide)?;
    let held = (0..rows.len()).filter(|at| rows[*at].held && label(&rows[*at]).is_some());
    measured_wide.extend(held.map(|at| estimate(rows, at, &first, &second, gate.nearness[at])));
    for own in measured_near.iter_mut().chain(&mut measured_wide) {
        let near = gate.nearness[own.row];
        own.probability =
            near * near_odds.probability(own.margin) + (1.0 - near) * wide_odds.probability(own.margin);
    }
    let experts = Experts { near: first, wide: second, near_odds, wide_odds };
    Ok(FittedTask { experts, near: measured_near, wide: measured_wide })
}

/// The source of the benchmark's real calls; all others of the benchmark are made of its answers.
const BENCHMARK_CALLS: &str = "bfcl";

/// What rows of each of the benchmark's categories are worth to trees that saw no row of it: the honest estimate for calls of a kind
/// that nobody labelled.
///
/// # Errors
/// When the rows cannot be learned from.
pub fn without_category(rows: &[TrainingRow], task: CallTask) -> Result<Vec<HeldOut>, UnusableRows> {
    let label = |row: &TrainingRow| row.right[place(task)];
    let monotone = features::monotone();
    let near = sheet(rows, &|row| label(row).filter(|_| row.near), &is_of_calls)?;
    let wide = sheet(rows, &|row| label(row).filter(|_| row.source != BENCHMARK_CALLS), &is_transferable)?;
    let habits = sheet(rows, &|row| (row.measured || row.near).then_some(row.near), &is_of_habits)?;
    let categories: BTreeSet<&str> =
        rows.iter().filter(|row| row.source == BENCHMARK_CALLS).map(|row| row.family.as_str()).collect();
    let mut measured = Vec::new();
    for category in categories {
        let other = |row: &TrainingRow| row.family != category;
        let (a, b) = (near.fit(rows, &NEAR, &monotone, &other)?, wide.fit(rows, &WIDE, &monotone, &other)?);
        let gate = habits.fit(rows, &GATE, &[], &other)?;
        let own = near.rows[..near.originals]
            .iter()
            .copied()
            .filter(|at| rows[*at].family == category && rows[*at].source == BENCHMARK_CALLS);
        measured.extend(own.map(|at| estimate(rows, at, &a, &b, nearness(gate.margin(&rows[at].features)))));
    }
    Ok(measured)
}

fn estimate(rows: &[TrainingRow], at: usize, near: &Forest, wide: &Forest, nearness: f64) -> HeldOut {
    let row = &rows[at].features;
    let (near, wide) = (near.margin(row), wide.margin(row));
    HeldOut { row: at, near, wide, margin: mixed(near, wide, nearness), probability: 0.0 }
}

/// The file of the judge, of tasks in the order tool calling, parameter extraction, tool selection.
pub fn assemble(gate: &FittedGate, tasks: [FittedTask; 3]) -> String {
    text::write(&gate.forest, &tasks.map(|own| own.experts))
}
