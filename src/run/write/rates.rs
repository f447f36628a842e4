//! What rates of labels are made of, gathered while logs are labelled.

use crate::bench::{LogLabels, Words};
use crate::check::BaseRate;
use crate::run::input::Clusters;
use crate::run::{Row, RunError, Watch};
use crate::table::Batch;
use crate::write::Labelled;

/// Collects each labeller's labels.
pub struct RateWatch {
    judges: Vec<RateInput>,
    pub labels: Vec<LogLabels>,
    number: u64,
}

/// What is known of a labeller.
pub struct RateInput {
    /// What it calls right.
    pub positive: String,
    /// Its task's column of gold, where the table has one.
    pub gold: Option<String>,
    /// What labels and gold mean.
    pub words: Words,
    /// What its confidences rest on. Benchmarks and logs are compared by what they would be without it.
    pub base_rate: BaseRate,
}

impl RateWatch {
    pub fn new(judges: Vec<RateInput>) -> RateWatch {
        let labels = vec![LogLabels::default(); judges.len()];
        RateWatch { judges, labels, number: 0 }
    }
}

impl Watch for RateWatch {
    fn labelled(&mut self, batch: &Batch, rows: &[Row], labels: &[Vec<Labelled>]) -> Result<(), RunError> {
        let clusters = Clusters::usual(batch)?;
        let names: Vec<[u8; 16]> = (self.number..)
            .zip(rows)
            .enumerate()
            .map(|(at, (number, row))| {
                let question = row.item().as_ref().ok().map(|sample| sample.question.as_str());
                clusters.cluster(at, question, number)
            })
            .collect();
        self.number += rows.len() as u64;
        for ((judge, rates), labelled) in self.judges.iter().zip(&mut self.labels).zip(labels) {
            let golds = judge.gold.as_ref().map(|gold| batch.column(gold)).transpose()?;
            for (at, (name, labelled)) in names.iter().zip(labelled).enumerate() {
                let gold = golds.as_ref().map_or(Ok(None), |cells| judge.words.read(cells[at].as_ref()));
                let verdict = &labelled.verdict;
                let label = verdict.label().map(|label| label == judge.positive);
                let probability = label
                    .zip(verdict.confidence)
                    .map(|(right, confidence)| if right { confidence } else { 1.0 - confidence })
                    .map(|here| judge.base_rate.even(here));
                let [a, b, c, d, e, f, g, h, ..] = *name;
                rates.push(u64::from_le_bytes([a, b, c, d, e, f, g, h]), label, probability, gold);
            }
        }
        Ok(())
    }
}
