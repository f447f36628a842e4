//! An episode with a user's own agent: its messages, and their outcome.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

use super::super::live::Live;
use super::{Farewell, Fault, Own};
use crate::drive::{Ended, Episode, Heard, Loop, Stage, protocol};

/// All that is needed to play an episode again.
#[derive(Debug, Clone, Default)]
pub(in crate::run::drive) struct OwnEpisode {
    /// What the agent said, in order.
    pub said: Vec<Heard>,
    /// What ended it, if the agent's answer did not.
    pub fault: Option<Fault>,
    /// From telling the agent something to hearing it, all together; the start of its program included.
    pub latency_ms: u64,
    /// The end of what the agent wrote on standard error, or the traceback of a function.
    pub log: Option<String>,
    /// The run that drove it, if it was another one.
    pub payer: Option<String>,
    /// The run in which the same version of the agent crashed in it before.
    pub crashed: Option<String>,
}

/// Episodes by the number of their case and their repeat.
#[derive(Debug, Default)]
pub(in crate::run::drive) struct OwnEpisodes(Mutex<HashMap<(usize, u32), Arc<OwnEpisode>>>);

impl OwnEpisodes {
    pub(in crate::run::drive) fn get(&self, case: usize, repeat: u32) -> Option<Arc<OwnEpisode>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&(case, repeat)).cloned()
    }

    pub(super) fn insert(&self, case: usize, repeat: u32, episode: OwnEpisode) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert((case, repeat), Arc::new(episode));
    }
}

impl OwnEpisode {
    /// Plays it again.
    pub(in crate::run::drive) fn play(&self, stage: &Arc<Stage>) -> Episode {
        let mut episode = Episode::new(stage, Loop::Own);
        self.said.iter().for_each(|heard| episode.hear(heard.clone()));
        if let Some(Fault { ended, why }) = &self.fault {
            match ended.is_scored() {
                true => episode.fail(*ended, why.clone()),
                false => episode.end(*ended, Some(why.clone())),
            }
        }
        episode
    }

    /// As the store keeps it; the agent had so much time.
    pub(super) fn to_text(&self, (stage, timeout): (&Arc<Stage>, Duration)) -> String {
        let mut record = match &self.fault {
            // It is driven again: all that stays known of it is that it was.
            Some(Fault { ended, .. }) => {
                json!({ "fault": ended.as_str(), "within_s": timeout.as_secs_f64() })
            }
            None => {
                let said: Vec<&str> = self.said.iter().map(|heard| &*heard.message).collect();
                let told = protocol::history(&self.play(stage)).to_string();
                json!({ "said": said, "log": self.log, "told": told })
            }
        };
        if let Some(run) = &self.crashed {
            record["crashed"] = run.as_str().into();
        }
        record.to_string()
    }

    /// The run in which the agent first crashed in the episode that the store keeps as `text`, left there by the run `payer`. One that
    /// was too slow did nothing wrong where it is given more time now.
    pub(super) fn crashed_in(text: &str, payer: &str, timeout: Duration) -> Option<String> {
        let record: Value = serde_json::from_str(text).ok()?;
        let fault = record["fault"].as_str()?;
        let had_less = || record["within_s"].as_f64().is_some_and(|given| timeout.as_secs_f64() > given);
        if fault == Ended::TimedOut.as_str() && had_less() {
            return None;
        }
        Some(record["crashed"].as_str().unwrap_or(payer).to_owned())
    }

    /// Out of the store, where the run `payer` left it; `None` where it does not lead to the end of an episode of `stage`.
    pub(super) fn of_text(
        (text, latency_ms): (&str, u64),
        payer: &str,
        stage: &Arc<Stage>,
    ) -> Option<OwnEpisode> {
        let record: Value = serde_json::from_str(text).ok()?;
        if record["fault"].is_string() {
            return None;
        }
        let mut episode = Episode::new(stage, Loop::Own);
        let mut said = Vec::new();
        for text in record["said"].as_array()? {
            let heard = protocol::read(text.as_str()?, &episode).ok()?.heard;
            episode.hear(heard.clone());
            said.push(heard);
        }
        let log = record["log"].as_str().map(str::to_owned);
        episode.ended()?;
        // What it was told then is what it would be told today.
        if record["told"].as_str()? != protocol::history(&episode).to_string() {
            return None;
        }
        let crashed = record["crashed"].as_str().map(str::to_owned);
        Some(OwnEpisode { said, fault: None, latency_ms, log, payer: Some(payer.to_owned()), crashed })
    }
}

/// Drives an episode to its end: whatever the agent does, it comes within the agent's time. The log calls it `shown`.
pub(super) async fn converse(own: &Own, stage: &Arc<Stage>, (id, shown): (&str, &str)) -> OwnEpisode {
    let mut episode = Episode::new(stage, Loop::Own);
    let mut live = Live::new(shown, &episode);
    let mut talk = own.agent.talk(id);
    let mut driven = OwnEpisode::default();
    let is_answer = |heard: &Heard| heard.turn.calls.is_empty();
    let began = Instant::now();
    // How long it was to be silent, which takes nothing of its time.
    let mut silent = Duration::ZERO;
    while episode.asks().is_some() {
        if driven.said.last().is_some_and(is_answer) {
            let answered = Instant::now();
            driven.fault = talk.unasked().await;
            silent += answered.elapsed();
            if driven.fault.is_some() {
                break;
            }
        }
        let reply = timeout_at(began + own.timeout + silent, talk.reply(&episode)).await;
        match reply.unwrap_or_else(|_| Err(own.agent.late(own.timeout))) {
            Ok(heard) => {
                episode.hear(heard.clone());
                live.tell(&episode);
                driven.said.push(heard);
            }
            Err(fault) => {
                driven.fault = Some(fault);
                break;
            }
        }
    }
    driven.latency_ms = u64::try_from(began.elapsed().saturating_sub(silent).as_millis()).unwrap_or(u64::MAX);
    let answered = driven.fault.is_none() && driven.said.last().is_some_and(is_answer);
    let Farewell { log, last_words, fault } = talk.end(answered).await;
    driven.fault = driven.fault.or(fault);
    if let (Some(fault), Some(line)) = (&mut driven.fault, last_words) {
        fault.why.push_str(&format!("; on standard error: {line}"));
    }
    driven.log = log;
    driven.fault.iter().for_each(|fault| live.failed(fault));
    driven
}
