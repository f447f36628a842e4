//! Labelled rows as the built-in judge's features.

use std::collections::{BTreeMap, BTreeSet};

/// A labelled row beside its features.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainingRow {
    /// Its place in the input, from 1.
    pub number: u64,
    /// Whether its calls are right.
    pub right: bool,
    /// The shipped judge's log-odds that they are.
    pub margin: f64,
    /// Whether a fault settles that they are wrong.
    pub is_settled: bool,
    /// Whether they come after a tool's result, where the judge abstains if it is close.
    pub under_way: bool,
    /// Rows of one question go together.
    pub question: u64,
    /// So do rows whose question reads the same, whatever its id.
    pub wording: u64,
    /// The called tools; of a row without calls, all tools on offer as one. Rows that share one go together too, where transfer to
    /// other tools is measured.
    pub tools: Vec<u64>,
    /// What the row is: a hash of all that is judged. Rows with the same say the same.
    pub content: u64,
    /// How many rows it stands for: above 0.
    pub weight: f64,
    /// How many times more it counts in learning because somebody looked at it again: from 1.
    pub review: f64,
    /// Its kinds, as places in [`Material::slices`].
    pub slices: Vec<u32>,
}

/// Rows to train on.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Material {
    /// The rows, in order.
    pub rows: Vec<TrainingRow>,
    /// So many numbers for each row, one row after another.
    pub features: Vec<f32>,
    /// How many numbers a row has.
    pub columns: usize,
    /// Which way each of them may move the log-odds: -1, 0 or 1; empty where all may move them either way.
    pub directions: Vec<i8>,
    /// Columns and values by which changes are told apart.
    pub slices: Vec<(String, String)>,
}

/// Why nothing can be learned from rows, and what is missing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnusableMaterial {
    /// Fewer rows than the least that is learned from.
    #[error(
        "{rows} rows can be learned from, and it takes at least {least}: label {missing} more{settled}",
        least = Material::LEAST_ROWS,
        missing = Material::LEAST_ROWS - rows,
        settled = if *settled > 0 { format!(" ({settled} rows more have a fault that settles their label, so they teach nothing)") } else { String::new() }
    )]
    TooFewRows {
        /// How many there are that no fault settles.
        rows: usize,
        /// How many there are that a fault settles.
        settled: usize,
    },
    /// Hardly any row of one label.
    #[error(
        "of the rows that can be learned from, {right} are right and {wrong} are wrong: it takes at least {least} of each label",
        least = Material::LEAST_OF_EACH
    )]
    OneLabel {
        /// Rows whose gold says right.
        right: usize,
        /// Rows whose gold says wrong.
        wrong: usize,
    },
    /// Too few questions to hold some of them out.
    #[error(
        "the rows are of {0} questions, and it takes at least {least}: rows of one question are held out together",
        least = Material::LEAST_QUESTIONS
    )]
    TooFewQuestions(usize),
}

impl Material {
    /// Rows from which on anything is learned, not counting those that a fault settles.
    pub const LEAST_ROWS: usize = 50;
    /// Rows of each label, likewise.
    pub const LEAST_OF_EACH: usize = 10;
    /// Questions, likewise.
    pub const LEAST_QUESTIONS: usize = 10;

    /// Refuses what nothing can be learned from.
    pub(super) fn check(&self) -> Result<(), UnusableMaterial> {
        let open = || self.rows.iter().filter(|row| !row.is_settled);
        let (rows, right) = (open().count(), open().filter(|row| row.right).count());
        if rows < Self::LEAST_ROWS {
            return Err(UnusableMaterial::TooFewRows { rows, settled: self.rows.len() - rows });
        }
        if right < Self::LEAST_OF_EACH || rows - right < Self::LEAST_OF_EACH {
            return Err(UnusableMaterial::OneLabel { right, wrong: rows - right });
        }
        let questions = open().map(|row| row.question).collect::<BTreeSet<_>>().len();
        if questions < Self::LEAST_QUESTIONS {
            return Err(UnusableMaterial::TooFewQuestions(questions));
        }
        Ok(())
    }

    /// How many rows there are more than once with labels that contradict each other.
    pub fn contradictions(&self) -> usize {
        let mut labels: BTreeMap<u64, [usize; 2]> = BTreeMap::new();
        for row in &self.rows {
            labels.entry(row.content).or_default()[usize::from(row.right)] += 1;
        }
        let of_both = labels.values().filter(|[wrong, right]| *wrong > 0 && *right > 0);
        of_both.map(|[wrong, right]| wrong + right).sum()
    }

    /// The share of rows that are right; none without rows.
    pub fn share_right(&self) -> Option<f64> {
        let right = self.rows.iter().filter(|row| row.right).count();
        (!self.rows.is_empty()).then(|| right as f64 / self.rows.len() as f64)
    }
}
