//! The ask pass: every question that has no reply yet goes to the judge, in any order.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rayon::prelude::*;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::seat::Question;
use super::sharing::sharing;
use super::{Progress, RunError, Samples, Seat};
use crate::domain::{Reply, Status};
use crate::judge::{AskError, Asked, Judge};
use crate::store::{Claim, Failure, Fingerprint, Found, Reader, Reuse, Store};

/// Questions handed over together: to wake the other side for each of them takes longer than to ask it.
const TOGETHER: usize = 32;
/// Of these, so many are read ahead of the questions that wait for a place in flight.
const AHEAD: usize = 2;
/// Bytes of the prompts under way at once. Longer prompts mean fewer of them, but never less than half of the window: all
/// places in flight can be taken, whatever the prompts' length.
const WINDOW_BYTES: usize = 16 << 20;
/// How often questions that another run is asking are looked at again.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// Everything an ask pass needs: one seat goes through all samples.
pub struct AskPass<J> {
    pub samples: Arc<dyn Samples>,
    pub seat: Arc<Seat<J>>,
    pub store: Arc<Store>,
    /// Looks at earlier replies, to tell which are asked again.
    pub earlier: Mutex<Reader>,
    pub reuse: Reuse,
    /// Statuses of earlier replies that are asked again.
    pub retry: Vec<Status>,
    pub keep_prompts: bool,
    /// Questions under way at once: waiting, in flight, or resting after a failure.
    pub window: usize,
}

/// How an ask pass came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Covered {
    /// Every question has an outcome.
    All,
    /// The cost ceiling left some out.
    UpToCeiling,
}

/// How a run is told to stop.
#[derive(Debug, Clone, Default)]
pub struct Stop {
    /// Ask nothing new; wait for what is in flight.
    pub gently: CancellationToken,
    /// Wait for nothing.
    pub now: CancellationToken,
}

/// Asks for all seats at once until every question has an outcome. Where one seat fails, the others stop too.
///
/// # Errors
/// Those of [`ask`], of the first seat that has one.
pub async fn ask_all<J: Judge + 'static>(
    passes: &[Arc<AskPass<J>>],
    progress: &Arc<Progress>,
    stop: &Stop,
) -> Result<Vec<Covered>, RunError> {
    let together = Stop { gently: stop.gently.child_token(), now: stop.now.clone() };
    let asking = passes.iter().map(|pass| async {
        let outcome = ask(pass, progress, &together).await;
        if outcome.is_err() {
            together.gently.cancel();
        }
        outcome
    });
    let Some(first) = passes.first() else { return Ok(Vec::new()) };
    let judges = passes.iter().map(|pass| pass.seat.judge.as_ref());
    let outcomes = sharing(&first.store, judges, futures_util::future::join_all(asking)).await?;
    // The seats that were stopped for another's sake say no more than that.
    let (interrupted, telling): (Vec<_>, Vec<_>) =
        outcomes.into_iter().partition(|outcome| matches!(outcome, Err(RunError::Interrupted)));
    if let Some(at) = telling.iter().position(Result::is_err) {
        return telling.into_iter().skip(at).take(1).collect();
    }
    if interrupted.is_empty() { telling.into_iter().collect() } else { Err(RunError::Interrupted) }
}

/// Asks until every question has an outcome.
///
/// # Errors
/// [`RunError::Interrupted`] when stopped; [`RunError::Judge`] when going on is pointless. Either way every reply that
/// came is in the store.
pub async fn ask<J: Judge + 'static>(
    pass: &Arc<AskPass<J>>,
    progress: &Arc<Progress>,
    stop: &Stop,
) -> Result<Covered, RunError> {
    let mut only: Option<HashSet<Fingerprint>> = None;
    loop {
        let Swept { theirs, ceiling } = sweep(pass, progress, stop, only).await?;
        if stop.gently.is_cancelled() {
            return Err(RunError::Interrupted);
        }
        if ceiling {
            return Ok(Covered::UpToCeiling);
        }
        if theirs.is_empty() {
            return Ok(Covered::All);
        }
        // Another run has claimed these. Either its replies appear, or its claims lapse.
        progress.wait_for_others(theirs.len() as u64);
        tokio::select! {
            () = stop.gently.cancelled() => return Err(RunError::Interrupted),
            () = tokio::time::sleep(LOOK_AGAIN) => {}
        }
        progress.waited_for_others(theirs.len() as u64);
        only = Some(theirs);
    }
}

