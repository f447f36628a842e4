//! A judge with a template, and the rules that read its answers.

use std::borrow::Cow;
use std::num::NonZeroU32;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::First;
use crate::domain::{
    AnswerForm, Prompt, Rails, RowError, RowErrorCode, Sample, Slot, Unit, Variable, Verdict,
};
use crate::judge::Remote;
use crate::render::{Template, TemplateError};
use crate::run::{AskIndex, Reading, RunError};
use crate::snap::Rules;
use crate::store::{AskHasher, Fingerprint};

/// One model judge with one template; gives every row one verdict.
pub struct JudgeTask {
    /// The model.
    pub judge: Arc<Remote>,
    /// Its words. Rails come with them.
    pub template: Arc<Template>,
    /// The rails that answers are read with, where they are not those that were asked for.
    pub read_as: Option<Arc<Rails>>,
    /// What the judge answers with beside a label. Default: nothing.
    pub form: AnswerForm,
    /// How labels are read out of replies. Default: careful.
    pub rules: Rules,
    /// What one question is about. Default: a turn.
    pub unit: Unit,
    /// How often each question is asked; the answers are folded into one verdict.
    pub votes: NonZeroU32,
    /// Which time this is that all of it is asked, from 0: each time has answers of its own.
    pub(crate) repeat: u32,
    /// Settles what it can before the model is asked.
    pub first: Option<Arc<First>>,
    /// Notes what was asked, for those who look the answers up; absent where a judge task serves several runs.
    pub(crate) ask_index: Option<Mutex<AskIndex>>,
}

/// What is asked, and the name it goes by in the store.
pub struct Question {
    pub fingerprint: Fingerprint,
    pub prompt: Prompt,
}

/// What there is to know of one unit of a row.
pub enum Part {
    /// The judge that looks first settled it. With the price of what was not asked, and the name it would have had; absent where none is
    /// known.
    Settled { verdict: Box<Verdict>, spared: Option<(Fingerprint, f64)> },
    /// The names of the questions about it, one for each vote.
    Asked(Vec<Fingerprint>),
}

impl JudgeTask {
    /// A judge task whose judge is asked once, without explanation, and read carefully.
    pub fn new(judge: Arc<Remote>, template: Template) -> JudgeTask {
        JudgeTask {
            judge,
            template: Arc::new(template),
            read_as: None,
            form: AnswerForm::LABEL,
            rules: Rules::Careful,
            unit: Unit::Turn,
            votes: NonZeroU32::MIN,
            repeat: 0,
            first: None,
            ask_index: None,
        }
    }

    /// Hashes this judge task's questions.
    pub(crate) fn hasher(&self) -> AskHasher {
        let identity = self.judge.identity();
        AskHasher::new(&identity.stored_endpoint(), &identity.model, &identity.parameters)
    }

    /// Whether every question of this judge task is one of `other`'s too.
    pub(crate) fn asks_what(&self, other: &JudgeTask) -> bool {
        self.judge.identity() == other.judge.identity()
            && self.template.hash() == other.template.hash()
            && self.rails().labels().eq(other.rails().labels())
            && (self.form, self.unit, self.repeat) == (other.form, other.unit, other.repeat)
            && self.votes <= other.votes
            && self.first.is_some() == other.first.is_some()
    }

