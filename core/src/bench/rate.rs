//! Estimates the share of right calls in unlabelled logs: a judge's pass rate, corrected for its known errors.

use serde::Serialize;

use super::calibration::Calibrated;
use super::marks::{MarkedShare, Marks};
use crate::sampling::Draw;
use crate::stats::{
    Confusion, Estimate, Histogram, LabelCounts, NoInformation, corrected_share, prediction_powered_share,
    share, shifted,
};

/// A judge's labels of logs, as far as rates need them: ten bytes for each row.
#[derive(Debug, Clone, Default)]
pub struct LogLabels {
    rows: Vec<(u64, u16)>,
    /// What was marked, where it is known how rows were picked.
    marks: Option<Marks>,
}

/// The share of right calls in logs.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Rate {
    /// Rows of the logs.
    pub rows: u64,
    /// Rows with a label; the others are left out of every share.
    pub judged: u64,
    /// Groups of rows that belong together.
    pub clusters: usize,
    /// The share that the judge passes.
    pub observed: Option<Estimate>,
    /// The share that is right, by the judge's errors in a benchmark.
    pub corrected: Option<Estimate>,
    /// The shares of right calls passed, and of wrong calls failed, in that benchmark.
    pub sensitivity: Option<Estimate>,
    /// The share of wrong calls that the judge fails.
    pub specificity: Option<Estimate>,
    /// The share that is right, by the judge's errors on the logs' own rows with gold, of which there are some.
    pub powered: Option<Estimate>,
    /// Rows with gold, where only some have one.
    pub gold_rows: u64,
    /// The share that is right among all rows, by gold on rows that were drawn with known probabilities.
    pub marked: Option<MarkedShare>,
    /// How far the judge's confidences are from what any share of right calls would make them, from 0 to 1.
    pub distance: Option<f64>,
    /// Why there is no corrected share.
    pub refused: Option<String>,
    /// What limits the corrected share, in sentences.
    pub warnings: Vec<String>,
}

/// Confidences this far from what the benchmark explains are worth a warning, unless chance alone explains them.
const FAR: f64 = 0.1;
const BY_CHANCE: f64 = 0.01;
/// A question without gold that holds this share of the rows says more of the whole than all that is known: in simulations, intervals
/// that should cover the truth in 95 % covered it in 91 % from here on, and in 88 % at three quarters.
const LARGE: f64 = 0.5;

impl LogLabels {
    /// Labels of logs in which it is known how the rows with gold were picked.
    pub fn with_marks() -> LogLabels {
        LogLabels { marks: Some(Marks::default()), ..LogLabels::default() }
    }

    /// Adds how the row with that label and gold was drawn, where this is known of rows.
    pub fn mark(&mut self, draw: Option<Draw>, label: Option<bool>, gold: Option<bool>) {
        if let Some(marks) = &mut self.marks {
            marks.push(draw, label, gold);
        }
    }

    /// Adds a row of the cluster with that hash: its label, how probable the judge makes it that it is right, and its gold.
    pub fn push(&mut self, cluster: u64, label: Option<bool>, probability: Option<f64>, gold: Option<bool>) {
        let bin = match probability {
            Some(probability) => ((probability * 10.0) as u16).min(9),
            None => 10,
        };
        self.rows.push((cluster, bin << 4 | code(label) << 2 | code(gold)));
    }

