//! The ask pass: sends every question without a stored reply to its judge, in any order.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::asked::{self, Settled, ask_held};
use super::feed::{AHEAD, Queued, feed};
use super::judge_task::Question;
use super::sharing::sharing;
use crate::domain::{Paid, Reply, Status};
use crate::judge::{Adaptation, AskError, Asked};
use crate::run::settings::PanelSettings;
use crate::run::{JudgeTask, Progress, RunError, Samples, Stop};
use crate::store::{Claim, Fingerprint, Found, Reader, ReplyKind, Reuse, Store};

/// How often questions that another run is asking are looked at again.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// Everything an ask pass needs: one judge task goes through all samples.
pub struct AskPass {
    pub samples: Arc<dyn Samples>,
    pub judge_task: Arc<JudgeTask>,
    pub store: Arc<Store>,
    /// Looks at earlier replies, to tell which are asked again.
    pub earlier: Reader,
    pub reuse: Reuse,
    /// Statuses of earlier replies that are asked again.
    pub retry: Vec<Status>,
    pub keep_prompts: bool,
    /// Replies of this run that are no verdict.
    pub doubtful: Mutex<HashMap<Fingerprint, Doubtful>>,
    /// Questions under way at once: waiting, in flight, or resting after a failure.
    pub window: usize,
}

/// A reply that may be worth asking for once more.
#[derive(Debug, Clone, Copy)]
pub struct Doubtful {
    /// The form of rail that it answers.
    form: Option<Adaptation>,
    paid: Paid,
}

/// How an ask pass came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskOutcome {
    /// Every question has an outcome.
    All,
    /// The cost ceiling left some out.
    UpToCeiling,
}

