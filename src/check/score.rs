//! From what was noticed to the probability that a call is right.

use crate::domain::Task;

/// What the model weighs. Shares lie between 0 and 1, counts are capped so that no single kind decides by mass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signal {
    UnknownTool,
    Malformed,
    Missing,
    UnknownParameter,
    WrongType,
    LooseType,
    NotAllowed,
    BrokenRule,
    UngroundedText,
    UngroundedNumber,
    UngroundedBoolean,
    UngroundedOptional,
    PartlyGrounded,
    PartlyOptional,
    Derived,
    Described,
    DescribedOptional,
    Placeholder,
    OtherChoice,
    KeptPercent,
    InferredChoice,
    UnsupportedShare,
    LongText,
    UnusedNumber,
    UnusedQuotation,
    UnusedSibling,
    UnusedShare,
    Duplicate,
    NameMisfit,
    TextMisfit,
    ThinMisfit,
    BetterTool,
    LeftOut,
    Unexplained,
    OneCallManyRequests,
    NoCall,
    NoCallButFit,
}

pub(super) const SIGNALS: usize = Signal::NoCallButFit as usize + 1;

/// The strengths of all signals of one sample.
#[derive(Debug, Clone, Copy)]
pub(super) struct Signals([f64; SIGNALS]);

impl Default for Signals {
    fn default() -> Signals {
        Signals([0.0; SIGNALS])
    }
}

impl Signals {
    pub(super) fn set(&mut self, signal: Signal, strength: f64) {
        self.0[signal as usize] = strength;
    }

    /// Adds to a count, up to `cap`.
    pub(super) fn add(&mut self, signal: Signal, amount: f64, cap: f64) {
        let slot = &mut self.0[signal as usize];
        *slot = (*slot + amount).min(cap);
    }

    pub(super) fn get(&self, signal: Signal) -> f64 {
        self.0[signal as usize]
    }
}

/// The probability that the calls are right by the criterion of `task`, at even odds before looking.
pub(super) fn probability(signals: &Signals, task: Task) -> f64 {
    let column = match task {
        Task::ToolCalling => 0,
        Task::ParameterExtraction => 1,
        Task::ToolSelection => 2,
    };
    let sum: f64 = WEIGHTS.iter().map(|(signal, weights)| weights[column] * signals.get(*signal)).sum();
    1.0 / (1.0 + (-BIAS[column] - sum).exp())
}

/// What a call starts with when nothing was noticed, in the order of the columns below.
const BIAS: [f64; 3] = [1.93, 1.02, 2.29];

/// What each signal adds to the log-odds of being right: for tool calling, for parameter extraction, for tool selection.
///
/// Every sign was thought out by hand: nothing noticed ever speaks for a call. The sizes are a logistic regression that may not turn a
/// sign around and is pulled towards hand-set values where a signal is rare (ridge 4; 40 for
/// outright breaches of the schema, placeholders and contradicted choices), fitted to real calls of the BFCL leaderboard's models:
/// those 2,326 (1,356 for parameter extraction), each call once, whose question and model both have an even first byte of their BLAKE3
/// hash; classes weigh alike. The `NoCall` rows come from 98 answers without a call to such questions by such models.
#[rustfmt::skip]
const WEIGHTS: [(Signal, [f64; 3]); SIGNALS] = [
    (Signal::UnknownTool, [-4.06, 0.00, -4.14]),
    (Signal::Malformed, [-4.00, -4.00, 0.00]),
    (Signal::Missing, [-3.03, -3.02, 0.00]),
    (Signal::UnknownParameter, [-3.00, -3.00, 0.00]),
    (Signal::WrongType, [-2.80, -2.89, 0.00]),
    (Signal::LooseType, [-0.38, -0.80, 0.00]),
    (Signal::NotAllowed, [-3.01, -3.01, 0.00]),
    (Signal::BrokenRule, [-2.50, -2.50, 0.00]),
    (Signal::UngroundedText, [-2.20, -2.02, -0.53]),
    (Signal::UngroundedNumber, [-1.54, -1.33, -1.52]),
    (Signal::UngroundedBoolean, [-0.83, -0.86, 0.00]),
    (Signal::UngroundedOptional, [-1.29, -1.35, -0.76]),
    (Signal::PartlyGrounded, [-1.11, -1.13, 0.00]),
    (Signal::PartlyOptional, [-0.60, -0.41, 0.00]),
    (Signal::Derived, [-0.93, -0.56, 0.00]),
    (Signal::Described, [0.00, -0.18, 0.00]),
    (Signal::DescribedOptional, [-0.29, -0.56, 0.00]),
    (Signal::Placeholder, [-2.51, -2.50, -2.34]),
    (Signal::OtherChoice, [-2.50, -2.50, 0.00]),
    (Signal::KeptPercent, [-1.08, -1.09, 0.00]),
    (Signal::InferredChoice, [-0.44, -0.46, 0.00]),
    (Signal::UnsupportedShare, [-1.78, -1.45, -0.32]),
    (Signal::LongText, [-0.62, -0.77, 0.00]),
    (Signal::UnusedNumber, [-0.99, -0.71, -0.79]),
    (Signal::UnusedQuotation, [-1.34, -1.29, 0.00]),
    (Signal::UnusedSibling, [-1.11, -0.60, -0.87]),
    (Signal::UnusedShare, [-0.39, -0.27, -0.11]),
    (Signal::Duplicate, [-1.75, 0.00, -1.82]),
    (Signal::NameMisfit, [-0.47, 0.00, -0.38]),
    (Signal::TextMisfit, [-0.80, 0.00, -1.64]),
    (Signal::ThinMisfit, [-1.63, 0.00, -3.09]),
    (Signal::BetterTool, [-1.39, 0.00, -1.10]),
    (Signal::LeftOut, [-2.09, 0.00, -2.84]),
    (Signal::Unexplained, [-0.39, -0.45, -0.55]),
    (Signal::OneCallManyRequests, [-0.47, 0.00, -0.47]),
    (Signal::NoCall, [-0.04, 0.00, -0.40]),
    (Signal::NoCallButFit, [-3.55, 0.00, -3.55]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_signal_is_weighed_once_and_none_speaks_for_a_call() {
        for (at, (signal, weights)) in WEIGHTS.iter().enumerate() {
            assert_eq!(*signal as usize, at);
            assert!(*signal == Signal::NoCall || weights.iter().all(|weight| *weight <= 0.0), "{signal:?}");
        }
    }

    #[test]
    fn what_a_task_leaves_out_does_not_count() {
        let mut signals = Signals::default();
        signals.add(Signal::WrongType, 1.0, 1.0);
        assert_eq!(
            probability(&signals, Task::ToolSelection),
            probability(&Signals::default(), Task::ToolSelection)
        );
        assert!(probability(&signals, Task::ParameterExtraction) < 0.5);
        assert!(probability(&signals, Task::ToolCalling) < 0.5);
    }
}
