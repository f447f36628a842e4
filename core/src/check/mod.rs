//! The built-in judge: checks a call against its definition and the conversation.

mod affinity;
mod asked_unit;
mod assess;
mod base_rate;
mod baseline;
mod binding;
mod cache;
mod choice;
mod clause;
mod corrected;
mod currency;
mod decide;
mod evidence;
mod exclusions;
mod explain;
mod features;
mod grounding;
mod held;
mod index;
mod literals;
mod look;
pub mod model;
mod need;
mod node;
mod observation;
mod placeholder;
mod prefixes;
mod reasons;
mod relevance;
mod reported;
mod results;
mod roles;
mod schema;
mod score;
mod stage;
mod states;
mod toolbox;
mod trained;
mod truth;
mod used;

use std::sync::Arc;

pub use base_rate::{BaseRate, InvalidBaseRate};
pub use baseline::{Baseline, BaselineKind};
pub use decide::{Decide, InvalidDecide, by_evidence};
pub use score::MAX_WITH_FAULT;

pub use held::Hold;
pub use observation::{Aspect, Literal, Observation, Place};
pub use stage::{Stage, StageKind, bounded};
pub use trained::{TaskStage, TrainedModel, UnusableModel};

use crate::domain::{
    Abstention, CallTask, Calls, Definitions, Flag, Outcome, Sample, Task, ToolCall, ToolDefinition, Verdict,
};
use assess::assess;
use cache::Cache;
use decide::{Weighed, decide};
use model::{Estimate, Shipped};
use score::MAX_HELD_BACK;
use toolbox::Toolbox;

/// The judge that needs no model: deterministic, offline, and free.
///
/// It labels calls `correct` or `incorrect` by one [`Task`] and explains itself by its [`Observation`]s. Of tasks about what came of the
/// calls it knows what takes no model, and abstains otherwise. Its probability that the calls are right rests on a share of right calls
/// among all, which [`BuiltinJudge::with_base_rate`] tells it; label and confidence follow from that probability. A fault always makes a
/// call `incorrect`. It abstains where something is missing (no readable definitions or call, no call whose arguments to judge, a
/// definition or row too complex to check) and where there is no evidence, as [`Decide`] says.
///
/// One judge serves all threads and prepares each set of definitions once, as long as rows share them.
pub struct BuiltinJudge {
    task: Task,
    decide: Decide,
    base_rate: Option<BaseRate>,
    model: Option<Arc<TrainedModel>>,
    cache: Cache,
}

impl BuiltinJudge {
    /// A judge by the criterion of `task`.
    pub fn new(task: Task) -> Self {
        BuiltinJudge {
            task,
            decide: Decide::default(),
            base_rate: None,
            model: None,
            cache: Cache::default(),
        }
    }

    /// The same judge for calls of which that share is right: probabilities become those that hold there (Bayes' theorem), and labels
    /// with them. Without it, the share is [`Decide::base_rate`]'s.
    pub fn with_base_rate(self, base_rate: BaseRate) -> Self {
        BuiltinJudge { base_rate: Some(base_rate), ..self }
    }

    /// The same judge, which gives labels as `decide` says.
    pub fn with_decide(self, decide: Decide) -> Self {
        BuiltinJudge { decide, ..self }
    }

    fn base_rate(&self) -> BaseRate {
        self.base_rate.unwrap_or(self.decide.base_rate())
    }

    /// The same judge with what training made of it. Of tasks that the model was not trained for it judges as before; faults and
    /// reasons to abstain stay what they are.
    pub fn with_model(self, model: Arc<TrainedModel>) -> Self {
        BuiltinJudge { model: Some(model), ..self }
    }

    /// Labels the sample as a whole: all of its calls must be right, all of its results faithfully used.
    pub fn judge(&self, sample: &Sample) -> Verdict {
        match self.task.about_calls() {
            Some(task) => self.judge_calls(task, sample),
            None => results::judge(self.task, sample),
        }
    }

