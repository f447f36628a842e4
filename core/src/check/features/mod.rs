//! Features of a sample, for the trees: what was noticed, how well the calls fit the request, where their values come from.
//!
//! No feature is a word of a question or the name of a tool: what is learned from one set of tools must hold for others.

mod argument;
mod balance;
mod clauses;
mod copies;
mod counts;
mod fit;
mod latest;
mod left;
mod need;
mod omitted;
mod opposites;
mod pairs;
mod pool;
mod question;
mod records;
mod spelling;
mod steps;
mod strength;
mod sums;
mod times;
mod tools;
mod transcript;
mod way;

use fit::Fits;
use question::Question;

use std::sync::LazyLock;

use super::assess::{Assessor, Step};
use super::score::{self, SIGNALS, Signal};
use crate::domain::{CallTask, Sample, ToolCall};
use crate::reading::spoken::Languages;
use argument::{ARGUMENT_FEATURES, Argument};

/// Stands where a feature does not apply.
const NONE: f32 = -1.0;

/// Names features and numbers them.
macro_rules! columns {
    ($(#[$doc:meta])* $name:ident, $count:ident, $names:ident: $($feature:ident)*) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[allow(non_camel_case_types, reason = "the names are those of columns")]
        pub(in crate::check) enum $name { $($feature),* }

        /// How many there are.
        pub(in crate::check) const $count: usize = [$($name::$feature),*].len();

        /// Their names, in order.
        pub(in crate::check) const $names: [&str; $count] = [$(stringify!($feature)),*];
    };
}
pub(in crate::check) use columns;

columns! {
    /// Features of a sample beside its signals: `fit_` of the choice of tools, `ask_` of the question, `use_` of what the calls make of
    /// it, `from_` of where values stand, `arg_` over all arguments, `out_` of parameters left out, `chat_` of what came before, `same_` of
    /// values beside those that were said, `way_` of what the request denies, opposes or names, `time_` of days and times of day, `sum_` of
    /// numbers, `step_` of what is due after what happened, `tool_` of the words that tools share with the request, `told_` of all that
    /// speaks for or against the calls.
    Feature, FEATURES, FEATURE_NAMES:
    rule_calling rule_parameters rule_selection
    fit_name fit_described fit_parameters fit_question fit_mix fit_lead fit_name_lead fit_rank fit_unused fit_unused_name
    fit_excess fit_tools fit_telling fit_all_name fit_all_mix
    ask_words ask_marks ask_sentences ask_and ask_commas ask_sequence ask_several ask_listed ask_names ask_numbers ask_verbs ask_compare
    ask_relative ask_negation
    use_calls use_names use_same use_equal use_varying use_overlap use_less_listed use_less_marks use_less_verbs use_numbers_left
    use_numbers_left_share use_names_left use_names_left_share use_words_share use_empty use_sibling
    from_question from_user from_result from_assistant from_system from_nowhere from_age
    arg_count arg_each arg_ground arg_ground_mean arg_required_ground arg_optional_ground arg_number_ground arg_support arg_support_mean
    arg_zero arg_zero_share arg_optional arg_default arg_faults arg_trunc arg_extended arg_tail arg_case arg_expression arg_numbers_missing
    arg_missing arg_sign_like arg_underscore arg_empty arg_words arg_list arg_list_listed arg_true_unnamed arg_booleans arg_enum_rival
    arg_near arg_gap arg_next arg_rival arg_repeated arg_twice_list arg_decimals arg_code arg_state arg_date
    out_count out_name out_described out_enum out_number out_date out_named out_required
    need_fit need_fit_all need_required need_filled need_empty need_numbers need_texts need_named need_asks need_some_filled
    chat_messages chat_step chat_calls chat_system chat_results chat_failed chat_same_tool chat_same_call chat_offered chat_short chat_part
    chat_asked chat_calls_turn chat_state
    same_copied same_near same_invented same_address same_record same_other_record same_stale same_corrected
    same_latest same_stale_amount same_against
    way_against way_with way_true_denied way_false_denied way_denied_value way_roles_kept way_roles_turned way_left_choice
    way_left_name way_left_described way_left_number way_named_straight way_named_crossed way_pairs_kept way_pairs_crossed
    time_told time_other time_all_other time_weekday time_weekday_other time_month time_month_other time_day_number time_away time_clock
    time_clock_other
    sum_told sum_reached sum_nowhere sum_unit sum_unit_other sum_share_other sum_shifted
    step_failed_wait step_failed_past step_rest_values step_rest_tool step_answered_none
    step_thanked_call step_thanked_none step_rule_call step_rule_none
    step_told_call step_told_none step_against step_waits step_owed
    tool_margin tool_cover tool_left tool_gap
    told_for told_against told_accounted told_observed
}

/// Columns of a sample: its signals, its features, and its worst argument's.
pub(super) const COLUMNS: usize = SIGNALS + FEATURES + ARGUMENT_FEATURES;

/// The numbers of one sample.
#[derive(Debug, Clone)]
pub(super) struct Features {
    values: Vec<f32>,
    /// Those of each argument of the calls.
    arguments: Vec<Argument>,
}

impl Features {
    fn set(&mut self, feature: Feature, value: f32) {
        self.values[SIGNALS + feature as usize] = value;
    }

    /// One of them.
    pub(super) fn get(&self, feature: Feature) -> f32 {
        self.values[SIGNALS + feature as usize]
    }

    /// Keeps the larger of what is there and `value`.
    fn raise(&mut self, feature: Feature, value: f32) {
        let slot = &mut self.values[SIGNALS + feature as usize];
        *slot = slot.max(value);
    }

    /// All of them, in the order of [`names`].
    pub(super) fn values(&self) -> &[f32] {
        &self.values
    }
}

/// The names of all columns.
pub(super) fn names() -> &'static [String] {
    &NAMES
}

