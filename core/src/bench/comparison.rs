//! Tests whether one judge is better than another on the same rows.

use serde::Serialize;

use super::{Contender, Rows};
use crate::stats::{
    self, Design, Difference, Estimate, Measure, Paired, PairedMethod, PairedTest, Rated, holm,
    minimum_detectable_difference, non_inferior, rows_needed,
};

/// Two judges on the rows that both labelled.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Places among the contenders: `b` is held against `a`.
    pub a: usize,
    /// The judge that is compared with `a`.
    pub b: usize,
    /// Rows with gold that both labelled, and their clusters.
    pub rows: u64,
    /// Groups of these rows that belong together.
    pub clusters: usize,
    /// Rows with gold that only one of them labelled, or none; they are left out.
    pub unpaired: u64,
    /// What each of the two, A and B, came to over all rows with gold.
    pub alone: [Alone; 2],
    /// Rows on which only A agrees with the gold.
    pub only_a_right: u64,
    /// Rows on which only B agrees with the gold.
    pub only_b_right: u64,
    /// The test of significance, by its name in reports.
    pub test: &'static str,
    /// The difference in each measure, B less A.
    pub differences: Vec<MeasureDifference>,
    /// Whether B is no worse than A by more than the margin, where one was given.
    pub non_inferior: Option<bool>,
    /// Whether a few clusters hold most rows, so that nothing can be said of how many rows a comparison needs.
    pub few_clusters: bool,
    /// The least difference in accuracy that a comparison of so many rows notices four times in five.
    pub minimum_detectable: Option<f64>,
    /// Rows that would show the difference in accuracy that was seen four times in five.
    pub rows_needed: Option<u64>,
    /// What may be said of B.
    pub verdict: Verdict,
}

/// One of two judges over all rows with gold, whether or not the other one labelled them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Alone {
    /// Rows with gold.
    pub rows: u64,
    /// Of these, those that it labelled.
    pub labelled: u64,
    /// Those of which it says how probable it is that they are right.
    pub rated: u64,
    /// Over the rows of which it says how probable it is that they are right; absent where it says so of none.
    pub auc: Option<Estimate>,
}

/// How two judges differ in one measure.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MeasureDifference {
    /// The measure's name.
    pub measure: &'static str,
    /// Its value for A.
    pub a: f64,
    /// Its value for B.
    pub b: f64,
    /// B less A, with its 95 % interval.
    pub difference: Estimate,
    /// The probability of a difference at least as large by chance, were they equally good. From 0 to 1, two-sided; none
    /// where a few clusters hold most rows, for there the test calls differences real that are not.
    pub p: Option<f64>,
    /// Holm's, over all comparisons of this measure.
    pub p_adjusted: Option<f64>,
}

/// What may be said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// B is better in the measure that decides: the interval is above 0, and the adjusted p-value below 0.05.
    Better,
    /// B is worse, by the same rule.
    Worse,
    /// Neither is shown to be better, which does not show that they are equally good.
    Undecided,
}

/// What is asked of a comparison.
#[derive(Debug, Clone, Copy)]
pub struct Question {
    /// The measure that decides.
    pub measure: Measure,
    /// By how much of it B may be worse and still do.
    pub margin: Option<f64>,
    /// Whether every two are compared, and not only the others with the first.
    pub all_pairs: bool,
}

/// The power that a comparison is planned for.
const POWER: f64 = 0.8;
/// The level of tests.
const LEVEL: f64 = 0.05;

/// Compares every other contender with the first, or every two of them. Contenders are measured by the first gold.
pub fn compare(rows: &Rows, contenders: &[Contender], question: Question) -> Vec<Comparison> {
    let firsts = if question.all_pairs { contenders.len() } else { 1 };
    let pairs: Vec<(usize, usize)> =
        (0..firsts).flat_map(|a| (a + 1..contenders.len()).map(move |b| (a, b))).collect();
    let tables: Vec<Vec<Paired>> =
        pairs.iter().map(|(a, b)| paired(rows, &contenders[*a], &contenders[*b])).collect();
    let differences: Vec<Vec<Option<Difference>>> = Measure::ALL
        .iter()
        .map(|measure| tables.iter().map(|clusters| stats::difference(*measure, clusters)).collect())
        .collect();
    let adjusted: Vec<Vec<f64>> = differences.iter().map(|of_measure| adjust(of_measure)).collect();
    { pairs.into_iter().zip(&tables).enumerate() }
        .map(|(at, ((a, b), clusters))| {
            let differences = differences
                .iter()
                .zip(&adjusted)
                .filter_map(|(of_measure, adjusted)| {
                    let found = of_measure[at]?;
                    Some(MeasureDifference {
                        measure: found.measure.as_str(),
                        a: found.a,
                        b: found.b,
                        difference: found.difference,
                        p: Some(found.p),
                        p_adjusted: Some(adjusted[at]),
                    })
                })
                .collect();
            let alone = [&contenders[a], &contenders[b]].map(|contender| alone(rows, contender));
            comparison((a, b), clusters, alone, differences, question)
        })
        .collect()
}

/// p-values of one measure; comparisons in which it is not defined take no part.
fn adjust(differences: &[Option<Difference>]) -> Vec<f64> {
    let known: Vec<f64> = differences.iter().flatten().map(|difference| difference.p).collect();
    let mut adjusted = holm(&known).into_iter();
    differences.iter().map(|difference| difference.and_then(|_| adjusted.next()).unwrap_or(1.0)).collect()
}

