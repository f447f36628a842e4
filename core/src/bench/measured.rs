//! A judge's figures, overall and by slice.

use std::collections::BTreeMap;

use serde::Serialize;

use super::findings::{self, FindingFigures};
use super::scale::{self, Grades};
use super::usage::UsageRecord;
use super::{Contender, Rows};
use crate::domain::Status;
use crate::stats::{self, Bin, Confusion, Estimate, Measure, Rated, Repeats};

/// Everything that is known of one judge with one template.
#[derive(Debug, Clone, Serialize)]
pub struct Measured {
    /// The judge's name, as columns spell it.
    pub judge: String,
    /// The template's name; the task's for the built-in judge and baselines.
    pub template: String,
    /// The task that is judged; absent for a template that names none.
    pub task: Option<&'static str>,
    /// Whether it is only there for judges to be measured beside.
    pub baseline: bool,
    /// The column whose word its labels are held against.
    pub gold: String,
    /// How often every question was asked, at least 1.
    pub repeats: usize,
    /// Endpoint, model, parameters and the template's hash.
    pub record: serde_json::Value,
    /// How rows with gold ended, each repetition counted.
    pub statuses: BTreeMap<&'static str, u64>,
    /// Of rows with gold, each repetition counted, those in which the judge found no evidence.
    pub no_evidence: u64,
    /// Absent where no judge looks first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled: Option<Settled>,
    /// Figures over all rows.
    pub overall: Slice,
    /// By column, those with the most rows first.
    pub slices: Vec<Slice>,
    /// Columns that would give too many slices.
    pub slicings_left_out: Vec<LeftOut>,
    /// Absent for a judge without confidences.
    pub calibration: Option<Calibration>,
    /// How well it finds what is wrong; absent where no findings were asked for, or gold has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub findings: Option<FindingFigures>,
    /// Absent where every question was asked once.
    pub consistency: Option<Consistency>,
    /// Absent where labels are not grades.
    pub grades: Option<Grades>,
    /// Absent where no model was asked.
    pub usage: Option<UsageRecord>,
    /// What is needed to correct rates of this judge's labels elsewhere.
    pub operating: super::calibration::Operating,
}

/// Figures of some rows: all, or those with one value of a column.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Slice {
    /// The column; absent for all rows.
    pub by: Option<String>,
    /// Its value in these rows; absent for all rows.
    pub value: Option<String>,
    /// Rows with gold.
    pub rows: usize,
    /// Clusters that these rows belong to.
    pub clusters: usize,
    /// The share of rows with a label: what the figures are over.
    pub coverage: Option<Estimate>,
    /// Counts of rows; of row and repetition where everything was asked several times.
    pub confusion: Confusion,
    /// By the measure's name, over rows with a label; `auc` over all rows of which the judge says how probable it is that they are
    /// right. Rows that are all right, or all wrong, have a recall only: the share of
    /// them that was recognised.
    pub figures: BTreeMap<&'static str, Estimate>,
    /// What the figures would be had the rows without a label been labelled as badly, or as well, as can be.
    pub bounds: BTreeMap<&'static str, (f64, f64)>,
}

impl Measured {
    /// The slices by that column.
    pub fn by<'a>(&'a self, column: &'a str) -> impl Iterator<Item = &'a Slice> {
        self.slices.iter().filter(move |slice| slice.by.as_deref() == Some(column))
    }
}

impl Slice {
    /// Rows that are right by the gold; of row and repetition where everything was asked several times.
    pub fn right(&self) -> u64 {
        self.confusion.true_positive + self.confusion.false_negative + self.confusion.unjudged_positive
    }

    /// Rows that are wrong by the gold.
    pub fn wrong(&self) -> u64 {
        self.confusion.true_negative + self.confusion.false_positive + self.confusion.unjudged_negative
    }
}

/// What a judge that looks first settled, so that no model was asked.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Settled {
    /// Rows with gold, each repetition counted.
    pub rows: u64,
    /// Those of them that were settled.
    pub settled: u64,
    /// Of the rows settled as right, the share that is right; absent where there are none.
    pub precision_correct: Option<Estimate>,
    /// Of the rows settled as wrong, the share that is wrong; absent where there are none.
    pub precision_incorrect: Option<Estimate>,
}

