//! The verdict in words.

use super::assess::Assessment;
use super::observation::Observation;
use crate::domain::CallTask;

/// Observations told; more would only tire the reader.
const MAX_LISTED: usize = 8;

/// One sentence: the observations that matter for the task, or what was checked when there are none.
pub(super) fn explain(assessment: &Assessment, calls: usize, correct: bool, task: CallTask) -> String {
    let mut relevant: Vec<&Observation> =
        assessment.observations.iter().filter(|observation| observation.concerns(task)).collect();
    // What settles it comes first, then what nearly does.
    relevant.sort_by_key(|observation| (!observation.is_fault(), !observation.is_grave()));
    let settled = relevant.first().is_some_and(|observation| observation.is_fault());
    let (subject, looks, is) = match calls {
        0 => ("calling nothing", "looks", "is"),
        1 => ("the call", "looks", "is"),
        _ => ("the calls", "look", "are"),
    };
    let mut text = match (correct, relevant.is_empty()) {
        (true, true) => format!("Nothing speaks against {subject}: "),
        (true, false) => format!("On the whole, {subject} {looks} right: "),
        (false, _) if settled => format!("Whatever else, {subject} {is} wrong: "),
        (false, _) => format!("On the whole, {subject} {looks} wrong: "),
    };
    if relevant.is_empty() {
        text.push_str(&match (calls, task) {
            _ if !correct => "no single finding is grave, but the question has little to do with what was done".to_owned(),
            (0, _) => "nothing was called, and no tool clearly fits the question".to_owned(),
            (_, CallTask::ToolSelection) => "the called tools are on offer and fit the question".to_owned(),
            _ => format!(
                "the arguments fit their definition, and {} of {} values are supported by the conversation or the definition",
                assessment.supported, assessment.values
            ),
        });
    }
    for (i, observation) in relevant.iter().take(MAX_LISTED).enumerate() {
        if i > 0 {
            text.push_str("; ");
        }
        text.push_str(&observation.to_string());
    }
    if relevant.len() > MAX_LISTED {
        text.push_str(&format!("; and {} more", relevant.len() - MAX_LISTED));
    }
    text.push('.');
    text
}