enum Settled {
    Done,
    /// Another run is asking it.
    Theirs(Fingerprint),
    /// There was no money left for it.
    Ceiling,
}

/// What one reading of the input came to.
#[derive(Default)]
struct Swept {
    /// Questions that another run has claimed.
    theirs: HashSet<Fingerprint>,
    ceiling: bool,
}

/// One reading of the input.
async fn sweep<J: Judge + 'static>(
    pass: &Arc<AskPass<J>>,
    progress: &Arc<Progress>,
    stop: &Stop,
    only: Option<HashSet<Fingerprint>>,
) -> Result<Swept, RunError> {
    // Stops this sweep, be it on request or because going on is pointless.
    let stopping = stop.gently.child_token();
    let (questions, mut queue) = mpsc::channel(AHEAD);
    let feeder = tokio::task::spawn_blocking({
        let (pass, progress) = (Arc::clone(pass), Arc::clone(progress));
        let runtime = Handle::current();
        move || feed(&pass, &progress, only.as_ref(), &questions, &runtime)
    });
    let mut at_hand = VecDeque::new();
    let window = Arc::new(Semaphore::new(pass.window));
    let mut tasks: JoinSet<Result<Settled, RunError>> = JoinSet::new();
    let mut swept = Swept::default();
    let mut failure = None;
    let mut open = true;
    while open || !tasks.is_empty() {
        tokio::select! {
            biased;
            () = stop.now.cancelled() => return Err(RunError::Interrupted),
            () = stopping.cancelled(), if open => open = false,
            Some(settled) = tasks.join_next() => {
                match settled.unwrap_or_else(|error| Err(RunError::Worker(error.to_string()))) {
                    Ok(Settled::Done) => {}
                    Ok(Settled::Theirs(fingerprint)) => drop(swept.theirs.insert(fingerprint)),
                    Ok(Settled::Ceiling) => {
                        stopping.cancel();
                        swept.ceiling = true;
                    }
                    Err(error) => {
                        stopping.cancel();
                        failure.get_or_insert(error);
                    }
                }
            }
            next = next_question(&window, &mut at_hand, &mut queue), if open => match next {
                Some((permit, (bytes, question))) => {
                    let (pass, progress) = (Arc::clone(pass), Arc::clone(progress));
                    let stopping = stopping.clone();
                    tasks.spawn(async move {
                        let settled = settle(&pass, &progress, question, &stopping).await;
                        drop((permit, bytes));
                        settled
                    });
                }
                None => open = false,
            },
        }
    }
    // A feeder that waits for a place in the queue is let go by closing it.
    drop(queue);
    let fed = feeder.await.unwrap_or_else(|error| Err(RunError::Worker(error.to_string())));
    match failure {
        Some(error) => Err(error),
        None => fed.map(|()| swept),
    }
}

/// A question on its way to a task, with its share of the window's bytes.
type Queued = (OwnedSemaphorePermit, Question);

async fn next_question(
    window: &Arc<Semaphore>,
    at_hand: &mut VecDeque<Queued>,
    queue: &mut mpsc::Receiver<Vec<Queued>>,
) -> Option<(OwnedSemaphorePermit, Queued)> {
    let permit = Arc::clone(window).acquire_owned().await.ok()?;
    if at_hand.is_empty() {
        at_hand.extend(queue.recv().await?);
    }
    Some((permit, at_hand.pop_front()?))
}

