//! The rows of an audit: unchanged, and changed.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;

use crate::audit::ProbeCase;
use crate::bench::{NotALabel, Words};
use crate::domain::{Item, Json, Rails, RowError, RowErrorCode, Sample};
use crate::normalize::Normalizer;
use crate::run::input::text;
use crate::run::input::{Cluster, Clusters};
use crate::run::{InvalidGold, InvalidGolds, Row, RunError, Samples, Source};

/// Which columns of an audit's input say what.
#[derive(Debug, Clone)]
pub struct ProbeColumns {
    /// Columns of gold, if any.
    pub golds: Vec<String>,
    /// What gold cells may say.
    pub words: Words,
    /// Rows with one value of it belong together; without it, rows of one question.
    pub cluster: Option<String>,
    /// Names the rows.
    pub id: Option<String>,
}

/// A row that is audited.
#[derive(Debug, Clone)]
pub struct ProbedRow {
    /// Its place in the input, from 1.
    pub number: u64,
    pub id: Option<String>,
    pub cluster: u32,
    /// By each column of gold, whether the call is right, where that is known.
    pub golds: Vec<Option<bool>>,
    pub sample: Sample,
}

/// All rows of an audit's input.
#[derive(Debug, Clone, Default)]
pub struct ProbedRows {
    /// The readable ones, all in memory: an audit asks about each of them many times.
    pub rows: Vec<ProbedRow>,
    /// How many could not be read.
    pub unreadable: u64,
    /// Readable ones with a gold that is not a label.
    pub invalid: InvalidGolds,
}

/// The rows of `source`.
///
/// # Errors
/// When the input cannot be read again.
pub fn probed_rows(source: &Source, columns: &ProbeColumns) -> Result<ProbedRows, RunError> {
    let mut probed = ProbedRows::default();
    let mut clusters: HashMap<Cluster, u32> = HashMap::new();
    let mut number = 0;
    for batch in source.table.batches(None) {
        let batch = batch?;
        let items = source.items(&batch)?;
        let of_batch = Clusters::of(&batch, columns.cluster.as_deref())?;
        let golds: Vec<Vec<Option<Json>>> =
            columns.golds.iter().map(|gold| batch.column(gold)).collect::<Result<_, _>>()?;
        let ids = columns.id.as_ref().map(|id| batch.column(id)).transpose()?;
        for (at, item) in items.into_iter().enumerate() {
            number += 1;
            let Ok(sample) = item else {
                probed.unreadable += 1;
                continue;
            };
            let next = u32::try_from(clusters.len()).unwrap_or(u32::MAX);
            let cluster = of_batch.cluster(at, Some(&sample.question), number);
            let ProbedRows { rows, invalid, .. } = &mut probed;
            let mut gold = |(column, cells): (&String, &Vec<Option<Json>>)| {
                columns.words.read(cells[at].as_ref()).unwrap_or_else(|NotALabel(text)| {
                    invalid.add(|| InvalidGold { column: column.clone(), row: number, text });
                    None
                })
            };
            rows.push(ProbedRow {
                number,
                id: ids.as_ref().and_then(|ids| text(ids[at].as_ref())),
                cluster: *clusters.entry(cluster).or_insert(next),
                golds: columns.golds.iter().zip(&golds).map(&mut gold).collect(),
                sample,
            });
        }
    }
    Ok(probed)
}

/// Probes of rows, in order. Changed rows are made when they are needed: there are many more of them than rows.
pub struct ProbeBatch {
    pub rows: Arc<Vec<ProbedRow>>,
    pub normalizer: Arc<Normalizer>,
    /// What the judge may answer.
    pub rails: Arc<Rails>,
    pub cases: Vec<ProbeCase>,
}

/// Changed rows in memory at once.
const CHUNK: usize = 512;

impl ProbeBatch {
    /// The cases with the samples that they are, batch by batch.
    pub fn chunks(&self) -> impl Iterator<Item = (&[ProbeCase], Vec<Item>)> {
        self.cases.chunks(CHUNK).map(|cases| (cases, cases.par_iter().map(|case| self.item(case)).collect()))
    }

    fn item(&self, case: &ProbeCase) -> Item {
        let nothing = || RowError::new(RowErrorCode::UnrecognisedRecord, "the row cannot be changed so");
        let row = self.rows.get(case.row).ok_or_else(nothing)?;
        let target_label = self.rails.get(case.target_label).ok_or_else(nothing)?;
        let good = self.rails.passes(target_label);
        case.probe
            .of(&row.sample, &self.normalizer, (&target_label.label, good), case.row)
            .ok_or_else(nothing)
    }
}

impl Samples for ProbeBatch {
    fn batches(&self) -> Box<dyn Iterator<Item = Result<Vec<Row>, RunError>> + '_> {
        Box::new(self.chunks().map(|(_, items)| Ok(items.into_iter().map(Row::known).collect())))
    }
}
