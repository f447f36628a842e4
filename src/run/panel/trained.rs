//! The built-in judge with a model file on top.

use std::path::Path;
use std::sync::Arc;

use crate::check::{BuiltinJudge, TrainedModel};
use crate::domain::Task;
use crate::render::Template;
use crate::run::settings::{JudgeKind, SettingsError};

/// The model in a file.
///
/// # Errors
/// When the file cannot be read, is damaged or is none of this version's.
pub(in crate::run) fn read_model(path: &Path) -> Result<Arc<TrainedModel>, SettingsError> {
    let unusable = |why: String| SettingsError::Model { path: path.to_owned(), why };
    let bytes = std::fs::read(path).map_err(|why| unusable(format!("cannot read it: {why}")))?;
    // What is no text is judged by its beginning like any other damage.
    let model = TrainedModel::from_text(&String::from_utf8_lossy(&bytes));
    model.map(Arc::new).map_err(|why| unusable(why.to_string()))
}

/// The model of a judge that was trained, which must know one of the tasks at hand.
pub(super) fn model(
    kind: &JudgeKind,
    templates: &[Arc<Template>],
) -> Result<Option<Arc<TrainedModel>>, SettingsError> {
    let JudgeKind::Trained(path) = kind else { return Ok(None) };
    let model = read_model(path)?;
    let asked: Vec<Task> = templates.iter().filter_map(|template| template.task()).collect();
    if !asked.is_empty() && !asked.iter().any(|task| model.stage(*task).is_some()) {
        let names = |tasks: &[Task]| tasks.iter().map(|task| task.as_str()).collect::<Vec<_>>().join(", ");
        let trained: Vec<Task> = model.stages().iter().map(|stage| stage.task).collect();
        let (trained, asked) = (names(&trained), names(&asked));
        return Err(SettingsError::Untrained { path: path.clone(), trained, asked });
    }
    Ok(Some(model))
}

/// The judge of `task`, with what it was trained to.
pub(super) fn judge(task: Task, model: Option<&Arc<TrainedModel>>) -> BuiltinJudge {
    let judge = BuiltinJudge::new(task);
    match model {
        Some(model) => judge.with_model(Arc::clone(model)),
        None => judge,
    }
}
