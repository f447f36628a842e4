//! Describes in words which features moved the learned score against a call.

use std::sync::LazyLock;

use super::assess::Assessment;
use super::explain::reason;
use super::features::{self, Feature};
use super::model::Shipped;
use super::score::{self, Signal};
use crate::domain::CallTask;

/// What spoke most against the calls, the gravest first.
pub(super) fn against(assessment: &Assessment, task: CallTask) -> Vec<String> {
    let told = Topic::ALL.map(|topic| topic.words(assessment, task));
    let words = |column: usize| match Signal::ALL.get(column) {
        Some(signal) => (assessment.signals.get(*signal) > 0.0).then(|| reason(*signal)),
        None => match FACTS[column] {
            Some(words) => (assessment.measured()[column] > 0.0).then_some(words),
            None => TOPICS[column].and_then(|topic| told[topic as usize]),
        },
    };
    let amounts = Shipped::get().contributions(assessment.measured(), task);
    // A fact is told whatever the trees split by: they may have seen it in a count of facts.
    let moved = |(column, amount): &(usize, f64)| *amount < 0.0 || FACTS[*column].is_some();
    let moved = amounts.into_iter().enumerate().filter(moved);
    let mut all: Vec<(&'static str, bool, f64)> = moved
        .filter_map(|(column, amount)| Some((words(column)?, FACTS[column].is_none(), amount)))
        .collect();
    // Facts first, then the strongest; among equals the order of columns stays.
    all.sort_by(|a, b| a.1.cmp(&b.1).then(a.2.total_cmp(&b.2)));
    let mut sums: Vec<(&'static str, bool, f64)> = Vec::new();
    for (words, is_no_fact, amount) in all {
        match sums.iter_mut().find(|(own, ..)| *own == words) {
            Some((_, _, sum)) => *sum += amount,
            None => sums.push((words, is_no_fact, amount)),
        }
    }
    sums.sort_by(|a, b| a.1.cmp(&b.1).then(a.2.total_cmp(&b.2)));
    sums.into_iter().map(|(words, ..)| words.to_owned()).collect()
}

/// What each column says against the calls where it is above 0.
static FACTS: LazyLock<Vec<Option<&'static str>>> = LazyLock::new(|| {
    let fact = |name: &String| FACTS_BY_NAME.iter().find(|(own, _)| own == name).map(|(_, words)| *words);
    features::names().iter().map(fact).collect()
});

const FACTS_BY_NAME: [(&str, &str); 31] = [
    ("same_near", "an identifier differs by a character or two from one in the conversation"),
    ("same_invented", "an identifier does not stand in the conversation"),
    ("same_address", "a mail address does not stand in the conversation"),
    ("same_other_record", "another record has more in common with the request than the one that was used"),
    ("same_stale", "a value of an earlier message was used, and the last one may name another"),
    ("same_stale_amount", "an amount of an earlier message was used, and the last one may name another"),
    ("same_corrected", "a value was used that the user may have taken back"),
    ("way_against", "the call may go the opposite way to the request"),
    ("way_true_denied", "something is switched on, and the request denies something"),
    ("way_denied_value", "a value was used that the request may rule out"),
    ("way_roles_turned", "two values may stand in each other's place"),
    ("way_named_crossed", "two values may stand in each other's place"),
    ("way_pairs_crossed", "values of two calls or entries may stand in each other's place"),
    ("way_left_choice", "the request may name a choice for a parameter that was left out"),
    ("way_left_name", "the request may speak of a parameter that was left out"),
    ("way_left_described", "the request may speak of a parameter that was left out"),
    ("way_left_number", "the request may give a number for a parameter that was left out"),
    ("time_other", "a date may not be the one that the request names"),
    ("time_all_other", "a date may not be the one that the request names"),
    ("time_weekday_other", "a date falls on no weekday that was named"),
    ("time_month_other", "a date falls in no month that was named"),
    ("time_clock_other", "a time of day is none that was named"),
    ("sum_unit_other", "a quantity may not be the one that was named, with its unit"),
    ("sum_share_other", "a percentage may be on another scale than the parameter's"),
    ("sum_shifted", "a number may have more or fewer zeros than the one that was named"),
    ("step_failed_past", "the calls go on although a result may report a failure"),
    ("step_thanked_call", "a tool is called although the user gave thanks"),
    ("step_rule_call", "the instructions may set a condition for such a call"),
    ("step_told_call", "a tool is called although the user may only ask to be told"),
    ("step_rest_values", "something that was asked for may not have been done"),
    ("step_rest_tool", "something that was asked for may not have been done"),
];

/// What a feature is about, for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Topic {
    /// The rules' own estimate.
    Rules,
    OtherTools,
    CalledTools,
    /// Of one argument, the fit of its tool.
    ToolOfArgument,
    /// Whether a call was due.
    Need,
    Likeness,
    Use,
    Source,
    Place,
    Spelling,
    List,
    Value,
    LeftOut,
}

/// The topic of each column that has one.
static TOPICS: LazyLock<Vec<Option<Topic>>> =
    LazyLock::new(|| features::names().iter().map(|name| Topic::of(name)).collect());

