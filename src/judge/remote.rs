//! A judge behind an endpoint: sends, waits, retries, adapts.

mod view;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::OwnedMutexGuard;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::info;

use super::adaptation::{AdaptationSet, Adaptations, is_forced, next_rail, rail};
use super::adaptation_probe::AdaptationProbe;
use super::billing::Billing;
use super::body_template::BodyTemplates;
use super::channel::Channel;
use super::cost_budget::CostReservation;
use super::exchange::Exchange;
use super::failure::{Failure, advice};
use super::limiter::{Cost, Permit, QuotaReservation, Slot};
use super::provider_format::{Answer, ProviderFormat, UNREADABLE};
use super::rail_compliance::{RailCompliance, sign};
use super::settings::{NO_CEILING, Settings};
use super::starvation::Starvation;
use super::transport::{UNREACHABLE, is_silence};
use super::uniform_failure::{UniformFailure, is_overload};
use super::{Adaptation, AskError, Asked, Identity, SetupError, hints, retry};
use crate::domain::{Paid, Prompt, Reply, Stop, Usage};

/// How many unreadable answers to one question end it: each was paid for, and the next is hardly different. Chosen.
const BOUGHT: u32 = 2;

/// A judge model, wherever it runs, reached over HTTP or as a function of this process. The built-in judge is not one: it needs
/// no prompt.
pub struct Remote {
    identity: Identity,
    format: Box<dyn ProviderFormat>,
    body_templates: BodyTemplates,
    channel: Channel,
    settings: Settings,
    adaptations: Adaptations,
    /// Whether an answer came to a request as we like it; then a refusal of a later one has another cause.
    form_works: AtomicBool,
    /// Whether the endpoint keeps to the rail.
    rail_compliance: RailCompliance,
    /// Whether it turned out not to.
    disobeyed: AtomicBool,
    /// Whether all questions fail for one reason.
    uniform_failure: UniformFailure,
    /// Whether it refuses everything as too fast.
    starvation: Starvation,
    /// How it bills, where there is a ceiling.
    billing: Billing,
    /// Whether the endpoint has ever responded, even with an error.
    reached: AtomicBool,
    retried: AtomicU64,
    /// The requested limit on answers, in tokens.
    max_tokens: Option<u32>,
}

impl Remote {
    pub(super) fn new(
        identity: Identity,
        format: Box<dyn ProviderFormat>,
        channel: Channel,
        settings: Settings,
        known: &[Adaptation],
    ) -> Result<Remote, SetupError> {
        settings.can_hold_ceiling(&identity.model, format.parameters(), known)?;
        let max_tokens = format.parameters().max_tokens;
        Ok(Remote {
            identity,
            format,
            body_templates: BodyTemplates::default(),
            channel,
            settings,
            adaptations: Adaptations::new(known),
            form_works: AtomicBool::new(false),
            rail_compliance: RailCompliance::default(),
            disobeyed: AtomicBool::new(false),
            uniform_failure: UniformFailure::default(),
            starvation: Starvation::default(),
            billing: Billing::default(),
            reached: AtomicBool::new(false),
            retried: AtomicU64::new(0),
            max_tokens,
        })
    }

    fn estimate(&self, exchange: &Exchange<'_>) -> Cost {
        let answer = self.max_tokens.unwrap_or(exchange.usual_answer());
        Cost { input: exchange.tokens(), output: answer.into() }
    }

    /// Sets aside the worst that sending `body` can cost, where there is a ceiling.
    async fn reserve(&self, body: &[u8], attempts: u32) -> Result<Option<CostReservation>, AskError> {
        let Some((price, cost_budget)) = self.settings.price.zip(self.cost_budget()) else { return Ok(None) };
        let limit = self.max_tokens.unwrap_or(u32::MAX);
        let Some(worst) = price.worst(body.len(), limit, self.billing.overrun()) else {
            let message = "the prompt may be longer than its price holds for".to_owned();
            return Err(self.question_error("no_price".to_owned(), message, attempts));
        };
        cost_budget.reserve(worst).await.map(Some)
    }