    /// What the questions about `sample` are about: itself, or each of its calls.
    pub(crate) fn units<'a>(&self, sample: &'a Sample) -> Vec<Cow<'a, Sample>> {
        let calls = match self.unit {
            Unit::Turn => Vec::new(),
            Unit::Call => sample
                .each_call(self.template.variables().contains(&Variable::Slot(Slot::Transcript)))
                .collect::<Vec<_>>(),
        };
        if calls.is_empty() {
            vec![Cow::Borrowed(sample)]
        } else {
            calls.into_iter().map(Cow::Owned).collect()
        }
    }

    /// What the judge that looks first says of `unit`, if there is such a judge and it settles it.
    fn settled(&self, unit: &Sample) -> Option<Verdict> {
        self.first.as_ref()?.verdict(unit, self.rails())
    }

    /// What this judge task asks about `sample`, unit by unit, once per vote, where nothing is settled before; or why nothing can be asked
    /// about it.
    pub(crate) fn questions(
        &self,
        hasher: &AskHasher,
        sample: &Sample,
    ) -> Result<Result<Vec<Question>, RowError>, RunError> {
        let replicates = self.replicates();
        let question =
            |(replicate, prompt)| Question { fingerprint: hasher.fingerprint(&prompt, replicate), prompt };
        let mut questions = Vec::with_capacity(replicates.len());
        for unit in self.units(sample) {
            if self.settled(&unit).is_some() {
                continue;
            }
            match self.prompt(&unit)? {
                Ok(prompt) => {
                    let prompts = std::iter::repeat_n(prompt, replicates.len());
                    questions.extend(replicates.clone().zip(prompts).map(question));
                }
                Err(error) => return Ok(Err(error)),
            }
        }
        Ok(Ok(questions))
    }

    /// The prompt for `sample`; a row without something that the template shows cannot be asked about.
    fn prompt(&self, sample: &Sample) -> Result<Result<Prompt, RowError>, RunError> {
        let shows_question = || self.template.variables().contains(&Variable::Slot(Slot::Question));
        let rendered = match sample.question.is_empty() && shows_question() {
            // A log of calls alone holds no question.
            true => Err(TemplateError::Lacking(vec![Variable::Slot(Slot::Question)])),
            false => self.template.render(sample, self.form),
        };
        match rendered {
            Ok(prompt) => Ok(Ok(prompt)),
            Err(TemplateError::Lacking(variables)) => {
                let names: Vec<String> = variables.iter().map(Variable::to_string).collect();
                let names = names.join(", ");
                let why =
                    format!("{names}: the row has none, but the template {} shows it", self.template.name());
                Ok(Err(RowError::new(RowErrorCode::MissingValue, why)))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// What there is to know of `sample`, unit by unit: the names under which the store keeps the answers, or what was settled before.
    pub(crate) fn parts(
        &self,
        hasher: &AskHasher,
        sample: &Sample,
    ) -> Result<Result<Vec<Part>, RowError>, RunError> {
        let mut parts = Vec::new();
        for unit in self.units(sample) {
            let settled = self.settled(&unit);
            let prompt = match self.prompt(&unit)? {
                Ok(prompt) => Some(prompt),
                // What could not have been asked cost nothing to settle.
                Err(_) if settled.is_some() => None,
                Err(error) => return Ok(Err(error)),
            };
            parts.push(match (settled, prompt) {
                (Some(verdict), prompt) => {
                    let spared = prompt.and_then(|prompt| {
                        Some((hasher.fingerprint(&prompt, self.replicates().start), self.cost(&prompt)?))
                    });
                    Part::Settled { verdict: Box::new(verdict), spared }
                }
                (None, Some(prompt)) => Part::Asked(
                    self.replicates().map(|replicate| hasher.fingerprint(&prompt, replicate)).collect(),
                ),
                (None, None) => unreachable!("what has no prompt was settled"),
            });
        }
        Ok(Ok(parts))
    }

    /// What asking `prompt` once per vote is expected to cost, in US dollars.
    fn cost(&self, prompt: &Prompt) -> Option<f64> {
        let once = self.judge.price()?.cost(&self.judge.expected_usage(prompt))?;
        Some(once * f64::from(self.votes.get()))
    }

    pub(in crate::run) fn ask_index(&self) -> Option<MutexGuard<'_, AskIndex>> {
        self.ask_index.as_ref().map(|ask_index| ask_index.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The numbers of this judge task's answers to a question.
    fn replicates(&self) -> Range<u32> {
        let first = self.repeat.saturating_mul(self.votes.get());
        first..first.saturating_add(self.votes.get())
    }

    /// The labels that its answers are read with.
    pub(crate) fn rails(&self) -> &Arc<Rails> {
        self.read_as.as_ref().unwrap_or(self.template.rails())
    }

    pub(crate) fn reading(&self) -> Reading<'_> {
        Reading { rails: self.rails(), rules: self.rules, form: self.form }
    }
}
