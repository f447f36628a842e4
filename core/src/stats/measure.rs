//! The figures of a judge: accuracy, recalls, precision, F1, kappa, MCC.

use super::confusion::Confusion;

/// Judged items of a table that may be smoothed: true positives, false negatives, false positives, true negatives.
pub(super) type Cells = [f64; 4];

/// A figure of agreement between labels and gold, over judged items. "Correct" figures are about the positive class (calls that
/// are right), "incorrect" ones about the other. All lie between 0 and 1, but for kappa and MCC, which lie between -1 and 1 and
/// are 0 for labels that have nothing to do with gold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Measure {
    /// Share of items whose label is right.
    Accuracy,
    /// Mean of both recalls: 0.5 for a judge that does not look, however uneven the classes are.
    BalancedAccuracy,
    /// Of the items labelled correct, the share that is.
    PrecisionCorrect,
    /// Of the items that are correct, the share labelled so (sensitivity).
    RecallCorrect,
    /// Harmonic mean of precision and recall of "correct".
    F1Correct,
    /// Of the items labelled incorrect, the share that is.
    PrecisionIncorrect,
    /// Of the items that are incorrect, the share labelled so (specificity).
    RecallIncorrect,
    /// Harmonic mean of precision and recall of "incorrect".
    F1Incorrect,
    /// Agreement beyond what the same margins give by chance (J. Cohen, "A coefficient of agreement for nominal scales",
    /// Educational and Psychological Measurement 20, 1960).
    Kappa,
    /// Correlation of labels and gold, Matthews' coefficient (B. W. Matthews, Biochimica et Biophysica Acta 405, 1975).
    Mcc,
}

impl Measure {
    /// All of them, in the order of reports.
    pub const ALL: [Measure; 10] = [
        Measure::Accuracy,
        Measure::BalancedAccuracy,
        Measure::PrecisionCorrect,
        Measure::RecallCorrect,
        Measure::F1Correct,
        Measure::PrecisionIncorrect,
        Measure::RecallIncorrect,
        Measure::F1Incorrect,
        Measure::Kappa,
        Measure::Mcc,
    ];

