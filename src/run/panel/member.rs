//! A judge with its wording.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::bench::Words;
use crate::check::{BaseRate, TrainedModel};
use crate::domain::{Rails, Task, Unit};
use crate::run::{JudgeRecord, JudgeTask, MemberRecord, TemplateRecord};
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
    /// The built-in judge, with what its confidences rest on and what it was trained to.
    Builtin(Task, BaseRate, Option<Arc<TrainedModel>>),
    /// A model judge with a template.
    Model(Arc<JudgeTask>),
}

impl Member {
    /// Its judge task, if a model judges.
    pub fn judge_task(&self) -> Option<&Arc<JudgeTask>> {
        match &self.kind {
            MemberKind::Builtin(..) => None,
            MemberKind::Model(judge_task) => Some(judge_task),
        }
    }

    /// Its labels, and which of them pass.
    pub fn rails(&self) -> Arc<Rails> {
        match &self.kind {
            MemberKind::Builtin(task, ..) => Arc::new(Rails::pass_and_fail(task.labels())),
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
            MemberKind::Builtin(task, ..) => Some(*task),
            MemberKind::Model(judge_task) => judge_task.template.task(),
        }
    }

    /// What its confidences rest on; model judges are told of none.
    pub fn base_rate(&self) -> BaseRate {
        match &self.kind {
            MemberKind::Builtin(_, base_rate, _) => *base_rate,
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
                MemberKind::Builtin(_, base_rate, model) => builtin_parameters(*base_rate, model.as_deref()),
                MemberKind::Model(judge_task) => judge_task.judge.parameters().to_record(),
            },
            adaptations: Vec::new(),
        };
        let (task, template, votes) = match &self.kind {
            MemberKind::Builtin(task, ..) => (Some(*task), None, 1),
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
            per: self.unit.recorded(),
        }
    }
}

/// What a record tells of the built-in judge beside its task: nothing of the judge as shipped.
fn builtin_parameters(base_rate: BaseRate, model: Option<&TrainedModel>) -> Value {
    let mut parameters = Map::new();
    if base_rate != BaseRate::default() {
        parameters.insert("base_rate".to_owned(), json!(base_rate.share()));
    }
    if let Some(model) = model {
        parameters.insert("model".to_owned(), json!(model.checksum()));
    }
    if parameters.is_empty() { Value::Null } else { Value::Object(parameters) }
}
