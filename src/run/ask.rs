//! The ask pass: every question that has no reply yet goes to the judge, in any order.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::{Progress, Reading, RunError, Source};
use crate::domain::{Prompt, Status};
use crate::judge::{AskError, Asked, Judge};
use crate::render::Template;
use crate::snap::Rules;
use crate::store::{AskHasher, Claim, Failure, Fingerprint, Found, Reader, Reuse, Store};

/// Questions read ahead of those that wait for a place in flight.
const AHEAD: usize = 64;
/// How often questions that another run is asking are looked at again.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// Everything an ask pass needs.
pub struct AskPass<J> {
    pub source: Source,
    pub template: Template,
    pub explain: bool,
    pub rules: Rules,
    pub judge: J,
    pub store: Store,
    /// Looks at earlier replies, to tell which are asked again.
    pub earlier: Mutex<Reader>,
    pub reuse: Reuse,
    /// Statuses of earlier replies that are asked again.
    pub retry: Vec<Status>,
    pub keep_prompts: bool,
    /// Questions under way at once: waiting, in flight, or resting after a failure.
    pub window: usize,
}

/// How a run is told to stop.
#[derive(Debug, Clone, Default)]
pub struct Stop {
    /// Ask nothing new; wait for what is in flight.
    pub gently: CancellationToken,
    /// Wait for nothing.
    pub now: CancellationToken,
}

impl<J: Judge> AskPass<J> {
    /// Hashes this judge's questions.
    pub fn hasher(&self) -> AskHasher {
        let identity = self.judge.identity();
        AskHasher::new(&identity.endpoint, &identity.model, &identity.parameters)
    }

    pub fn reading(&self) -> Reading<'_> {
        Reading { rails: self.template.rails(), rules: self.rules, explain: self.explain }
    }
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
) -> Result<(), RunError> {
    let mut only: Option<HashSet<Fingerprint>> = None;
    loop {
        let theirs = sweep(pass, progress, stop, only).await?;
        if stop.gently.is_cancelled() {
            return Err(RunError::Interrupted);
        }
        if theirs.is_empty() {
            return Ok(());
        }
        // Another run has claimed these. Either its replies appear, or its claims lapse.
        tokio::select! {
            () = stop.gently.cancelled() => return Err(RunError::Interrupted),
            () = tokio::time::sleep(LOOK_AGAIN) => {}
        }
        only = Some(theirs);
    }
}

struct Question {
    fingerprint: Fingerprint,
    prompt: Prompt,
}

enum Settled {
    Done,
    /// Another run is asking it.
    Theirs(Fingerprint),
}

