//! What rates of labels are made of, gathered while logs are labelled.

use crate::bench::{LogLabels, NotALabel, Words};
use crate::check::BaseRate;
use crate::domain::Json;
use crate::run::input::Clusters;
use crate::run::{Agreement, InvalidGold, Row, RunError, Watch};
use crate::table::Batch;
use crate::write::Labelled;

/// Collects each labeller's labels.
pub struct RateWatch {
    judges: Vec<RateInput>,
    pub labels: Vec<LogLabels>,
    /// How each labeller's labels compare with its column of gold, where there is one.
    pub agreements: Vec<Option<Agreement>>,
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

impl RateInput {
    /// What the cell of gold in the row of that number says; adds to `agreement` whether `label` is the same.
    fn gold(
        &self,
        cell: Option<&Json>,
        label: Option<&str>,
        row: u64,
        agreement: &mut Agreement,
    ) -> Option<bool> {
        let right = match self.words.read(cell) {
            Ok(right) => right?,
            Err(NotALabel(text)) => {
                let column = agreement.column.clone();
                agreement.invalid.add(|| InvalidGold { column, row, text });
                return None;
            }
        };
        if let Some(label) = label {
            agreement.add(self.words.agree(label, label == self.positive, cell, right));
        }
        Some(right)
    }
}

impl RateWatch {
    pub fn new(judges: Vec<RateInput>) -> RateWatch {
        let labels = vec![LogLabels::default(); judges.len()];
        let agreement =
            |judge: &RateInput| judge.gold.clone().map(|column| Agreement { column, ..Agreement::default() });
        let agreements = judges.iter().map(agreement).collect();
        RateWatch { judges, labels, agreements, number: 0 }
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
        let first = self.number;
        self.number += rows.len() as u64;
        let judges = self.judges.iter().zip(&mut self.labels).zip(&mut self.agreements);
        for (((judge, rates), agreement), labelled) in judges.zip(labels) {
            let golds = judge.gold.as_ref().map(|gold| batch.column(gold)).transpose()?;
            for (at, (name, labelled)) in names.iter().zip(labelled).enumerate() {
                let verdict = &labelled.verdict;
                let label = verdict.label().map(|label| label == judge.positive);
                let gold = match (&golds, agreement.as_mut()) {
                    (Some(cells), Some(agreement)) => {
                        judge.gold(cells[at].as_ref(), verdict.label(), first + at as u64 + 1, agreement)
                    }
                    _ => None,
                };
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