/// A column that has too many values to tell kinds of rows apart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// The column.
    pub by: String,
    /// How many, among rows with gold.
    pub values: usize,
}

/// Whether a judge's confidence means what it says.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Calibration {
    /// Rows with a gold of which the judge says how probable it is that they are right.
    pub rows: usize,
    /// The Brier score: the mean squared distance of confidence and truth, from 0 to 1, less is better.
    pub brier: Option<Estimate>,
    /// The expected calibration error: the mean distance of confidence and share of right calls, from 0 to 1, less is better.
    pub ece: Option<Estimate>,
    /// Confidences in tenths; a tenth without rows is left out.
    pub bins: Vec<Bin>,
}

/// Whether a judge says the same when it is asked the same.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Consistency {
    /// How often every question was asked.
    pub repeats: usize,
    /// The share of pairs of repetitions with different labels, from 0 to 1.
    pub flip_rate: Option<Estimate>,
    /// Agreement of the repetitions beyond chance: Fleiss' kappa, at most 1.
    pub kappa: Option<Estimate>,
}

/// The name of weighted kappa among the figures; it is there for graded labels with graded gold.
const WEIGHTED_KAPPA: &str = "weighted_kappa";
/// Bins of confidence.
const BINS: usize = 10;
/// Values of a column beyond which it names rows, not kinds of rows.
const MAX_SLICES: usize = 1000;

/// All figures of `contender`.
pub fn measure(rows: &Rows, contender: &Contender) -> Measured {
    let gold = &rows.golds[contender.gold];
    let known: Vec<usize> = rows.by_cluster().into_iter().filter(|row| gold.right[*row].is_some()).collect();
    let rated = rated(rows, contender, &known);
    let mut overall = slice(rows, contender, &known);
    let settled = settled(rows, contender, &known);
    // Where only the one that looks first gives probabilities, they say nothing of the pair.
    let is_of_all = settled.is_none() || rated.len() == known.len() * contender.repeats.len();
    let rated = if is_of_all { rated } else { Vec::new() };
    if overall.figures.len() > 1 + usize::from(overall.figures.contains_key(WEIGHTED_KAPPA))
        && let Some(area) = stats::auc_estimate(&rated)
    {
        overall.figures.insert("auc", area);
    }
    let mut statuses = BTreeMap::new();
    for predictions in &contender.repeats {
        for status in known.iter().filter_map(|row| predictions.statuses.get(*row)) {
            *statuses.entry(Status::as_str(*status)).or_default() += 1;
        }
    }
    let no_evidence = |predictions: &super::Predictions| {
        known.iter().filter(|row| predictions.without_evidence.contains(row)).count() as u64
    };
    let (slices, slicings_left_out) = slices(rows, contender, &known);
    let asked = contender.repeats.iter().map(|predictions| predictions.labels.len()).sum();
    Measured {
        judge: contender.judge.clone(),
        template: contender.template.clone(),
        task: contender.task.map(crate::domain::Task::as_str),
        baseline: contender.baseline,
        gold: gold.column.clone(),
        repeats: contender.repeats.len(),
        record: contender.record.clone(),
        statuses,
        no_evidence: contender.repeats.iter().map(no_evidence).sum(),
        settled,
        overall,
        slices,
        slicings_left_out,
        calibration: (!rated.is_empty()).then(|| Calibration {
            rows: rated.len(),
            brier: stats::brier(&rated),
            ece: stats::ece(&rated, BINS),
            bins: stats::reliability(&rated, BINS),
        }),
        findings: findings::figures(rows, contender),
        consistency: consistency(rows, contender, &known),
        grades: scale::grades(rows, contender, &known),
        usage: contender.usage().record(asked),
        operating: super::calibration::operating(rows, contender, &known),
    }
}

/// What was settled of `known`; nothing where nobody looks first.
fn settled(rows: &Rows, contender: &Contender, known: &[usize]) -> Option<Settled> {
    contender.record.get("first")?;
    let gold = &rows.golds[contender.gold].right;
    let of = |label: bool| {
        let of_cluster = |cluster: &[usize]| {
            let (mut hits, mut all) = (0, 0);
            for (row, predictions) in
                cluster.iter().flat_map(|row| contender.repeats.iter().map(move |own| (*row, own)))
            {
                if predictions.settled.contains(&row) && predictions.labels[row] == Some(label) {
                    all += 1;
                    hits += u64::from(gold[row] == Some(label));
                }
            }
            (hits, all)
        };
        known.chunk_by(|a, b| rows.clusters[*a] == rows.clusters[*b]).map(of_cluster).collect::<Vec<_>>()
    };
    let (right, wrong) = (of(true), of(false));
    Some(Settled {
        rows: (known.len() * contender.repeats.len()) as u64,
        settled: right.iter().chain(&wrong).map(|(_, all)| all).sum(),
        precision_correct: stats::share(&right),
        precision_incorrect: stats::share(&wrong),
    })
}