/// One reading of the input; returns the questions that another run has claimed.
async fn sweep<J: Judge + 'static>(
    pass: &Arc<AskPass<J>>,
    progress: &Arc<Progress>,
    stop: &Stop,
    only: Option<HashSet<Fingerprint>>,
) -> Result<HashSet<Fingerprint>, RunError> {
    // Stops this sweep, be it on request or because going on is pointless.
    let stopping = stop.gently.child_token();
    let (questions, mut queue) = mpsc::channel(AHEAD);
    let feeder = tokio::task::spawn_blocking({
        let (pass, progress) = (Arc::clone(pass), Arc::clone(progress));
        move || feed(&pass, &progress, only.as_ref(), &questions)
    });
    let window = Arc::new(Semaphore::new(pass.window));
    let mut tasks: JoinSet<Result<Settled, RunError>> = JoinSet::new();
    let mut theirs = HashSet::new();
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
                    Ok(Settled::Theirs(fingerprint)) => drop(theirs.insert(fingerprint)),
                    Err(error) => {
                        stopping.cancel();
                        failure.get_or_insert(error);
                    }
                }
            }
            next = next_question(&window, &mut queue), if open => match next {
                Some((permit, question)) => {
                    let (pass, progress) = (Arc::clone(pass), Arc::clone(progress));
                    let stopping = stopping.clone();
                    tasks.spawn(async move {
                        let settled = settle(&pass, &progress, question, &stopping).await;
                        drop(permit);
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
        None => fed.map(|()| theirs),
    }
}

async fn next_question(
    window: &Arc<Semaphore>,
    queue: &mut mpsc::Receiver<Question>,
) -> Option<(OwnedSemaphorePermit, Question)> {
    let permit = Arc::clone(window).acquire_owned().await.ok()?;
    Some((permit, queue.recv().await?))
}

/// Reads the input and queues its questions. Rows that cannot be read have no question; the write pass reports them.
fn feed<J: Judge>(
    pass: &AskPass<J>,
    progress: &Progress,
    only: Option<&HashSet<Fingerprint>>,
    questions: &mpsc::Sender<Question>,
) -> Result<(), RunError> {
    let hasher = pass.hasher();
    for batch in pass.source.judged_columns() {
        let rendered = pass.source.map(&batch?, |sample| {
            sample.ok().map(|sample| {
                let prompt = pass.template.render(&sample, pass.explain)?;
                Ok::<_, RunError>(Question { fingerprint: hasher.fingerprint(&prompt, 0), prompt })
            })
        })?;
        for question in rendered {
            let Some(question) = question.transpose()? else {
                // Later sweeps meet the same rows again.
                progress.rows_done(u64::from(only.is_none()));
                continue;
            };
            if only.is_some_and(|only| !only.contains(&question.fingerprint)) {
                continue;
            }
            // The queue closes when the run stops.
            if questions.blocking_send(question).is_err() {
                return Ok(());
            }
        }
    }
    Ok(())
}

async fn settle<J: Judge>(
    pass: &AskPass<J>,
    progress: &Progress,
    question: Question,
    stop: &CancellationToken,
) -> Result<Settled, RunError> {
    let Question { fingerprint, prompt } = question;
    let mut claim = pass.store.claim(fingerprint, pass.reuse).await?;
    if claim == Claim::Answered && asks_again(pass, fingerprint)? {
        claim = pass.store.claim(fingerprint, Reuse::OwnOnly).await?;
    }
    match claim {
        Claim::Ours => {}
        Claim::Theirs => return Ok(Settled::Theirs(fingerprint)),
        Claim::Answered => {
            progress.row_reused();
            progress.rows_done(1);
            return Ok(Settled::Done);
        }
        Claim::Pending => {
            progress.rows_done(1);
            return Ok(Settled::Done);
        }
    }
    match pass.judge.ask(&prompt, stop).await {
        Ok(Asked { reply, slot }) => {
            progress.judged(&pass.reading().verdict(&reply));
            let kept = pass.keep_prompts.then_some(prompt.text);
            pass.store.answer(fingerprint, reply, kept).await?;
            // Only now: a reply in flight is one that a crash can lose.
            drop(slot);
            progress.rows_done(1);
            Ok(Settled::Done)
        }
        Err(AskError::Question { code, message, attempts }) => {
            pass.store.fail(fingerprint, Failure { code, message, attempts }).await?;
            progress.rows_done(1);
            Ok(Settled::Done)
        }
        Err(AskError::Stopped | AskError::Ceiling) => {
            pass.store.release(fingerprint).await?;
            Ok(Settled::Done)
        }
        Err(AskError::Run { code, message }) => {
            // At once, before others are sent to the same end.
            stop.cancel();
            pass.store.release(fingerprint).await?;
            Err(RunError::Judge { code, message })
        }
    }
}

/// Whether an earlier reply has a status that this run was told to retry.
fn asks_again<J: Judge>(pass: &AskPass<J>, fingerprint: Fingerprint) -> Result<bool, RunError> {
    if pass.retry.is_empty() {
        return Ok(false);
    }
    Ok(match pass.earlier.lock().unwrap_or_else(PoisonError::into_inner).get(fingerprint)? {
        Found::Reply { reply, .. } => pass.retry.contains(&pass.reading().verdict(&reply).status()),
        _ => false,
    })
}