impl Topic {
    const ALL: [Topic; 13] = {
        use Topic::*;
        [
            Rules,
            OtherTools,
            CalledTools,
            ToolOfArgument,
            Need,
            Likeness,
            Use,
            Source,
            Place,
            Spelling,
            List,
            Value,
            LeftOut,
        ]
    };

    fn of(feature: &str) -> Option<Topic> {
        Some(match feature.split_once('_')? {
            ("rule", _) => Topic::Rules,
            (
                "fit",
                "rank" | "unused" | "unused_name" | "excess" | "telling" | "tools" | "lead" | "name_lead",
            ) => Topic::OtherTools,
            ("fit", _) => Topic::CalledTools,
            (_, "tool_fit") => Topic::ToolOfArgument,
            ("need", _) => Topic::Need,
            ("use", "calls" | "names" | "same" | "less_listed" | "less_marks" | "less_verbs") => return None,
            ("use", "equal" | "varying" | "overlap") => Topic::Likeness,
            ("use", _) => Topic::Use,
            ("from", _)
            | (
                "worst",
                "from_question" | "from_user" | "from_result" | "from_assistant" | "from_system"
                | "from_nowhere" | "age",
            ) => Topic::Source,
            ("arg" | "worst", "near" | "gap" | "next" | "rival" | "mentions") => Topic::Place,
            (
                "arg" | "worst",
                "trunc" | "extended" | "tail" | "tail_missing" | "case" | "case_lost" | "expression"
                | "signs" | "sign_like" | "underscore" | "words" | "length" | "joined" | "head" | "capitals"
                | "code" | "state",
            ) => Topic::Spelling,
            ("arg" | "worst", "list" | "list_listed" | "twice_list" | "twice_in_list" | "leaves") => {
                Topic::List
            }
            ("arg" | "worst", _) => Topic::Value,
            ("out", _) => Topic::LeftOut,
            _ => return None,
        })
    }

    /// What there is to say of it, where that is so of the row: trees may hold anything against it, and only what is true is said.
    fn words(self, assessment: &Assessment, task: CallTask) -> Option<&'static str> {
        let of =
            |feature: Feature| assessment.features.as_ref().map_or(0.0, |features| features.get(feature));
        let called = assessment.signals.get(Signal::NoCall) == 0.0;
        let (holds, words) = match self {
            // What weighs most in it.
            Topic::Rules => {
                return score::reasons(&assessment.signals, task).first().map(|(signal, _)| reason(*signal));
            }
            Topic::OtherTools if called => (
                of(Feature::fit_unused) > of(Feature::fit_mix),
                "another tool has more in common with the request",
            ),
            Topic::CalledTools | Topic::ToolOfArgument if called => {
                (of(Feature::fit_mix) < LITTLE, "the called tools have little in common with the request")
            }
            Topic::OtherTools | Topic::CalledTools | Topic::Need => (
                !called && of(Feature::need_fit) >= LITTLE,
                "a tool has much in common with the request, and was not called",
            ),
            Topic::Likeness => (of(Feature::use_calls) > 1.0, "the calls are much alike"),
            Topic::Use => (
                called && of(Feature::use_numbers_left) + of(Feature::use_names_left) > 0.0,
                "parts of the request are not used",
            ),
            Topic::Source => (
                called && of(Feature::arg_count) > 0.0 && of(Feature::from_question) < 1.0,
                "not all values stand in the last message",
            ),
            Topic::Place => (
                of(Feature::arg_next) > 0.0 || of(Feature::arg_rival) > 0.0 || of(Feature::arg_gap) < 0.0,
                "a value does not stand beside the words for its parameter",
            ),
            Topic::Spelling => {
                let ways = [
                    Feature::arg_trunc,
                    Feature::arg_extended,
                    Feature::arg_tail,
                    Feature::arg_case,
                    Feature::arg_expression,
                    Feature::arg_underscore,
                ];
                (
                    ways.iter().any(|way| of(*way) > 0.0),
                    "a value is written otherwise than in the conversation",
                )
            }
            Topic::List => (
                of(Feature::arg_list) >= 0.0 && of(Feature::arg_list_listed) != 0.0,
                "a list has more or fewer items than were named",
            ),
            Topic::Value | Topic::ToolOfArgument => (
                of(Feature::arg_count) > 0.0 && of(Feature::arg_ground) < WELL,
                "the values are not well supported by the conversation",
            ),
            Topic::LeftOut => (
                of(Feature::out_count) > 0.0 && of(Feature::out_name).max(of(Feature::out_described)) > 0.0,
                "a parameter that the request may ask for was left out",
            ),
        };
        holds.then_some(words)
    }
}

/// Of a fit from 0 to 3, what is little.
const LITTLE: f32 = 1.0;
/// A value that the conversation tells this surely is well supported.
const WELL: f32 = 0.9;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_against_calls_is_measured_against_them() {
        let against = |name: &str| {
            let at = features::names().iter().position(|own| own == name)?;
            Some(features::monotone()[at] < 0)
        };
        for (name, words) in FACTS_BY_NAME {
            assert_eq!(against(name), Some(true), "{name}: {words}");
        }
    }
}
