//! `--first`: the free judge that decides rows before a model is asked.

use serde_json::Value;

use crate::check::{BuiltinJudge, Decide};
use crate::domain::{Outcome, Rails, Sample, Task, Verdict};
use crate::run::JudgeRecord;

/// The built-in judge in front of a model: it settles what there is evidence for, and the model is asked about the rest.
pub struct First {
    /// As columns and summaries name it.
    pub name: String,
    /// Gives a label only where there is evidence.
    judge: BuiltinJudge,
    /// Whether what passes is settled too. Of results and answers only faults are: that none was found there proves nothing.
    passes: bool,
    /// How it is set up, for records.
    parameters: Value,
}

impl First {
    /// The built-in judge of `task`, as it comes.
    pub fn builtin(task: Task) -> First {
        let judge = BuiltinJudge::new(task).with_decide(Decide::Evidence);
        First::new("builtin".to_owned(), judge, task.about_calls().is_some(), Value::Null)
    }

    /// `judge` under its name; `passes` says whether what it finds right is settled, or only what it finds wrong.
    pub(in crate::run) fn new(name: String, judge: BuiltinJudge, passes: bool, parameters: Value) -> First {
        First { name, judge, passes, parameters }
    }

    /// For the manifest.
    pub(in crate::run) fn record(&self) -> JudgeRecord {
        let (name, parameters) = (self.name.clone(), self.parameters.clone());
        JudgeRecord { name, endpoint: None, model: None, parameters, adaptations: Vec::new() }
    }

    /// The verdict on `unit` in the words of `rails`, of which there are two; nothing where a model has to be asked.
    pub(in crate::run) fn verdict(&self, unit: &Sample, rails: &Rails) -> Option<Verdict> {
        let verdict = self.judge.judge(unit);
        let passes = verdict.score()? >= 0.5;
        if passes && !self.passes {
            return None;
        }
        let wording = rails.labels().find(|label| rails.passes_label(label) == passes)?;
        let score = rails.find(wording)?.score;
        Some(Verdict { outcome: Outcome::Judged { label: wording.to_owned(), score, rule: None }, ..verdict })
    }
}