    /// The share of right calls among these rows, by `calibrated`'s errors, or by those on rows with gold.
    pub fn rate(mut self, calibrated: Option<&Calibrated>) -> Rate {
        self.rows.sort_unstable();
        let clusters: Vec<Cluster> = self.rows.chunk_by(|a, b| a.0 == b.0).map(Cluster::of).collect();
        let passes: Vec<(u64, u64)> =
            clusters.iter().map(|cluster| (cluster.passed, cluster.judged)).collect();
        let golds: Vec<Confusion> =
            clusters.iter().map(|cluster| cluster.gold).filter(|table| table.judged() > 0).collect();
        let others: Vec<(u64, u64)> = clusters.iter().map(|cluster| cluster.without_gold).collect();
        let unlabelled: u64 = others.iter().map(|(_, judged)| judged).sum();
        let gold_rows: u64 = golds.iter().map(Confusion::judged).sum();
        let partly = gold_rows > 0 && unlabelled > 0;
        let rows = self.rows.len() as u64;
        let judged: u64 = passes.iter().map(|(_, judged)| judged).sum();
        let passed: u64 = passes.iter().map(|(passed, _)| passed).sum();
        let counts = LabelCounts { passed, failed: judged - passed, unlabelled: rows - judged };
        let marked = self.marks.as_ref().map(|marks| marks.share(counts));
        // Gold that was not drawn by chance must not pass for gold that was.
        let may_be_random = partly && marked.is_none();
        let mut rate = Rate {
            rows,
            judged,
            clusters: clusters.len(),
            observed: share(&passes),
            powered: if may_be_random { prediction_powered_share(&others, &golds) } else { None },
            gold_rows: if partly { gold_rows } else { 0 },
            marked,
            ..Rate::default()
        };
        let unseen = clusters.iter().filter(|cluster| cluster.gold.judged() == 0);
        let largest =
            unseen.map(|cluster| cluster.judged).max().unwrap_or_default() as f64 / judged.max(1) as f64;
        if partly && largest >= LARGE {
            rate.warnings.push(format!(
                "{:.0} % of the rows with a label belong to one question, and none of them has gold: the interval of the share corrected by \
                 gold may be too narrow; give gold to some of them",
                100.0 * largest
            ));
        }
        if let Some(calibrated) = calibrated {
            let histograms: Vec<Histogram> = clusters.iter().map(|cluster| cluster.histogram).collect();
            rate.correct(&passes, &histograms, calibrated);
        }
        rate
    }
}

impl Rate {
    fn correct(&mut self, passes: &[(u64, u64)], histograms: &[Histogram], calibrated: &Calibrated) {
        let (right, wrong) = calibrated.operating.histograms();
        let shift = shifted(&right, &wrong, histograms);
        self.distance = shift.map(|shift| shift.distance);
        let unlike = shift.filter(|shift| shift.distance > FAR && shift.p < BY_CHANCE).map(|shift| {
            format!(
                "these rows do not look like those of the benchmark: {:.0} % of the judge's confidences are not where any share of \
                 right calls would put them",
                100.0 * shift.distance
            )
        });
        match corrected_share(passes, &calibrated.operating.tables()) {
            // Either may be chance: a share at its end, as of a single row, and confidences that are spread otherwise.
            Ok(found) if found.clamped && unlike.is_some() => self.refused = unlike,
            Ok(found) => {
                self.corrected = Some(found.corrected);
                self.sensitivity = Some(found.sensitivity);
                self.specificity = Some(found.specificity);
                self.warnings.extend(unlike);
            }
            Err(why) => self.refused = Some(refusal(why)),
        }
    }
}

fn refusal(why: NoInformation) -> String {
    let points = |figure: &Estimate| format!("{:.2} ({:.2} to {:.2})", figure.value, figure.low, figure.high);
    match why {
        NoInformation::Missing => "the benchmark or these rows lack labels".to_owned(),
        NoInformation::ChanceLike(youden) => format!(
            "in the benchmark the judge is not shown to be better than chance: sensitivity + specificity - 1 is {}",
            points(&youden)
        ),
        NoInformation::Contradiction(observed) => format!(
            "no share of right calls explains that the judge passes {} of these rows: the benchmark is unlike them",
            points(&observed)
        ),
    }
}

fn code(value: Option<bool>) -> u16 {
    match value {
        None => 0,
        Some(false) => 1,
        Some(true) => 2,
    }
}

fn decoded(code: u16) -> Option<bool> {
    match code & 3 {
        1 => Some(false),
        2 => Some(true),
        _ => None,
    }
}

/// The rows of one cluster.
#[derive(Default)]
struct Cluster {
    passed: u64,
    judged: u64,
    histogram: Histogram,
    gold: Confusion,
    without_gold: (u64, u64),
}

