//! What a benchmark records about a judge's errors, so that pass rates on other data can be corrected.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::mix::CalibratedSlice;
use super::{Contender, Rows};
use crate::domain::RowError;
use crate::stats::{Confusion, Histogram, PLACES};

/// The most clusters of a judge: each takes 200 bytes while rates are corrected.
const MAX_CLUSTERS: u128 = 10_000_000;
/// The most rows of a judge, repetitions each counted.
const MAX_ROWS: u128 = 1_000_000_000_000;

/// A judge's labels of right and of wrong rows, and how sure it was of them, by cluster.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Operating {
    /// Clusters by how they look.
    pub kinds: Vec<ClusterKind>,
}

/// Clusters that look the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ClusterKind {
    /// How many there are.
    pub clusters: u64,
    /// True positives, false negatives, false positives, true negatives, unjudged right and unjudged wrong rows.
    pub table: [u64; 6],
    /// Right rows and wrong rows by the probability of being right that the judge gave, its base rate undone: in tenths from 0 to 1, then rows without one.
    pub right: [u64; PLACES],
    pub(crate) wrong: [u64; PLACES],
}

pub(super) fn operating(rows: &Rows, contender: &Contender, known: &[usize]) -> Operating {
    let gold = &rows.golds[contender.gold].right;
    let mut kinds: BTreeMap<ClusterKind, u64> = BTreeMap::new();
    for cluster in known.chunk_by(|a, b| rows.clusters[*a] == rows.clusters[*b]) {
        let mut table = Confusion::default();
        let (mut right, mut wrong) = (Histogram::default(), Histogram::default());
        for (row, predictions) in
            cluster.iter().flat_map(|row| contender.repeats.iter().map(move |b| (*row, b)))
        {
            let Some(is_right) = gold[row] else { continue };
            table.add(is_right, predictions.labels[row]);
            let histogram = if is_right { &mut right } else { &mut wrong };
            histogram.add(predictions.probability(row).map(|here| contender.base_rate.even(here)));
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

    /// What cannot be: counts that do not add up, or more of anything than a benchmark has.
    fn oddity(&self) -> Option<Oddity> {
        let (mut clusters, mut rows) = (0, 0);
        for kind in &self.kinds {
            let sum = |counts: &[u64]| counts.iter().map(|count| u128::from(*count)).sum::<u128>();
            let [tp, fal_n, fal_p, tn, unjudged_positive, unjudged_negative] = kind.table;
            let right = sum(&[tp, fal_n, unjudged_positive]);
            let wrong = sum(&[fal_p, tn, unjudged_negative]);
            if (sum(&kind.right), sum(&kind.wrong)) != (right, wrong) {
                return Some(Oddity::Sums);
            }
            clusters += u128::from(kind.clusters);
            // Neither factor is above 2^68.
            rows = u128::saturating_add(rows, u128::from(kind.clusters).saturating_mul(right + wrong));
        }
        if clusters > MAX_CLUSTERS {
            return Some(Oddity::Clusters(clusters));
        }
        (rows > MAX_ROWS).then_some(Oddity::Rows(rows))
    }

    fn each<T: Clone>(&self, of: impl Fn(&ClusterKind) -> T) -> Vec<T> {
        let repeated = |kind| std::iter::repeat_n(of(kind), usize::try_from(kind.clusters).unwrap_or(0));
        self.kinds.iter().flat_map(repeated).collect()
    }
}

/// A text that is not the record of a benchmark.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CalibrationError {
    /// A text of another form; what is wrong with it, and in which line.
    #[error("it is not a `tooljudge bench` record (line {line}: {why})")]
    #[allow(missing_docs, reason = "the variant explains its fields")]
    NotARecord { line: usize, why: String },
    /// A record of another schema.
    #[error("its schema is {0}, not {schema}: run the benchmark again", schema = super::SCHEMA)]
    Schema(u64),
    /// Counts that no benchmark has.
    #[error("it is not a `tooljudge bench` record: {0}")]
    Odd(Oddity),
}

/// Counts that cannot be those of a benchmark.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Oddity {
    /// Labels without a confidence, or confidences without a label.
    #[error("counts of confidences and of labels do not add up to the same")]
    Sums,
    /// More clusters than any benchmark has.
    #[error("{0} clusters are more than the {MAX_CLUSTERS} that can be counted with")]
    Clusters(u128),
    /// More rows than any benchmark has.
    #[error("{0} rows are more than the {MAX_ROWS} that can be counted with")]
    Rows(u128),
}