    /// Sends `body`, and settles what it costs.
    async fn attempt(
        &self,
        exchange: &Exchange<'_>,
        adapted: &AdaptationSet,
        body: Vec<u8>,
        money: Option<CostReservation>,
        reservation: &QuotaReservation,
    ) -> Result<(Answer, Option<f64>), Failure> {
        let bytes = body.len();
        let (refused, outcome) = match self.channel.post(body).await {
            Ok(response) => {
                self.reached.store(true, Ordering::Relaxed);
                self.settings
                    .limiter
                    .learn(reservation, &hints::claims(&response.headers, response.received));
                (is_refusal(response.status), exchange.understand(self.format.as_ref(), adapted, &response))
            }
            Err(failure) => (never_sent(&failure), Err(failure)),
        };
        let cost = match (&outcome, self.settings.price) {
            (Ok(answer), Some(price)) => price.cost(&answer.usage),
            _ => None,
        };
        match &outcome {
            Ok(answer) => self.billing.answered(bytes, self.max_tokens.unwrap_or(u32::MAX), &answer.usage),
            Err(_) if refused => {}
            Err(_) => self.billing.failed(),
        }
        match (money, cost) {
            (Some(money), Some(cost)) => money.spend(cost),
            (Some(money), None) if refused => money.release(),
            // It may have been billed: it stays booked at its worst.
            _ => {}
        }
        outcome.map(|answer| (answer, cost))
    }

    fn question_error(&self, code: String, message: String, attempts: u32) -> AskError {
        AskError::Question { code, message: self.channel.redact(message), attempts }
    }

    /// `error`, or the failure of the last attempt if another one is not made because the money does not suffice: then the row was sent,
    /// and may have been paid for.
    fn unfinished(&self, error: AskError, last: Option<(String, String)>, sent: u32) -> AskError {
        let is_spent = self.cost_budget().is_some_and(|budget| budget.has_refused());
        match (error, last) {
            (AskError::Stopped | AskError::Ceiling, Some((code, message))) if is_spent => self
                .question_error(
                    code,
                    format!("{message}; --max-cost leaves nothing for another attempt"),
                    sent,
                ),
            (error, _) => error,
        }
    }

    fn run_error(&self, code: &str, message: &str) -> AskError {
        let place = self.channel.place(&self.identity.model);
        let message = self.channel.redact(match advice(code) {
            Some(advice) => format!("{place} {advice} ({message})"),
            None if code == "unknown_path" => {
                let usual = self.format.usual_address();
                format!("{place} has nothing at this address: check --base-url; {usual} ({message})")
            }
            None => format!("{place}: {message}"),
        });
        AskError::Run { code: code.to_owned(), message }
    }

    /// Waits for `delay`, unless the run stops first.
    async fn rest(&self, delay: Duration, stop: &CancellationToken) -> Result<(), AskError> {
        tokio::select! {
            () = stop.cancelled() => Err(AskError::Stopped),
            () = tokio::time::sleep(delay) => Ok(()),
        }
    }

    /// Notes whether an answer kept to the rail that it was `adapted` to; where none does, the next form is tried from now on.
    fn watch(&self, answer: &Answer, prompt: &Prompt, adapted: &AdaptationSet) {
        let form = rail(adapted);
        // What is on its way in an older form, or in a question's own, says nothing about the present one.
        if !is_forced(adapted) || rail(&self.adaptations.current()) != form {
            return;
        }
        if self.rail_compliance.note(form, sign(&answer.text, answer.stop, prompt)) {
            let next = next_rail(self.format.forms(), adapted).filter(|next| *next != Adaptation::TextRail);
            self.adaptations.adopt(next.unwrap_or(Adaptation::InstructedRail));
            self.disobeyed.store(true, Ordering::Relaxed);
            info!(
                model = self.identity.model,
                "the endpoint ignores the forced label: asking in another form"
            );
        }
    }

    /// Whether an answer was cut off by the default limit while the model was reasoning: then a larger limit may help.
    fn lacks_room(&self, exchange: &Exchange<'_>, answer: &Answer, adapted: &AdaptationSet) -> bool {
        let cut = answer.stop == Stop::Truncated && exchange.is_mere_thought(answer);
        cut && self.format.parameters().is_capped() && self.format.parameters().has_limit(adapted)
    }

    /// The error of a question; of the run, where all questions so far ended so.
    fn failed(&self, code: String, message: String, attempts: u32) -> AskError {
        self.all_the_same(&code, &message).unwrap_or_else(|| self.question_error(code, message, attempts))
    }

    /// The error of the run, where all that came so far is an error of this kind.
    fn all_the_same(&self, code: &str, message: &str) -> Option<AskError> {
        let times = self.uniform_failure.failed(code)?;
        let why = format!("the first {times} answers are all the same error, {code}: {message}");
        Some(self.run_error("same_error", &why))
    }

    /// The right to be the only request in flight, as long as it matters and is unknown how the endpoint bills.
    async fn alone(&self) -> Option<OwnedMutexGuard<()>> {
        match self.cost_budget() {
            Some(_) => self.billing.alone().await,
            None => None,
        }
    }

