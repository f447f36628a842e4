//! The drive pass: requests every missing reply, many episodes at once.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::agent::{hasher, heard};
use super::live::{Live, Names};
use crate::domain::{Dialogue, Reply, Status, Stop as ReplyStop};
use crate::drive::{Episode, Loop, Stage};
use crate::judge::Remote;
use crate::run::settings::StoreSettings;
use crate::run::{AskOutcome, Progress, RunError, Settled, Stop, ask_held, settle};
use crate::store::{AskHasher, Claim, Fingerprint, Found, LeaseToken, Reader, ReplyKind, Reuse, Store};

/// How often a reply is looked for that another run is asking.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// How often a reply is looked for that another episode of this run is asking.
const LOOK_SOON: Duration = Duration::from_millis(10);
/// Episodes under way for each place in flight. More would only be begun earlier and finished later.
const OPEN: usize = 2;

/// One agent on its way through all cases.
pub(super) struct DrivePass {
    pub stages: Arc<[Arc<Stage>]>,
    pub names: Names,
    pub repeats: u32,
    pub model: Arc<Remote>,
    pub follows: Loop,
    pub store: Arc<Store>,
    /// Looks replies up.
    pub reader: Reader,
    pub hasher: AskHasher,
    /// This run.
    pub run: String,
    pub fresh: bool,
    /// Statuses of earlier replies that are asked again.
    pub retry: Vec<Status>,
    pub keep_prompts: bool,
}

/// How one reply was come by.
enum Came {
    Reply(Box<Reply>),
    /// There is none; the store knows why.
    Failed,
    Stopped,
    Ceiling,
}

/// How far an episode went.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Driven {
    /// To an end.
    Ended,
    Stopped,
    Ceiling,
}

impl DrivePass {
    pub(super) fn new(
        (stages, names, repeats): (&Arc<[Arc<Stage>]>, Names, u32),
        model: &Arc<Remote>,
        follows: Loop,
        store: &Arc<Store>,
        (settings, run, version): (&StoreSettings, &str, &str),
    ) -> Result<DrivePass, RunError> {
        Ok(DrivePass {
            stages: Arc::clone(stages),
            names,
            repeats,
            hasher: hasher(model, version),
            model: Arc::clone(model),
            follows,
            store: Arc::clone(store),
            reader: store.reader()?,
            run: run.to_owned(),
            fresh: settings.fresh,
            retry: settings.retry.clone(),
            keep_prompts: settings.keep_prompts,
        })
    }

    /// Whether a stored reply counts: its run, and whether its status is to be asked again.
    fn counts(&self, reply: &Reply, run: &str) -> bool {
        run == self.run || (!self.fresh && !self.asks_again(reply))
    }

    fn asks_again(&self, reply: &Reply) -> bool {
        let status = match reply.stop {
            ReplyStop::Truncated => Status::Truncated,
            ReplyStop::Refused => Status::Refused,
            ReplyStop::Filtered => Status::Filtered,
            ReplyStop::Finished => Status::Empty,
        };
        if !self.retry.contains(&status) {
            return false;
        }
        let says_nothing = || self.model.turn(&reply.text).is_none_or(|turn| turn.says_nothing());
        status != Status::Empty || says_nothing()
    }
}

/// Drives all episodes, until each has come to its end.
///
/// # Errors
/// [`RunError::Interrupted`] when stopped; [`RunError::Judge`] when going on is pointless. Either way every reply that came is in
/// the store.
pub(super) async fn drive(
    pass: &Arc<DrivePass>,
    progress: &Arc<Progress>,
    stop: &Stop,
) -> Result<AskOutcome, RunError> {
    let stopping = stop.gently.child_token();
    let open = Arc::new(Semaphore::new((OPEN * pass.model.most_in_flight()).max(2)));
    let cases = pass.stages.iter().enumerate();
    let mut episodes = cases.flat_map(|at| (1..=pass.repeats).map(move |repeat| (at, repeat)));
    let mut tasks: JoinSet<Result<Driven, RunError>> = JoinSet::new();
    let (mut failure, mut ceiling, mut more) = (None, false, true);
    while more || !tasks.is_empty() {
        tokio::select! {
            biased;
            () = stop.now.cancelled() => return Err(RunError::Interrupted),
            () = stopping.cancelled(), if more => more = false,
            Some(driven) = tasks.join_next() => {
                match driven.unwrap_or_else(|error| Err(RunError::Worker(error.to_string()))) {
                    Ok(Driven::Ended | Driven::Stopped) => {}
                    Ok(Driven::Ceiling) => {
                        stopping.cancel();
                        ceiling = true;
                    }
                    Err(error) => {
                        stopping.cancel();
                        failure.get_or_insert(error);
                    }
                }
            }
            permit = Arc::clone(&open).acquire_owned(), if more => {
                let (Ok(permit), Some(((at, stage), repeat))) = (permit, episodes.next()) else {
                    more = false;
                    continue;
                };
                let (pass, progress) = (Arc::clone(pass), Arc::clone(progress));
                let (stage, stopping) = (Arc::clone(stage), stopping.clone());
                let name = pass.names.of(at, repeat);
                tasks.spawn(async move {
                    let driven = episode(&pass, &progress, (&stage, repeat, name), &stopping).await;
                    drop(permit);
                    if matches!(driven, Ok(Driven::Ended)) {
                        progress.asks_done(1);
                    }
                    driven
                });
            }
        }
    }
    match failure {
        Some(error) => Err(error),
        None if stop.gently.is_cancelled() => Err(RunError::Interrupted),
        None if ceiling => Ok(AskOutcome::UpToCeiling),
        None => Ok(AskOutcome::All),
    }
}

