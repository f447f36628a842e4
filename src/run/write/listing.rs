//! How each row ended by each labeller, for reports that list them.

use std::sync::Arc;

use crate::bench::columns;
use crate::domain::{Rails, Status};
use crate::run::input::text;
use crate::run::junit::{CaseOutcome, Suite};
use crate::run::{Row, RunError, Watch};
use crate::table::Batch;
use crate::write::Labelled;

/// Names of rows that logs have.
const SOURCE_ID: &str = "source_id";

/// Lists all rows.
pub struct ListWatch {
    /// One for each labeller.
    pub suites: Vec<Suite>,
    rails: Vec<Arc<Rails>>,
    rows: u64,
}

impl ListWatch {
    /// A list for labellers of these names, each with its labels.
    pub fn new(labellers: impl IntoIterator<Item = (String, Arc<Rails>)>) -> ListWatch {
        let suite = |name| Suite { name, cases: Vec::new() };
        let (suites, rails) = labellers.into_iter().map(|(name, rails)| (suite(name), rails)).unzip();
        ListWatch { suites, rails, rows: 0 }
    }
}

impl Watch for ListWatch {
    fn labelled(&mut self, batch: &Batch, rows: &[Row], labels: &[Vec<Labelled>]) -> Result<(), RunError> {
        let there = |name: &&str| batch.schema.position(name).is_some();
        let named = columns::IDS.into_iter().chain([SOURCE_ID]).find(there);
        let names = named.map(|name| batch.column(name)).transpose()?;
        for at in 0..rows.len() {
            self.rows += 1;
            let own = names.as_ref().and_then(|names| text(names[at].as_ref()));
            let name = own.unwrap_or_else(|| format!("row {}", self.rows));
            for ((suite, rails), labels) in self.suites.iter_mut().zip(&self.rails).zip(labels) {
                suite.cases.push((name.clone(), outcome(&labels[at], rails)));
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