    /// Makes all requests wait as long as the endpoint asks, or longer and longer if it does not say.
    fn slow_down(
        &self,
        reservation: &QuotaReservation,
        wait: Option<Duration>,
        is_first: bool,
        message: &str,
    ) -> Result<(), AskError> {
        self.settings.limiter.refused(reservation, wait, fastrand::f64());
        let asked_s = wait.map(|wait| wait.as_secs_f64());
        info!(model = self.identity.model, asked_s, "rate limited");
        if let Some(asked) = wait.filter(|asked| *asked > self.settings.max_wait) {
            let why = format!("asks to wait {} s, more than --max-wait allows: {message}", asked.as_secs());
            return Err(self.run_error("quota_exhausted", &why));
        }
        // Who says until when is waited for.
        let starved = match wait.filter(|wait| !wait.is_zero()) {
            Some(told) => {
                self.starvation.waits(told);
                None
            }
            None => self.starvation.refused(is_first),
        };
        // What is on its way may still be answered, though not for ever.
        let patience = match self.settings.limiter.in_flight() {
            0 | 1 => self.settings.max_wait,
            _ => self.settings.max_wait.saturating_mul(2),
        };
        if let Some(starved) = starved.filter(|starved| *starved > patience) {
            let why = format!(
                "has refused every request for {} s, longer than --max-wait allows, and does not say until when; the quota of this key may be \
                 spent: {message}",
                starved.as_secs()
            );
            return Err(self.run_error("quota_exhausted", &why));
        }
        Ok(())
    }

