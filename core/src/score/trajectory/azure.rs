//! Azure AI Evaluation's task navigation efficiency (azure-ai-evaluation 1.18.10).

use std::collections::HashMap;

use super::compare::MatchMode;
use super::options::Options;
use super::step::Step;
use crate::domain::{Json, Object};
use crate::python::{write_sorted_json, write_str};
use crate::score::ScoreError;

/// A step as the peer compares it: a name, and the sorted texts of the arguments where they count.
type Text = (String, Vec<(String, String)>);

/// Whether the steps match, and the counts that precision and recall come from.
pub(super) struct Outcome {
    pub matches: bool,
    pub precision: f64,
    pub recall: f64,
    pub f1: f64,
}

/// Compares as the peer does; `with_arguments` where the expected actions come with arguments.
pub(super) fn score(
    called: &[Step],
    expected: &[Step],
    with_arguments: bool,
    options: &Options,
) -> Result<Outcome, ScoreError> {
    let error = |message: &str| ScoreError { kind: "EvaluationException", message: message.to_owned() };
    if expected.is_empty() {
        return Err(error("the expected actions must not be empty"));
    }
    let text =
        |step: &Step| text(step, with_arguments).map_err(|()| error("arguments of a call are no JSON"));
    let called = called.iter().map(text).collect::<Result<Vec<Text>, ScoreError>>()?;
    let expected = expected.iter().map(text).collect::<Result<Vec<Text>, ScoreError>>()?;
    let (has, wants) = (counts(&called), counts(&expected));
    let matches = match options.match_mode.unwrap_or(MatchMode::Strict) {
        MatchMode::Strict => called == expected,
        MatchMode::InOrder => {
            let mut called = called.iter();
            expected.iter().all(|expected| called.any(|called| called == expected))
        }
        MatchMode::Superset => {
            wants.iter().all(|(step, count)| has.get(step).copied().unwrap_or(0) >= *count)
        }
        MatchMode::Unordered | MatchMode::Subset => {
            return Err(error("the matching mode must be exact_match, in_order_match or any_order_match"));
        }
    };
    let both: usize = has.iter().map(|(step, count)| wants.get(step).copied().unwrap_or(0).min(*count)).sum();
    let share = |all: usize| if all == 0 { 0.0 } else { both as f64 / all as f64 };
    let (precision, recall) = (share(called.len()), share(expected.len()));
    let f1 = if precision + recall > 0.0 { (2.0 * precision * recall) / (precision + recall) } else { 0.0 };
    Ok(Outcome { matches, precision, recall, f1 })
}

fn counts(steps: &[Text]) -> HashMap<&Text, usize> {
    let mut counts = HashMap::new();
    steps.iter().for_each(|step| *counts.entry(step).or_default() += 1);
    counts
}

fn text(step: &Step, with_arguments: bool) -> Result<Text, ()> {
    let mut arguments = Vec::new();
    match step.arguments.as_deref() {
        Some(Json::Object(object)) if with_arguments => {
            arguments.extend(object.iter().map(|(key, value)| (key.to_owned(), value_text(value))));
        }
        Some(Json::String(_)) => return Err(()),
        _ => {}
    }
    arguments.sort();
    Ok((step.tool.trim().to_owned(), arguments))
}

/// Python's `json.dumps` with sorted keys for lists and objects, `str` for all else.
fn value_text(value: &Json) -> String {
    let mut text = String::new();
    match value {
        Json::Array(_) | Json::Object(_) => write_sorted_json(&mut text, value),
        other => write_str(&mut text, other),
    }
    text
}

/// Whether the expected actions of a record come with arguments.
pub(super) fn has_arguments(record: &Object) -> bool {
    let expected = ["expected_actions", "ground_truth"].iter().find_map(|key| record.get(key)?.as_array());
    matches!(expected, Some([Json::Array(_), Json::Object(_)]))
}
