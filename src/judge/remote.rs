//! A judge behind an endpoint: asks, waits, tries again, adapts.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::adaptation::{Adaptations, Adapted};
use super::failure::Failure;
use super::limiter::{Limiter, Slot};
use super::transport::{Transport, UNREACHABLE};
use super::trial::Trial;
use super::wire::{Answer, Wire, understand};
use super::{Activity, Adaptation, AskError, Asked, Identity, Judge, Limits, retry};
use crate::domain::{Prompt, Reply, Stop};

/// How patient a judge is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    pub limits: Limits,
    /// For one attempt, from connecting to the last byte.
    pub timeout: Duration,
    /// Attempts for one question; being told to slow down is no attempt.
    pub max_attempts: u32,
    /// The longest wait that an endpoint may ask for; beyond it the quota is taken to be gone.
    pub max_wait: Duration,
}

/// A judge model reached over HTTP.
pub struct Remote {
    identity: Identity,
    wire: Box<dyn Wire>,
    transport: Transport,
    limiter: Limiter,
    settings: Settings,
    adaptations: Adaptations,
    /// Whether an answer came to a request as we like it; then a refusal of a later one has another cause.
    form_works: AtomicBool,
    /// Whether the endpoint has ever responded, be it with an error.
    reached: AtomicBool,
    retried: AtomicU64,
    /// Tokens reserved for an answer.
    answer_tokens: u32,
}

/// Tokens that a short verdict takes, and one with an explanation, when no limit is given.
const SHORT_ANSWER: u32 = 20;
const EXPLAINED_ANSWER: u32 = 200;

impl Remote {
    pub(super) fn new(
        identity: Identity,
        wire: Box<dyn Wire>,
        transport: Transport,
        settings: Settings,
        known: &[Adaptation],
    ) -> Remote {
        Remote {
            identity,
            answer_tokens: wire.parameters().max_tokens.unwrap_or(0),
            wire,
            transport,
            limiter: Limiter::new(settings.limits),
            settings,
            adaptations: Adaptations::new(known),
            form_works: AtomicBool::new(false),
            reached: AtomicBool::new(false),
            retried: AtomicU64::new(0),
        }
    }

    /// Four bytes a token is the usual rule of thumb; real usage corrects it.
    fn estimate(&self, prompt: &Prompt) -> u32 {
        let answer = match self.answer_tokens {
            0 if prompt.explain => EXPLAINED_ANSWER,
            0 => SHORT_ANSWER,
            limit => limit,
        };
        u32::try_from(prompt.text.len() / 4).unwrap_or(u32::MAX).saturating_add(answer)
    }

    /// Waits for a place, unless one is held already, and for the budget.
    async fn admit(&self, tokens: u32, held: Option<Slot>) -> Slot {
        let slot = match held {
            Some(slot) => slot,
            None => self.limiter.place().await,
        };
        self.limiter.budget(tokens).await;
        slot
    }

    async fn attempt(&self, prompt: &Prompt, adapted: &Adapted) -> Result<Answer, Failure> {
        let body = self.wire.parameters().finish(self.wire.body(prompt, adapted));
        let response = self.transport.post(body).await?;
        self.reached.store(true, Ordering::Relaxed);
        understand(self.wire.as_ref(), prompt, adapted, &response)
    }

    fn question_error(&self, code: String, message: String, attempts: u32) -> AskError {
        AskError::Question { code, message: self.transport.redact(message), attempts }
    }

    fn run_error(&self, code: &str, message: &str) -> AskError {
        let place = format!("{} at {}", self.identity.model, self.transport.endpoint().public_url());
        let message = self.transport.redact(format!("{place}: {message}"));
        AskError::Run { code: code.to_owned(), message }
    }

    /// Waits for `delay`, unless the run stops first.
    async fn rest(&self, delay: Duration, stop: &CancellationToken) -> Result<(), AskError> {
        tokio::select! {
            () = stop.cancelled() => Err(AskError::Stopped),
            () = tokio::time::sleep(delay) => Ok(()),
        }
    }

    /// Makes everyone wait for as long as the endpoint asks, or for longer and longer where it does not say.
    fn slow_down(&self, wait: Option<Duration>, message: &str) -> Result<(), AskError> {
        let refusals = self.limiter.refused();
        let delay = retry::delay(refusals, wait, fastrand::f64());
        if delay > self.settings.max_wait {
            let why = format!("asks to wait {} s, more than --max-wait allows: {message}", delay.as_secs());
            return Err(self.run_error("quota_exhausted", &why));
        }
        self.limiter.pause(delay);
        Ok(())
    }
}

