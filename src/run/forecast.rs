//! The dry run: prompts, and expected tokens and cost.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::{JudgeTask, Panel, Question, RunError, Samples};
use crate::domain::{Flag, RowError, Status};
use crate::store::{Fingerprint, Found, Reader};

/// What one judge with one template would be sent. Tokens are estimates: four bytes per token, reasoning not counted.
#[derive(Debug, Default)]
pub struct Forecast {
    /// As the `judge` column names it.
    pub judge: String,
    /// As the `template` column names it.
    pub template: String,
    /// Rows of the input.
    pub rows: u64,
    /// Rows that cannot be read and are not sent.
    pub invalid: u64,
    /// The first of them, counted from 1, and what is wrong with it.
    pub first_invalid: Option<(u64, RowError)>,
    /// How many rows have each remark of normalizing.
    pub flags: BTreeMap<Flag, u64>,
    /// The judge that looks first, if there is one, and how many rows it settles wholly.
    pub settled: Option<(String, u64)>,
    /// Questions that differ, each vote counted.
    pub questions: u64,
    /// Of these, those whose reply is in the store.
    pub answered: u64,
    /// Tokens of the prompts of the others.
    pub prompt_tokens: u64,
    /// Tokens of their answers.
    pub completion_tokens: u64,
    /// What they cost, in US dollars; absent without a price.
    pub cost_usd: Option<f64>,
    /// The first prompts.
    pub prompts: Vec<String>,
}

/// The replies that a run would not ask for again.
struct Stored<'a> {
    reader: &'a Reader,
    /// Those of a label with such a status are asked for.
    retry: &'a [Status],
}

/// Questions that are looked up at once.
const LOOKED_UP: usize = 512;

/// A forecast for each model judge of `panel`, from the questions to each member, with the first `shown` prompts.
pub(super) fn forecasts(
    panel: &Panel,
    samples: &[Arc<dyn Samples>],
    shown: usize,
) -> Result<Vec<Forecast>, RunError> {
    // What several judges cost each counts for each, whoever asks it first.
    each(panel, samples, shown, HashSet::clear)
}

/// The same of members that are compared: what one of them asks, no later one asks again.
pub(super) fn forecasts_together(
    panel: &Panel,
    samples: &[Arc<dyn Samples>],
    shown: usize,
) -> Result<Vec<Forecast>, RunError> {
    each(panel, samples, shown, |_| {})
}

fn each(
    panel: &Panel,
    samples: &[Arc<dyn Samples>],
    shown: usize,
    between: fn(&mut HashSet<Fingerprint>),
) -> Result<Vec<Forecast>, RunError> {
    let (mut forecasts, mut seen) = (Vec::new(), HashSet::new());
    for (member, samples) in panel.members.iter().zip(samples) {
        let Some(judge_task) = member.judge_task() else { continue };
        // A fresh run asks everything anew.
        let store = panel.store.as_ref().filter(|_| !panel.settings.store.fresh);
        let store = store.map(|store| store.reader()).transpose()?;
        let stored = store.as_ref().map(|reader| Stored { reader, retry: &panel.settings.store.retry });
        between(&mut seen);
        let found = forecast(samples.as_ref(), judge_task, (stored.as_ref(), &mut seen), shown)?;
        let (judge, template) = (member.judge.clone(), member.criterion.clone());
        forecasts.push(Forecast { judge, template, ..found });
    }
    Ok(forecasts)
}

fn forecast(
    samples: &dyn Samples,
    judge_task: &JudgeTask,
    (store, seen): (Option<&Stored>, &mut HashSet<Fingerprint>),
    shown: usize,
) -> Result<Forecast, RunError> {
    let hasher = judge_task.hasher();
    let settled = judge_task.first.as_ref().map(|first| (first.name.clone(), 0));
    let mut forecast =
        Forecast { cost_usd: judge_task.judge.price().map(|_| 0.0), settled, ..Forecast::default() };
    let mut open = Vec::new();
    for batch in samples.batches() {
        for row in batch? {
            forecast.rows += 1;
            let sample = match row.into_item() {
                Ok(sample) => sample,
                Err(error) => {
                    forecast.invalid += 1;
                    forecast.first_invalid.get_or_insert((forecast.rows, error));
                    continue;
                }
            };
            let questions = match judge_task.questions(&hasher, &sample)? {
                Ok(questions) => questions,
                Err(error) => {
                    forecast.invalid += 1;
                    forecast.first_invalid.get_or_insert((forecast.rows, error));
                    continue;
                }
            };
            if let Some((_, settled)) = &mut forecast.settled {
                *settled += u64::from(questions.is_empty());
            }
            for flag in &sample.flags {
                *forecast.flags.entry(*flag).or_default() += 1;
            }
            for question in questions {
                if !seen.insert(question.fingerprint) {
                    continue;
                }
                if forecast.prompts.len() < shown {
                    forecast.prompts.push(question.prompt.text.clone());
                }
                forecast.questions += 1;
                open.push(question);
                if open.len() == LOOKED_UP {
                    forecast.count(std::mem::take(&mut open), judge_task, store)?;
                }
            }
        }
    }
    forecast.count(open, judge_task, store)?;
    Ok(forecast)
}

impl Forecast {
    /// Counts what has its reply in the store, and what it would take to ask the rest.
    fn count(
        &mut self,
        questions: Vec<Question>,
        judge_task: &JudgeTask,
        store: Option<&Stored>,
    ) -> Result<(), RunError> {
        let price = judge_task.judge.price();
        let fingerprints: Vec<Fingerprint> = questions.iter().map(|question| question.fingerprint).collect();
        let found = store.map_or(Ok(Vec::new()), |store| store.reader.get_all(&fingerprints))?;
        let mut found = found.into_iter();
        for question in questions {
            if let Some((stored, Found::Reply { reply, .. })) = store.zip(found.next())
                && (stored.retry.is_empty()
                    || !stored.retry.contains(&judge_task.reading().verdict(&reply).status()))
            {
                self.answered += 1;
                continue;
            }
            let usage = judge_task.judge.expected_usage(&question.prompt);
            self.prompt_tokens += usage.prompt_tokens.unwrap_or(0);
            self.completion_tokens += usage.completion_tokens.unwrap_or(0);
            // One prompt may be too long for a price that holds for others.
            self.cost_usd = self.cost_usd.zip(price.and_then(|price| price.cost(&usage))).map(|(a, b)| a + b);
        }
        Ok(())
    }
}
