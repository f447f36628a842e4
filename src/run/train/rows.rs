//! Converts input rows to training data. Memory holds only numbers, not the rows.

use std::collections::HashMap;

use rayon::prelude::*;

use super::{RowCounts, TrainError};
use crate::bench::{Correction, Errata, NotALabel, Words};
use crate::check::{BuiltinJudge, Examined};
use crate::domain::{Calls, Definitions, Findings, Item, Json, Sample};
use crate::run::input::{Clusters, hash, text};
use crate::run::{InvalidGold, InvalidGolds, RunError, Source};
use crate::table::Batch;
use tooljudge_core::train::{Material, TrainingRow};

/// Which columns say what.
pub(super) struct TrainColumns {
    pub gold: String,
    pub cluster: Option<String>,
    pub id: Option<String>,
    pub weight: Option<String>,
    pub kinds: Vec<String>,
    pub reviewed: Option<String>,
}

/// Reads material.
pub(super) struct Reader<'a> {
    pub columns: &'a TrainColumns,
    pub words: &'a Words,
    pub errata: Option<&'a Errata>,
    pub review_weight: f64,
    pub judge: &'a BuiltinJudge,
    pub material: Material,
    pub counts: RowCounts,
    pub invalid: InvalidGolds,
    slices: HashMap<(String, String), u32>,
}

/// What is known of a row before its label.
struct Seen {
    examined: Examined,
    question: String,
    tools: Vec<u64>,
    wording: u64,
    content: u64,
    /// What the shipped judge finds wrong.
    findings: Vec<&'static str>,
}

/// The kind of slice that is not a column.
pub(crate) const FINDING: &str = "finding";

impl<'a> Reader<'a> {
    pub fn new(
        columns: &'a TrainColumns,
        (words, errata): (&'a Words, Option<&'a Errata>),
        review_weight: f64,
        judge: &'a BuiltinJudge,
    ) -> Reader<'a> {
        let columns_of_a_row = tooljudge_core::check::feature_names().len();
        let material = Material {
            columns: columns_of_a_row,
            directions: tooljudge_core::check::feature_directions(),
            ..Material::default()
        };
        let (counts, invalid, slices) = Default::default();
        Reader { columns, words, errata, review_weight, judge, material, counts, invalid, slices }
    }

    /// All rows of `source`.
    pub fn read(&mut self, source: &Source) -> Result<(), RunError> {
        for batch in source.table.batches(None) {
            let batch = batch?;
            let items = source.items(&batch)?;
            self.batch(&batch, &items)?;
        }
        self.counts.contradictory = self.material.contradictions() as u64;
        Ok(())
    }

    fn batch(&mut self, batch: &Batch, items: &[Item]) -> Result<(), RunError> {
        let columns = self.columns;
        let of = |column: &Option<String>| column.as_ref().map(|column| batch.column(column)).transpose();
        let golds = batch.column(&columns.gold)?;
        let (ids, weights, reviewed) = (of(&columns.id)?, of(&columns.weight)?, of(&columns.reviewed)?);
        let clusters = Clusters::of(batch, columns.cluster.as_deref())?;
        let kinds: Vec<Vec<Option<Json>>> =
            columns.kinds.iter().map(|kind| batch.column(kind)).collect::<Result<_, _>>()?;
        let seen: Vec<Option<Seen>> = items.par_iter().map(|item| self.seen(item)).collect();
        for (at, (item, seen)) in items.iter().zip(seen).enumerate() {
            self.counts.rows += 1;
            let number = self.counts.rows;
            if item.is_err() {
                self.counts.unreadable += 1;
                continue;
            }
            let id = ids.as_ref().and_then(|ids| text(ids[at].as_ref()));
            let correction = id.and_then(|id| self.errata?.of(&id));
            let right = match correction {
                Some(Correction::LeaveOut) => {
                    self.counts.left_out += 1;
                    continue;
                }
                Some(Correction::Gold(right)) => Some(right),
                None => self.gold(golds[at].as_ref(), number),
            };
            let Some(right) = right else {
                self.counts.without_gold += 1;
                continue;
            };
            let Some(seen) = seen else {
                self.counts.not_judged += 1;
                continue;
            };
            let weight =
                weights.as_ref().map_or(Ok(1.0), |cells| weight(columns, cells[at].as_ref(), number))?;
            let looked_at = reviewed.as_ref().is_some_and(|cells| is_reviewed(cells[at].as_ref()));
            let is_reviewed = correction.is_some() || looked_at;
            let mut slices = Vec::new();
            for (column, cells) in columns.kinds.iter().zip(&kinds) {
                slices.extend(text(cells[at].as_ref()).map(|value| self.slice(column, &value)));
            }
            slices.extend(seen.findings.iter().map(|kind| self.slice(FINDING, kind)));
            let cluster = clusters.cluster(at, Some(&seen.question), number);
            let Examined { features, margin, is_settled, under_way } = seen.examined;
            self.counts.reviewed += u64::from(is_reviewed);
            let counted = if is_settled { &mut self.counts.settled } else { &mut self.counts.learned_from };
            *counted += 1;
            self.material.features.extend(features);
            self.material.rows.push(TrainingRow {
                number,
                right,
                margin,
                is_settled,
                under_way,
                question: short(cluster),
                tools: seen.tools,
                wording: seen.wording,
                content: seen.content,
                weight,
                review: if is_reviewed { self.review_weight } else { 1.0 },
                slices,
            });
        }
        Ok(())
    }

    fn seen(&self, item: &Item) -> Option<Seen> {
        let sample = item.as_ref().ok()?;
        let examined = self.judge.examine(sample)?;
        let Findings { list, .. } = self.judge.judge(sample).findings.unwrap_or_default();
        let mut findings: Vec<&'static str> = list.iter().map(|finding| finding.kind.as_str()).collect();
        findings.sort_unstable();
        findings.dedup();
        let raw = &sample.raw;
        let call = raw.tool_call.as_deref().unwrap_or_default();
        let definitions = raw.tool_definitions.as_deref().unwrap_or_default();
        let parts = [raw.question.as_bytes(), call.as_bytes(), definitions.as_bytes()];
        let content = short(hash(&parts));
        let wording = short(hash(&[sample.raw.question.as_bytes()]));
        Some(Seen {
            examined,
            question: sample.question.clone(),
            tools: tools(sample),
            wording,
            content,
            findings,
        })
    }

    fn gold(&mut self, cell: Option<&Json>, row: u64) -> Option<bool> {
        self.words.read(cell).unwrap_or_else(|NotALabel(text)| {
            self.invalid.add(|| InvalidGold { column: self.columns.gold.clone(), row, text });
            None
        })
    }

    fn slice(&mut self, column: &str, value: &str) -> u32 {
        let next = self.slices.len() as u32;
        let named = (column.to_owned(), value.to_owned());
        let place = *self.slices.entry(named.clone()).or_insert(next);
        if place == next {
            self.material.slices.push(named);
        }
        place
    }
}