impl Cluster {
    fn of(rows: &[(u64, u16)]) -> Cluster {
        let mut cluster = Cluster::default();
        for (_, packed) in rows {
            let (label, gold) = (decoded(packed >> 2), decoded(*packed));
            // The middle of its bin.
            let bin = packed >> 4;
            cluster.histogram.add((bin < 10).then(|| (f64::from(bin) + 0.5) / 10.0));
            let Some(label) = label else { continue };
            cluster.judged += 1;
            cluster.passed += u64::from(label);
            match gold {
                Some(gold) => cluster.gold.add(gold, Some(label)),
                None => {
                    cluster.without_gold.0 += u64::from(label);
                    cluster.without_gold.1 += 1;
                }
            }
        }
        cluster
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::calibration::{ClusterKind, Operating};
    use crate::domain::Random;
    use crate::sampling::Queue;

    /// A judge that passes 90 % of right calls and 20 % of wrong ones, on a thousand rows of each.
    fn calibrated(right_passed: u64) -> Calibrated {
        let kind = |clusters, table| ClusterKind { clusters, table, right: [0; 11], wrong: [0; 11] };
        let kinds = vec![
            kind(right_passed, [1, 0, 0, 0, 0, 0]),
            kind(1000 - right_passed, [0, 1, 0, 0, 0, 0]),
            kind(200, [0, 0, 1, 0, 0, 0]),
            kind(800, [0, 0, 0, 1, 0, 0]),
        ];
        Calibrated { operating: Operating { kinds }, ..Calibrated::default() }
    }

    #[test]
    fn rates_are_corrected() {
        // 70 % right: 0.7 * 0.9 + 0.3 * 0.2 = 69 % pass.
        let mut labels = LogLabels::default();
        (0..2000_u64).for_each(|row| labels.push(row, Some(row % 100 < 69), None, None));
        let rate = labels.clone().rate(Some(&calibrated(900)));
        let corrected = rate.corrected.unwrap();
        assert!((rate.observed.unwrap().value - 0.69).abs() < 1e-12);
        assert!((corrected.value - 0.7).abs() < 1e-9 && corrected.width() > rate.observed.unwrap().width());
        let mut single = LogLabels::default();
        single.push(0, Some(true), None, None);
        let single = single.rate(Some(&calibrated(900)));
        assert_eq!(
            (single.corrected.unwrap().value, single.warnings.len()),
            (1.0, 0),
            "chance explains one row"
        );
        let refused = labels.rate(Some(&calibrated(210)));
        assert!(refused.corrected.is_none() && refused.refused.unwrap().contains("chance"));
    }

    #[test]
    fn some_gold_is_enough() {
        let mut labels = LogLabels::default();
        let mut random = Random::new(3);
        for row in 0..3000_u64 {
            let right = random.chance(0.7);
            let passed = random.chance(if right { 0.9 } else { 0.2 });
            labels.push(row, Some(passed), None, random.chance(0.2).then_some(right));
        }
        let rate = labels.rate(None);
        let powered = rate.powered.unwrap();
        assert!(
            rate.gold_rows > 500 && powered.holds(0.7) && !rate.observed.unwrap().holds(0.72),
            "{rate:?}"
        );
        assert!(powered.width() < 0.08);
        assert!(rate.warnings.is_empty());
    }

    /// The wrong rows are marked first, as somebody does who looks for mistakes.
    #[test]
    fn gold_that_was_chosen_is_never_taken_for_random() {
        let mut labels = LogLabels::with_marks();
        for row in 0..1000_u64 {
            let (passes, right) = (row % 4 > 0, row % 5 > 0);
            let drawn = row % 10 == 7;
            let draw =
                Draw { queue: Queue::Random, round: 1, drawn: 100, drawn_from: 1000, probability: 0.1 };
            let gold = (drawn || !right).then_some(right);
            labels.push(row, Some(passes), None, gold);
            labels.mark(drawn.then_some(draw), Some(passes), gold);
        }
        let rate = labels.rate(None);
        let marked = rate.marked.unwrap();
        assert_eq!((rate.powered, marked.marks, marked.chosen), (None, 100, 200));
        assert!(marked.share.unwrap().value > 0.9, "{marked:?}");
    }

    #[test]
    fn a_giant_question_without_gold_is_told() {
        for (giant, gold, warns) in [(300, None, true), (300, Some(true), false), (90, None, false)] {
            let mut labels = LogLabels::default();
            for row in 0..100_u64 {
                labels.push(row, Some(row % 3 > 0), None, (row % 2 == 0).then_some(row % 4 > 0));
            }
            for row in 0..giant {
                labels.push(1000, Some(row % 2 == 0), None, gold.filter(|_| row == 0));
            }
            let rate = labels.rate(None);
            assert_eq!(rate.warnings.len(), usize::from(warns), "{giant} {gold:?}: {rate:?}");
        }
    }
}