static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let signals = Signal::ALL.iter().map(|signal| format!("sig_{signal:?}"));
    let features = FEATURE_NAMES.iter().map(|name| (*name).to_owned());
    let worst = argument::ARGUMENT_FEATURE_NAMES.iter().map(|name| format!("worst_{name}"));
    signals.chain(features).chain(worst).collect()
});

/// Whether a feature means the same in all sources: the form of a question and the number of tools tell a benchmark by its habits.
pub(super) fn is_transferable(name: &str) -> bool {
    const HABITS: [&str; 11] = [
        "fit_rank",
        "fit_tools",
        "fit_telling",
        "use_calls",
        "use_less_listed",
        "use_less_marks",
        "use_less_verbs",
        "chat_messages",
        "chat_calls",
        "chat_results",
        "chat_system",
    ];
    is_of_calls(name) && !HABITS.contains(&name)
}

/// Whether a feature says something about the calls: the form of the question alone says only whose row it is.
pub(super) fn is_of_calls(name: &str) -> bool {
    !name.starts_with("ask_")
}

/// Whether a feature may tell whose row it is: no finding may, or more findings could change whose judgement counts.
pub(super) fn is_of_habits(name: &str) -> bool {
    !name.starts_with("sig_") && !name.starts_with("rule_") && direction(name) == 0
}

/// Whether a feature rests on words that the request shares with the definitions: across languages there are none, which says nothing.
pub(super) fn needs_shared_words(name: &str) -> bool {
    const OF_OTHERS: [&str; 26] = [
        "out_name",
        "out_described",
        "out_enum",
        "out_named",
        "need_fit",
        "need_fit_all",
        "need_named",
        "need_some_filled",
        "arg_near",
        "arg_gap",
        "arg_next",
        "arg_rival",
        "arg_enum_rival",
        "arg_true_unnamed",
        "worst_choice_named",
        "worst_rival_named",
        "worst_name_asked",
        "worst_description_asked",
        "worst_truth_named",
        "worst_near",
        "worst_gap",
        "step_rest_tool",
        "way_left_choice",
        "way_left_name",
        "way_left_described",
        "way_left_number",
    ];
    name.starts_with("fit_") && !matches!(name, "fit_tools" | "fit_telling")
        || OF_OTHERS.contains(&name)
        || name.starts_with("tool_")
        || name.starts_with("step_rule_")
        || matches!(name, "worst_next" | "worst_rival" | "worst_tool_fit")
}

