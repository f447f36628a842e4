//! One judge with one template, and its labels of the rows.

use std::collections::HashSet;

use serde_json::Value;

use super::{FindingMatches, Scale, Usage};
use crate::check::BaseRate;
use crate::domain::{Status, Task};

/// Who takes part in a benchmark.
#[derive(Debug, Clone, Default)]
pub struct Contender {
    /// As users name it.
    pub judge: String,
    /// The template's name; the task's for the built-in judge and baselines.
    pub template: String,
    /// The task that is judged; absent for a template that names none.
    pub task: Option<Task>,
    /// Whether it is only there for judges to be measured beside.
    pub baseline: bool,
    /// Which of the rows' golds it is measured by.
    pub gold: usize,
    /// What it rests on: endpoint, model, parameters, the template's hash.
    pub record: Value,
    /// What its confidences rest on.
    pub base_rate: BaseRate,
    /// The order of its labels, where they are grades.
    pub scale: Option<Scale>,
    /// What it said, each time that it was asked everything.
    pub repeats: Vec<Predictions>,
}

/// Labels for all rows, in their order.
#[derive(Debug, Clone, Default)]
pub struct Predictions {
    /// Whether the row was labelled as right; `None` without a label.
    pub labels: Vec<Option<bool>>,
    /// The probability that the call is right, with or without a label; not a number where the judge gave none.
    pub probabilities: Vec<f32>,
    /// The grade of each row's label; empty where labels are not grades.
    pub grades: Vec<Option<u8>>,
    /// What was found wrong with rows whose gold says what is; absent where no findings were asked for.
    pub findings: Option<FindingMatches>,
    /// How each row ended; empty for who was not asked.
    pub statuses: Vec<Status>,
    /// Of rows without a label, those in which the judge found no evidence; empty where there are none.
    pub without_evidence: HashSet<usize>,
    /// Rows that a judge that looks first settled; empty where none does.
    pub settled: HashSet<usize>,
    /// Of all rows, whether or not they have the gold that the contender is measured by.
    pub usage: Usage,
}

impl Predictions {
    /// Adds a row's label, and how probable the judge makes it that the call is right.
    pub fn push(&mut self, label: Option<bool>, p_correct: Option<f64>, status: Status) {
        self.labels.push(label);
        self.probabilities.push(p_correct.map_or(f32::NAN, |probability| probability as f32));
        self.statuses.push(status);
    }

    /// The probability that the call of `row` is right, where the judge gave one.
    pub(crate) fn probability(&self, row: usize) -> Option<f64> {
        self.probabilities.get(row).copied().filter(|probability| !probability.is_nan()).map(f64::from)
    }
}

impl Contender {
    /// What was said the first time; figures that need one answer for each row take this.
    pub(crate) fn first(&self) -> Option<&Predictions> {
        self.repeats.first()
    }

    pub(crate) fn usage(&self) -> Usage {
        self.repeats.iter().fold(Usage::default(), |sum, predictions| sum.plus(&predictions.usage))
    }
}
