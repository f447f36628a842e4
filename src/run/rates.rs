//! What rates of labels are made of, gathered while logs are labelled.

use super::gather::text;
use super::{Item, RunError, Watch};
use crate::bench::{LogLabels, columns};
use crate::domain::Rails;
use crate::table::Batch;
use crate::write::Labelled;

/// Collects each labeller's labels.
pub struct RateWatch {
    /// What each labeller calls right.
    positives: Vec<String>,
    pub labels: Vec<LogLabels>,
    number: u64,
}

impl RateWatch {
    /// `positives` names what each labeller calls right.
    pub fn new(positives: Vec<String>) -> RateWatch {
        let labels = vec![LogLabels::default(); positives.len()];
        RateWatch { positives, labels, number: 0 }
    }
}

impl Watch for RateWatch {
    fn labelled(&mut self, rows: &Batch, items: &[Item], labels: &[Vec<Labelled>]) -> Result<(), RunError> {
        let names: Vec<&str> = rows.schema.names().collect();
        let optional = |name: Option<&str>| name.map(|name| rows.column(name)).transpose();
        let cluster = columns::CLUSTERS.into_iter().find(|cluster| names.contains(cluster));
        let clusters = optional(cluster)?;
        let golds = optional(columns::gold(None, &names))?;
        let rails = Rails::correctness();
        for (at, item) in items.iter().enumerate() {
            let name = match (&clusters, item) {
                (Some(cells), _) => text(cells[at].as_ref()),
                (None, Ok(sample)) => Some(sample.question.clone()),
                (None, Err(_)) => None,
            };
            let name = name.unwrap_or_else(|| format!("\u{0}{}", self.number));
            self.number += 1;
            let gold =
                golds.as_ref().and_then(|cells| columns::is_right(cells[at].as_ref(), &rails).ok().flatten());
            for ((rates, positive), labelled) in self.labels.iter_mut().zip(&self.positives).zip(labels) {
                let verdict = &labelled[at].verdict;
                let label = verdict.label().map(|label| label == positive);
                let probability = label
                    .zip(verdict.confidence)
                    .map(|(right, confidence)| if right { confidence } else { 1.0 - confidence });
                rates.push(hash(&name), label, probability, gold);
            }
        }
        Ok(())
    }
}

fn hash(text: &str) -> u64 {
    let mut first = [0; 8];
    first.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..8]);
    u64::from_le_bytes(first)
}
