//! What a benchmark keeps of a judge, so that rates of its labels can be corrected elsewhere.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Entrant, Rows};
use crate::stats::{Confusion, Histogram, PLACES};

/// A judge's labels of right and of wrong rows, and how sure it was of them, by cluster.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Operating {
    pub kinds: Vec<ClusterKind>,
}

/// Clusters that look the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ClusterKind {
    /// How many there are.
    pub clusters: u64,
    /// True positives, false negatives, false positives, true negatives, unjudged right and unjudged wrong rows.
    pub table: [u64; 6],
    /// Right rows and wrong rows by the probability of being right that the judge gave: in tenths from 0 to 1, then rows without one.
    pub right: [u64; PLACES],
    pub wrong: [u64; PLACES],
}

pub(super) fn operating(rows: &Rows, entrant: &Entrant, known: &[usize]) -> Operating {
    let gold = &rows.golds[entrant.gold].right;
    let mut kinds: BTreeMap<ClusterKind, u64> = BTreeMap::new();
    for cluster in known.chunk_by(|a, b| rows.clusters[*a] == rows.clusters[*b]) {
        let mut table = Confusion::default();
        let (mut right, mut wrong) = (Histogram::default(), Histogram::default());
        for (row, ballots) in cluster.iter().flat_map(|row| entrant.repeats.iter().map(move |b| (*row, b))) {
            let Some(is_right) = gold[row] else { continue };
            table.add(is_right, ballots.labels[row]);
            let histogram = if is_right { &mut right } else { &mut wrong };
            histogram.add(ballots.probability(row));
        }
        let table = [
            table.true_positive,
            table.false_negative,
            table.false_positive,
            table.true_negative,
            table.unjudged_positive,
            table.unjudged_negative,
        ];
        let kind = ClusterKind { clusters: 0, table, right: right.counts(), wrong: wrong.counts() };
        *kinds.entry(kind).or_default() += 1;
    }
    let counted = |(kind, clusters)| ClusterKind { clusters, ..kind };
    Operating { kinds: kinds.into_iter().map(counted).collect() }
}

impl Operating {
    /// One table for each cluster.
    pub fn tables(&self) -> Vec<Confusion> {
        self.each(|kind| {
            let [tp, fal_n, fal_p, tn, unjudged_positive, unjudged_negative] = kind.table;
            Confusion {
                true_positive: tp,
                false_negative: fal_n,
                false_positive: fal_p,
                true_negative: tn,
                unjudged_positive,
                unjudged_negative,
            }
        })
    }

    /// One histogram of right rows and one of wrong rows for each cluster.
    pub fn histograms(&self) -> (Vec<Histogram>, Vec<Histogram>) {
        (
            self.each(|kind| Histogram::of_counts(kind.right)),
            self.each(|kind| Histogram::of_counts(kind.wrong)),
        )
    }

    fn each<T: Clone>(&self, of: impl Fn(&ClusterKind) -> T) -> Vec<T> {
        let repeated = |kind| std::iter::repeat_n(of(kind), usize::try_from(kind.clusters).unwrap_or(0));
        self.kinds.iter().flat_map(repeated).collect()
    }
}

/// The part of a benchmark's record that correcting needs.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct CalibrationFile {
    pub schema: u64,
    pub entrants: Vec<Calibrated>,
}

/// A judge that was benchmarked.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Calibrated {
    pub judge: String,
    pub template: String,
    #[serde(default)]
    pub baseline: bool,
    #[serde(default)]
    pub record: serde_json::Value,
    pub operating: Operating,
}

impl CalibrationFile {
    /// Reads the JSON record of a benchmark.
    ///
    /// # Errors
    /// In words, when the text is none.
    pub fn parse(text: &str) -> Result<CalibrationFile, String> {
        let file: CalibrationFile = serde_json::from_str(text)
            .map_err(|error| format!("it is no record of `tooljudge bench` ({error})"))?;
        if file.schema != super::SCHEMA {
            return Err(format!(
                "its schema is {}, not {}: run the benchmark again",
                file.schema,
                super::SCHEMA
            ));
        }
        Ok(file)
    }

    /// The judge of that name with the template of that name.
    pub fn find(&self, judge: &str, template: &str) -> Option<&Calibrated> {
        self.entrants
            .iter()
            .find(|entrant| entrant.judge == judge && entrant.template == template && !entrant.baseline)
    }
}
