//! A benchmark's rows, gathered as they are labelled.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::checker::Checker;
use crate::bench::{
    Counts, Errata, Facts, FindingMatches, GoldFindings, NotALabel, Predictions, Rows, Scale, Words,
    identity_with,
};
use crate::domain::{Json, Rails, Variable};
use crate::run::input::{Clusters, hash, text};
use crate::run::{Agreement, InvalidGold, Item, Row, RunError, Watch};
use crate::table::{Batch, TableError};
use crate::write::Labelled;

/// Which columns say what, and what counts.
#[derive(Debug, Clone)]
pub struct GoldPlan {
    /// Columns of gold; the first is the one that rows are counted by.
    pub golds: Vec<String>,
    /// Corrections of each of them.
    pub errata: Vec<Errata>,
    /// What gold cells may say.
    pub words: Words,
    /// Rows with one value of it belong together; without it, rows of one question.
    pub cluster: Option<String>,
    pub slicings: Vec<String>,
    /// Says what is wrong with rows, where judges list that.
    pub findings: Option<String>,
    /// Names the rows.
    pub id: Option<String>,
    pub repeated: Repeated,
    /// What judges are shown beside question, tools and calls: rows that differ in it are not the same.
    pub shown: Vec<Variable>,
    /// Whether gold is to be doubted: rows are checked against accepted values, and equal rows are known as such.
    pub audit: bool,
}

/// What counts of rows that are the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repeated {
    /// Each of them.
    All,
    /// The first of the rows with the same question, tools and calls stands for all.
    FirstOfCall,
    /// The first of the rows with the same value of a column stands for all.
    FirstOf(String),
}

/// Collects what figures are made of. Holds a few bytes for each row and label.
pub struct Gatherer {
    plan: GoldPlan,
    /// Each labeller's labels, and which of them pass.
    rails: Vec<Arc<Rails>>,
    /// The grades of each labeller, where its labels are grades.
    scales: Vec<Option<Scale>>,
    pub rows: Rows,
    /// Each labeller's labels.
    pub predictions: Vec<Predictions>,
    pub counts: Counts,
    /// The first row, counted from 1, whose gold of findings is no list of findings.
    pub invalid_findings: Option<u64>,
    /// The first gold that is no label.
    pub invalid_gold: Option<InvalidGold>,
    /// Names of rows that have a correction and were met, and how often.
    met: HashMap<String, u64>,
    /// Where the row stands that stands for all that are the same.
    seen: HashMap<[u8; 16], usize>,
    /// Whether some gold of the row at hand is no label.
    strange_here: bool,
    checker: Option<Checker>,
}

impl Gatherer {
    /// `rails` are the labels of each labeller; `lists` tells which of them list findings.
    pub fn new(plan: GoldPlan, rails: Vec<Arc<Rails>>, lists: &[bool]) -> Gatherer {
        let golds = plan.golds.iter().map(String::as_str);
        let rows = Rows::new(golds, plan.slicings.iter().map(String::as_str));
        let scales = rails.iter().map(|rails| Scale::of(rails)).collect();
        let lists = lists.iter().map(|lists| *lists && plan.findings.is_some());
        let predictions = lists
            .map(|lists| Predictions {
                findings: lists.then(FindingMatches::default),
                ..Predictions::default()
            })
            .collect();
        Gatherer {
            plan,
            rails,
            scales,
            rows,
            predictions,
            counts: Counts::default(),
            invalid_findings: None,
            invalid_gold: None,
            met: HashMap::new(),
            seen: HashMap::new(),
            strange_here: false,
            checker: Checker::new(),
        }
    }

    /// The names of rows that have a correction and were not met.
    pub fn unmet_errata(&self) -> Vec<&str> {
        let ids: HashSet<&str> = self.plan.errata.iter().flat_map(Errata::ids).collect();
        ids.into_iter().filter(|id| !self.met.contains_key(*id)).collect()
    }

    /// A name that several rows have and that has a correction: nobody knows which of them is meant.
    pub fn ambiguous_erratum(&self) -> Option<&str> {
        self.met.iter().find(|(_, rows)| **rows > 1).map(|(id, _)| id.as_str())
    }

    /// How the labels of a labeller compare with the gold of a column, each by its place.
    pub fn agreement(&self, labeller: usize, gold: usize) -> Agreement {
        let gold = &self.rows.golds[gold];
        let mut agreement = Agreement { column: gold.column.clone(), ..Agreement::default() };
        for (label, right) in self.predictions[labeller].labels.iter().zip(&gold.right) {
            if let (Some(label), Some(right)) = (label, right) {
                agreement.add(label == right);
            }
        }
        agreement
    }

