//! Columns, and keys of records, that hold a row's gold label.

use super::{Slot, Task};

/// Columns with the gold of a task, the likeliest first. A column `gold` is about calls, not about their results.
pub fn golds(task: Option<Task>) -> &'static [&'static str] {
    match task {
        Some(Task::ToolCalling) | None => &["gold", "verdict", "expected_label"],
        Some(Task::ParameterExtraction) => &["params_label", "gold", "verdict", "expected_label"],
        Some(Task::ToolSelection) => &["selection_label", "gold", "verdict", "expected_label"],
        Some(Task::ToolCallSuccess) => &["success_label"],
        Some(Task::ToolResponseHandling) => &["handling_label"],
        Some(Task::CallNeed) => &["need_label"],
        Some(Task::Trajectory) => &["trajectory_label"],
        Some(Task::TaskCompletion) => &["completion_label"],
        Some(Task::AnswerCorrectness) => &["answer_label"],
    }
}

/// All of them, each once or several times.
pub fn all() -> impl Iterator<Item = &'static str> {
    let of_tasks = Task::ALL.into_iter().flat_map(|task| golds(Some(task)));
    golds(None).iter().chain(of_tasks).copied()
}

/// Whether a column of this name holds the gold of some task.
pub fn is_gold(name: &str) -> bool {
    all().any(|gold| gold == name)
}

/// Whether a column of gold says of calls that they are right: others could have been made in their place.
pub fn is_of_calls(name: &str) -> bool {
    let tasks = [Task::ToolCalling, Task::ParameterExtraction, Task::ToolSelection, Task::CallNeed];
    tasks.into_iter().any(|task| golds(Some(task))[0] == name)
}

/// Whether a key of a record says of one turn what is right or wrong: its label, the calls that were expected, its faults.
pub fn is_expectation(name: &str) -> bool {
    const OTHERS: [&str; 3] = ["possible_answer", "gold_findings", "expected_findings"];
    is_gold(name) || Slot::ExpectedToolCalls.aliases().contains(&name) || OTHERS.contains(&name)
}
