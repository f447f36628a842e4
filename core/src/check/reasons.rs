//! What moved the learned score against a call, in words.

use super::assess::Assessment;
use super::explain::reason;
use super::features::{self, Feature};
use super::model::Shipped;
use super::score::{self, Signal};
use crate::domain::CallTask;

/// What spoke most against the calls, the gravest first.
pub(super) fn against(assessment: &Assessment, task: CallTask) -> Vec<String> {
    let names = features::names();
    let mut sums: Vec<(&'static str, f64)> = Vec::new();
    for (column, amount) in Shipped::get().contributions(assessment.measured(), task) {
        if amount >= 0.0 {
            continue;
        }
        let words = match Signal::ALL.get(column) {
            Some(signal) => (assessment.signals.get(*signal) > 0.0).then(|| reason(*signal)),
            None => words(&names[column], assessment, task),
        };
        let Some(words) = words else { continue };
        match sums.iter_mut().find(|(own, _)| *own == words) {
            Some((_, sum)) => *sum += amount,
            None => sums.push((words, amount)),
        }
    }
    sums.sort_by(|a, b| a.1.total_cmp(&b.1));
    sums.into_iter().map(|(words, _)| words.to_owned()).collect()
}

/// What a feature is about, for people, where that is so of the row: trees may hold anything against it, and only what is true is said.
fn words(feature: &str, assessment: &Assessment, task: CallTask) -> Option<&'static str> {
    let of = |feature: Feature| assessment.features.as_ref().map_or(0.0, |features| features.get(feature));
    let called = assessment.signals.get(Signal::NoCall) == 0.0;
    let (group, rest) = feature.split_once('_')?;
    let (holds, words) = match (group, rest) {
        // The rules' own estimate: what weighs most in it.
        ("rule", _) => {
            return score::reasons(&assessment.signals, task).first().map(|(signal, _)| reason(*signal));
        }
        (
            "fit",
            "rank" | "unused" | "unused_name" | "excess" | "telling" | "tools" | "lead" | "name_lead",
        ) if called => (
            of(Feature::fit_unused) > of(Feature::fit_mix),
            "another tool has more in common with the request",
        ),
        ("fit", _) | (_, "tool_fit") if called => {
            (of(Feature::fit_mix) < LITTLE, "the called tools have little in common with the request")
        }
        ("fit" | "need", _) => (
            !called && of(Feature::need_fit) >= LITTLE,
            "a tool has much in common with the request, and was not called",
        ),
        ("ask", _) => (true, "requests of this form were often answered wrongly where the judge was fitted"),
        ("use", "calls" | "names" | "same" | "less_listed" | "less_marks" | "less_verbs") => {
            (true, "this number of calls was seldom right for such a request where the judge was fitted")
        }
        ("use", "equal" | "varying" | "overlap") => {
            (of(Feature::use_calls) > 1.0, "the calls are much alike")
        }
        ("use", _) => (
            called && of(Feature::use_numbers_left) + of(Feature::use_names_left) > 0.0,
            "parts of the request are not used",
        ),
        ("from", _)
        | (
            "worst",
            "from_question" | "from_user" | "from_result" | "from_assistant" | "from_system" | "from_nowhere"
            | "age",
        ) => (
            called && of(Feature::arg_count) > 0.0 && of(Feature::from_question) < 1.0,
            "not all values stand in the last message",
        ),
        ("arg" | "worst", "near" | "gap" | "next" | "rival" | "mentions") => (
            of(Feature::arg_next) > 0.0 || of(Feature::arg_rival) > 0.0 || of(Feature::arg_gap) < 0.0,
            "a value does not stand beside the words for its parameter",
        ),
        (
            "arg" | "worst",
            "trunc" | "extended" | "tail" | "tail_missing" | "case" | "case_lost" | "expression" | "signs"
            | "sign_like" | "underscore" | "words" | "length" | "joined" | "head" | "capitals" | "code"
            | "state",
        ) => {
            let ways = [
                Feature::arg_trunc,
                Feature::arg_extended,
                Feature::arg_tail,
                Feature::arg_case,
                Feature::arg_expression,
                Feature::arg_underscore,
            ];
            (ways.iter().any(|way| of(*way) > 0.0), "a value is written otherwise than in the conversation")
        }
        ("arg" | "worst", "list" | "list_listed" | "twice_list" | "twice_in_list" | "leaves") => (
            of(Feature::arg_list) >= 0.0 && of(Feature::arg_list_listed) != 0.0,
            "a list has more or fewer items than were named",
        ),
        ("arg" | "worst", _) => (
            of(Feature::arg_count) > 0.0 && of(Feature::arg_ground) < WELL,
            "the values are not well supported by the conversation",
        ),
        ("out", _) => (
            of(Feature::out_count) > 0.0 && of(Feature::out_name).max(of(Feature::out_described)) > 0.0,
            "a parameter that the request may ask for was left out",
        ),
        ("chat", _) => (
            of(Feature::chat_step) > 0.0,
            "such a step was seldom right at this point of a conversation where the judge was fitted",
        ),
        _ => return None,
    };
    holds.then_some(words)
}

/// Of a fit from 0 to 3, what is little.
const LITTLE: f32 = 1.0;
/// A value that the conversation tells this surely is well supported.
const WELL: f32 = 0.9;
