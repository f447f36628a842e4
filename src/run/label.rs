//! Labels for a batch of rows: computed on the spot, or read out of stored replies.

use std::collections::HashSet;

use super::verdict::Reading;
use super::{RunError, Source};
use crate::check::BuiltinJudge;
use crate::domain::{Outcome, RowError, Verdict};
use crate::render::Template;
use crate::store::{AskHasher, Fingerprint, Found, Reader};
use crate::table::Batch;
use crate::write::Labelled;

/// Labels batches in input order.
pub trait Labeller {
    fn label(&mut self, source: &Source, batch: &Batch) -> Result<Vec<Labelled>, RunError>;
}

/// The built-in judge: no store, no network.
pub struct BuiltinLabeller(pub BuiltinJudge);

impl Labeller for BuiltinLabeller {
    fn label(&mut self, source: &Source, batch: &Batch) -> Result<Vec<Labelled>, RunError> {
        let judge = &self.0;
        let verdicts = source.map(batch, |sample| match sample {
            Ok(sample) => judge.judge(&sample),
            Err(error) => invalid(error),
        })?;
        Ok(verdicts.into_iter().map(computed).collect())
    }
}

/// Replies that an ask pass left in the store.
pub struct StoredLabeller<'a> {
    pub template: &'a Template,
    pub reading: Reading<'a>,
    pub hasher: AskHasher,
    pub store: Reader,
    /// This run's name: what it paid for itself is not cached.
    pub run: String,
    /// Whether only this run's own replies count.
    pub own_only: bool,
    /// Questions met so far: a reply counts as bought by the first row that has it.
    pub seen: HashSet<Fingerprint>,
}

impl Labeller for StoredLabeller<'_> {
    fn label(&mut self, source: &Source, batch: &Batch) -> Result<Vec<Labelled>, RunError> {
        let questions = source.map(batch, |sample| match sample {
            Ok(sample) => {
                let prompt = self.template.render(&sample, self.reading.explain)?;
                Ok(Ok(self.hasher.fingerprint(&prompt, 0)))
            }
            Err(error) => Ok(Err(error)),
        })?;
        questions
            .into_iter()
            .map(|question: Result<_, RunError>| match question? {
                Ok(fingerprint) => self.look_up(fingerprint),
                Err(error) => Ok(computed(invalid(error))),
            })
            .collect()
    }
}

impl StoredLabeller<'_> {
    fn look_up(&mut self, fingerprint: Fingerprint) -> Result<Labelled, RunError> {
        let first = self.seen.insert(fingerprint);
        Ok(match self.store.get(fingerprint)? {
            Found::Reply { reply, run } if run == self.run || !self.own_only => Labelled {
                verdict: self.reading.verdict(&reply),
                reply: Some(reply),
                attempts: None,
                cached: !first || run != self.run,
            },
            Found::Failure { failure, run } if run == self.run => Labelled {
                verdict: Verdict::bare(Outcome::Errored { code: failure.code, message: failure.message }),
                reply: None,
                attempts: Some(failure.attempts),
                cached: false,
            },
            _ => computed(Verdict::bare(Outcome::NotAsked)),
        })
    }
}

fn invalid(error: RowError) -> Verdict {
    Verdict::bare(Outcome::InvalidRow { code: error.code.as_str(), message: error.message })
}

fn computed(verdict: Verdict) -> Labelled {
    Labelled { verdict, reply: None, attempts: None, cached: false }
}
