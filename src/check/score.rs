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
    TextForValue,
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
const BIAS: [f64; 3] = [2.34, 1.03, 3.36];

/// What each signal adds to the log-odds of being right: for tool calling, for parameter extraction, for tool selection.
///
/// Every sign was thought out by hand: nothing noticed ever speaks for a call. The sizes are a logistic regression that may not turn a
/// sign around and is pulled towards hand-set values where a signal is rare (ridge 4), fitted to 2,326 real calls of the tuning half
/// of the BFCL leaderboard's outputs (questions and models whose BLAKE3 hash is even; calls made once; classes weighted alike).
/// The `NoCall` rows come from 173 answers without a call to questions of that half.
#[rustfmt::skip]
const WEIGHTS: [(Signal, [f64; 3]); SIGNALS] = [
    (Signal::UnknownTool, [-4.51, 0.00, -5.01]),
    (Signal::Malformed, [-4.00, -4.00, 0.00]),
    (Signal::Missing, [-2.52, -2.33, 0.00]),
    (Signal::UnknownParameter, [-1.80, -1.67, 0.00]),
    (Signal::WrongType, [-0.78, -1.19, 0.00]),
    (Signal::TextForValue, [-0.37, -0.81, 0.00]),
    (Signal::NotAllowed, [-1.68, -1.68, 0.00]),
    (Signal::BrokenRule, [-1.50, -1.50, 0.00]),
    (Signal::UngroundedText, [-1.46, -1.37, -0.61]),
    (Signal::UngroundedNumber, [-1.56, -1.26, -1.46]),
    (Signal::UngroundedBoolean, [-0.81, -0.87, 0.00]),
    (Signal::UngroundedOptional, [-1.41, -1.44, -0.78]),
    (Signal::PartlyGrounded, [-1.30, -1.40, 0.00]),
    (Signal::PartlyOptional, [-0.62, -0.42, 0.00]),
    (Signal::Derived, [-0.64, -0.49, 0.00]),
    (Signal::Described, [-0.12, -0.34, 0.00]),
    (Signal::Placeholder, [-1.00, -0.98, -0.51]),
    (Signal::OtherChoice, [-1.05, -1.23, 0.00]),
    (Signal::KeptPercent, [-1.03, -1.08, 0.00]),
    (Signal::InferredChoice, [-0.65, -0.64, 0.00]),
    (Signal::ExplicitDefault, [-0.05, 0.00, 0.00]),
    (Signal::UnsupportedShare, [-1.68, -1.22, -0.91]),
    (Signal::LongText, [-0.57, -0.80, 0.00]),
    (Signal::UnusedNumber, [-1.07, -0.66, -0.87]),
    (Signal::UnusedQuotation, [-1.01, -1.07, 0.00]),
    (Signal::UnusedSibling, [-0.79, -0.17, -1.36]),
    (Signal::UnusedShare, [-0.27, -0.50, 0.00]),
    (Signal::Duplicate, [-1.74, 0.00, -1.76]),
    (Signal::NameMisfit, [-0.69, 0.00, -0.78]),
    (Signal::TextMisfit, [-0.90, 0.00, -2.13]),
    (Signal::BetterTool, [-1.38, 0.00, -1.10]),
    (Signal::LeftOut, [-1.96, 0.00, -2.61]),
    (Signal::Unexplained, [-0.68, -0.49, -1.40]),
    (Signal::OneCallManyRequests, [-0.51, 0.00, -0.45]),
    (Signal::NoCall, [-0.21, 0.00, -1.23]),
    (Signal::NoCallButFit, [-4.45, 0.00, -4.45]),
];
