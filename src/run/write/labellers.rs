//! Labels for a batch of rows: computed on the spot, or read out of stored replies.

use std::collections::HashSet;
use std::sync::Arc;

use rayon::prelude::*;

use super::ids::Ids;
use crate::check::{Baseline, BuiltinJudge};
use crate::domain::{Outcome, Paid, Reply, RowError, Sample, Usage, Verdict};
use crate::run::{AskOutcome, JudgeTask, Row, RunError};
use crate::stats::votes;
use crate::store::{AskHasher, Fingerprint, Found, Reader};
use crate::write::Labelled;

/// Labels batches in input order.
pub trait Labeller: Send {
    fn label(&mut self, rows: &[Row]) -> Result<Vec<Labelled>, RunError>;
}

/// The built-in judge: no store, no network.
pub struct BuiltinLabeller(pub BuiltinJudge);

impl Labeller for BuiltinLabeller {
    fn label(&mut self, rows: &[Row]) -> Result<Vec<Labelled>, RunError> {
        Ok(label_all(rows, |sample| self.0.judge(sample)))
    }
}

/// What judges are measured beside.
pub struct BaselineLabeller(pub Baseline);

impl Labeller for BaselineLabeller {
    fn label(&mut self, rows: &[Row]) -> Result<Vec<Labelled>, RunError> {
        Ok(label_all(rows, |sample| self.0.judge(sample)))
    }
}

fn label_all(rows: &[Row], judge: impl Fn(&Sample) -> Verdict + Sync) -> Vec<Labelled> {
    let verdict = |row: &Row| match row.item() {
        Ok(sample) => judge(sample),
        Err(error) => invalid(error),
    };
    rows.par_iter().map(verdict).map(computed).collect()
}

/// Replies that an ask pass left in the store.
pub struct StoredLabeller {
    pub judge_task: Arc<JudgeTask>,
    pub hasher: AskHasher,
    pub store: Reader,
    /// This run's name: what it paid for itself is not cached.
    pub run: String,
    /// Whether only this run's own replies count.
    pub own_only: bool,
    /// What became of the questions that have no reply.
    pub outcomes: AskOutcome,
    /// Replies met so far: one counts as bought by the first row that has it.
    met: Ids,
    /// Questions looked up so far, those counted that rows would have if they could be read.
    asked: usize,
    /// Questions without a reply whose cost was counted.
    wasted: HashSet<Fingerprint>,
}

impl StoredLabeller {
    /// `run` names the run whose replies are its own; with `own_only`, no others count.
    pub fn new(
        judge_task: Arc<JudgeTask>,
        store: Reader,
        run: &str,
        own_only: bool,
        outcomes: AskOutcome,
    ) -> StoredLabeller {
        let hasher = judge_task.hasher();
        StoredLabeller {
            judge_task,
            hasher,
            store,
            run: run.to_owned(),
            own_only,
            outcomes,
            met: Ids::default(),
            asked: 0,
            wasted: HashSet::new(),
        }
    }
}

impl Labeller for StoredLabeller {
    fn label(&mut self, rows: &[Row]) -> Result<Vec<Labelled>, RunError> {
        let number = self.judge_task.votes.get() as usize;
        let first = self.asked;
        self.asked += rows.len() * number;
        let ask_index = self.judge_task.ask_index();
        let known = ask_index.as_deref();
        let asked: Vec<Result<Vec<Fingerprint>, RowError>> = rows
            .par_iter()
            .enumerate()
            .map(|(at, row)| {
                if let Some(indexed) =
                    known.and_then(|ask_index| ask_index.lookup(first + at * number, number, row))
                {
                    row.found(indexed.flags);
                    return Ok(Ok(indexed.fingerprints));
                }
                match row.item() {
                    Ok(sample) => self.judge_task.fingerprints(&self.hasher, sample),
                    Err(error) => Ok(Err(error.clone())),
                }
            })
            .collect::<Result<_, RunError>>()?;
        drop(ask_index);
        let all: Vec<Fingerprint> = asked.iter().flatten().flatten().copied().collect();
        let mut found = self.store.get_all(&all)?.into_iter();
        let labelled = asked.into_iter().map(|asked| match asked {
            Ok(fingerprints) => {
                let found = found.by_ref().take(fingerprints.len());
                self.look_up(fingerprints.into_iter().zip(found))
            }
            Err(error) => Ok(computed(invalid(&error))),
        });
        labelled.collect()
    }
}