impl Judge for Remote {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    async fn ask(&self, prompt: &Prompt, stop: &CancellationToken) -> Result<Asked, AskError> {
        let tokens = self.estimate(prompt);
        let began = Instant::now();
        let (mut sent, mut failures) = (0, 0);
        // The place of a refused request that is sent again at once, in another form.
        let mut held = None;
        let mut trial = Trial::new(self.wire.plain());
        loop {
            let slot = tokio::select! {
                biased;
                () = stop.cancelled() => return Err(AskError::Stopped),
                slot = self.admit(tokens, held.take()) => slot,
            };
            // Only now: others may have found something out while this one waited.
            let adapted = trial.adapt(self.adaptations.current());
            sent += 1;
            let attempt_began = Instant::now();
            let failure = match self.attempt(prompt, &adapted).await {
                Ok(answer) => {
                    self.limiter.succeeded();
                    self.limiter.settle(tokens, used_tokens(&answer, tokens));
                    // A filter may have been faster than whatever refuses the request.
                    if answer.stop != Stop::Filtered {
                        self.adaptations.learn(&trial, self.wire.forms());
                        self.form_works.fetch_or(trial.proves_form(&adapted), Ordering::Relaxed);
                    }
                    let reply = Reply {
                        text: answer.text,
                        stop: answer.stop,
                        usage: answer.usage,
                        model: answer.model,
                        latency_ms: u64::try_from(attempt_began.elapsed().as_millis()).unwrap_or(u64::MAX),
                        attempts: sent,
                        probabilities: answer.probabilities,
                        cost_usd: None,
                        adapted: adapted.iter().map(|adaptation| adaptation.as_str().to_owned()).collect(),
                    };
                    return Ok(Asked { reply, slot });
                }
                Err(failure) => failure,
            };
            match failure {
                Failure::Run { code, message } => return Err(self.run_error(code, &message)),
                Failure::Question { code, message } => {
                    return Err(self.question_error(code, message, sent));
                }
                Failure::BadRequest { code, message } => {
                    if self.form_works.load(Ordering::Relaxed) {
                        return Err(self.question_error(code, message, sent));
                    }
                    trial
                        .refused_without_reason(adapted, code, message)
                        .map_err(|(code, message)| self.question_error(code, message, sent))?;
                    held = Some(slot);
                }
                Failure::Unsupported(adaptation, message) => {
                    if !trial.refused(adaptation, &adapted) {
                        return Err(self.question_error("unsupported_parameter".to_owned(), message, sent));
                    }
                    held = Some(slot);
                }
                Failure::Throttled { message, wait } => {
                    drop(slot);
                    self.slow_down(wait, &message)?;
                    if began.elapsed() > self.settings.max_wait {
                        let why = format!("told to slow down for {} s: {message}", began.elapsed().as_secs());
                        return Err(self.question_error("throttled".to_owned(), why, sent));
                    }
                }
                Failure::Passing { code, message, wait } => {
                    // While this question rests, its place is another's.
                    drop(slot);
                    failures += 1;
                    if failures >= self.settings.max_attempts {
                        // Where nobody ever answered, nobody will.
                        if code == UNREACHABLE && !self.reached.load(Ordering::Relaxed) {
                            return Err(self.run_error(UNREACHABLE, &message));
                        }
                        return Err(self.question_error(code, message, sent));
                    }
                    let delay = retry::delay(failures, wait, fastrand::f64());
                    // Never earlier than asked: a question that would have to wait too long is left to the next run.
                    if delay > self.settings.max_wait {
                        let why = format!("asks to wait {} s: {message}", delay.as_secs());
                        return Err(self.question_error(code, why, sent));
                    }
                    self.retried.fetch_add(1, Ordering::Relaxed);
                    self.rest(delay, stop).await?;
                }
            }
        }
    }

    fn adaptations(&self) -> Vec<Adaptation> {
        self.adaptations.current().into_iter().collect()
    }

    fn activity(&self) -> Activity {
        Activity {
            in_flight: self.limiter.in_flight(),
            throttled: self.limiter.throttled(),
            retried: self.retried.load(Ordering::Relaxed),
        }
    }
}

fn used_tokens(answer: &Answer, estimate: u32) -> u64 {
    match (answer.usage.prompt_tokens, answer.usage.completion_tokens) {
        (None, None) => u64::from(estimate),
        (prompt, completion) => prompt.unwrap_or(0) + completion.unwrap_or(0),
    }
}
