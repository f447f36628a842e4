//! What moved the learned score against a call, in words.

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
        None => TOPICS[column].and_then(|topic| told[topic as usize]),
    };
    let amounts = Shipped::get().contributions(assessment.measured(), task);
    let negative = amounts.into_iter().enumerate().filter(|(_, amount)| *amount < 0.0);
    let mut all: Vec<(&'static str, f64)> =
        negative.filter_map(|(column, amount)| Some((words(column)?, amount))).collect();
    // The strongest first; among equals the order of columns stays.
    all.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut sums: Vec<(&'static str, f64)> = Vec::new();
    for (words, amount) in all {
        match sums.iter_mut().find(|(own, _)| *own == words) {
            Some((_, sum)) => *sum += amount,
            None => sums.push((words, amount)),
        }
    }
    sums.sort_by(|a, b| a.1.total_cmp(&b.1));
    sums.into_iter().map(|(words, _)| words.to_owned()).collect()
}

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
    Form,
    Count,
    Likeness,
    Use,
    Source,
    Place,
    Spelling,
    List,
    Value,
    LeftOut,
    Step,
}

/// The topic of each column that has one.
static TOPICS: LazyLock<Vec<Option<Topic>>> =
    LazyLock::new(|| features::names().iter().map(|name| Topic::of(name)).collect());

impl Topic {
    const ALL: [Topic; 16] = {
        use Topic::*;
        [
            Rules,
            OtherTools,
            CalledTools,
            ToolOfArgument,
            Need,
            Form,
            Count,
            Likeness,
            Use,
            Source,
            Place,
            Spelling,
            List,
            Value,
            LeftOut,
            Step,
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
            ("ask", _) => Topic::Form,
            ("use", "calls" | "names" | "same" | "less_listed" | "less_marks" | "less_verbs") => Topic::Count,
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
            ("chat", _) => Topic::Step,
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
            Topic::Form => {
                (true, "requests of this form were often answered wrongly where the judge was fitted")
            }
            Topic::Count => {
                (true, "this number of calls was seldom right for such a request where the judge was fitted")
            }
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
            Topic::Step => (
                of(Feature::chat_step) > 0.0,
                "such a step was seldom right at this point of a conversation where the judge was fitted",
            ),
        };
        holds.then_some(words)
    }
}

/// Of a fit from 0 to 3, what is little.
const LITTLE: f32 = 1.0;
/// A value that the conversation tells this surely is well supported.
const WELL: f32 = 0.9;
