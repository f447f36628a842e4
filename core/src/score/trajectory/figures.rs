//! Precision, recall and F1 of the steps.

/// Precision, recall and their harmonic mean over calls, where each call answers one expected call at most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Figures {
    pub precision: f64,
    pub recall: f64,
    pub f1: f64,
}

impl Figures {
    /// As columns and summaries name them.
    pub(super) const NAMES: [&str; 3] = ["precision", "recall", "f1"];

    /// Of `called` calls and `expected` ones, `matched` answer each other. Nothing where nothing is expected is right; nothing
    /// where something is expected has no precision to speak of, so 0.
    pub(super) fn of(matched: usize, called: usize, expected: usize) -> Figures {
        let share = |all: usize, other: usize| match (all, other) {
            (0, 0) => 1.0,
            (0, _) => 0.0,
            (all, _) => matched as f64 / all as f64,
        };
        let precision = share(called, expected);
        // Where nothing is expected, nothing is missed.
        let recall = if expected == 0 { 1.0 } else { share(expected, called) };
        let f1 = match precision + recall {
            0.0 => 0.0,
            sum => 2.0 * precision * recall / sum,
        };
        Figures { precision, recall, f1 }
    }

    pub(super) fn named(self) -> [(&'static str, f64); 3] {
        let [precision, recall, f1] = Figures::NAMES;
        [(precision, self.precision), (recall, self.recall), (f1, self.f1)]
    }
}
