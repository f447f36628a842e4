//! What moved the learned score against a call, in words.

use super::assess::Assessment;
use super::explain::reason;
use super::features;
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

/// What a feature is about, for people.
fn words(feature: &str, assessment: &Assessment, task: CallTask) -> Option<&'static str> {
    let called = assessment.signals.get(Signal::NoCall) == 0.0;
    let (group, rest) = feature.split_once('_')?;
    Some(match (group, rest) {
        // The rules' own estimate: what weighs most in it.
        ("rule", _) => {
            return score::reasons(&assessment.signals, task).first().map(|(signal, _)| reason(*signal));
        }
        ("fit", "rank" | "unused" | "unused_name" | "excess" | "telling" | "tools") if called => {
            "another tool has more in common with the request"
        }
        ("fit", _) | (_, "tool_fit") if called => "the called tools have little in common with the request",
        ("fit" | "need", _) => "a tool has much in common with the request, and was not called",
        ("ask", _) => "requests of this form are often answered wrongly",
        ("use", "calls" | "names" | "same" | "less_listed" | "less_marks" | "less_verbs") => {
            "the number of calls is unusual for such a request"
        }
        ("use", "equal" | "varying" | "overlap") => "the calls are much alike",
        ("use", _) => "parts of the request are not used",
        ("from", _)
        | (
            "worst",
            "from_question" | "from_user" | "from_result" | "from_assistant" | "from_system" | "from_nowhere"
            | "age",
        ) => "a value does not come from where such values come from",
        ("arg" | "worst", "near" | "gap" | "next" | "rival" | "crossed" | "mentions") => {
            "a value does not stand beside the words for its parameter"
        }
        (
            "arg" | "worst",
            "trunc" | "extended" | "tail" | "tail_missing" | "case" | "case_lost" | "expression" | "signs"
            | "sign_like" | "underscore" | "words" | "length" | "joined" | "head" | "capitals" | "code"
            | "state",
        ) => "a value is written otherwise than in the conversation",
        ("arg" | "worst", "list" | "list_listed" | "twice_list" | "twice_in_list" | "leaves") => {
            "a list has more or fewer items than were named"
        }
        ("arg" | "worst", _) => "the values are not well supported by the conversation",
        ("out", _) => "a parameter that the request may ask for was left out",
        ("chat", _) => "such a step is unusual at this point of the conversation",
        _ => return None,
    })
}