    /// Its name in tables and files.
    pub fn as_str(self) -> &'static str {
        match self {
            Measure::Accuracy => "accuracy",
            Measure::BalancedAccuracy => "balanced_accuracy",
            Measure::PrecisionCorrect => "precision_correct",
            Measure::RecallCorrect => "recall_correct",
            Measure::F1Correct => "f1_correct",
            Measure::PrecisionIncorrect => "precision_incorrect",
            Measure::RecallIncorrect => "recall_incorrect",
            Measure::F1Incorrect => "f1_incorrect",
            Measure::Kappa => "kappa",
            Measure::Mcc => "mcc",
        }
    }

    /// The least and the greatest value it can have.
    pub fn range(self) -> (f64, f64) {
        match self {
            Measure::Kappa | Measure::Mcc => (-1.0, 1.0),
            _ => (0.0, 1.0),
        }
    }

    /// The figure for a table; unjudged items are left out. `None` where it is not defined: nothing in the class or with the label
    /// it is about; for kappa all items in one class with that one label; for MCC only one class or only one label.
    pub fn of(self, table: &Confusion) -> Option<f64> {
        self.of_cells(&cells(table))
    }

    pub(super) fn of_cells(self, table: &Cells) -> Option<f64> {
        let [tp, fal_n, fal_p, tn] = *table;
        match self {
            Measure::BalancedAccuracy => Some(
                (Measure::RecallCorrect.of_cells(table)? + Measure::RecallIncorrect.of_cells(table)?) / 2.0,
            ),
            Measure::F1Correct => ratio(2.0 * tp, 2.0 * tp + fal_p + fal_n),
            Measure::F1Incorrect => ratio(2.0 * tn, 2.0 * tn + fal_p + fal_n),
            Measure::Kappa => {
                let by_chance = (tp + fal_n) * (fal_n + tn) + (tp + fal_p) * (fal_p + tn);
                ratio(2.0 * (tp * tn - fal_n * fal_p), by_chance)
            }
            Measure::Mcc => {
                let margins = (tp + fal_n) * (fal_p + tn) * (tp + fal_p) * (fal_n + tn);
                ratio(tp * tn - fal_n * fal_p, margins.sqrt())
            }
            _ => self.share_of(table).and_then(|(part, whole)| ratio(part, whole)),
        }
    }

    /// How the figure changes with each cell, up to a factor: for F1 this is the slope of the share it is a function of. Zeros where it
    /// is not defined.
    pub(super) fn gradient(self, table: &Cells) -> Cells {
        let [tp, fal_n, fal_p, tn] = *table;
        let value = self.of_cells(table).unwrap_or(0.0);
        let (positive, negative) = (tp + fal_n, fal_p + tn);
        let (said, not_said) = (tp + fal_p, fal_n + tn);
        let of = |share: Measure| share.gradient(table);
        let slope = match self {
            Measure::BalancedAccuracy => {
                let (right, wrong) = (of(Measure::RecallCorrect), of(Measure::RecallIncorrect));
                [0, 1, 2, 3].map(|at| (right[at] + wrong[at]) / 2.0)
            }
            Measure::Kappa => {
                let by_chance = positive * not_said + said * negative;
                let product = [2.0 * tn, -2.0 * fal_p, -2.0 * fal_n, 2.0 * tp];
                let chance = [not_said + negative, positive + not_said, negative + said, positive + said];
                [0, 1, 2, 3].map(|at| (product[at] - value * chance[at]) / by_chance)
            }
            Measure::Mcc => {
                let margins = (positive * negative * said * not_said).sqrt();
                let product = [tn, -fal_p, -fal_n, tp];
                let logs = [(positive, said), (positive, not_said), (negative, said), (negative, not_said)];
                let logs = logs.map(|(row, column)| 1.0 / row + 1.0 / column);
                [0, 1, 2, 3].map(|at| product[at] / margins - value / 2.0 * logs[at])
            }
            _ => {
                let kinds = [0, 1, 2, 3].map(|at| {
                    let mut one = [0.0; 4];
                    one[at] = 1.0;
                    self.share_of(&one).unwrap_or((0.0, 0.0))
                });
                let (part, whole) = self.share_of(table).unwrap_or((0.0, 0.0));
                kinds.map(|(success, counts)| (success - counts * part / whole) / whole)
            }
        };
        slope.map(|slope| if slope.is_finite() { slope } else { 0.0 })
    }

    /// What the figure is a share of: the items it counts as successes, and those it counts at all. F1 is no share, but
    /// [`f1_of_share`] of one. `None` for figures that are put together from several shares.
    pub(super) fn share_of(self, table: &Cells) -> Option<(f64, f64)> {
        let [tp, fal_n, fal_p, tn] = *table;
        Some(match self {
            Measure::Accuracy => (tp + tn, tp + fal_n + fal_p + tn),
            Measure::PrecisionCorrect => (tp, tp + fal_p),
            Measure::RecallCorrect => (tp, tp + fal_n),
            Measure::F1Correct => (tp, tp + fal_p + fal_n),
            Measure::PrecisionIncorrect => (tn, tn + fal_n),
            Measure::RecallIncorrect => (tn, tn + fal_p),
            Measure::F1Incorrect => (tn, tn + fal_p + fal_n),
            Measure::BalancedAccuracy | Measure::Kappa | Measure::Mcc => return None,
        })
    }
}

/// F1 from the share F* of items that gold and label both put into the class, of those that either does: a growing function,
/// so the ends of an interval may be taken through it (D. J. Hand, P. Christen and N. Kirielle, "F*: an interpretable
/// transformation of the F-measure", Machine Learning 110, 2021).
pub(super) fn f1_of_share(share: f64) -> f64 {
    2.0 * share / (1.0 + share)
}

pub(super) fn cells(table: &Confusion) -> Cells {
    [table.true_positive, table.false_negative, table.false_positive, table.true_negative]
        .map(|count| count as f64)
}

/// The worst and the best that `measure` could be, had the unjudged items been labelled too, in whatever way. `None` where it is
/// defined for no way.
///
/// Every measure grows with each item labelled right instead of wrong, so the ends are where all unjudged items are wrong and
/// where all are right; where it is not defined there, next to them (C. F. Manski, "Partial Identification of Probability
/// Distributions", 2003, on bounds for missing data that assume nothing).
pub fn bounds(measure: Measure, total: &Confusion) -> Option<(f64, f64)> {
    let near_ends = |count: u64| [0, 1.min(count), count.saturating_sub(1), count];
    let [tp, fal_n, fal_p, tn] = cells(total);
    let mut found: Option<(f64, f64)> = None;
    for right in near_ends(total.unjudged_positive) {
        for as_well in near_ends(total.unjudged_negative) {
            let (wrong, also_wrong) = (total.unjudged_positive - right, total.unjudged_negative - as_well);
            let table =
                [tp + right as f64, fal_n + wrong as f64, fal_p + also_wrong as f64, tn + as_well as f64];
            if let Some(value) = measure.of_cells(&table) {
                let (low, high) = found.unwrap_or((value, value));
                found = Some((low.min(value), high.max(value)));
            }
        }
    }
    found
}

fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}