fn short(hash: [u8; 16]) -> u64 {
    hash[..8].iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Hashes of the names of the called tools; where nothing is called, one of all tools on offer.
fn tools(sample: &Sample) -> Vec<u64> {
    let called: Vec<u64> = match &sample.calls {
        Calls::Parsed(calls) => calls.iter().map(|call| short(hash(&[call.name.as_bytes()]))).collect(),
        Calls::Unparsed => Vec::new(),
    };
    if !called.is_empty() {
        return called;
    }
    let mut names: Vec<&[u8]> = match &sample.definitions {
        Definitions::Known(definitions) => definitions.iter().map(|tool| tool.name.as_bytes()).collect(),
        _ => Vec::new(),
    };
    names.sort_unstable();
    vec![short(hash(&names))]
}

/// A row that weighs more than this drowns all others, and sums of such weights lose theirs.
const MOST_WEIGHT: f64 = 1e6;

fn weight(columns: &TrainColumns, cell: Option<&Json>, row: u64) -> Result<f64, TrainError> {
    let text = text(cell).unwrap_or_default();
    let number = text.trim().parse::<f64>().ok().filter(|number| *number > 0.0 && *number <= MOST_WEIGHT);
    let column = columns.weight.clone().unwrap_or_default();
    number.ok_or(TrainError::Weight { column, row, text })
}

/// Whether a cell says that somebody has looked at its row: a name, a date or a correction do so too.
fn is_reviewed(cell: Option<&Json>) -> bool {
    let text = text(cell).unwrap_or_default().trim().to_ascii_lowercase();
    // Tables turn a column of yes, no and nothing into numbers: 1.0, 0.0 and NaN.
    let is_nothing = text.parse::<f64>().is_ok_and(|number| number == 0.0 || number.is_nan());
    !is_nothing && !["", "false", "no", "null", "none", "[]", "{}"].contains(&text.as_str())
}
