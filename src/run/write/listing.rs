//! How each row ended by each labeller, for reports that list them.

use std::sync::Arc;

use crate::bench::columns;
use crate::domain::{Rails, Status};
use crate::run::input::text;
use crate::run::junit::{CaseOutcome, Suite};
use crate::run::{Row, RunError, Watch};
use crate::table::Batch;
use crate::write::Labelled;

/// Which rows a list holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listed {
    /// All of them.
    All,
    /// The first that fail, at most so many for each labeller.
    Failures(usize),
}

/// Rows that fail by one labeller.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Failures {
    /// How many there are.
    pub rows: u64,
    /// The first of them by name, and why each fails.
    pub first: Vec<(String, String)>,
}

/// Lists rows.
pub struct ListWatch {
    /// One for each labeller.
    pub suites: Vec<Suite>,
    rails: Vec<Arc<Rails>>,
    listed: Listed,
    /// Rows that fail, by labeller.
    failed: Vec<u64>,
    rows: u64,
}

impl ListWatch {
    /// A list for labellers of these names, each with its labels.
    pub fn new(labellers: impl IntoIterator<Item = (String, Arc<Rails>)>, listed: Listed) -> ListWatch {
        let suite = |name| Suite { name, cases: Vec::new() };
        let (suites, rails): (Vec<Suite>, _) =
            labellers.into_iter().map(|(name, rails)| (suite(name), rails)).unzip();
        let failed = vec![0; suites.len()];
        ListWatch { suites, rails, listed, failed, rows: 0 }
    }

    /// The first `most` rows that fail by each labeller.
    pub fn failures(&self, most: usize) -> impl Iterator<Item = Failures> + '_ {
        self.suites.iter().zip(&self.failed).map(move |(suite, rows)| {
            let failing = suite.cases.iter().filter_map(|(name, outcome)| match outcome {
                CaseOutcome::Failed(why) => Some((name.clone(), why.clone())),
                _ => None,
            });
            Failures { rows: *rows, first: failing.take(most).collect() }
        })
    }
}

impl Watch for ListWatch {
    fn labelled(&mut self, batch: &Batch, rows: &[Row], labels: &[Vec<Labelled>]) -> Result<(), RunError> {
        let there = |name: &&str| batch.schema.position(name).is_some();
        let named = columns::NAMES.into_iter().find(there);
        let names = named.map(|name| batch.column(name)).transpose()?;
        for at in 0..rows.len() {
            self.rows += 1;
            let own = names.as_ref().and_then(|names| text(names[at].as_ref()));
            let name = own.unwrap_or_else(|| format!("row {}", self.rows));
            let each = self.suites.iter_mut().zip(&mut self.failed).zip(&self.rails).zip(labels);
            for (((suite, failed), rails), labels) in each {
                let outcome = outcome(&labels[at], rails);
                let fails = matches!(outcome, CaseOutcome::Failed(_));
                *failed += u64::from(fails);
                match self.listed {
                    Listed::Failures(most) if !fails || suite.cases.len() >= most => {}
                    _ => suite.cases.push((name.clone(), outcome)),
                }
            }
        }
        Ok(())
    }
}

fn outcome(labelled: &Labelled, rails: &Rails) -> CaseOutcome {
    let verdict = &labelled.verdict;
    match verdict.label() {
        Some(label) if rails.passes_label(label) => CaseOutcome::Passed,
        Some(label) => CaseOutcome::Failed(match &verdict.explanation {
            Some(why) => format!("{label}: {why}"),
            None => label.to_owned(),
        }),
        None => {
            let why = verdict.error().unwrap_or_else(|| verdict.status().as_str().to_owned());
            match verdict.status() {
                Status::Abstained | Status::NotAsked | Status::SkippedBudget => CaseOutcome::Skipped(why),
                _ => CaseOutcome::Failed(why),
            }
        }
    }
}
