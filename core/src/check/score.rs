//! Turns what was noticed into the probability that a call is right.

use crate::domain::CallTask;

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
    Composed,
    Derived,
    Described,
    DescribedOptional,
    Placeholder,
    OtherChoice,
    KeptPercent,
    WrongUnit,
    WrongSign,
    Swapped,
    Excluded,
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
    SoundMisfit,
    BetterTool,
    LeftOut,
    Unexplained,
    OneCallManyRequests,
    NoCall,
    NoCallButFit,
    NoCallThoughAsked,
    OtherState,
    EmptyValue,
}

impl Signal {
    /// All of them, in order.
    pub(super) const ALL: [Signal; SIGNALS] = {
        let mut all = [Signal::UnknownTool; SIGNALS];
        let mut at = 0;
        while at < SIGNALS {
            all[at] = WEIGHTS[at].0;
            at += 1;
        }
        all
    };
}

pub(super) const SIGNALS: usize = Signal::EmptyValue as usize + 1;

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
pub(super) fn probability(signals: &Signals, task: CallTask) -> f64 {
    let column = column(task);
    let sum: f64 = WEIGHTS.iter().map(|(signal, weights)| weights[column] * signals.get(*signal)).sum();
    1.0 / (1.0 + (-BIAS[column] - sum).exp())
}

/// What most spoke against the calls, the gravest first: each signal with what it takes from the log-odds.
pub(super) fn reasons(signals: &Signals, task: CallTask) -> Vec<(Signal, f64)> {
    let column = column(task);
    let taken = |(signal, weights): &(Signal, [f64; 3])| (*signal, weights[column] * signals.get(*signal));
    let mut reasons: Vec<(Signal, f64)> =
        WEIGHTS.iter().map(taken).filter(|(_, taken)| *taken < -0.05).collect();
    reasons.sort_by(|a, b| a.1.total_cmp(&b.1));
    reasons
}

fn column(task: CallTask) -> usize {
    match task {
        CallTask::ToolCalling => 0,
        CallTask::ParameterExtraction => 1,
        CallTask::ToolSelection => 2,
    }
}

/// The most that is left to a call with a fault: the reference may be laxer than the definition.
pub const MAX_WITH_FAULT: f64 = 0.15;

/// The most that is left to a call that the user seems not to want, or not yet, where half of all calls are right: the share of right ones
/// among the everyday calls of which the words say so.
pub(super) const MAX_HELD_BACK: f64 = 0.35;

/// What a call starts with when nothing was noticed, in the order of the columns below.
const BIAS: [f64; 3] = [1.87, 1.02, 2.20];

/// What each signal adds to the log-odds of being right: for tool calling, parameter extraction, selection.
///
/// Every sign was thought out by hand: nothing noticed ever speaks for a call. The sizes are a logistic
/// regression that may not turn a sign around and is pulled towards hand-set values where a signal is rare
/// (ridge 4; 40 for outright breaches of the schema, placeholders, wrong units and contradicted choices),
/// fitted to real calls of the BFCL leaderboard's models: those 2,326 (1,356 for parameter extraction), each
/// call once, whose question and model both have an even first byte of their BLAKE3 hash; classes weigh alike.
/// The `NoCall` rows come from 98 answers without a call to such questions by such models.
#[rustfmt::skip]
const WEIGHTS: [(Signal, [f64; 3]); SIGNALS] = [
    (Signal::UnknownTool, [-4.07, 0.00, -4.15]),
    (Signal::Malformed, [-4.00, -4.00, 0.00]),
    (Signal::Missing, [-3.03, -3.02, 0.00]),
    (Signal::UnknownParameter, [-3.00, -3.00, 0.00]),
    (Signal::WrongType, [-2.80, -2.89, 0.00]),
    (Signal::LooseType, [-0.36, -0.79, 0.00]),
    (Signal::NotAllowed, [-3.01, -3.01, 0.00]),
    (Signal::BrokenRule, [-2.50, -2.50, 0.00]),
    (Signal::UngroundedText, [-2.17, -2.04, -0.49]),
    (Signal::UngroundedNumber, [-1.52, -1.29, -1.53]),
    (Signal::UngroundedBoolean, [-0.83, -0.87, 0.00]),
    (Signal::UngroundedOptional, [-1.32, -1.39, -0.76]),
    (Signal::PartlyGrounded, [-1.06, -1.10, 0.00]),
    (Signal::PartlyOptional, [-0.59, -0.41, 0.00]),
    (Signal::Composed, [-0.31, -0.30, 0.00]),
    (Signal::Derived, [-1.14, -0.78, 0.00]),
    (Signal::Described, [0.00, -0.15, 0.00]),
    (Signal::DescribedOptional, [-0.20, -0.58, 0.00]),
    (Signal::Placeholder, [-2.50, -2.50, -2.34]),
    (Signal::OtherChoice, [-2.50, -2.50, 0.00]),
    (Signal::KeptPercent, [-1.07, -1.09, 0.00]),
    (Signal::WrongUnit, [-2.50, -2.50, 0.00]),
    (Signal::WrongSign, [-3.00, -3.00, 0.00]),
    (Signal::Swapped, [-3.00, -3.00, 0.00]),
    (Signal::Excluded, [-3.00, -3.00, 0.00]),
    (Signal::InferredChoice, [-0.41, -0.42, 0.00]),
    (Signal::UnsupportedShare, [-1.61, -1.43, -0.15]),
    (Signal::LongText, [-0.61, -0.78, 0.00]),
    (Signal::UnusedNumber, [-1.11, -0.85, -0.81]),
    (Signal::UnusedQuotation, [-1.32, -1.30, 0.00]),
    (Signal::UnusedSibling, [-1.09, -0.57, -0.86]),
    (Signal::UnusedShare, [-0.40, -0.28, -0.07]),
    (Signal::Duplicate, [-1.74, 0.00, -1.80]),
    (Signal::NameMisfit, [-0.51, 0.00, -0.49]),
    (Signal::TextMisfit, [-1.54, 0.00, -2.10]),
    (Signal::ThinMisfit, [-0.97, 0.00, -2.49]),
    (Signal::SoundMisfit, [-0.54, 0.00, -1.50]),
    (Signal::BetterTool, [-1.32, 0.00, -1.05]),
    (Signal::LeftOut, [-2.01, 0.00, -2.81]),
    (Signal::Unexplained, [-0.30, -0.43, -0.38]),
    (Signal::OneCallManyRequests, [-0.46, 0.00, -0.46]),
    (Signal::NoCall, [0.44, 0.00, 0.11]),
    (Signal::NoCallButFit, [-2.41, 0.00, -2.41]),
    (Signal::NoCallThoughAsked, [-1.83, 0.00, -1.83]),
    (Signal::OtherState, [-3.00, 0.00, -3.00]),
    (Signal::EmptyValue, [-0.40, -0.40, 0.00]),
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
            probability(&signals, CallTask::ToolSelection),
            probability(&Signals::default(), CallTask::ToolSelection)
        );
        assert!(probability(&signals, CallTask::ParameterExtraction) < 0.5);
        assert!(probability(&signals, CallTask::ToolCalling) < 0.5);
    }
}
