//! Builds the members of a panel.

use std::sync::{Arc, Mutex};

use super::{BuiltinKind, Member, MemberKind};
use crate::check::{Decide, TrainedModel};
use crate::domain::{AnswerForm, Rails, Task, Unit};
use crate::judge::Remote;
use crate::render::Template;
use crate::run::settings::{JudgeSettings, PanelSettings, SettingsError};
use crate::run::{First, JudgeTask};

/// How judges get their places.
pub(super) struct MemberBuilder<'a> {
    pub(super) settings: &'a PanelSettings,
    /// What the names of all columns begin with.
    pub(super) prefix: &'a str,
    /// Times that every question is asked over.
    pub(super) repeats: u32,
    /// The rails that replies are read with, where they are not those that were asked for.
    pub(super) read_as: Option<Arc<Rails>>,
    /// What the judge that looks first was trained to.
    pub(super) first_model: Option<Arc<TrainedModel>>,
    /// Whether models that another judge looks before also judge alone.
    pub(super) is_compared: bool,
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
        let member = |repeat: u32, prefix: &str, kind| Member {
            judge: judge.name.clone(),
            criterion: template.name().to_owned(),
            prefix: if repeat == 0 { prefix.to_owned() } else { format!("{prefix}r{}_", repeat + 1) },
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
            return Ok(vec![member(
                0,
                &prefix,
                MemberKind::Builtin(BuiltinKind { task, decide, base_rate, model }),
            )]);
        };
        let judge_task = |repeat, first| JudgeTask {
            judge: Arc::clone(remote),
            template: Arc::clone(template),
            read_as: self.read_as.clone(),
            form: AnswerForm { explain: self.settings.explain, findings: self.settings.findings },
            rules: self.settings.rules,
            unit: self.settings.unit,
            votes: self.settings.votes,
            repeat,
            first,
            // It knows rows with as many questions as there are votes.
            ask_index: (self.settings.unit == Unit::Turn).then(Mutex::default),
        };
        let asked = |first: Option<&Arc<First>>, prefix: &str| {
            let one = |repeat| {
                let kind = MemberKind::Model(Arc::new(judge_task(repeat, first.cloned())));
                member(repeat, prefix, kind)
            };
            (0..self.repeats).map(one).collect::<Vec<_>>()
        };
        let first = self.first(template)?.map(Arc::new);
        Ok(match (&first, self.is_compared) {
            (Some(first), true) => {
                let mut members = asked(None, &prefix);
                members.extend(asked(Some(first), &format!("{prefix}first_")));
                members
            }
            (first, _) => asked(first.as_ref(), &prefix),
        })
    }

    /// The judge that looks first at what `template` asks about, if there is to be one.
    fn first(&self, template: &Template) -> Result<Option<First>, SettingsError> {
        let Some(settings) = &self.settings.first else { return Ok(None) };
        let name = template.name();
        let task = template.task().ok_or_else(|| {
            SettingsError::First(format!(
                "{name} does not say which task it judges; put `task` into its front matter"
            ))
        })?;
        if !task.is_builtin() {
            return Err(SettingsError::First(format!("the built-in judge does not judge {}", task.as_str())));
        }
        let rails = self.read_as.as_ref().unwrap_or(template.rails());
        if rails.len() != 2 {
            return Err(SettingsError::First(format!(
                "the built-in judge says right or wrong, and {name} has {} labels",
                rails.len()
            )));
        }
        let base_rate = self.settings.base_rate.unwrap_or(Decide::Evidence.base_rate());
        let model = self.first_model.as_ref().filter(|model| model.stage(task).is_some()).cloned();
        let kind = BuiltinKind { task, decide: Decide::Evidence, base_rate, model };
        let of_calls = task.about_calls().is_some();
        Ok(Some(First::new(settings.name.clone(), kind.judge(), of_calls, kind.parameters())))
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