fn slices(rows: &Rows, contender: &Contender, known: &[usize]) -> (Vec<Slice>, Vec<LeftOut>) {
    let (mut slices, mut left_out) = (Vec::new(), Vec::new());
    for slicing in &rows.slicings {
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); slicing.values.len()];
        for row in known {
            for value in slicing.values_of(*row) {
                members[value as usize].push(*row);
            }
        }
        let mut of_column: Vec<(usize, Vec<usize>)> =
            members.into_iter().enumerate().filter(|(_, members)| !members.is_empty()).collect();
        of_column.sort_by_key(|(value, members)| (std::cmp::Reverse(members.len()), *value));
        if of_column.len() > MAX_SLICES {
            left_out.push(LeftOut { by: slicing.by.clone(), values: of_column.len() });
            continue;
        }
        slices.extend(of_column.into_iter().map(|(value, members)| Slice {
            by: Some(slicing.by.clone()),
            value: Some(slicing.values[value].clone()),
            ..slice(rows, contender, &members)
        }));
    }
    (slices, left_out)
}

/// Figures of `members`, of which those of a cluster stand together.
fn slice(rows: &Rows, contender: &Contender, members: &[usize]) -> Slice {
    let tables = tables(rows, contender, members);
    let confusion: Confusion = tables.iter().sum();
    let positives = confusion.true_positive + confusion.false_negative + confusion.unjudged_positive;
    let negatives = confusion.true_negative + confusion.false_positive + confusion.unjudged_negative;
    let measures: &[Measure] = match (positives, negatives) {
        (_, 0) => &[Measure::RecallCorrect],
        (0, _) => &[Measure::RecallIncorrect],
        _ => &Measure::ALL,
    };
    let figure = |measure: &Measure| Some((measure.as_str(), stats::estimate(*measure, &tables)?));
    let mut figures: BTreeMap<&str, Estimate> = measures.iter().filter_map(figure).collect();
    let weighted = scale::grades(rows, contender, members).and_then(|grades| grades.weighted_kappa);
    figures.extend(weighted.map(|kappa| (WEIGHTED_KAPPA, kappa)));
    let bound = |measure: &Measure| Some((measure.as_str(), stats::bounds(*measure, &confusion)?));
    Slice {
        by: None,
        value: None,
        rows: members.len(),
        clusters: tables.len(),
        coverage: stats::share(
            &tables
                .iter()
                .map(|table| (table.judged(), table.judged() + table.unjudged()))
                .collect::<Vec<_>>(),
        ),
        confusion,
        figures,
        bounds: match confusion.unjudged() {
            0 => BTreeMap::new(),
            _ => measures.iter().filter_map(bound).collect(),
        },
    }
}

/// One table for each cluster of `members`.
fn tables(rows: &Rows, contender: &Contender, members: &[usize]) -> Vec<Confusion> {
    let gold = &rows.golds[contender.gold].right;
    let table = |cluster: &[usize]| {
        let mut table = Confusion::default();
        for row in cluster {
            let Some(right) = gold[*row] else { continue };
            contender.repeats.iter().for_each(|predictions| table.add(right, predictions.labels[*row]));
        }
        table
    };
    members.chunk_by(|a, b| rows.clusters[*a] == rows.clusters[*b]).map(table).collect()
}

/// Rows of which the judge says how probable it is that they are right, with or without a label.
fn rated(rows: &Rows, contender: &Contender, known: &[usize]) -> Vec<Rated> {
    let gold = &rows.golds[contender.gold].right;
    let of_repeat = |predictions: &'_ super::Predictions| {
        known
            .iter()
            .filter_map(|row| {
                let (score, gold) = (predictions.probability(*row)?, gold[*row]?);
                Some(Rated { cluster: rows.clusters[*row], score, gold })
            })
            .collect::<Vec<_>>()
    };
    contender.repeats.iter().flat_map(of_repeat).collect()
}

