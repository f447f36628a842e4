//! A place on the panel: a judge, the words it is asked in, and how its answers are read.

use std::num::NonZeroU32;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::domain::{Prompt, Rails, RowError, RowErrorCode, Sample, Variable};
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
    /// Whether the judge explains itself before the label. Default: no.
    pub explain: bool,
    /// How labels are read out of replies. Default: careful.
    pub rules: Rules,
    /// How often each question is asked; the answers are folded into one verdict.
    pub votes: NonZeroU32,
    /// Which time this is that all of it is asked, from 0: each time has answers of its own.
    pub(crate) repeat: u32,
    /// Notes what was asked, for those who look the answers up; absent where a judge task serves several runs.
    pub(crate) ask_index: Option<Mutex<AskIndex>>,
}

/// What is asked, and the name it goes by in the store.
pub struct Question {
    pub fingerprint: Fingerprint,
    pub prompt: Prompt,
}

impl JudgeTask {
    /// A judge task whose judge is asked once, without explanation, and read carefully.
    pub fn new(judge: Arc<Remote>, template: Template) -> JudgeTask {
        JudgeTask {
            judge,
            template: Arc::new(template),
            read_as: None,
            explain: false,
            rules: Rules::Careful,
            votes: NonZeroU32::MIN,
            repeat: 0,
            ask_index: None,
        }
    }

    /// Hashes this judge task's questions.
    pub(crate) fn hasher(&self) -> AskHasher {
        let identity = self.judge.identity();
        AskHasher::new(&identity.endpoint, &identity.model, &identity.parameters)
    }

    /// What this judge task asks about `sample`, once per vote; or why nothing can be asked about it.
    pub(crate) fn questions(
        &self,
        hasher: &AskHasher,
        sample: &Sample,
    ) -> Result<Result<Vec<Question>, RowError>, RunError> {
        let replicates = self.replicates();
        let question =
            |(replicate, prompt)| Question { fingerprint: hasher.fingerprint(&prompt, replicate), prompt };
        let questions = |prompt| {
            let prompts = std::iter::repeat_n(prompt, replicates.len());
            replicates.zip(prompts).map(question).collect()
        };
        Ok(self.prompt(sample)?.map(questions))
    }

    /// The prompt for `sample`; a row without something that the template shows cannot be asked about.
    fn prompt(&self, sample: &Sample) -> Result<Result<Prompt, RowError>, RunError> {
        match self.template.render(sample, self.explain) {
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

    /// The names under which the store keeps the answers about `sample`.
    pub(crate) fn fingerprints(
        &self,
        hasher: &AskHasher,
        sample: &Sample,
    ) -> Result<Result<Vec<Fingerprint>, RowError>, RunError> {
        let fingerprint = |prompt: Prompt| {
            self.replicates().map(|replicate| hasher.fingerprint(&prompt, replicate)).collect()
        };
        Ok(self.prompt(sample)?.map(fingerprint))
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
        Reading { rails: self.rails(), rules: self.rules, explain: self.explain }
    }
}
