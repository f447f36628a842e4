//! The drive pass of a user's own agent: all its episodes, several at once. If the agent has a version, completed episodes
//! without a fault of the agent are kept in the store; of the others, the store knows that they were.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt, stream};

use super::super::live::Names;
use super::super::plan::DrivePlan;
use super::Own;
use super::talk::{OwnEpisode, converse};
use crate::domain::{Json, Reply, Stop as ReplyStop, Usage};
use crate::drive::{Episode, Loop, Stage, protocol};
use crate::run::{AskOutcome, Progress, RunError, Stop, while_held};
use crate::store::{AskHasher, Claim, Found, Reader, ReplyKind, Reuse, Store};

/// How often an episode is looked for that another run is driving.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// One agent on its way through all cases.
pub(in crate::run::drive) struct OwnPass {
    own: Arc<Own>,
    /// The cases and their names.
    stages: Vec<(Arc<Stage>, String)>,
    repeats: u32,
    /// What the log calls its episodes.
    names: Names,
    /// Where episodes are kept; absent where the agent has no version.
    kept: Option<Kept>,
}

/// Where episodes are kept.
struct Kept {
    store: Arc<Store>,
    reader: Reader,
    hasher: AskHasher,
    run: String,
    fresh: bool,
}

impl OwnPass {
    /// # Errors
    /// If the store cannot be read.
    pub(in crate::run::drive) fn new(
        plan: &DrivePlan,
        own: &Arc<Own>,
        names: Names,
    ) -> Result<OwnPass, RunError> {
        let kept = match plan.store.as_ref().filter(|_| plan.settings.has_version()) {
            Some(store) => Some(Kept {
                store: Arc::clone(store),
                reader: store.reader()?,
                hasher: AskHasher::new("own agent", &own.identity, "").of_version(&plan.version.name),
                run: plan.run.clone(),
                fresh: plan.settings.store.fresh,
            }),
            None => None,
        };
        let stages = plan.stages.iter().enumerate();
        let stages = stages
            .map(|(at, stage)| (Arc::clone(stage), plan.case_name(plan.suite(at), &stage.case.id)))
            .collect();
        Ok(OwnPass { own: Arc::clone(own), stages, repeats: plan.repeats(), names, kept })
    }
}

/// Drives all episodes.
///
/// # Errors
/// [`RunError::Interrupted`] when stopped; those of the store.
pub(in crate::run::drive) async fn drive_own(
    pass: &OwnPass,
    progress: &Progress,
    stop: &Stop,
) -> Result<AskOutcome, RunError> {
    let cases = pass.stages.iter().enumerate();
    let episodes = cases.flat_map(|(at, (stage, name))| {
        (1..=pass.repeats).map(move |repeat| (at, stage, format!("{name}#{repeat}"), repeat))
    });
    let driven = stream::iter(episodes).map(|(at, stage, id, repeat)| async move {
        let shown = pass.names.of(at, repeat);
        let episode = match &pass.kept {
            Some(kept) => kept.episode(&pass.own, stage, (&id, &shown)).await?,
            None => converse(&pass.own, stage, (&id, &shown)).await,
        };
        pass.own.episodes.insert(at, repeat, episode);
        progress.asks_done(1);
        Ok::<(), RunError>(())
    });
    let all = driven.buffer_unordered(pass.own.at_once).try_for_each(|()| async { Ok(()) });
    // What is under way is dropped with its processes.
    let outcome = tokio::select! {
        biased;
        () = stop.now.cancelled() => Err(RunError::Interrupted),
        () = stop.gently.cancelled() => Err(RunError::Interrupted),
        outcome = all => outcome,
    };
    pass.own.agent.finish(outcome.is_err()).await;
    outcome.map(|()| AskOutcome::All)
}

impl Kept {
    /// The stored episode, or else one that is driven now.
    async fn episode(
        &self,
        own: &Own,
        stage: &Arc<Stage>,
        (id, shown): (&str, &str),
    ) -> Result<OwnEpisode, RunError> {
        let fingerprint = self.hasher.episode(&asked(stage, id));
        let mut crashed = None;
        loop {
            let found = self.reader.find(fingerprint).await?;
            let is_there = matches!(found, Found::Reply { .. });
            // Another agent of this run may be the same program, and have crashed.
            let is_own = matches!(&found, Found::Reply { run, .. } if *run == self.run);
            if let Found::Reply { reply, run, .. } = found
                && (!self.fresh || run == self.run)
            {
                if let Some(episode) = OwnEpisode::of_text((&reply.text, reply.latency_ms), &run, stage) {
                    return Ok(episode);
                }
                crashed = OwnEpisode::crashed_in(&reply.text, &run, own.timeout);
            }
            let lease_token = self.store.lease_token();
            let reuse = match is_own {
                true => Reuse::Nothing,
                false if self.fresh || is_there => Reuse::OwnOnly,
                false => Reuse::All,
            };
            match self.store.claim(fingerprint, reuse).await? {
                Claim::Ours => {}
                Claim::Answered => continue,
                Claim::Pending | Claim::Theirs => {
                    tokio::time::sleep(LOOK_AGAIN).await;
                    continue;
                }
            }
            let lost = tokio_util::sync::CancellationToken::new();
            let driving = async {
                tokio::select! {
                    () = lost.cancelled() => None,
                    episode = converse(own, stage, (id, shown)) => Some(episode),
                }
            };
            let Some(mut episode) = while_held(&self.store, lease_token, &lost, driving).await else {
                // Another run may have begun it meanwhile.
                self.store.release(fingerprint).await?;
                continue;
            };
            episode.crashed = crashed;
            match &episode.fault {
                // Whose fault it is nobody knows.
                Some(fault) if !fault.ended.is_scored() => self.store.release(fingerprint).await?,
                // What may go better the next time is driven again then; that it once did not stays known.
                _ => {
                    self.store
                        .answer(fingerprint, ReplyKind::Turn, kept_as(&episode, (stage, own.timeout)), None)
                        .await?;
                }
            }
            return Ok(episode);
        }
    }
}

/// All that an agent could be told in an episode, as a text: the case, and what becomes of its calls.
fn asked(stage: &Arc<Stage>, id: &str) -> String {
    let case = Json::Object(protocol::case(id, &Episode::new(stage, Loop::Own)));
    let of = &stage.case;
    format!("{case}\n{:?}\n{:?}\n{:?}", of.world, of.follow_ups, of.bounds)
}

fn kept_as(episode: &OwnEpisode, of: (&Arc<Stage>, Duration)) -> Reply {
    Reply {
        text: episode.to_text(of),
        stop: ReplyStop::Finished,
        usage: Usage::default(),
        model: None,
        latency_ms: episode.latency_ms,
        attempts: 1,
        adapted: Vec::new(),
        probabilities: Vec::new(),
        cost_usd: None,
    }
}