fn consistency(rows: &Rows, contender: &Contender, known: &[usize]) -> Option<Consistency> {
    if contender.repeats.len() < 2 {
        return None;
    }
    let repeats = |cluster: &[usize]| {
        let mut repeats = Repeats::default();
        for row in cluster {
            let labels: Vec<Option<bool>> =
                contender.repeats.iter().map(|predictions| predictions.labels[*row]).collect();
            repeats.add(&labels);
        }
        repeats
    };
    let clusters: Vec<Repeats> =
        known.chunk_by(|a, b| rows.clusters[*a] == rows.clusters[*b]).map(repeats).collect();
    Some(Consistency {
        repeats: contender.repeats.len(),
        flip_rate: stats::flip_rate(&clusters),
        kappa: stats::repeat_kappa(&clusters),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::{Facts, Predictions, Usage};
    use crate::domain::Status;

    /// Rows with two golds, of which the second says nothing of every other row; `by` gives each row a value.
    fn rows(count: u64, by: impl Fn(u64) -> String) -> Rows {
        let mut rows = Rows::new(["all", "half"], ["by"]);
        for number in 0..count {
            let golds = [Some(number % 3 == 0), (number % 2 == 0).then_some(number % 3 == 0)];
            let (cluster, slices) = (u128::from(number).to_le_bytes(), [Some(by(number))]);
            let facts =
                Facts { number, golds: &golds, slices: &slices, cluster, checked: None, identity: None };
            rows.push(facts);
        }
        rows
    }

    /// A judge that was asked so often, at a dollar an answer, and has no label for every fourth row and those beside the second gold.
    fn judge(rows: &Rows, gold: usize, repeats: usize) -> Contender {
        let mut predictions = Predictions::default();
        for row in 0..rows.len() {
            let status = match row % 4 {
                0 => Status::Refused,
                1 => Status::Unparseable,
                _ => Status::Judged,
            };
            predictions.push((status == Status::Judged).then_some(true), None, status);
        }
        predictions.usage =
            Usage { answers: rows.len() as u64, cost_usd: rows.len() as f64, ..Usage::default() };
        Contender { gold, repeats: vec![predictions; repeats], ..Contender::default() }
    }

    #[test]
    fn what_is_counted_is_rows_with_that_gold() {
        let rows = rows(40, |_| String::new());
        for (gold, repeats, statuses) in [
            (0, 1, &[("judged", 20), ("refused", 10), ("unparseable", 10)][..]),
            (1, 1, &[("judged", 10), ("refused", 10)]),
            (1, 3, &[("judged", 30), ("refused", 30)]),
        ] {
            let measured = measure(&rows, &judge(&rows, gold, repeats));
            assert_eq!(measured.statuses, statuses.iter().copied().collect());
            let counted: u64 = statuses[1..].iter().map(|(_, rows)| rows).sum();
            assert_eq!(measured.overall.confusion.unjudged(), counted, "they are those without a label");
            let usage = measured.usage.unwrap();
            assert_eq!(usage.cost_usd_per_1000, Some(1000.0), "of one answer to each");
            assert_eq!(usage.cost_usd, Some(40.0 * repeats as f64));
        }
    }

    #[test]
    fn all_slices_are_kept_unless_there_are_too_many() {
        let many = rows(2000, |row| (row % 1000).to_string());
        let measured = measure(&many, &judge(&many, 0, 1));
        assert_eq!((measured.slices.len(), measured.slicings_left_out.len()), (1000, 0));
        let too_many = rows(2002, |row| (row % 1001).to_string());
        let measured = measure(&too_many, &judge(&too_many, 0, 1));
        assert_eq!(measured.slices, []);
        assert_eq!(measured.slicings_left_out, [LeftOut { by: "by".to_owned(), values: 1001 }]);
        // Only rows with gold count.
        let measured = measure(&too_many, &judge(&too_many, 1, 1));
        assert_eq!(measured.slicings_left_out[0].values, 1001);
        let measured = measure(&rows(1500, |row| row.to_string()), &judge(&too_many, 1, 1));
        assert_eq!((measured.slices.len(), measured.slicings_left_out.len()), (750, 0));
    }
}