    /// What there is to train on: nothing of tasks that no call is judged by, and of rows on which the judge abstains for want of
    /// anything readable.
    pub fn examine(&self, sample: &Sample) -> Option<Examined> {
        let task = self.task.about_calls()?;
        let (calls, definitions) = readable(sample).ok()?;
        if calls.is_empty() && task == CallTask::ParameterExtraction {
            return None;
        }
        let assessment = assess(sample, calls, &self.cache.get(definitions), true);
        let is_settled = assessment.is_settled(task);
        let unasked = sample.question.trim().is_empty();
        if !is_settled && (unasked || assessment.unsettled(task).is_some()) {
            return None;
        }
        let right = Shipped::get().estimate(assessment.measured(), task).0;
        let features = assessment.measured().to_vec();
        Some(Examined { features, margin: log_odds(right), is_settled, under_way: assessment.under_way })
    }

    fn judge_calls(&self, task: CallTask, sample: &Sample) -> Verdict {
        let (calls, definitions) = match readable(sample) {
            Ok(parts) => parts,
            Err(reason) => return Verdict::bare(Outcome::Abstained(Abstention::missing(reason))),
        };
        if calls.is_empty() && task == CallTask::ParameterExtraction {
            let why = "nothing was called, so there are no arguments to judge";
            return Verdict::bare(Outcome::Abstained(Abstention::missing(why)));
        }
        let stage = self.model.as_ref().and_then(|model| model.stage(self.task));
        let assessment = assess(sample, calls, &self.cache.get(definitions), true);
        let fault = assessment.is_settled(task);
        let unasked = sample.question.trim().is_empty().then(|| UNASKED.to_owned());
        if let Some(reason) = unasked.or_else(|| assessment.unsettled(task)).filter(|_| !fault) {
            return Verdict::bare(Outcome::Abstained(Abstention::missing(reason)));
        }
        let estimate = Shipped::get().estimate(assessment.measured(), task);
        let shipped = estimate.0;
        let probability = match stage {
            Some(stage) if !fault => stage.probability(assessment.measured(), log_odds(shipped)),
            _ => shipped,
        };
        let most = if assessment.is_against_the_last_word(task) { MAX_HELD_BACK } else { 1.0 };
        let (probability, shipped) = (probability.min(most), shipped.min(most));
        let base_rate = self.base_rate();
        let (even, right) = (probability, base_rate.posterior(probability));
        // A fault is certain, however good an agent is otherwise.
        let right = if fault { right.min(MAX_WITH_FAULT) } else { right };
        let weighed = Weighed { probability: right, even, is_trained: stage.is_some() };
        let correct = match fault {
            true => false,
            false => match decide(self.decide, &assessment, &weighed, task) {
                Ok(correct) => correct,
                Err(abstention) => {
                    let outcome = Outcome::Abstained(abstention);
                    return Verdict { p_correct: Some(right), ..Verdict::bare(outcome) };
                }
            },
        };
        let (label, score) = if correct { ("correct", 1.0) } else { ("incorrect", 0.0) };
        Verdict {
            outcome: Outcome::Judged { label: label.to_owned(), score, rule: None },
            explanation: Some({
                // What is grave speaks for itself.
                let grave = |own: &Observation| own.concerns(task) && (own.is_fault() || own.is_grave());
                let by_shipped = fault || base_rate.posterior(shipped) < 0.5;
                let plain = !by_shipped || assessment.observations.iter().any(grave);
                let reasons = if plain { Vec::new() } else { reasons::against(&assessment, task) };
                let told = explain::explain(&assessment, calls.len(), !by_shipped, task, &reasons);
                // What was noticed says one thing, and labels of one's own have taught another.
                let left_open = estimate.doubt(assessment.under_way).filter(|_| !fault && stage.is_some());
                match left_open {
                    Some(why) => stage::decided(label, why),
                    None if correct == by_shipped => stage::overruled(label, &told),
                    None => told,
                }
            }),
            findings: Some({
                let first = sample.part.as_ref().map_or(0, |part| part.at);
                reported::findings(&assessment, calls, first, task, correct)
            }),
            confidence: Some(if correct { right } else { 1.0 - right }),
            p_correct: Some(right),
        }
    }
}