/// The part of a benchmark's record that correcting needs.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct CalibrationFile {
    pub(crate) schema: u64,
    /// The version of tooljudge that made it.
    #[serde(default)]
    pub version: Option<String>,
    /// All judges of the benchmark.
    #[serde(rename = "entrants")]
    pub contenders: Vec<Calibrated>,
}

/// A judge that was benchmarked.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Calibrated {
    /// The judge's name, as columns spell it.
    pub judge: String,
    /// The template's name.
    pub template: String,
    /// Whether it is a baseline, which corrects nothing.
    #[serde(default)]
    pub baseline: bool,
    /// How the judge was set up, as in a run's manifest.
    #[serde(default)]
    pub record: serde_json::Value,
    /// What correcting needs.
    pub operating: Operating,
    /// How good it is for each value of some columns.
    #[serde(default)]
    pub slices: Vec<CalibratedSlice>,
}

impl CalibrationFile {
    /// Reads the JSON record of a benchmark.
    ///
    /// # Errors
    /// When the text is none, or cannot be counted with.
    pub fn parse(text: &str) -> Result<CalibrationFile, CalibrationError> {
        let file: CalibrationFile = serde_json::from_str(text).map_err(|error| {
            let why = RowError::excerpt(&error.to_string()).to_string();
            CalibrationError::NotARecord { line: error.line(), why }
        })?;
        if file.schema != super::SCHEMA {
            return Err(CalibrationError::Schema(file.schema));
        }
        match file.contenders.iter().find_map(|contender| contender.operating.oddity()) {
            Some(odd) => Err(CalibrationError::Odd(odd)),
            None => Ok(file),
        }
    }

    /// The judge of that name with the template of that name.
    pub fn find(&self, judge: &str, template: &str) -> Option<&Calibrated> {
        self.contenders.iter().find(|contender| {
            contender.judge == judge && contender.template == template && !contender.baseline
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A record whose one judge has so many clusters of that table, and of right rows without a confidence.
    fn record(clusters: u64, table: [u64; 6], right: u64) -> String {
        let none = [0_u64; PLACES];
        let mut places = none;
        places[PLACES - 1] = right;
        let kind = json!({"clusters": clusters, "table": table, "right": places, "wrong": none});
        let contender = json!({"judge": "m", "template": "t", "operating": {"kinds": [kind.clone(), kind]}});
        json!({"schema": super::super::SCHEMA, "version": "1.2.3", "entrants": [contender]}).to_string()
    }

    #[test]
    fn records_are_read() {
        let file = CalibrationFile::parse(&record(3, [2, 1, 0, 0, 1, 0], 4)).unwrap();
        assert_eq!(file.version.as_deref(), Some("1.2.3"));
        let tables = file.find("m", "t").unwrap().operating.tables();
        assert_eq!((tables.len(), tables[0].judged(), tables[0].unjudged()), (6, 3, 1));
    }

    #[test]
    fn what_is_wrong_is_said_shortly() {
        let why = CalibrationFile::parse(&format!("\n{:?}", "x".repeat(9_999))).unwrap_err().to_string();
        assert!(why.contains("(line 2: invalid type") && why.len() < 200, "{why}");
    }

    #[test]
    fn records_that_cannot_be_are_refused() {
        for (clusters, table, right, why) in [
            (10_u64.pow(13), [1, 0, 0, 0, 0, 0], 1, "20000000000000 clusters"),
            (u64::MAX, [1, 0, 0, 0, 0, 0], 1, "clusters are more"),
            (1, [10_u64.pow(15), 0, 0, 0, 0, 0], 10_u64.pow(15), "rows are more"),
            (u64::MAX, [u64::MAX, 0, 0, 0, 0, 0], u64::MAX, "are more"),
            (1, [u64::MAX, u64::MAX, 0, 0, 0, 0], 1, "add up"),
            (1, [2, 0, 0, 0, 0, 0], 1, "add up"),
        ] {
            let refused = CalibrationFile::parse(&record(clusters, table, right)).unwrap_err().to_string();
            assert!(refused.contains(why), "{refused}");
        }
    }
}