    fn gold(&mut self, at: usize, cell: Option<&Json>, id: Option<&str>) -> Option<bool> {
        let corrected = id.and_then(|id| self.plan.errata.get(at)?.of(id));
        if let Some(correction) = corrected {
            if at == 0 {
                self.counts.errata += 1;
            }
            return correction.right();
        }
        match self.plan.words.read(cell) {
            Ok(right) => right,
            Err(NotALabel(text)) => {
                let (column, row) = (self.plan.golds[at].clone(), self.counts.read);
                self.invalid_gold.get_or_insert(InvalidGold { column, row, text });
                self.strange_here = true;
                None
            }
        }
    }

    /// What the golds of a row say word for word, where some labels are grades; a correction only says right or wrong.
    fn words(
        &self,
        cells: &Cells,
        at: usize,
        golds: &[Option<bool>],
        id: Option<&str>,
    ) -> Vec<Option<String>> {
        if self.scales.iter().all(Option::is_none) {
            return Vec::new();
        }
        let corrected = |gold: usize| {
            id.is_some_and(|id| self.plan.errata.get(gold).is_some_and(|errata| errata.of(id).is_some()))
        };
        let word = |(gold, right): (usize, &Option<bool>)| {
            text(cells.golds[gold][at].as_ref()).filter(|_| right.is_some() && !corrected(gold))
        };
        golds.iter().enumerate().map(word).collect()
    }

    /// Lets the row at `place` stand for one more.
    fn fold(&mut self, place: usize, golds: &[Option<bool>], slices: &[Option<String>]) {
        count(&mut self.counts, &self.rows.golds_of(place), |count| *count -= 1);
        self.rows.fold(place, golds, slices);
        count(&mut self.counts, &self.rows.golds_of(place), |count| *count += 1);
    }

    fn add(&mut self, item: &Item, cells: &Cells, at: usize, labels: &[Vec<Labelled>]) {
        self.counts.read += 1;
        let id = cells.id.as_ref().and_then(|ids| text(ids[at].as_ref()));
        let golds: Vec<Option<bool>> = (0..self.plan.golds.len())
            .map(|gold| self.gold(gold, cells.golds[gold][at].as_ref(), id.as_deref()))
            .collect();
        let words = self.words(cells, at, &golds, id.as_deref());
        if let Some(id) = id.filter(|id| self.plan.errata.iter().any(|errata| errata.of(id).is_some())) {
            *self.met.entry(id).or_default() += 1;
        }
        self.counts.strange_gold += u64::from(std::mem::take(&mut self.strange_here));
        if golds.iter().all(Option::is_none) {
            // What could not be read has no cells.
            match item {
                Ok(_) => self.counts.without_gold += 1,
                Err(_) => self.counts.unreadable += 1,
            }
            return;
        }
        let same = match (&self.plan.repeated, item) {
            (Repeated::FirstOf(_), _) => cells
                .repeated
                .as_ref()
                .and_then(|cells| text(cells[at].as_ref()))
                .map(|name| hash(&[name.as_bytes()])),
            (Repeated::FirstOfCall, Ok(sample)) => Some(identity_with(sample, &self.plan.shown)),
            _ => None,
        };
        let slices: Vec<Option<String>> =
            cells.slices.iter().map(|values| text(values[at].as_ref())).collect();
        if let Some(same) = same {
            let next = self.rows.len();
            let place = *self.seen.entry(same).or_insert(next);
            if place < next {
                self.counts.duplicates += 1;
                // Rows that only share a column's value are not the same: the first of them stands for itself.
                if self.plan.repeated == Repeated::FirstOfCall {
                    self.fold(place, &golds, &slices);
                    self.rows.name(place, &words);
                }
                return;
            }
        }
        self.counts.unreadable += u64::from(item.is_err());
        count(&mut self.counts, &golds, |count| *count += 1);
        let number = self.counts.read - 1;
        let question = item.as_ref().ok().map(|sample| sample.question.as_str());
        let cluster = cells.clusters.cluster(at, question, number);
        let identity = self.plan.audit.then(|| match item {
            Ok(sample) => identity_with(sample, &self.plan.shown),
            Err(_) => hash(&[b"alone", &number.to_le_bytes()]),
        });
        self.rows.push(Facts {
            number,
            golds: &golds,
            slices: &slices,
            cluster,
            checked: cells.checked.get(at).copied().flatten(),
            identity,
        });
        self.rows.name(self.rows.len() - 1, &words);
        let row = self.rows.len() - 1;
        let findings = GoldFindings::read(cells.findings.as_ref().and_then(|cells| cells[at].as_ref()));
        if findings.is_err() {
            self.invalid_findings.get_or_insert(number + 1);
        }
        for (place, (predictions, labels)) in self.predictions.iter_mut().zip(labels).enumerate() {
            let verdict = &labels[at].verdict;
            if let (Some(matches), Ok(Some(gold)), Some(_)) =
                (&mut predictions.findings, &findings, verdict.label())
            {
                matches.add(row, gold, verdict.findings.as_ref());
            }
            cast(predictions, &labels[at], &self.rails[place]);
            if let Some(scale) = &self.scales[place] {
                predictions.grades.push(labels[at].verdict.label().and_then(|label| scale.place(label)));
            }
        }
    }
}

