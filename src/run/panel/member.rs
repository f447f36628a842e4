//! A judge with its template.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::trained;
use crate::bench::Words;
use crate::check::{BaseRate, BuiltinJudge, Decide, TrainedModel};
use crate::domain::{Rails, Task, Unit};
use crate::run::{First, JudgeRecord, JudgeTask, MemberRecord, TemplateRecord};
use crate::snap::Rules;

/// A judge with its wording: gives each row one verdict.
pub struct Member {
    /// As the `judge` column spells it.
    pub judge: String,
    /// The template's name, which for the built-in judge is the task's.
    pub criterion: String,
    /// What the names of its columns begin with.
    pub prefix: String,
    /// Which time this is that it is asked the same, from 0.
    pub repeat: u32,
    /// What each of its verdicts is about.
    pub unit: Unit,
    /// How it comes to its verdicts.
    pub kind: MemberKind,
}

/// How a member comes to its verdicts.
pub enum MemberKind {
    /// The built-in judge.
    Builtin(BuiltinKind),
    /// A model judge with a template.
    Model(Arc<JudgeTask>),
}

/// How the built-in judge is set up.
#[derive(Clone)]
pub struct BuiltinKind {
    pub task: Task,
    pub decide: Decide,
    /// What its probabilities rest on.
    pub base_rate: BaseRate,
    /// What it was trained to.
    pub model: Option<Arc<TrainedModel>>,
}

impl BuiltinKind {
    /// A judge that is set up so.
    pub fn judge(&self) -> BuiltinJudge {
        trained::judge(self.task, self.model.as_ref()).with_decide(self.decide).with_base_rate(self.base_rate)
    }

    /// What a record tells of it beside its task: nothing of a judge that always gives a label, and favours none.
    pub(super) fn parameters(&self) -> Value {
        let mut parameters = Map::new();
        if self.decide != Decide::Always {
            parameters.insert("decide".to_owned(), json!(self.decide.as_str()));
        }
        if self.base_rate != BaseRate::default() {
            parameters.insert("base_rate".to_owned(), json!(self.base_rate.share()));
        }
        if let Some(model) = &self.model {
            parameters.insert("model".to_owned(), json!(model.checksum()));
        }
        if parameters.is_empty() { Value::Null } else { Value::Object(parameters) }
    }
}

impl Member {
    /// Its judge task, if a model judges.
    pub fn judge_task(&self) -> Option<&Arc<JudgeTask>> {
        match &self.kind {
            MemberKind::Builtin(..) => None,
            MemberKind::Model(judge_task) => Some(judge_task),
        }
    }

    /// The judge that looks first, if there is one.
    pub fn first(&self) -> Option<&First> {
        self.judge_task()?.first.as_deref()
    }

    /// As figures name it: with the judge that looks first.
    pub fn name(&self) -> String {
        match self.first() {
            Some(first) => format!("{}, then {}", first.name, self.judge),
            None => self.judge.clone(),
        }
    }

    /// Its labels, and which of them pass.
    pub fn rails(&self) -> Arc<Rails> {
        match &self.kind {
            MemberKind::Builtin(own) => Arc::new(Rails::pass_and_fail(own.task.labels())),
            MemberKind::Model(judge_task) => Arc::clone(judge_task.rails()),
        }
    }

    /// What its labels and their gold mean.
    pub fn words(&self) -> Words {
        Words::of([&*self.rails()]).unwrap_or_default()
    }

    /// The task that is judged; templates of one's own may not say.
    pub fn task(&self) -> Option<Task> {
        match &self.kind {
            MemberKind::Builtin(own) => Some(own.task),
            MemberKind::Model(judge_task) => judge_task.template.task(),
        }
    }

    /// What its confidences rest on; model judges are told of none.
    pub fn base_rate(&self) -> BaseRate {
        match &self.kind {
            MemberKind::Builtin(own) => own.base_rate,
            MemberKind::Model(_) => BaseRate::default(),
        }
    }

    /// For the manifest.
    pub fn record(&self) -> MemberRecord {
        let judge = |judge_task: Option<&Arc<JudgeTask>>| JudgeRecord {
            name: self.judge.clone(),
            endpoint: judge_task.map(|judge_task| judge_task.judge.identity().endpoint.clone()),
            model: judge_task.map(|judge_task| judge_task.judge.identity().model.clone()),
            parameters: match &self.kind {
                MemberKind::Builtin(own) => own.parameters(),
                MemberKind::Model(judge_task) => judge_task.judge.parameters().to_record(),
            },
            adaptations: Vec::new(),
        };
        let (task, template, votes) = match &self.kind {
            MemberKind::Builtin(own) => (Some(own.task), None, 1),
            MemberKind::Model(judge_task) => {
                let template = &judge_task.template;
                let record = TemplateRecord {
                    name: template.name().to_owned(),
                    hash: template.hash(),
                    explain: judge_task.form.explain,
                    findings: judge_task.form.findings,
                    rails: judge_task.reading().rails.labels().map(str::to_owned).collect(),
                    snap: Rules::as_str(judge_task.rules),
                };
                (template.task(), Some(record), judge_task.votes.get())
            }
        };
        MemberRecord {
            prefix: self.prefix.clone(),
            judge: judge(self.judge_task()),
            task: task.map(Task::as_str),
            template,
            votes,
            first: self.first().map(First::record),
            per: self.unit.recorded(),
        }
    }
}
