//! The learned part of the built-in judge: two experts per task, and a gate that weighs them for each row.
//!
//! One expert was fitted to calls like those of a public benchmark, which has the most labels; the other to everyday calls and
//! calls of other sources, on features that hold for any set of tools. The first decides rows that look like the benchmark's, the
//! second all others; in between, both count.

mod fit;
mod text;

use std::sync::{LazyLock, OnceLock};

pub use fit::{
    FittedGate, FittedTask, HeldOut, TrainingRow, UnusableRows, assemble, fit_gate, fit_task,
    without_category,
};

use crate::domain::CallTask;
use crate::learn::{Calibration, Forest};

/// The trees of one task.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Experts {
    /// Fitted to the benchmark's calls.
    near: Forest,
    /// Fitted to calls of other sources.
    wide: Forest,
    /// Of the first expert's margins, on rows like the benchmark's.
    near_odds: Calibration,
    /// Of the second expert's margins, on rows of a source that it had not seen.
    wide_odds: Calibration,
}

/// What the trees make of a row: the probability that the calls are right, where half of all calls are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Estimate(pub f64);

/// From this probability of being the benchmark's on, the first expert counts; from the second on, alone.
const NEAR_FROM: f64 = 0.8;
const NEAR_FULL: f64 = 0.95;

/// A later step of an agent this close to even odds is left open: nothing in the request tells whether it is due.
const DOUBT: f64 = 0.15;

impl Estimate {
    /// Why there had better be no verdict.
    pub(super) fn doubt(self, under_way: bool) -> Option<&'static str> {
        (under_way && (self.0 - 0.5).abs() < DOUBT)
            .then_some("after a tool's result, nothing tells clearly whether this step is right")
    }
}

impl Experts {
    fn estimate(&self, gate: &Forest, row: &[f32]) -> Estimate {
        let (first, second) = (self.near.margin(row), self.wide.margin(row));
        let near = nearness(gate.margin(row));
        let margin = mixed(first, second, near);
        let odds = |calibration: &Calibration| calibration.probability(margin);
        let probability = near * odds(&self.near_odds) + (1.0 - near) * odds(&self.wide_odds);
        Estimate(probability)
    }
}

/// Both experts' margins as one.
fn mixed(first: f64, second: f64, near: f64) -> f64 {
    near * first + (1.0 - near) * second
}

/// How much a row is the benchmark's, by the gate's log-odds.
fn nearness(gate: f64) -> f64 {
    let probability = 1.0 / (1.0 + (-gate).exp());
    ((probability - NEAR_FROM) / (NEAR_FULL - NEAR_FROM)).clamp(0.0, 1.0)
}

/// The file of the shipped judge; made by `tests/builtin_model.rs`, never by hand.
const FILE: &str = include_str!("builtin.jsonl");

/// The shipped judge. What a task needs is read when it is first judged by.
pub(super) struct Shipped {
    gate: Forest,
    tasks: [OnceLock<Experts>; 3],
}

static SHIPPED: LazyLock<Shipped> = LazyLock::new(|| Shipped {
    gate: text::gate(FILE).unwrap_or_else(|why| broken(&why)),
    tasks: Default::default(),
});

/// The file is compiled in and a test reads it: whoever breaks it builds this crate.
fn broken(why: &text::DamagedModel) -> ! {
    panic!("core/src/check/model/builtin.jsonl: {why}")
}

impl Shipped {
    /// The one there is.
    pub(super) fn get() -> &'static Shipped {
        &SHIPPED
    }

    pub(super) fn estimate(&self, row: &[f32], task: CallTask) -> Estimate {
        self.experts(task).estimate(&self.gate, row)
    }

    /// What each feature added to the log-odds that the calls are right.
    pub(super) fn contributions(&self, row: &[f32], task: CallTask) -> Vec<f64> {
        let experts = self.experts(task);
        let share = nearness(self.gate.margin(row));
        let mut all = vec![0.0; row.len()];
        for (expert, share) in [(&experts.near, share), (&experts.wide, 1.0 - share)] {
            expert.contributions(row).into_iter().for_each(|(column, of)| all[column] += of * share);
        }
        all
    }

    fn experts(&self, task: CallTask) -> &Experts {
        self.tasks[place(task)].get_or_init(|| text::experts(FILE, task).unwrap_or_else(|why| broken(&why)))
    }
}

/// A fingerprint of the shipped trees: a change of one digit changes it.
pub fn fingerprint() -> String {
    blake3::hash(FILE.as_bytes()).to_hex().to_string()
}

/// The tasks in the order of the file, and of all lists by task.
pub const TASKS: [CallTask; 3] =
    [CallTask::ToolCalling, CallTask::ParameterExtraction, CallTask::ToolSelection];

/// The place of a task among [`TASKS`].
fn place(task: CallTask) -> usize {
    TASKS.iter().position(|own| *own == task).unwrap_or(TASKS.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::check::features;

    #[test]
    fn the_shipped_file_is_read() {
        let row = vec![0.0; features::COLUMNS];
        for task in TASKS {
            let estimate = Shipped::get().estimate(&row, task);
            assert!((0.0..=1.0).contains(&estimate.0), "{estimate:?}");
        }
        assert!(FILE.len() <= 640_000);
    }

    proptest! {
        #[test]
        fn more_findings_never_raise_the_score(
            values in prop::collection::vec(-1.0f32..8.0, features::COLUMNS),
            more in prop::collection::vec(0.0f32..3.0, features::COLUMNS),
        ) {
            let worse: Vec<f32> = values
                .iter()
                .zip(&more)
                .zip(features::monotone())
                .map(|((value, more), direction)| value - f32::from(direction) * more)
                .collect();
            for task in TASKS {
                let [before, after] = [&values, &worse].map(|row| Shipped::get().estimate(row, task).0);
                prop_assert!(after <= before, "{before} {after}");
            }
        }
    }
}
