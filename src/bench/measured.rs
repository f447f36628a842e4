//! A judge's figures, overall and by slice.

use std::collections::BTreeMap;

use serde::Serialize;

use super::usage::UsageRecord;
use super::{Entrant, Rows};
use crate::domain::Status;
use crate::stats::{self, Bin, Confusion, Estimate, Measure, Rated, Repeats};

/// Everything that is known of one judge with one template.
#[derive(Debug, Clone, Serialize)]
pub struct Measured {
    pub judge: String,
    pub template: String,
    pub task: Option<&'static str>,
    pub baseline: bool,
    /// The column whose word its labels are held against.
    pub gold: String,
    pub repeats: usize,
    /// Endpoint, model, parameters and the template's hash.
    pub record: serde_json::Value,
    pub statuses: BTreeMap<&'static str, u64>,
    pub overall: Slice,
    pub slices: Vec<Slice>,
    pub calibration: Option<Calibration>,
    pub consistency: Option<Consistency>,
    pub usage: Option<UsageRecord>,
    /// What is needed to correct rates of this judge's labels elsewhere.
    pub operating: super::calibration::Operating,
}

/// Figures of some rows: all, or those with one value of a column.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Slice {
    pub by: Option<String>,
    pub value: Option<String>,
    /// Rows with gold.
    pub rows: usize,
    /// Clusters that these rows belong to.
    pub clusters: usize,
    /// Counts of rows; of row and repetition where everything was asked several times.
    pub confusion: Confusion,
    /// By the measure's name, over rows with a label. Rows that are all right, or all wrong, have a recall only: the share of
    /// them that was recognised.
    pub figures: BTreeMap<&'static str, Estimate>,
    /// What the figures would be had the rows without a label been labelled as badly, or as well, as can be.
    pub bounds: BTreeMap<&'static str, (f64, f64)>,
}

/// Whether a judge's confidence means what it says.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Calibration {
    pub rows: usize,
    pub brier: Option<Estimate>,
    pub ece: Option<Estimate>,
    pub bins: Vec<Bin>,
}

/// Whether a judge says the same when it is asked the same.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Consistency {
    pub repeats: usize,
    pub flip_rate: Option<Estimate>,
    pub kappa: Option<Estimate>,
}

/// Bins of confidence.
const BINS: usize = 10;
/// Slices of one column that are shown: those with the most rows.
const MOST_SLICES: usize = 60;

/// All figures of `entrant`.
pub fn measure(rows: &Rows, entrant: &Entrant) -> Measured {
    let gold = &rows.golds[entrant.gold];
    let known: Vec<usize> = rows.by_cluster().into_iter().filter(|row| gold.right[*row].is_some()).collect();
    let rated = rated(rows, entrant, &known);
    let mut overall = slice(rows, entrant, &known);
    if overall.figures.len() > 1
        && let Some(area) = stats::auc_estimate(&rated)
    {
        overall.figures.insert("auc", area);
    }
    let mut statuses = BTreeMap::new();
    for (status, count) in entrant.repeats.iter().flat_map(|ballots| &ballots.statuses) {
        *statuses.entry(Status::as_str(*status)).or_default() += *count;
    }
    Measured {
        judge: entrant.judge.clone(),
        template: entrant.template.clone(),
        task: entrant.task.map(crate::domain::Task::as_str),
        baseline: entrant.baseline,
        gold: gold.column.clone(),
        repeats: entrant.repeats.len(),
        record: entrant.record.clone(),
        statuses,
        overall,
        slices: slices(rows, entrant, &known),
        calibration: (!rated.is_empty()).then(|| Calibration {
            rows: rated.len(),
            brier: stats::brier(&rated),
            ece: stats::ece(&rated, BINS),
            bins: stats::reliability(&rated, BINS),
        }),
        consistency: consistency(rows, entrant, &known),
        usage: entrant.usage().record(known.len()),
        operating: super::calibration::operating(rows, entrant, &known),
    }
}

