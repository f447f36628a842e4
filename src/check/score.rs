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
    ExplicitDefault,
    UnsupportedShare,
    LongText,
    UnusedNumber,
    UnusedQuotation,
    UnusedSibling,
    UnusedShare,
    Duplicate,
    NameMisfit,
    TextMisfit,
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

    pub(super) fn as_slice(&self) -> &[f64] {
        &self.0
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
const BIAS: [f64; 3] = [2.32, 1.03, 3.27];

/// What each signal adds to the log-odds of being right: for tool calling, for parameter extraction, for tool selection.
///
/// Every sign was thought out by hand: nothing noticed ever speaks for a call. The sizes are a logistic regression that may not turn a
/// sign around and is pulled towards hand-set values where a signal is rare (ridge 4), fitted to 2,326 real calls of the tuning half
/// of the BFCL leaderboard's outputs (questions and models whose BLAKE3 hash is even; calls made once; classes weighted alike).
/// The `NoCall` rows come from 173 answers without a call to questions of that half.
#[rustfmt::skip]
const WEIGHTS: [(Signal, [f64; 3]); SIGNALS] = [
    (Signal::UnknownTool, [-4.08, 0.00, -4.19]),
    (Signal::Malformed, [-4.00, -4.00, 0.00]),
    (Signal::Missing, [-3.03, -3.02, 0.00]),
    (Signal::UnknownParameter, [-3.01, -3.00, 0.00]),
    (Signal::WrongType, [-2.77, -2.88, 0.00]),
    (Signal::LooseType, [-0.23, -0.67, 0.00]),
    (Signal::NotAllowed, [-3.01, -3.01, 0.00]),
    (Signal::BrokenRule, [-2.00, -2.00, 0.00]),
    (Signal::UngroundedText, [-2.34, -2.05, -0.64]),
    (Signal::UngroundedNumber, [-1.59, -1.36, -1.41]),
    (Signal::UngroundedBoolean, [-0.80, -0.86, 0.00]),
    (Signal::UngroundedOptional, [-1.26, -1.34, -0.69]),
    (Signal::PartlyGrounded, [-1.16, -1.19, 0.00]),
    (Signal::PartlyOptional, [-0.58, -0.41, 0.00]),
    (Signal::Derived, [-0.85, -0.66, 0.00]),
    (Signal::Described, [0.00, -0.14, 0.00]),
    (Signal::DescribedOptional, [-0.30, -0.55, 0.00]),
    (Signal::Placeholder, [-0.95, -0.94, -0.42]),
    (Signal::OtherChoice, [-1.05, -1.23, 0.00]),
    (Signal::KeptPercent, [-1.00, -1.08, 0.00]),
    (Signal::InferredChoice, [-0.51, -0.52, 0.00]),
    (Signal::ExplicitDefault, [-0.01, 0.00, 0.00]),
    (Signal::UnsupportedShare, [-1.98, -1.48, -1.06]),
    (Signal::LongText, [-0.57, -0.78, 0.00]),
    (Signal::UnusedNumber, [-1.35, -0.82, -1.01]),
    (Signal::UnusedQuotation, [-1.30, -1.32, 0.00]),
    (Signal::UnusedSibling, [-1.18, -0.41, -1.61]),
    (Signal::UnusedShare, [-0.16, -0.15, 0.00]),
    (Signal::Duplicate, [-1.74, 0.00, -1.74]),
    (Signal::NameMisfit, [-0.56, 0.00, -0.73]),
    (Signal::TextMisfit, [-0.97, 0.00, -2.10]),
    (Signal::BetterTool, [-1.41, 0.00, -1.12]),
    (Signal::LeftOut, [-1.92, 0.00, -2.56]),
    (Signal::Unexplained, [-0.71, -0.54, -1.41]),
    (Signal::OneCallManyRequests, [-0.49, 0.00, -0.42]),
    (Signal::NoCall, [-0.19, 0.00, -1.14]),
    (Signal::NoCallButFit, [-4.45, 0.00, -4.45]),
];
