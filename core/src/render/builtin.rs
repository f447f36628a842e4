//! The templates that come inside the binary.

use super::error::TemplateError;
use super::template::Template;
use crate::domain::Task;

/// One source per task.
fn source(task: Task) -> &'static str {
    match task {
        Task::ParameterExtraction => include_str!("../../templates/parameter_extraction.jinja"),
        Task::ToolSelection => include_str!("../../templates/tool_selection.jinja"),
        Task::ToolCalling => include_str!("../../templates/tool_calling.jinja"),
    }
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
        }
    }
}
