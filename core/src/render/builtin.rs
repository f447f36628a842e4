//! The built-in templates.

use super::error::TemplateError;
use super::template::Template;
use crate::domain::Task;

/// One source per task.
fn source(task: Task) -> &'static str {
    match task {
        Task::ParameterExtraction => include_str!("../../templates/parameter_extraction.jinja"),
        Task::ToolSelection => include_str!("../../templates/tool_selection.jinja"),
        Task::ToolCalling => include_str!("../../templates/tool_calling.jinja"),
        Task::ToolCallSuccess => include_str!("../../templates/tool_call_success.jinja"),
        Task::ToolResponseHandling => include_str!("../../templates/tool_response_handling.jinja"),
        Task::CallNeed => include_str!("../../templates/call_need.jinja"),
        Task::Trajectory => include_str!("../../templates/trajectory.jinja"),
        Task::TaskCompletion => include_str!("../../templates/task_completion.jinja"),
        Task::AnswerCorrectness => include_str!("../../templates/answer_correctness.jinja"),
    }
}

/// The source for five grades, of tasks that have one.
fn five_grades(task: Task) -> Option<&'static str> {
    match task {
        Task::ParameterExtraction => Some(include_str!("../../templates/parameter_extraction_five.jinja")),
        Task::ToolSelection => Some(include_str!("../../templates/tool_selection_five.jinja")),
        _ => None,
    }
}

/// Our wording of `task` for an answer in five grades; `None` of tasks that have none.
pub fn builtin_five(task: Task) -> Option<Result<Template, TemplateError>> {
    five_grades(task).map(|source| Template::parse(task.as_str(), source))
}

/// Our wording of `task`.
pub fn builtin(task: Task) -> Result<Template, TemplateError> {
    Template::parse(task.as_str(), source(task))
}

/// All of them, with their source texts.
pub fn builtins() -> impl Iterator<Item = (Task, &'static str)> {
    Task::ALL.into_iter().map(|task| (task, source(task)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_builtin_parses_under_its_tasks_name() {
        for (task, _) in builtins() {
            let template = builtin(task).unwrap();
            assert_eq!((template.name(), template.task()), (task.as_str(), Some(task)));
            assert!(template.can_explain());
            let (pass, fail) = task.labels();
            let passes = |label: &str| template.rails().passes_label(label);
            assert!(
                passes(pass) && !passes(fail) && template.rails().find(fail).is_some(),
                "{}",
                task.as_str()
            );
            if let Some(five) = builtin_five(task) {
                let five = five.unwrap();
                assert!(five.rails().is_graded() && five.unnamed_labels().is_empty());
                assert_eq!(five.rails().scores().filter(|score| *score >= 0.5).count(), 3);
            }
        }
    }
}
