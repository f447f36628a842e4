//! How judges get their places on a panel.

use std::sync::{Arc, Mutex};

use super::{BuiltinKind, Member, MemberKind};
use crate::check::TrainedModel;
use crate::domain::{AnswerForm, Rails, Task, Unit};
use crate::judge::Remote;
use crate::render::Template;
use crate::run::JudgeTask;
use crate::run::settings::{JudgeSettings, PanelSettings, SettingsError};

/// How judges get their places.
pub(super) struct MemberBuilder<'a> {
    pub(super) settings: &'a PanelSettings,
    /// What the names of all columns begin with.
    pub(super) prefix: &'a str,
    /// Times that every question is asked over.
    pub(super) repeats: u32,
    /// The rails that replies are read with, where they are not those that were asked for.
    pub(super) read_as: Option<Arc<Rails>>,
}

impl MemberBuilder<'_> {
    /// `judge` with `template`, once for each repeat; what needs no model says the same every time.
    pub(super) fn members(
        &self,
        judge: &JudgeSettings,
        remote: Option<&Arc<Remote>>,
        template: &Arc<Template>,
        templates: usize,
        model: Option<&Arc<TrainedModel>>,
    ) -> Result<Vec<Member>, SettingsError> {
        let prefix = self.prefix(templates, &judge.name, template.name());
        let member = |repeat: u32, kind| Member {
            judge: judge.name.clone(),
            criterion: template.name().to_owned(),
            prefix: if repeat == 0 { prefix.clone() } else { format!("{prefix}r{}_", repeat + 1) },
            repeat,
            unit: self.settings.unit,
            kind,
        };
        let Some(remote) = remote else {
            let decide = self.settings.decide;
            let base_rate = self.settings.base_rate.unwrap_or(decide.base_rate());
            let task = builtin_task(template)?;
            // Labels of a task that a model was not trained for are not the model's.
            let model = model.filter(|model| model.stage(task).is_some()).cloned();
            return Ok(vec![member(0, MemberKind::Builtin(BuiltinKind { task, decide, base_rate, model }))]);
        };
        let judge_task = |repeat| JudgeTask {
            judge: Arc::clone(remote),
            template: Arc::clone(template),
            read_as: self.read_as.clone(),
            form: AnswerForm { explain: self.settings.explain, findings: self.settings.findings },
            rules: self.settings.rules,
            unit: self.settings.unit,
            votes: self.settings.votes,
            repeat,
            // It knows rows with as many questions as there are votes.
            ask_index: (self.settings.unit == Unit::Turn).then(Mutex::default),
        };
        Ok((0..self.repeats)
            .map(|repeat| member(repeat, MemberKind::Model(Arc::new(judge_task(repeat)))))
            .collect())
    }

    /// Nothing where one judge uses one template; else as much as tells their columns apart.
    fn prefix(&self, templates: usize, judge: &str, template: &str) -> String {
        let own = self.prefix;
        let plain =
            |name: &str| name.replace(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '.')), "_");
        match (self.settings.judges.len(), templates) {
            (1, 1) => own.to_owned(),
            (1, _) => format!("{own}{}_", plain(template)),
            _ => format!("{own}{}_{}_", plain(judge), plain(template)),
        }
    }
}

/// The built-in judge knows tasks, not words.
fn builtin_task(template: &Template) -> Result<Task, SettingsError> {
    match template.task() {
        Some(task) => Ok(task),
        None => Err(SettingsError::NoBuiltinTask(template.name().to_owned())),
    }
}