/// The columns of which [`needs_shared_words`] is true.
static OF_SHARED_WORDS: LazyLock<Vec<usize>> =
    LazyLock::new(|| (0..COLUMNS).filter(|at| needs_shared_words(&NAMES[*at])).collect());

/// A row as it is where request and definitions are in different languages: called last, before what is counted of all.
pub(super) fn without_shared_words(values: &mut [f32]) {
    without_measures(values);
    without_finds(values);
}

/// The same, of what measures how much is shared: a measure without a meaning is none.
fn without_measures(values: &mut [f32]) {
    OF_SHARED_WORDS.iter().filter(|at| !is_find(&NAMES[**at])).for_each(|at| values[*at] = NONE);
}

/// The same, of what was found by shared words: what was not found counts nothing.
fn without_finds(values: &mut [f32]) {
    OF_SHARED_WORDS.iter().filter(|at| is_find(&NAMES[**at])).for_each(|at| values[*at] = 0.0);
}

fn is_find(name: &str) -> bool {
    ["tool_", "step_", "way_"].iter().any(|group| name.starts_with(group))
}

/// Which way a feature may move the log-odds that the calls are right: a finding never up, the rules' own estimate never down.
pub(super) fn monotone() -> Vec<i8> {
    names().iter().map(|name| direction(name)).collect()
}

fn direction(name: &str) -> i8 {
    match name {
        "sig_NoCall" => 0,
        name if name.starts_with("sig_") || AGAINST.contains(&name) => -1,
        name if name.starts_with("rule_") || FOR.contains(&name) => 1,
        _ => 0,
    }
}

/// Features that speak against the calls, the more the higher.
const AGAINST: [&str; 44] = [
    "arg_faults",
    "use_equal",
    "chat_state",
    "chat_same_call",
    "same_near",
    "same_invented",
    "same_address",
    "same_other_record",
    "same_stale",
    "same_corrected",
    "same_stale_amount",
    "same_against",
    "way_against",
    "way_true_denied",
    "way_denied_value",
    "way_roles_turned",
    "way_left_choice",
    "way_left_name",
    "way_left_described",
    "way_left_number",
    "way_named_crossed",
    "way_pairs_crossed",
    "time_other",
    "time_all_other",
    "time_weekday_other",
    "time_month_other",
    "time_clock_other",
    "sum_nowhere",
    "sum_unit_other",
    "sum_share_other",
    "sum_shifted",
    "step_failed_past",
    "step_rest_values",
    "step_rest_tool",
    "step_answered_none",
    "step_thanked_call",
    "step_rule_call",
    "step_told_call",
    "step_against",
    "step_owed",
    "tool_left",
    "tool_gap",
    "told_against",
    "told_observed",
];

/// Features that speak for the calls.
const FOR: [&str; 24] = [
    "same_copied",
    "same_record",
    "same_latest",
    "way_with",
    "way_false_denied",
    "way_roles_kept",
    "way_named_straight",
    "way_pairs_kept",
    "time_told",
    "time_weekday",
    "time_month",
    "time_day_number",
    "time_clock",
    "sum_told",
    "sum_unit",
    "step_failed_wait",
    "step_thanked_none",
    "step_rule_none",
    "step_told_none",
    "step_waits",
    "tool_margin",
    "tool_cover",
    "told_for",
    "told_accounted",
];

