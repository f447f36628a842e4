//! Reads the input ahead of the ask pass, and passes its questions on.

use std::collections::HashSet;
use std::sync::Arc;

use rayon::prelude::*;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use super::judge_task::Question;
use crate::domain::Flag;
use crate::run::{AskPass, Progress, Row, RunError};
use crate::store::{AskHasher, Fingerprint, Found, Reuse};

/// Questions handed over together: to wake the other side for each of them takes longer than to ask it.
const TOGETHER: usize = 32;
/// Of these, so many are read ahead of the questions that wait for a place in flight.
pub(super) const AHEAD: usize = 2;
/// Bytes of the prompts under way at once. Longer prompts mean fewer of them, but never less than half of the window: all
/// places in flight can be taken, whatever the prompts' length.
const WINDOW_BYTES: usize = 16 << 20;

/// What is asked about a row; nothing about one that cannot be read.
struct Rendered {
    content_hash: Option<u32>,
    flags: Vec<Flag>,
    questions: Vec<Question>,
}

/// A question on its way to a task, with its share of the window's bytes.
pub(super) type Queued = (OwnedSemaphorePermit, Question);

/// Reads the input and queues its questions. Rows that cannot be read have no question; the write pass reports them.
pub(super) fn feed(
    pass: &AskPass,
    progress: &Progress,
    only: Option<&HashSet<Fingerprint>>,
    queue: &mpsc::Sender<Vec<Queued>>,
    runtime: &Handle,
) -> Result<(), RunError> {
    let window = Arc::new(Semaphore::new(WINDOW_BYTES));
    let heaviest = WINDOW_BYTES / (pass.window / 2).max(1);
    let hasher = pass.judge_task.hasher();
    let votes = u64::from(pass.judge_task.votes.get());
    // To look a reply up costs less than to claim its question; what is not there yet is claimed anyway.
    let looks = only.is_none() && pass.reuse == Reuse::All && pass.earlier.holds_replies()?;
    for batch in pass.samples.batches() {
        // Where nothing is left to ask, nothing else tells that the run stops.
        if queue.is_closed() {
            return Ok(());
        }
        let (mut questions, unreadable) = pass.questions(&hasher, batch?, only.is_none())?;
        progress.asks_spared(if only.is_none() { votes * unreadable } else { 0 });
        questions.retain(|question| only.is_none_or(|only| only.contains(&question.fingerprint)));
        if looks {
            questions = pass.unanswered(questions, progress)?;
        }
        let mut together = Vec::with_capacity(TOGETHER);
        for question in questions {
            let bytes = u32::try_from(question.prompt.text.len().min(heaviest)).unwrap_or(u32::MAX);
            let room = match Arc::clone(&window).try_acquire_many_owned(bytes) {
                Ok(room) => room,
                Err(_) => {
                    // What stays here would never make room.
                    if !hand_over(&mut together, queue) {
                        return Ok(());
                    }
                    // The queue closes when the run stops.
                    match runtime.block_on(Arc::clone(&window).acquire_many_owned(bytes)) {
                        Ok(room) => room,
                        Err(_) => return Ok(()),
                    }
                }
            };
            together.push((room, question));
            if together.len() == TOGETHER && !hand_over(&mut together, queue) {
                return Ok(());
            }
        }
        if !hand_over(&mut together, queue) {
            return Ok(());
        }
    }
    Ok(())
}

/// Whether anybody still takes them.
fn hand_over(together: &mut Vec<Queued>, queue: &mpsc::Sender<Vec<Queued>>) -> bool {
    together.is_empty() || queue.blocking_send(std::mem::take(together)).is_ok()
}

impl AskPass {
    /// What is asked about a batch, and how many of its rows cannot be read. What is asked first is recorded: later sweeps meet
    /// the same rows again.
    fn questions(
        &self,
        hasher: &AskHasher,
        batch: Vec<Row>,
        first: bool,
    ) -> Result<(Vec<Question>, u64), RunError> {
        let mut ask_index = if first { self.judge_task.ask_index() } else { None };
        let known = ask_index.as_deref();
        let rendered = batch.into_par_iter().map(|row| {
            let content_hash = known.map(|ask_index| ask_index.content_hash(&row));
            match row.into_item() {
                Ok(sample) => {
                    let questions = self.judge_task.questions(hasher, &sample)?.unwrap_or_default();
                    Ok(Rendered { content_hash, flags: sample.flags, questions })
                }
                Err(_) => Ok(Rendered { content_hash, flags: Vec::new(), questions: Vec::new() }),
            }
        });
        let rendered: Vec<Rendered> = rendered.collect::<Result<_, RunError>>()?;
        let unreadable = rendered.iter().filter(|row| row.questions.is_empty()).count() as u64;
        let votes = self.judge_task.votes.get() as usize;
        let mut all = Vec::with_capacity(rendered.len());
        for Rendered { content_hash, flags, questions } in rendered {
            if let (Some(ask_index), Some(content_hash)) = (&mut ask_index, content_hash) {
                ask_index.record(
                    content_hash,
                    votes,
                    &flags,
                    questions.iter().map(|question| &question.fingerprint),
                );
            }
            all.extend(questions);
        }
        Ok((all, unreadable))
    }

    /// Those of `questions` that have no reply yet, or one that this run was told to ask for again.
    fn unanswered(
        &self,
        mut questions: Vec<Question>,
        progress: &Progress,
    ) -> Result<Vec<Question>, RunError> {
        let names: Vec<Fingerprint> = questions.iter().map(|question| question.fingerprint).collect();
        let mut found = self.earlier.get_all(&names)?.into_iter();
        questions.retain(|_| {
            let answered =
                matches!(found.next(), Some(Found::Reply { reply, .. }) if !self.asks_again(&reply));
            if answered {
                self.judge_task.judge.answered_before();
                progress.ask_reused();
            }
            !answered
        });
        Ok(questions)
    }
}
