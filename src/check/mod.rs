//! A call against its own definition and the conversation: the built-in judge.

mod aliases;
mod assess;
mod cache;
mod choice;
mod dates;
mod evidence;
mod explain;
mod finding;
mod grounding;
mod literals;
mod node;
mod numbers;
mod relevance;
mod schema;
mod score;
mod toolbox;
mod words;

use std::sync::Arc;

pub use finding::{Aspect, Finding, Literal, Place};

use crate::domain::{Calls, Definitions, Outcome, Sample, Task, ToolCall, ToolDefinition, Verdict};
use assess::assess;
use cache::Cache;
use toolbox::Toolbox;

/// The judge that needs no model: deterministic, offline, and free.
pub struct BuiltinJudge {
    task: Task,
    cache: Cache,
}

impl BuiltinJudge {
    pub fn new(task: Task) -> Self {
        BuiltinJudge { task, cache: Cache::default() }
    }

    pub fn judge(&self, sample: &Sample) -> Verdict {
        let (calls, definitions) = match readable(sample) {
            Ok(parts) => parts,
            Err(reason) => return Verdict::bare(Outcome::Abstained(reason.to_owned())),
        };
        if calls.is_empty() && self.task == Task::ParameterExtraction {
            return Verdict::bare(Outcome::Abstained(
                "nothing was called, so there are no arguments to judge".to_owned(),
            ));
        }
        let assessment = assess(sample, calls, &self.cache.get(definitions));
        let probability = score::probability(&assessment.signals, self.task);
        let correct = probability >= 0.5;
        let (label, score) = if correct { ("correct", 1.0) } else { ("incorrect", 0.0) };
        Verdict {
            outcome: Outcome::Judged { label: label.to_owned(), score, rule: None },
            explanation: Some(explain::explain(&assessment, calls.len(), correct, self.task)),
            confidence: Some(probability.max(1.0 - probability)),
        }
    }

    #[doc(hidden)]
    pub fn raw(&self, sample: &Sample) -> Option<(Vec<f64>, Vec<Finding>)> {
        let (calls, definitions) = readable(sample).ok()?;
        let a = assess(sample, calls, &self.cache.get(definitions));
        Some((a.signals.as_slice().to_vec(), a.findings))
    }
}

/// What there is to notice about a sample, whatever the task; nothing where there is nothing to go on.
pub fn findings(sample: &Sample) -> Vec<Finding> {
    match readable(sample) {
        Ok((calls, definitions)) => assess(sample, calls, &Toolbox::new(definitions)).findings,
        Err(_) => Vec::new(),
    }
}

/// The parts a judgement rests on, or why there is none.
fn readable(sample: &Sample) -> Result<(&[ToolCall], &Arc<[ToolDefinition]>), &'static str> {
    let Calls::Parsed(calls) = &sample.calls else {
        return Err("no call could be read from the tool call's text");
    };
    match &sample.definitions {
        Definitions::Known(definitions) => Ok((calls, definitions)),
        Definitions::FreeText => Err("the tool definitions are prose"),
        Definitions::Unknown => Err("the tool definitions are not known"),
    }
}
