//! Replays episodes from the stored replies.

use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::Arc;

use super::agent::{Agent, AgentReady, hasher, heard};
use crate::domain::{Paid, Usage};
use crate::drive::{Ended, Episode, Loop, Script, Stage};
use crate::run::RunError;
use crate::store::{Failure, Fingerprint, Found, Reader};

/// Plays episodes again, in any order.
pub(super) struct Replay<'a> {
    pub agent: &'a Agent,
    /// Where a model's replies are looked up.
    pub reader: Option<&'a Reader>,
    /// This run.
    pub run: &'a str,
    /// The version of the agents.
    pub version: &'a str,
    /// Whether only this run's replies count.
    pub fresh: bool,
    pub follows: Loop,
    /// What an episode ends with whose next reply is not there.
    pub lacking: Ended,
    /// The replies that were met: another episode bears what they cost.
    pub met: &'a RefCell<HashSet<Fingerprint>>,
    /// Those of them that this agent gave, with what the case expected: two cases that expect other things test two.
    pub given: RefCell<HashSet<(Fingerprint, String)>>,
}

/// An episode at its end, and what its replies took.
pub(super) struct Played {
    pub episode: Episode,
    pub spent: Spent,
    /// The end of what an agent of the user's own wrote on standard error.
    pub log: Option<String>,
    /// The run that paid for its last reply, if it was another one. What is repeated up to there was paid before.
    pub payer: Option<String>,
    /// Whether an episode before it has the same replies.
    pub is_shared: bool,
    /// The run in which the same version of the agent crashed in it before.
    pub crashed: Option<String>,
}

/// The tokens of a reply that another episode bears.
const NOTHING: Usage = Usage { prompt_tokens: Some(0), cached_tokens: Some(0), completion_tokens: Some(0) };

/// What the replies of an episode took.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Spent {
    /// Tokens and US dollars; `None` where no model was asked.
    pub paid: Option<Paid>,
    /// From sending each request to the last byte of its reply, together.
    pub latency_ms: u64,
    /// Replies that an earlier run or another episode had paid for.
    pub cached: u64,
    /// US dollars of the replies that this run paid for.
    pub own_usd: f64,
}

impl Replay<'_> {
    /// The `repeat`-th episode, counted from 1, of the `case`-th case, counted from 0.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub(super) fn play(&self, case: usize, stage: &Arc<Stage>, repeat: u32) -> Result<Played, RunError> {
        let mut episode = Episode::new(stage, self.follows);
        let (mut spent, mut log) = (Spent::default(), None);
        let (mut payer, mut is_shared, mut crashed) = (None, false, None);
        match &self.agent.kind {
            AgentReady::Script(script) => {
                read_out(script, &mut episode, repeat, |_| ());
            }
            AgentReady::Own(own) => match own.episodes.get(case, repeat) {
                None => episode.end(self.lacking, None),
                Some(driven) => {
                    episode = driven.play(stage);
                    spent.latency_ms = driven.latency_ms;
                    spent.cached = if driven.payer.is_some() { driven.said.len() as u64 } else { 0 };
                    log.clone_from(&driven.log);
                    payer = driven.payer.clone().filter(|run| run != self.run);
                    crashed = driven.crashed.clone().filter(|run| run != self.run);
                }
            },
            AgentReady::Model(model) => {
                let hasher = hasher(model, self.version);
                while let Some(dialogue) = episode.asks() {
                    let Some(reader) = self.reader else {
                        episode.end(self.lacking, None);
                        break;
                    };
                    let fingerprint = hasher.turn(dialogue, repeat - 1);
                    match reader.get(fingerprint)? {
                        Found::Reply { reply, run, .. } if !self.fresh || run == self.run => {
                            let first = self.met.borrow_mut().insert(fingerprint);
                            spent.add(reply.paid(), reply.latency_ms, (first, run == self.run));
                            episode.hear(heard(model, &reply)?);
                            payer = Some(run).filter(|run| run != self.run);
                            let expected = format!("{:?}", stage.case.expected);
                            is_shared = !self.given.borrow_mut().insert((fingerprint, expected));
                        }
                        _ => {
                            // It ends in this run, and nowhere else.
                            (payer, is_shared) = (None, false);
                            match reader.failure_of(fingerprint, self.run)? {
                                Some(Failure { code, message, .. }) => {
                                    episode.end(Ended::Errored, Some(format!("{code}: {message}")));
                                }
                                None => episode.end(self.lacking, None),
                            }
                        }
                    }
                }
            }
        }
        Ok(Played { episode, spent, log, payer, is_shared, crashed })
    }
}

/// Plays an episode to its end with the replies that are written down; `tells` of each step.
pub(super) fn read_out(script: &Script, episode: &mut Episode, repeat: u32, mut tells: impl FnMut(&Episode)) {
    while episode.asks().is_some() {
        let case = episode.stage().case.id.clone();
        match script.reply(&case, repeat, episode.turns().len()) {
            Ok(reply) => episode.hear(reply.clone()),
            Err(why) => episode.end(Ended::Errored, Some(why)),
        }
        tells(episode);
    }
}

impl Spent {
    fn add(&mut self, paid: Paid, latency_ms: u64, (first, is_own): (bool, bool)) {
        self.latency_ms = self.latency_ms.saturating_add(latency_ms);
        self.cached += u64::from(!(first && is_own));
        let free = Paid { usage: NOTHING, cost_usd: Some(0.0), attempts: 0 };
        let paid = if first { paid } else { free };
        self.paid = Paid::sum(self.paid, Some(paid));
        self.own_usd += paid.cost_usd.filter(|_| is_own).unwrap_or(0.0);
    }
}