impl StoredLabeller {
    /// The verdict of all votes.
    fn look_up(&mut self, votes: impl Iterator<Item = (Fingerprint, Found)>) -> Result<Labelled, RunError> {
        let mut predictions: Vec<Labelled> = votes
            .map(|(fingerprint, found)| {
                let has_reply = matches!(found, Found::Reply { .. });
                let wasted = if has_reply { None } else { self.wasted(fingerprint)? };
                Ok(Labelled { wasted, ..self.vote(found) })
            })
            .collect::<Result<_, RunError>>()?;
        if predictions.len() == 1 {
            return Ok(predictions.remove(0));
        }
        let verdicts: Vec<&Verdict> = predictions.iter().map(|answer| &answer.verdict).collect();
        let (verdict, speaker) = votes::fold(&verdicts);
        let replies: Vec<&Reply> = predictions.iter().filter_map(|answer| answer.reply.as_ref()).collect();
        let reply = predictions[speaker].reply.as_ref().map(|spoken| together(spoken, &replies));
        let attempts = predictions[speaker].attempts;
        let cached = predictions.iter().all(|answer| answer.cached);
        let wasted = predictions.iter().fold(None, |sum, answer| Paid::sum(sum, answer.wasted));
        Ok(Labelled { verdict, reply, attempts, cached, wasted })
    }

    /// What this run paid for answers to a question without a reply; once, however many rows share the question.
    fn wasted(&mut self, fingerprint: Fingerprint) -> Result<Option<Paid>, RunError> {
        let wasted = self.store.wasted(fingerprint, &self.run)?;
        Ok(wasted.filter(|_| self.wasted.insert(fingerprint)))
    }

    fn vote(&mut self, found: Found) -> Labelled {
        match found {
            Found::Reply { id, mut reply, run } if run == self.run || !self.own_only => {
                let first = self.met.insert(id);
                if !first {
                    // Bought once, however many rows share it.
                    reply.cost_usd = reply.cost_usd.map(|_| 0.0);
                }
                Labelled {
                    verdict: self.judge_task.reading().verdict(&reply),
                    reply: Some(reply),
                    attempts: None,
                    cached: !first || run != self.run,
                    wasted: None,
                }
            }
            Found::Failure { failure, run } if run == self.run => Labelled {
                verdict: Verdict::bare(Outcome::Errored { code: failure.code, message: failure.message }),
                reply: None,
                attempts: Some(failure.attempts),
                cached: false,
                wasted: None,
            },
            _ => computed(Verdict::bare(match self.outcomes {
                AskOutcome::All => Outcome::NotAsked,
                AskOutcome::UpToCeiling => Outcome::SkippedBudget,
            })),
        }
    }
}

/// What `spoken` says, with what all votes took together.
fn together(spoken: &Reply, all: &[&Reply]) -> Reply {
    let sum = |part: fn(&Usage) -> Option<u64>| {
        all.iter()
            .map(|reply| part(&reply.usage))
            .collect::<Option<Vec<u64>>>()
            .map(|parts| parts.iter().sum())
    };
    Reply {
        usage: Usage {
            prompt_tokens: sum(|usage| usage.prompt_tokens),
            cached_tokens: sum(|usage| usage.cached_tokens),
            completion_tokens: sum(|usage| usage.completion_tokens),
        },
        cost_usd: all
            .iter()
            .map(|reply| reply.cost_usd)
            .collect::<Option<Vec<f64>>>()
            .map(|c| c.iter().sum()),
        latency_ms: all.iter().map(|reply| reply.latency_ms).max().unwrap_or(0),
        attempts: all.iter().map(|reply| reply.attempts).sum(),
        ..spoken.clone()
    }
}

fn invalid(error: &RowError) -> Verdict {
    Verdict::bare(Outcome::InvalidRow { code: error.code.as_str(), message: error.message.clone() })
}

fn computed(verdict: Verdict) -> Labelled {
    Labelled { verdict, reply: None, attempts: None, cached: false, wasted: None }
}