fn slices(rows: &Rows, entrant: &Entrant, known: &[usize]) -> Vec<Slice> {
    let mut slices = Vec::new();
    for slicing in &rows.slicings {
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); slicing.values.len()];
        for row in known {
            if let Some(value) = slicing.of[*row] {
                members[value as usize].push(*row);
            }
        }
        let mut of_column: Vec<(usize, Vec<usize>)> =
            members.into_iter().enumerate().filter(|(_, members)| !members.is_empty()).collect();
        of_column.sort_by_key(|(value, members)| (std::cmp::Reverse(members.len()), *value));
        of_column.truncate(MOST_SLICES);
        slices.extend(of_column.into_iter().map(|(value, members)| Slice {
            by: Some(slicing.by.clone()),
            value: Some(slicing.values[value].clone()),
            ..slice(rows, entrant, &members)
        }));
    }
    slices
}

/// Figures of `members`, of which those of a cluster stand together.
fn slice(rows: &Rows, entrant: &Entrant, members: &[usize]) -> Slice {
    let tables = tables(rows, entrant, members);
    let confusion: Confusion = tables.iter().sum();
    let positives = confusion.true_positive + confusion.false_negative + confusion.unjudged_positive;
    let negatives = confusion.true_negative + confusion.false_positive + confusion.unjudged_negative;
    let measures: &[Measure] = match (positives, negatives) {
        (_, 0) => &[Measure::RecallCorrect],
        (0, _) => &[Measure::RecallIncorrect],
        _ => &Measure::ALL,
    };
    let figure = |measure: &Measure| Some((measure.as_str(), stats::estimate(*measure, &tables)?));
    let bound = |measure: &Measure| Some((measure.as_str(), stats::bounds(*measure, &confusion)?));
    Slice {
        by: None,
        value: None,
        rows: members.len(),
        clusters: tables.len(),
        confusion,
        figures: measures.iter().filter_map(figure).collect(),
        bounds: match confusion.unjudged() {
            0 => BTreeMap::new(),
            _ => measures.iter().filter_map(bound).collect(),
        },
    }
}

/// One table for each cluster of `members`.
fn tables(rows: &Rows, entrant: &Entrant, members: &[usize]) -> Vec<Confusion> {
    let gold = &rows.golds[entrant.gold].right;
    let table = |cluster: &[usize]| {
        let mut table = Confusion::default();
        for row in cluster {
            let Some(right) = gold[*row] else { continue };
            entrant.repeats.iter().for_each(|ballots| table.add(right, ballots.labels[*row]));
        }
        table
    };
    members.chunk_by(|a, b| rows.clusters[*a] == rows.clusters[*b]).map(table).collect()
}

/// Rows with a label whose judge says how sure it is of it.
fn rated(rows: &Rows, entrant: &Entrant, known: &[usize]) -> Vec<Rated> {
    let gold = &rows.golds[entrant.gold].right;
    let of_repeat = |ballots: &'_ super::Ballots| {
        known
            .iter()
            .filter_map(|row| {
                let (score, gold) = (ballots.probability(*row)?, gold[*row]?);
                Some(Rated { cluster: rows.clusters[*row], score, gold })
            })
            .collect::<Vec<_>>()
    };
    entrant.repeats.iter().flat_map(of_repeat).collect()
}

fn consistency(rows: &Rows, entrant: &Entrant, known: &[usize]) -> Option<Consistency> {
    if entrant.repeats.len() < 2 {
        return None;
    }
    let repeats = |cluster: &[usize]| {
        let mut repeats = Repeats::default();
        for row in cluster {
            let labels: Vec<Option<bool>> =
                entrant.repeats.iter().map(|ballots| ballots.labels[*row]).collect();
            repeats.add(&labels);
        }
        repeats
    };
    let clusters: Vec<Repeats> =
        known.chunk_by(|a, b| rows.clusters[*a] == rows.clusters[*b]).map(repeats).collect();
    Some(Consistency {
        repeats: entrant.repeats.len(),
        flip_rate: stats::flip_rate(&clusters),
        kappa: stats::repeat_kappa(&clusters),
    })
}