fn comparison(
    (a, b): (usize, usize),
    clusters: &[Paired],
    alone: [Alone; 2],
    mut differences: Vec<MeasureDifference>,
    question: Question,
) -> Comparison {
    let PairedTest { method, only_a_right, only_b_right, .. } = stats::paired_test(clusters);
    let rows: u64 = clusters.iter().map(Paired::judged).sum();
    let of = |measure: Measure| differences.iter().find(|found| found.measure == measure.as_str());
    let deciding = of(question.measure).copied();
    let design = Design::of(clusters);
    let few_clusters = rows > 0 && design.is_none();
    let seen = of(Measure::Accuracy).map(|found| found.difference.value.abs()).filter(|seen| *seen > 0.0);
    let verdict = deciding.map_or(Verdict::Undecided, |found| match found.p_adjusted {
        Some(p) if p < LEVEL && found.difference.low > 0.0 => Verdict::Better,
        Some(p) if p < LEVEL && found.difference.high < 0.0 => Verdict::Worse,
        _ => Verdict::Undecided,
    });
    if few_clusters {
        differences.iter_mut().for_each(|difference| (difference.p, difference.p_adjusted) = (None, None));
    }
    Comparison {
        a,
        b,
        rows,
        clusters: clusters.iter().filter(|cluster| cluster.judged() > 0).count(),
        unpaired: alone[0].rows.saturating_sub(rows),
        alone,
        only_a_right,
        only_b_right,
        test: match method {
            PairedMethod::McNemarExact => "mcnemar_exact",
            PairedMethod::SignFlipExact => "sign_flip_exact",
            PairedMethod::SignFlipSampled => "sign_flip_sampled",
        },
        non_inferior: question
            .margin
            .zip(deciding)
            .map(|(margin, found)| non_inferior(&found.difference, margin)),
        few_clusters,
        minimum_detectable: design.and_then(|design| minimum_detectable_difference(rows, &design, POWER)),
        rows_needed: design.zip(seen).and_then(|(design, seen)| rows_needed(seen, &design, POWER)),
        verdict,
        differences,
    }
}

fn alone(rows: &Rows, contender: &Contender) -> Alone {
    let (Some(gold), Some(predictions)) = (rows.golds.first(), contender.first()) else {
        return Alone::default();
    };
    let known = || rows.by_cluster().into_iter().filter_map(|row| Some((row, gold.right[row]?)));
    let rated: Vec<Rated> = known()
        .filter_map(|(row, gold)| {
            Some(Rated { cluster: rows.clusters[row], score: predictions.probability(row)?, gold })
        })
        .collect();
    Alone {
        rows: known().count() as u64,
        labelled: known().filter(|(row, _)| predictions.labels[*row].is_some()).count() as u64,
        rated: rated.len() as u64,
        auc: stats::auc_estimate(&rated),
    }
}

fn paired(rows: &Rows, a: &Contender, b: &Contender) -> Vec<Paired> {
    let (Some(first), Some(second), Some(gold)) = (a.first(), b.first(), rows.golds.first()) else {
        return Vec::new();
    };
    let table = |cluster: &[usize]| {
        let mut table = Paired::default();
        for row in cluster {
            if let Some(right) = gold.right[*row] {
                table.add(right, first.labels[*row], second.labels[*row]);
            }
        }
        table
    };
    rows.by_cluster().chunk_by(|a, b| rows.clusters[*a] == rows.clusters[*b]).map(table).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::{Facts, Predictions};
    use crate::domain::Status;

    /// Rows of gold and of two judges' labels, as `+` for right.
    fn benchmark(rows: &[(bool, [bool; 2])]) -> (Rows, Vec<Contender>) {
        let mut table = Rows::new(["gold"], []);
        let mut judges = [Predictions::default(), Predictions::default()];
        for (at, (gold, labels)) in rows.iter().enumerate() {
            let golds = [Some(*gold)];
            let cluster = (at as u128).to_le_bytes();
            table.push(Facts {
                number: at as u64,
                golds: &golds,
                slices: &[],
                cluster,
                checked: None,
                identity: None,
            });
            for (predictions, label) in judges.iter_mut().zip(labels) {
                predictions.push(Some(*label), None, Status::Judged);
            }
        }
        let contenders =
            judges.map(|predictions| Contender { repeats: vec![predictions], ..Contender::default() }).into();
        (table, contenders)
    }

    #[test]
    fn a_clear_winner_and_none() {
        let question = Question { measure: Measure::Accuracy, margin: Some(0.05), all_pairs: false };
        // B is right on 30 rows that A gets wrong, A on 5 that B gets wrong.
        let rows: Vec<(bool, [bool; 2])> = (0..200)
            .map(|at| {
                let gold = at % 2 == 0;
                let errs = |errs: bool| gold != errs;
                (gold, [errs(at < 30), errs((30..35).contains(&at))])
            })
            .collect();
        let (table, contenders) = benchmark(&rows);
        let found = &compare(&table, &contenders, question)[0];
        assert_eq!((found.only_a_right, found.only_b_right, found.rows), (5, 30, 200));
        assert_eq!(
            (found.verdict, found.non_inferior, found.test),
            (Verdict::Better, Some(true), "mcnemar_exact")
        );
        let accuracy = found.differences[0];
        assert!((accuracy.difference.value - 0.125).abs() < 1e-12 && accuracy.p.unwrap() < 1e-4);
        let (table, mut contenders) = benchmark(&rows);
        contenders.swap(0, 1);
        assert_eq!(compare(&table, &contenders, question)[0].verdict, Verdict::Worse);
        let (table, contenders) = benchmark(&rows[28..38]);
        let found = &compare(&table, &contenders, question)[0];
        assert_eq!(found.verdict, Verdict::Undecided);
        assert!(found.minimum_detectable.is_none_or(|least| least > 0.2));
    }
}
