//! The tasks: what a judge is asked about.

use std::str::FromStr;

use super::did_you_mean;

/// A criterion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Task {
    /// Whether the arguments are right, regardless of the tool.
    ParameterExtraction,
    /// Whether the right tools (or rightly none) were chosen, regardless of the arguments.
    ToolSelection,
    /// Both.
    ToolCalling,
    /// Whether the tools themselves worked: no call ended in a technical failure.
    ToolCallSuccess,
    /// Whether what came back was used faithfully, in the answer or in the next call.
    ToolResponseHandling,
    /// Whether each call was needed, given what was known by then.
    CallNeed,
    /// Whether the path of the whole transcript was sound.
    Trajectory,
    /// How much of what the user asked for was done in the end.
    TaskCompletion,
    /// Whether the final answer agrees with a reference.
    AnswerCorrectness,
}

/// A question about the calls themselves, seen with what came before them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CallTask {
    /// Whether the arguments are right, regardless of the tool.
    ParameterExtraction,
    /// Whether the right tools were chosen, regardless of the arguments.
    ToolSelection,
    /// Both.
    ToolCalling,
}

/// How much a question is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// One turn of the assistant's.
    Turn,
    /// A whole transcript: judged once, at its last turn.
    Transcript,
}

impl Task {
    /// All of them.
    pub const ALL: [Task; 9] = [
        Task::ParameterExtraction,
        Task::ToolSelection,
        Task::ToolCalling,
        Task::ToolCallSuccess,
        Task::ToolResponseHandling,
        Task::CallNeed,
        Task::Trajectory,
        Task::TaskCompletion,
        Task::AnswerCorrectness,
    ];

    /// The name in settings, templates and columns.
    pub fn as_str(self) -> &'static str {
        match self {
            Task::ParameterExtraction => "parameter_extraction",
            Task::ToolSelection => "tool_selection",
            Task::ToolCalling => "tool_calling",
            Task::ToolCallSuccess => "tool_call_success",
            Task::ToolResponseHandling => "tool_response_handling",
            Task::CallNeed => "call_need",
            Task::Trajectory => "trajectory",
            Task::TaskCompletion => "task_completion",
            Task::AnswerCorrectness => "answer_correctness",
        }
    }

    /// The question about the calls themselves that it is, if it is one.
    pub fn about_calls(self) -> Option<CallTask> {
        match self {
            Task::ParameterExtraction => Some(CallTask::ParameterExtraction),
            Task::ToolSelection => Some(CallTask::ToolSelection),
            Task::ToolCalling => Some(CallTask::ToolCalling),
            _ => None,
        }
    }

    /// Whether the built-in judge has anything to say of it.
    pub fn is_builtin(self) -> bool {
        let of_results = matches!(self, Task::ToolCallSuccess | Task::ToolResponseHandling | Task::CallNeed);
        self.about_calls().is_some() || of_results
    }

    /// The part of a transcript that it is about.
    pub fn scope(self) -> Scope {
        match self {
            Task::Trajectory | Task::TaskCompletion | Task::AnswerCorrectness => Scope::Transcript,
            _ => Scope::Turn,
        }
    }

    /// The labels of a judge without a model: the one that passes, and the one that fails.
    pub fn labels(self) -> (&'static str, &'static str) {
        match self {
            Task::ToolCallSuccess => ("succeeded", "failed"),
            Task::CallNeed => ("needed", "unneeded"),
            Task::TaskCompletion => ("fully", "not"),
            _ => ("correct", "incorrect"),
        }
    }
}

/// A name that is not a task's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a task: use {names}{near}",
    names = Task::ALL.map(Task::as_str).join(", "),
    near = did_you_mean(.0, Task::ALL.map(Task::as_str))
)]
pub struct UnknownTask(pub String);

impl FromStr for Task {
    type Err = UnknownTask;

    fn from_str(text: &str) -> Result<Task, UnknownTask> {
        Task::ALL.into_iter().find(|task| task.as_str() == text).ok_or_else(|| UnknownTask(text.to_owned()))
    }
}