/// The features of calls that were looked at.
pub(super) fn features(assessor: &Assessor, sample: &Sample, calls: &[ToolCall], step: Step) -> Features {
    let mut features = Features { values: vec![0.0; COLUMNS], arguments: Vec::new() };
    for (at, signal) in Signal::ALL.iter().enumerate() {
        features.values[at] = assessor.result.signals.get(*signal) as f32;
    }
    for (feature, task) in [
        (Feature::rule_calling, CallTask::ToolCalling),
        (Feature::rule_parameters, CallTask::ParameterExtraction),
        (Feature::rule_selection, CallTask::ToolSelection),
    ] {
        let right = score::probability(&assessor.result.signals, task);
        features.set(feature, (right / (1.0 - right)).ln() as f32);
    }
    let question = Question::new(sample, assessor.evidence);
    let fits = Fits::new(assessor, &question);
    fit::measure(&mut features, assessor, &fits, calls);
    counts::measure(&mut features, assessor, &question, calls);
    argument::measure(&mut features, assessor, &question, &fits, calls);
    need::measure(&mut features, assessor, sample, &question, &fits, calls);
    omitted::measure(&mut features, assessor, &question, calls);
    transcript::measure(&mut features, sample, calls, step);
    features.set(Feature::chat_state, assessor.other_state);
    copies::measure(&mut features, assessor, sample, calls);
    records::measure(&mut features, assessor, sample, calls);
    latest::measure(&mut features, assessor, sample, calls);
    times::measure(&mut features, assessor, sample, calls);
    sums::measure(&mut features, assessor, &question, calls);
    steps::measure(&mut features, assessor, sample, calls);
    tools::measure(&mut features, assessor, sample, calls);
    let clauses = clauses::clauses(sample);
    let request = clauses::Request::new(&clauses);
    way::measure(&mut features, assessor, &request, calls);
    left::measure(&mut features, assessor, &request, calls);
    pairs::measure(&mut features, assessor, &request, calls);
    if assessor.toolbox.english != assessor.evidence.english {
        without_measures(&mut features.values);
        // Short definitions in English may look like none: the small words of another language have to tell it.
        if assessor.toolbox.foreign != Languages::of(&assessor.evidence.question).is_foreign() {
            without_finds(&mut features.values);
        }
    }
    steps::sums(&mut features);
    balance::measure(&mut features, assessor, calls);
    features
}

/// A feature of a row.
#[cfg(test)]
fn measured(feature: Feature, question: &str, definitions: &str, calls: &str) -> f32 {
    use crate::domain::{Cell, RawRow};
    let cell = |text: &str| Cell::Text(text.to_owned());
    let raw = RawRow {
        question: cell(question),
        tool_call: cell(calls),
        tool_definitions: cell(definitions),
        ..RawRow::default()
    };
    let sample = crate::normalize::Normalizer::new(Default::default()).unwrap().sample(raw).unwrap();
    super::measure(&sample).unwrap().features[SIGNALS + feature as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_needs_shared_words_is_nothing_without_them() {
        let mut values = vec![2.0; COLUMNS];
        without_shared_words(&mut values);
        for (name, expected) in [
            ("fit_name", NONE),
            ("out_name", NONE),
            ("tool_margin", 0.0),
            ("tool_gap", 0.0),
            ("way_left_choice", 0.0),
            ("step_rule_call", 0.0),
            ("step_rest_tool", 0.0),
            ("way_against", 2.0),
            ("step_rest_values", 2.0),
        ] {
            let at = names().iter().position(|own| own == name).unwrap();
            assert_eq!(values[at], expected, "{name}");
        }
        let tools = |text: &str| {
            let choices = r#"{"state": {"type": "string", "enum": ["running", "stopped"]}}"#;
            format!(
                r#"[{{"name": "list_vms", "description": "{text}", "parameters": {{"type": "object", "properties": {choices}}}}}]"#
            )
        };
        let calls = r#"[{"name": "list_vms", "arguments": {}}]"#;
        for (text, described, expected) in [
            ("Show me all the VMs that are running", "List virtual machines.", 1.0),
            (
                "zeige mir alle VMs, die mit running markiert sind",
                "Lists all of the machines that are in the account",
                0.0,
            ),
        ] {
            assert_eq!(
                measured(Feature::way_left_choice, text, &tools(described), calls),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn directions_are_of_features_that_there_are() {
        for name in AGAINST.iter().chain(&FOR) {
            assert!(FEATURE_NAMES.contains(name), "{name}");
        }
    }
}