/// Counts a row with these golds, or takes it away again.
fn count(counts: &mut Counts, golds: &[Option<bool>], change: fn(&mut u64)) {
    if golds.iter().any(Option::is_some) {
        change(&mut counts.benched);
    }
    match golds[0] {
        Some(true) => change(&mut counts.correct),
        Some(false) => change(&mut counts.incorrect),
        None => {}
    }
}

impl Watch for Gatherer {
    fn labelled(&mut self, batch: &Batch, rows: &[Row], labels: &[Vec<Labelled>]) -> Result<(), RunError> {
        let mut cells = Cells::of(batch, &self.plan)?;
        if let Some(checker) = self.checker.as_ref().filter(|_| self.plan.audit) {
            cells.checked = checker.check(batch, rows)?;
        }
        for (at, row) in rows.iter().enumerate() {
            self.add(row.item(), &cells, at, labels);
        }
        self.counts.clusters = self.rows.cluster_count() as u64;
        self.counts.disputed_gold = self.rows.disputed_count() as u64;
        Ok(())
    }
}

/// The columns of a batch that say something about gold.
struct Cells {
    golds: Vec<Vec<Option<Json>>>,
    slices: Vec<Vec<Option<Json>>>,
    clusters: Clusters,
    repeated: Option<Vec<Option<Json>>>,
    id: Option<Vec<Option<Json>>>,
    findings: Option<Vec<Option<Json>>>,
    /// What the checker says of each row, if it was asked.
    checked: Vec<Option<bool>>,
}

impl Cells {
    fn of(rows: &Batch, plan: &GoldPlan) -> Result<Cells, TableError> {
        let column = |name: &String| rows.column(name);
        let repeated = match &plan.repeated {
            Repeated::FirstOf(name) => Some(column(name)?),
            Repeated::All | Repeated::FirstOfCall => None,
        };
        Ok(Cells {
            golds: plan.golds.iter().map(column).collect::<Result<_, _>>()?,
            slices: plan.slicings.iter().map(column).collect::<Result<_, _>>()?,
            clusters: Clusters::of(rows, plan.cluster.as_deref())?,
            repeated,
            id: plan.id.as_ref().map(column).transpose()?,
            findings: plan.findings.as_ref().map(column).transpose()?,
            checked: Vec::new(),
        })
    }
}

fn cast(predictions: &mut Predictions, labelled: &Labelled, rails: &Rails) {
    let Labelled { verdict, reply, cached, .. } = labelled;
    if verdict.is_without_evidence() {
        predictions.without_evidence.insert(predictions.labels.len());
    }
    if labelled.is_settled {
        predictions.settled.insert(predictions.labels.len());
    }
    predictions.push(
        verdict.label().map(|label| rails.passes_label(label)),
        verdict.p_correct,
        verdict.status(),
    );
    let Some(paid) = labelled.paid() else { return };
    let usage = &mut predictions.usage;
    match paid.cost_usd {
        Some(cost) => usage.cost_usd += cost,
        None => usage.unpriced += 1,
    }
    usage.prompt_tokens += paid.usage.prompt_tokens.unwrap_or(0);
    usage.completion_tokens += paid.usage.completion_tokens.unwrap_or(0);
    let Some(reply) = reply else { return };
    usage.answers += 1;
    usage.cached += u64::from(*cached);
    usage.latencies.push(u32::try_from(reply.latency_ms).unwrap_or(u32::MAX));
}