async fn episode(
    pass: &DrivePass,
    progress: &Progress,
    (stage, repeat, name): (&Arc<Stage>, u32, String),
    stop: &CancellationToken,
) -> Result<Driven, RunError> {
    let mut episode = Episode::new(stage, pass.follows);
    let mut live = Live::new(name, &episode);
    while let Some(dialogue) = episode.asks() {
        match reply(pass, progress, dialogue, repeat, stop).await? {
            Came::Reply(reply) => {
                episode.hear(heard(&pass.model, &reply)?);
                live.tell(&episode);
            }
            Came::Failed => return Ok(Driven::Ended),
            Came::Stopped => return Ok(Driven::Stopped),
            Came::Ceiling => return Ok(Driven::Ceiling),
        }
    }
    Ok(Driven::Ended)
}

/// The reply to a dialogue: the stored one, or else one that is asked for.
async fn reply(
    pass: &DrivePass,
    progress: &Progress,
    dialogue: &Dialogue,
    repeat: u32,
    stop: &CancellationToken,
) -> Result<Came, RunError> {
    let fingerprint = pass.hasher.turn(dialogue, repeat - 1);
    loop {
        let found = pass.reader.find(fingerprint).await?;
        match found {
            Found::Reply { reply, run, .. } if pass.counts(&reply, &run) => {
                pass.model.answered_before();
                return Ok(Came::Reply(Box::new(reply)));
            }
            Found::Failure { run, .. } if run == pass.run => return Ok(Came::Failed),
            // It was to be asked again, which an equal case has tried in vain.
            Found::Reply { .. } if pass.reader.find_failure_of(fingerprint, &pass.run).await?.is_some() => {
                return Ok(Came::Failed);
            }
            Found::Reply { .. } | Found::Failure { .. } | Found::Nothing => {}
        }
        if stop.is_cancelled() {
            return Ok(Came::Stopped);
        }
        // A reply that is there and does not count is to be asked for again.
        let again = matches!(found, Found::Reply { .. });
        let lease_token = pass.store.lease_token();
        let reuse = if pass.fresh || again { Reuse::OwnOnly } else { Reuse::All };
        let wait = match pass.store.claim(fingerprint, reuse).await? {
            Claim::Ours => match ask(pass, dialogue, fingerprint, lease_token, stop).await? {
                Some(came) => return Ok(came),
                None => continue,
            },
            Claim::Answered => continue,
            Claim::Pending => LOOK_SOON,
            Claim::Theirs => LOOK_AGAIN,
        };
        let theirs = u64::from(wait == LOOK_AGAIN);
        progress.wait_for_others(theirs);
        tokio::select! {
            () = stop.cancelled() => {}
            () = tokio::time::sleep(wait) => {}
        }
        progress.waited_for_others(theirs);
    }
}

/// Asks for a reply under a claim, and keeps it. `None` where the claim was lost before anything was sent.
async fn ask(
    pass: &DrivePass,
    dialogue: &Dialogue,
    fingerprint: Fingerprint,
    lease_token: LeaseToken,
    stop: &CancellationToken,
) -> Result<Option<Came>, RunError> {
    let lost = stop.child_token();
    let asking = pass.model.reply(dialogue, &lost);
    let (asked, wasted) = ask_held(&pass.store, lease_token, &lost, asking).await;
    if let Some(paid) = wasted {
        pass.store.waste(fingerprint, paid).await?;
    }
    let reply = asked.as_ref().ok().map(|asked| Box::new(asked.reply.clone()));
    let kept = pass.keep_prompts.then(|| dialogue.to_json().to_string());
    let settled = settle(&pass.store, (fingerprint, ReplyKind::Turn), asked, kept, stop).await?;
    Ok(match (settled, reply) {
        (Settled::Kept, Some(reply)) => Some(Came::Reply(reply)),
        (Settled::Kept | Settled::Failed, _) => Some(Came::Failed),
        // Another run may have asked meanwhile.
        (Settled::Stopped, _) if lost.is_cancelled() && !stop.is_cancelled() => None,
        (Settled::Stopped, _) => Some(Came::Stopped),
        (Settled::Ceiling, _) => Some(Came::Ceiling),
    })
}