/// Asks for all judge tasks at once until every question has an outcome. Where one judge task fails, the others stop too.
///
/// # Errors
/// Those of [`ask`], of the first judge task that has one.
pub async fn ask_all(
    passes: &[Arc<AskPass>],
    progress: &Arc<Progress>,
    stop: &Stop,
) -> Result<Vec<AskOutcome>, RunError> {
    let together = Stop { gently: stop.gently.child_token(), now: stop.now.clone() };
    let asking = passes.iter().map(|pass| async {
        let outcome = ask(pass, progress, &together).await;
        if outcome.is_err() {
            together.gently.cancel();
        }
        outcome
    });
    let Some(first) = passes.first() else { return Ok(Vec::new()) };
    let judges = passes.iter().map(|pass| pass.judge_task.judge.as_ref());
    let outcomes = sharing(&first.store, judges, futures_util::future::join_all(asking)).await?;
    // The judge tasks that were stopped for another's sake say no more than that.
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
pub async fn ask(pass: &Arc<AskPass>, progress: &Arc<Progress>, stop: &Stop) -> Result<AskOutcome, RunError> {
    let mut only: Option<HashSet<Fingerprint>> = None;
    let mut progress = Arc::clone(progress);
    // A question that is met no more, as where a file has changed meanwhile, is looked for once in each form.
    let mut tried = HashSet::new();
    loop {
        let PassResult { theirs, ceiling } = sweep(pass, &progress, stop, only).await?;
        if stop.gently.is_cancelled() {
            return Err(RunError::Interrupted);
        }
        if ceiling {
            return Ok(AskOutcome::UpToCeiling);
        }
        if theirs.is_empty() {
            let mut again = pass.to_ask_again();
            again.retain(|question| tried.insert((*question, pass.judge_task.judge.fallback())));
            if again.is_empty() {
                return Ok(AskOutcome::All);
            }
            // They are done as far as the display knows.
            progress = Arc::new(Progress::default());
            only = Some(again);
            continue;
        }
        // Another run has claimed these. Either its replies appear, or its claims lapse. It may wait for what this one does not spend.
        if let Some(budget) = pass.judge_task.judge.cost_budget() {
            let _ = budget.settle().await;
        }
        progress.wait_for_others(theirs.len() as u64);
        tokio::select! {
            () = stop.gently.cancelled() => return Err(RunError::Interrupted),
            () = tokio::time::sleep(LOOK_AGAIN) => {}
        }
        progress.waited_for_others(theirs.len() as u64);
        only = Some(theirs);
    }
}

enum Resolution {
    Done,
    /// Another run is asking it.
    Theirs(Fingerprint),
    /// There was no money left for it.
    Ceiling,
}

/// What one reading of the input came to.
#[derive(Default)]
struct PassResult {
    /// Questions that another run has claimed.
    theirs: HashSet<Fingerprint>,
    ceiling: bool,
}

/// One reading of the input.
async fn sweep(
    pass: &Arc<AskPass>,
    progress: &Arc<Progress>,
    stop: &Stop,
    only: Option<HashSet<Fingerprint>>,
) -> Result<PassResult, RunError> {
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
    let mut tasks: JoinSet<Result<Resolution, RunError>> = JoinSet::new();
    let mut result = PassResult::default();
    let mut failure = None;
    let mut open = true;
    while open || !tasks.is_empty() {
        tokio::select! {
            biased;
            () = stop.now.cancelled() => return Err(RunError::Interrupted),
            () = stopping.cancelled(), if open => open = false,
            Some(resolution) = tasks.join_next() => {
                match resolution.unwrap_or_else(|error| Err(RunError::Worker(error.to_string()))) {
                    Ok(Resolution::Done) => {}
                    Ok(Resolution::Theirs(fingerprint)) => drop(result.theirs.insert(fingerprint)),
                    Ok(Resolution::Ceiling) => {
                        stopping.cancel();
                        result.ceiling = true;
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
                        let resolution = settle(&pass, &progress, question, &stopping).await;
                        drop((permit, bytes));
                        resolution
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
        None => fed.map(|()| result),
    }
}

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

impl AskPass {
    /// The pass of `judge_task` through `samples`, with the replies in `store` used as `settings` say.
    pub(in crate::run) fn new(
        settings: &PanelSettings,
        samples: &Arc<dyn Samples>,
        judge_task: &Arc<JudgeTask>,
        store: &Arc<Store>,
    ) -> Result<AskPass, RunError> {
        Ok(AskPass {
            samples: Arc::clone(samples),
            judge_task: Arc::clone(judge_task),
            store: Arc::clone(store),
            earlier: store.reader()?,
            reuse: if settings.store.fresh { Reuse::OwnOnly } else { Reuse::All },
            retry: settings.store.retry.clone(),
            keep_prompts: settings.store.keep_prompts,
            doubtful: Mutex::default(),
            // Rows that rest after a failure hold no place in flight, so there are more questions than places.
            window: (4 * judge_task.judge.most_in_flight()).max(64),
        })
    }

    fn doubtful(&self) -> MutexGuard<'_, HashMap<Fingerprint, Doubtful>> {
        self.doubtful.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was asked in a form of rail that the judge found to be ignored, and got no verdict for that.
    fn to_ask_again(&self) -> HashSet<Fingerprint> {
        let fallback = self.judge_task.judge.fallback();
        let doubtful = self.doubtful();
        // The forms stand in the order in which they are tried, and what was asked in this one is not worth asking again.
        let older = doubtful.iter().filter(|(_, doubtful)| doubtful.form < fallback);
        older.map(|(fingerprint, _)| *fingerprint).collect()
    }

    /// The same for one question, which is then no longer in doubt: what its answer cost, if it is to be asked once more.
    fn asks_once_more(&self, fingerprint: Fingerprint) -> Option<Paid> {
        let fallback = self.judge_task.judge.fallback()?;
        let mut doubtful = self.doubtful();
        let older = doubtful.get(&fingerprint).is_some_and(|doubtful| doubtful.form < Some(fallback));
        if older { doubtful.remove(&fingerprint).map(|doubtful| doubtful.paid) } else { None }
    }

    /// Remembers a reply that may be worth asking for once more, by the form that it answers: a question may wait for so long
    /// that it is sent in a later one than was in use when its turn came.
    fn doubt(&self, fingerprint: Fingerprint, reply: &Reply) {
        let status = self.judge_task.reading().verdict(reply).status();
        if matches!(status, Status::Unparseable | Status::Truncated) {
            let form = Adaptation::rail_of(&reply.adapted);
            self.doubtful().insert(fingerprint, Doubtful { form, paid: reply.paid() });
        }
    }

    /// Whether an earlier reply has a status that this run was told to retry.
    pub(super) fn asks_again(&self, reply: &Reply) -> bool {
        !self.retry.is_empty() && self.retry.contains(&self.judge_task.reading().verdict(reply).status())
    }
}

/// Claims a question: what was paid for an answer whose place the next one takes; where there is no need to ask, how it is settled.
async fn claim(
    pass: &AskPass,
    progress: &Progress,
    fingerprint: Fingerprint,
) -> Result<ControlFlow<Resolution, Option<Paid>>, RunError> {
    let mut earlier = None;
    let mut claim = pass.store.claim(fingerprint, pass.reuse).await?;
    if claim == Claim::Answered {
        earlier = pass.asks_once_more(fingerprint);
    }
    if earlier.is_some() {
        claim = pass.store.claim(fingerprint, Reuse::Nothing).await?;
    } else if claim == Claim::Answered && !pass.retry.is_empty() {
        let found = pass.earlier.find(fingerprint).await?;
        if matches!(found, Found::Reply { reply, .. } if pass.asks_again(&reply)) {
            claim = pass.store.claim(fingerprint, Reuse::OwnOnly).await?;
        }
    }
    Ok(match claim {
        Claim::Ours => ControlFlow::Continue(earlier),
        Claim::Theirs => ControlFlow::Break(Resolution::Theirs(fingerprint)),
        Claim::Answered => {
            progress.ask_reused();
            ControlFlow::Break(Resolution::Done)
        }
        Claim::Pending => {
            progress.asks_spared(1);
            ControlFlow::Break(Resolution::Done)
        }
    })
}

/// Keeps what was paid for a question that has no reply of this run to bear it.
async fn keep_wasted(pass: &AskPass, fingerprint: Fingerprint, wasted: Option<Paid>) -> Result<(), RunError> {
    match wasted {
        Some(paid) => Ok(pass.store.waste(fingerprint, paid).await?),
        None => Ok(()),
    }
}

async fn settle(
    pass: &AskPass,
    progress: &Progress,
    question: Question,
    stop: &CancellationToken,
) -> Result<Resolution, RunError> {
    let Question { fingerprint, prompt } = question;
    // For answers that were of no use.
    let mut wasted = None;
    let (earlier, asked) = loop {
        let lease_token = pass.store.lease_token();
        let earlier = match claim(pass, progress, fingerprint).await? {
            ControlFlow::Continue(earlier) => earlier,
            ControlFlow::Break(resolution) => {
                keep_wasted(pass, fingerprint, wasted).await?;
                return Ok(resolution);
            }
        };
        let lost = stop.child_token();
        let asking = pass.judge_task.judge.ask(&prompt, &lost);
        let (asked, paid) = ask_held(&pass.store, lease_token, &lost, asking).await;
        wasted = Paid::sum(wasted, paid);
        match asked {
            // Another run may have asked meanwhile.
            Err(AskError::Stopped) if lost.is_cancelled() && !stop.is_cancelled() => {
                pass.store.release(fingerprint).await?;
            }
            asked => break (earlier, asked),
        }
    };
    if asked.is_err() {
        keep_wasted(pass, fingerprint, wasted.take()).await?;
    }
    let asked = asked.map(|Asked { reply, slot }| {
        let reply = match Paid::sum(earlier, wasted) {
            Some(earlier) => reply.in_place_of(earlier),
            None => reply,
        };
        pass.doubt(fingerprint, &reply);
        progress.judged(&pass.judge_task.reading().verdict(&reply));
        Asked { reply, slot }
    });
    let kept = pass.keep_prompts.then_some(prompt.text);
    let settled = asked::settle(&pass.store, (fingerprint, ReplyKind::Verdict), asked, kept, stop).await?;
    if matches!(settled, Settled::Kept | Settled::Failed) {
        progress.asks_done(1);
    }
    Ok(if settled == Settled::Ceiling { Resolution::Ceiling } else { Resolution::Done })
}
