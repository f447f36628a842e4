//! The verdict in words.

use super::assess::Assessment;
use super::finding::{Aspect, Finding};
use crate::domain::Task;

/// Findings told; more would only tire the reader.
const MOST_TOLD: usize = 8;

/// A few sentences: the verdict's reasons, gravest first, or what was checked when there are none.
pub(super) fn explain(assessment: &Assessment, calls: usize, correct: bool, task: Task) -> String {
    let relevant: Vec<&Finding> =
        assessment.findings.iter().filter(|finding| concerns(finding.aspect(), task)).collect();
    let mut text = String::from(match (correct, relevant.is_empty()) {
        (true, true) => "Nothing speaks against the call: ",
        (true, false) => "On the whole the call looks right: ",
        (false, _) => "The call looks wrong: ",
    });
    if relevant.is_empty() {
        text.push_str(&match (calls, task) {
            (0, _) => "nothing was called, and no tool fits the question well".to_owned(),
            (_, Task::ToolSelection) => "the called tools are on offer and fit the question".to_owned(),
            _ => format!(
                "the arguments fit their definition, and {} of {} values are supported by the conversation or the definition",
                assessment.supported, assessment.values
            ),
        });
    }
    for (i, finding) in relevant.iter().take(MOST_TOLD).enumerate() {
        if i > 0 {
            text.push_str("; ");
        }
        text.push_str(&finding.to_string());
    }
    if relevant.len() > MOST_TOLD {
        text.push_str(&format!("; and {} more", relevant.len() - MOST_TOLD));
    }
    text.push('.');
    text
}

/// Whether a finding matters for a task.
pub(super) fn concerns(aspect: Aspect, task: Task) -> bool {
    match (aspect, task) {
        (Aspect::Either, _) | (_, Task::ToolCalling) => true,
        (Aspect::Arguments, task) => task == Task::ParameterExtraction,
        (Aspect::Selection, task) => task == Task::ToolSelection,
    }
}