    /// The answer; what answers cost that were of no use is added to `wasted`.
    async fn answer(
        &self,
        exchange: &Exchange<'_>,
        stop: &CancellationToken,
        wasted: &mut Option<Paid>,
    ) -> Result<Asked, AskError> {
        let limiter = &self.settings.limiter;
        let format = self.format.as_ref();
        let tokens = self.estimate(exchange);
        let (mut sent, mut failures, mut unreadable) = (0, 0, 0);
        let mut first_refused = None;
        // The place of a refused request that is sent again at once, in another form.
        let mut held: Option<Slot> = None;
        let mut alone = None;
        // Why the last attempt failed, while another one is due.
        let mut last: Option<(String, String)> = None;
        let mut probe = AdaptationProbe::new(exchange.plain(format));
        let adapt = |probe: &AdaptationProbe| exchange.bearing(probe.adapt(self.adaptations.current()));
        loop {
            let admit = async {
                // Who holds a place has been alone, or need not be.
                if held.is_none() {
                    alone = self.alone().await;
                }
                match held.take() {
                    Some(slot) => limiter.admit_again(tokens, slot).await,
                    None => limiter.admit(tokens).await,
                }
            };
            let Permit { slot, reservation } = tokio::select! {
                biased;
                () = stop.cancelled() => return Err(self.unfinished(AskError::Stopped, last, sent)),
                permit = admit => permit,
            };
            // Only now: others may have found something out while this one waited.
            let adapted = adapt(&probe);
            let body = exchange.body(format, &self.body_templates, &adapted);
            let money = tokio::select! {
                biased;
                () = stop.cancelled() => return Err(self.unfinished(AskError::Stopped, last, sent)),
                money = self.reserve(&body, sent) => money.map_err(|error| self.unfinished(error, last.take(), sent))?,
            };
            sent += 1;
            let attempt_began = Instant::now();
            let failure = match self.attempt(exchange, &adapted, body, money, &reservation).await {
                Ok((answer, cost_usd)) => {
                    limiter.succeeded(reservation, attempt_began.elapsed(), used(&answer.usage));
                    self.uniform_failure.answered();
                    self.starvation.ended();
                    let instead = match self.lacks_room(exchange, &answer, &adapted) {
                        true => Some(Adaptation::RoomToThink),
                        false => exchange.ignored_form(format, &answer, &adapted),
                    };
                    if instead.is_some_and(|instead| probe.refused(instead, &adapted)) {
                        let paid = Paid { usage: answer.usage, cost_usd, attempts: 0 };
                        *wasted = Paid::sum(*wasted, Some(paid));
                        held = Some(slot);
                        continue;
                    }
                    if let Exchange::Verdict(prompt) = exchange {
                        self.watch(&answer, prompt, &adapted);
                    }
                    // A filter may have been faster than whatever refuses the request.
                    if answer.stop != Stop::Filtered {
                        self.adaptations.learn(&probe, format.forms());
                        self.form_works.fetch_or(probe.proves_form(&adapted), Ordering::Relaxed);
                    }
                    let reply = Reply {
                        text: answer.text,
                        stop: answer.stop,
                        usage: answer.usage,
                        model: answer.model,
                        latency_ms: u64::try_from(attempt_began.elapsed().as_millis()).unwrap_or(u64::MAX),
                        attempts: sent,
                        probabilities: answer.probabilities,
                        cost_usd,
                        adapted: adapted.iter().map(|adaptation| adaptation.as_str().to_owned()).collect(),
                    };
                    let reply = match *wasted {
                        Some(wasted) => reply.in_place_of(wasted),
                        None => reply,
                    };
                    return Ok(Asked { reply, slot });
                }
                Err(failure) => failure,
            };
            if !matches!(failure, Failure::Throttled { .. }) {
                self.starvation.ended();
            }
            match failure {
                Failure::Run { code, message } => return Err(self.run_error(code, &message)),
                Failure::Stopped => return Err(AskError::Stopped),
                Failure::Question { code, message } => return Err(self.failed(code, message, sent)),
                // While this one was under way others found out more, so the old form may have been the cause.
                Failure::BadRequest { .. } if adapt(&probe) != adapted => {
                    held = Some(slot);
                }
                Failure::BadRequest { code, message } => {
                    if self.form_works.load(Ordering::Relaxed) {
                        return Err(self.failed(code, message, sent));
                    }
                    probe
                        .refused_without_reason(adapted, code, message)
                        .map_err(|(code, message)| self.failed(code, message, sent))?;
                    held = Some(slot);
                }
                Failure::Unsupported(adaptation, message) => {
                    if !probe.refused(adaptation, &adapted) {
                        return Err(self.failed("unsupported_parameter".to_owned(), message, sent));
                    }
                    if adaptation == Adaptation::WithoutMaxTokens && self.settings.cost_budget.is_some() {
                        return Err(self.run_error("no_ceiling", NO_CEILING));
                    }
                    held = Some(slot);
                }
                Failure::Throttled { message, wait } => {
                    self.slow_down(&reservation, wait, first_refused.is_none(), &message)?;
                    drop((slot, alone.take()));
                    let since = first_refused.get_or_insert_with(Instant::now).elapsed();
                    if since > self.settings.max_wait {
                        let why = format!("told to slow down for {} s: {message}", since.as_secs());
                        return Err(self.question_error("throttled".to_owned(), why, sent));
                    }
                }
                Failure::Passing { code, message, wait } => {
                    if is_overload(&code) {
                        // A wait that is too long for this run is this question's alone: others may be served elsewhere.
                        limiter.overloaded(&reservation, wait.filter(|wait| *wait <= self.settings.max_wait));
                    } else if is_silence(&code) {
                        limiter.lost(&reservation);
                    }
                    // While this question rests, its place and its share are another's.
                    drop((reservation, slot, alone.take()));
                    failures += 1;
                    if code == UNREADABLE {
                        // Each of them was paid for, so that each counts.
                        unreadable += 1;
                        if let Some(error) = self.all_the_same(&code, &message) {
                            return Err(error);
                        }
                    }
                    if failures >= self.settings.max_attempts || unreadable >= BOUGHT {
                        // Where nobody ever answered, nobody will.
                        if code == UNREACHABLE && !self.reached.load(Ordering::Relaxed) {
                            return Err(self.run_error(UNREACHABLE, &message));
                        }
                        if code != UNREADABLE
                            && let Some(error) = self.all_the_same(&code, &message)
                        {
                            return Err(error);
                        }
                        return Err(self.question_error(code, message, sent));
                    }
                    // Never earlier than asked: a question that would have to wait too long is left to the next run.
                    if let Some(asked) = wait.filter(|asked| *asked > self.settings.max_wait) {
                        let why = format!("asks to wait {} s: {message}", asked.as_secs());
                        return Err(self.question_error(code, why, sent));
                    }
                    let delay = retry::delay(failures, wait, fastrand::f64());
                    info!(model = self.identity.model, code, delay_s = delay.as_secs_f64(), "retry");
                    self.retried.fetch_add(1, Ordering::Relaxed);
                    last = Some((code, message));
                    self.rest(delay, stop)
                        .await
                        .map_err(|error| self.unfinished(error, last.take(), sent))?;
                }
            }
        }
    }
}

/// Tokens as the endpoint counted them, if it did.
fn used(usage: &Usage) -> Option<Cost> {
    match (usage.prompt_tokens, usage.completion_tokens) {
        (None, None) => None,
        (prompt, completion) => Some(Cost { input: prompt.unwrap_or(0), output: completion.unwrap_or(0) }),
    }
}

/// Whether a response with this status says that nothing was done, and so nothing is billed.
fn is_refusal(status: u16) -> bool {
    (300..500).contains(&status) && !matches!(status, 408 | 409 | 425 | 499)
}

fn never_sent(failure: &Failure) -> bool {
    matches!(failure, Failure::Passing { code, .. } if code == UNREACHABLE)
}