/// What there is to notice about a sample, whatever the task; nothing where there is nothing to go on.
pub fn observations(sample: &Sample) -> Vec<Observation> {
    match readable(sample) {
        Ok((calls, definitions)) => assess(sample, calls, &Toolbox::new(definitions), false).observations,
        Err(_) => Vec::new(),
    }
}

/// What the built-in judge makes of a sample before it says so: for whoever trains it further.
#[derive(Debug, Clone)]
pub struct Examined {
    /// The sample as numbers, in the order of [`feature_names`].
    pub features: Vec<f32>,
    /// The log-odds that the calls are right, at even odds before looking.
    pub margin: f64,
    /// Whether a fault settles that they are wrong: no margin matters then.
    pub is_settled: bool,
    /// Whether they come after a tool's result, where the judge [leaves open](leaves_open) what is close.
    pub under_way: bool,
}

/// Whether the judge abstains at that probability of being right, of calls that come after a tool's result (`under_way`) or do not. A fault
/// is never left open.
pub fn leaves_open(probability: f64, under_way: bool) -> bool {
    Estimate(probability).doubt(under_way).is_some()
}

/// The version of what [`BuiltinJudge::examine`] gives, where neither names of features nor weights tell.
const EXAMINATION: &str = "4";

/// What tells this version of the shipped judge from others, as far as a [`TrainedModel`] rests on it.
pub fn fingerprint() -> String {
    let mut hasher = blake3::Hasher::new();
    let trees = model::fingerprint();
    for part in feature_names().iter().map(String::as_str).chain([trees.as_str(), EXAMINATION]) {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    trained::short(hasher.finalize())
}

fn log_odds(probability: f64) -> f64 {
    (probability / (1.0 - probability)).ln()
}

/// Which way each feature may move the log-odds that the calls are right: -1 only down, 1 only up, 0 either.
pub fn feature_directions() -> Vec<i8> {
    features::monotone()
}

/// The names of a sample's features, in order.
pub fn feature_names() -> &'static [String] {
    features::names()
}

/// A sample as numbers, whatever the task.
#[derive(Debug, Clone)]
pub struct Measured {
    /// In the order of [`feature_names`].
    pub features: Vec<f32>,
    /// Whether a fault settles that the calls are wrong: by tool calling, parameter extraction, tool selection.
    pub settled: [bool; 3],
    /// Whether another fact speaks against them, by the same.
    pub contradicted: [bool; 3],
}

/// Measures a sample; `None` where there is nothing to go on.
pub fn measure(sample: &Sample) -> Option<Measured> {
    let (calls, definitions) = readable(sample).ok()?;
    let assessment = assess(sample, calls, &Toolbox::new(definitions), true);
    let settled = model::TASKS.map(|task| assessment.is_settled(task));
    let contradicted = model::TASKS.map(|task| decide::is_contradicted(&assessment, task));
    Some(Measured { features: assessment.measured().to_vec(), settled, contradicted })
}

/// Why calls of a log without users' words are not judged by what they are for.
const UNASKED: &str = "the log does not hold what the user asked";

/// The parts a judgement rests on, or why there is none.
fn readable(sample: &Sample) -> Result<(&[ToolCall], &Arc<[ToolDefinition]>), &'static str> {
    let Calls::Parsed(calls) = &sample.calls else {
        return Err("no call could be read from the tool call's text");
    };
    if sample.flags.contains(&Flag::HiddenContent) {
        return Err("the log hides something that was said before");
    }
    match &sample.definitions {
        Definitions::Known(definitions) => {
            let unreadable = sample.flags.contains(&Flag::UnreadableDefinition);
            let known = |call: &ToolCall| definitions.iter().any(|tool| tool.name == call.name);
            match unreadable && (calls.is_empty() || !calls.iter().all(known)) {
                true => Err("a tool definition cannot be read, and may be that of the right tool"),
                false => Ok((calls, definitions)),
            }
        }
        Definitions::FreeText => Err("the tool definitions are prose"),
        Definitions::Unknown => Err("the tool definitions are not known"),
    }
}

#[cfg(test)]
mod schema_tests;
#[cfg(test)]
mod tests;