/// Reads the input and queues its questions. Rows that cannot be read have no question; the write pass reports them.
fn feed<J: Judge>(
    pass: &AskPass<J>,
    progress: &Progress,
    only: Option<&HashSet<Fingerprint>>,
    queue: &mpsc::Sender<Vec<Queued>>,
    runtime: &Handle,
) -> Result<(), RunError> {
    let window = Arc::new(Semaphore::new(WINDOW_BYTES));
    let heaviest = WINDOW_BYTES / (pass.window / 2).max(1);
    let hasher = pass.seat.hasher();
    let votes = u64::from(pass.seat.votes.get());
    // To look a reply up costs less than to claim its question; what is not there yet is claimed anyway.
    let looks = pass.reuse == Reuse::All && pass.earlier().holds_replies()?;
    for batch in pass.samples.batches() {
        // Where nothing is left to ask, nothing else tells that the run stops.
        if queue.is_closed() {
            return Ok(());
        }
        // Later sweeps meet the same rows again.
        let mut roll = if only.is_none() { pass.seat.roll() } else { None };
        let known = roll.as_deref();
        let rendered: Vec<Option<Result<(Option<u32>, Vec<Question>), RunError>>> = batch?
            .into_par_iter()
            .map(|item| {
                let sample = item.ok()?;
                let look = known.map(|roll| roll.look(&sample));
                Some(pass.seat.questions(&hasher, &sample).map(|questions| (look, questions)))
            })
            .collect();
        let mut questions = Vec::with_capacity(rendered.len());
        for rendered in rendered {
            match rendered.transpose()? {
                Some((look, rendered)) => {
                    if let (Some(roll), Some(look)) = (&mut roll, look) {
                        rendered.iter().for_each(|question| roll.note(look, question.fingerprint));
                    }
                    questions.extend(rendered);
                }
                None => progress.asks_done(if only.is_none() { votes } else { 0 }),
            }
        }
        drop(roll);
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

impl<J: Judge> AskPass<J> {
    fn earlier(&self) -> MutexGuard<'_, Reader> {
        self.earlier.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Those of `questions` that have no reply yet, or one that this run was told to ask for again.
    fn unanswered(
        &self,
        mut questions: Vec<Question>,
        progress: &Progress,
    ) -> Result<Vec<Question>, RunError> {
        let names: Vec<Fingerprint> = questions.iter().map(|question| question.fingerprint).collect();
        let mut found = self.earlier().get_all(&names)?.into_iter();
        questions.retain(|_| {
            let answered =
                matches!(found.next(), Some(Found::Reply { reply, .. }) if !self.asks_again(&reply));
            if answered {
                progress.ask_reused();
                progress.asks_done(1);
            }
            !answered
        });
        Ok(questions)
    }

    /// Whether an earlier reply has a status that this run was told to retry.
    fn asks_again(&self, reply: &Reply) -> bool {
        !self.retry.is_empty() && self.retry.contains(&self.seat.reading().verdict(reply).status())
    }
}

async fn settle<J: Judge>(
    pass: &AskPass<J>,
    progress: &Progress,
    question: Question,
    stop: &CancellationToken,
) -> Result<Settled, RunError> {
    let Question { fingerprint, prompt } = question;
    let mut claim = pass.store.claim(fingerprint, pass.reuse).await?;
    if claim == Claim::Answered && !pass.retry.is_empty() {
        let found = pass.earlier().get(fingerprint)?;
        if matches!(found, Found::Reply { reply, .. } if pass.asks_again(&reply)) {
            claim = pass.store.claim(fingerprint, Reuse::OwnOnly).await?;
        }
    }
    match claim {
        Claim::Ours => {}
        Claim::Theirs => return Ok(Settled::Theirs(fingerprint)),
        Claim::Answered => {
            progress.ask_reused();
            progress.asks_done(1);
            return Ok(Settled::Done);
        }
        Claim::Pending => {
            progress.asks_done(1);
            return Ok(Settled::Done);
        }
    }
    match pass.seat.judge.ask(&prompt, stop).await {
        Ok(Asked { reply, slot }) => {
            progress.judged(&pass.seat.reading().verdict(&reply));
            let kept = pass.keep_prompts.then_some(prompt.text);
            let stored = pass.store.answer(fingerprint, reply, kept).await;
            if stored.is_err() {
                // Before its place is free: nobody else is to be asked whose reply cannot be kept either.
                stop.cancel();
            }
            // Only now: a reply in flight is one that a crash can lose.
            drop(slot);
            stored?;
            progress.asks_done(1);
            Ok(Settled::Done)
        }
        Err(AskError::Question { code, message, attempts }) => {
            pass.store.fail(fingerprint, Failure { code, message, attempts }).await?;
            progress.asks_done(1);
            Ok(Settled::Done)
        }
        Err(AskError::Stopped) => {
            pass.store.release(fingerprint).await?;
            Ok(Settled::Done)
        }
        Err(AskError::Ceiling) => {
            stop.cancel();
            pass.store.release(fingerprint).await?;
            Ok(Settled::Ceiling)
        }
        Err(AskError::Run { code, message }) => {
            // At once, before others are sent to the same end.
            stop.cancel();
            pass.store.release(fingerprint).await?;
            Err(RunError::Judge { code, message })
        }
    }
}
