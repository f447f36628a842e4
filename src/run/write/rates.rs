//! Collects the data for rates of labels while logs are labelled.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::bench::{Correction, Errata, LogLabels, Mix, NotALabel, Words};
use crate::check::BaseRate;
use crate::domain::{Json, Rails};
use crate::run::input::{Clusters, Draws, text};
use crate::run::{Agreement, BenchError, InvalidGold, Row, RunError, Watch};
use crate::stats::{self, Estimate};
use crate::table::Batch;
use crate::write::Labelled;

/// Collects each labeller's labels.
pub struct RateWatch {
    judges: Vec<RateInput>,
    /// What goes before the gold of the table itself.
    named: Option<NamedGold>,
    /// The names of that gold which rows had.
    met: HashSet<String>,
    pub labels: Vec<LogLabels>,
    /// How each labeller's labels compare with its column of gold, where there is one.
    pub agreements: Vec<Option<Agreement>>,
    number: u64,
    /// The sum of scores in each cluster and how many there are, of judges with graded labels.
    scores: Vec<HashMap<u64, (f64, u64)>>,
}

/// Gold that a table of its own holds by the names of rows.
#[derive(Clone)]
pub struct NamedGold {
    /// The column of names.
    pub id: String,
    /// What is right, for each labeller.
    pub errata: Arc<[Errata]>,
}

/// What is known of a labeller.
pub struct RateInput {
    /// Its labels, and which of them pass.
    pub rails: Arc<Rails>,
    /// Its task's column of gold, where the table has one.
    pub gold: Option<String>,
    /// What labels and gold mean.
    pub words: Words,
    /// Columns by whose values its errors differ in the benchmark that corrects its labels.
    pub mixes: Vec<Mix>,
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
            agreement.add(self.words.agree(label, self.rails.passes_label(label), cell, right));
        }
        Some(right)
    }
}

impl RateWatch {
    /// The names of rows that have a correction and are not in the table.
    pub fn unmet(&self) -> Vec<&str> {
        let named = self.named.iter().flat_map(|named| named.errata.iter()).flat_map(Errata::ids);
        named.filter(|id| !self.met.contains(*id)).collect::<HashSet<_>>().into_iter().collect()
    }

    /// What other mix than the benchmark's does to the corrected share of the judge at a place.
    pub fn mix_warnings(&self, at: usize) -> Vec<String> {
        self.judges[at].mixes.iter().filter_map(Mix::warning).collect()
    }

    /// The mean score of the labels of the judge at a place, where they are graded.
    pub fn mean_score(&self, at: usize) -> Option<Estimate> {
        let scores = self.judges[at].rails.scores();
        let range = scores
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), score| (low.min(score), high.max(score)));
        stats::mean(&self.scores[at].values().copied().collect::<Vec<_>>(), range)
    }

    /// `has_draws` says that columns of the table tell how its rows were drawn.
    pub fn new(judges: Vec<RateInput>, named: Option<NamedGold>, has_draws: bool) -> RateWatch {
        let named_draws = named.iter().flat_map(|named| named.errata.iter()).any(Errata::has_draws);
        let empty = if has_draws || named_draws { LogLabels::with_marks() } else { LogLabels::default() };
        let labels = vec![empty; judges.len()];
        let scores = vec![HashMap::new(); judges.len()];
        let agreement =
            |judge: &RateInput| judge.gold.clone().map(|column| Agreement { column, ..Agreement::default() });
        let agreements = judges.iter().map(agreement).collect();
        RateWatch { judges, named, met: HashSet::new(), labels, agreements, scores, number: 0 }
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
        let ids = self.named.as_ref().map(|named| batch.column(&named.id)).transpose()?;
        let ids: Vec<Option<String>> = ids.into_iter().flatten().map(|id| text(id.as_ref())).collect();
        if let Some(named) = &self.named {
            let is_met = |errata: &Errata, id: &str| errata.of(id).is_some() || errata.draw(id).is_some();
            let is_named = |id: &String| named.errata.iter().any(|errata| is_met(errata, id));
            for id in ids.iter().flatten().filter(|id| is_named(id)) {
                if !self.met.insert(id.clone()) {
                    return Err(BenchError::AmbiguousErratum(id.clone()).into());
                }
            }
        }
        let draws = Draws::of(batch)?;
        let drawn_here = |at: usize| match &draws {
            Some(draws) => draws.at(at).map_err(|bad| {
                let (row, why) = (self.number + at as u64 + 1, bad.why());
                RunError::from(BenchError::NotADraw { row, why })
            }),
            None => Ok(None),
        };
        let here = (0..rows.len()).map(drawn_here).collect::<Result<Vec<_>, _>>()?;
        let first = self.number;
        self.number += rows.len() as u64;
        let judges =
            self.judges.iter_mut().zip(&mut self.labels).zip(&mut self.agreements).zip(&mut self.scores);
        for (of, ((((judge, rates), agreement), scores), labelled)) in judges.zip(labels).enumerate() {
            let is_graded = judge.rails.is_graded();
            for mix in &mut judge.mixes {
                let cells = batch.column(mix.column())?;
                let labelled = cells.iter().zip(labelled).filter(|(_, row)| row.verdict.label().is_some());
                labelled.for_each(|(cell, _)| mix.add(text(cell.as_ref()).as_deref()));
            }
            let golds = judge.gold.as_ref().map(|gold| batch.column(gold)).transpose()?;
            for (at, (name, labelled)) in names.iter().zip(labelled).enumerate() {
                let verdict = &labelled.verdict;
                let label = verdict.label().map(|label| judge.rails.passes_label(label));
                let id = ids.get(at).and_then(Option::as_deref);
                let corrected = self.named.as_ref().zip(id).and_then(|(named, id)| named.errata[of].of(id));
                let gold = match (&golds, agreement.as_mut()) {
                    (_, Some(agreement)) if corrected.is_some() => {
                        let right = corrected.and_then(Correction::right);
                        if let (Some(label), Some(right)) = (label, right) {
                            agreement.add(label == right);
                        }
                        right
                    }
                    (Some(cells), Some(agreement)) => {
                        judge.gold(cells[at].as_ref(), verdict.label(), first + at as u64 + 1, agreement)
                    }
                    _ => None,
                };
                let probability = verdict.p_correct.map(|here| judge.base_rate.even(here));
                let [a, b, c, d, e, f, g, h, ..] = *name;
                let cluster = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
                rates.push(cluster, label, probability, gold);
                let drawn = self.named.as_ref().zip(id).and_then(|(named, id)| named.errata[of].draw(id));
                rates.mark(drawn.or(here[at]), label, gold);
                if let Some(score) = verdict.score().filter(|_| is_graded) {
                    let (sum, cases) = scores.entry(cluster).or_default();
                    (*sum, *cases) = (*sum + score, *cases + 1);
                }
            }
        }
        Ok(())
    }
}
