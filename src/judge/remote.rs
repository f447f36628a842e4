//! A judge behind an endpoint: asks, waits, tries again, adapts.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::info;

use super::adaptation::{AdaptationSet, Adaptations, is_forced, next_rail, rail};
use super::adaptation_probe::AdaptationProbe;
use super::body_template::BodyTemplates;
use super::channel::Channel;
use super::cost_budget::{CostBudget, CostReservation};
use super::exchange::Exchange;
use super::failure::{Failure, advice};
use super::limiter::{Cost, Limiter, Permit, QuotaReservation, Slot};
use super::provider_format::{Answer, ProviderFormat};
use super::rail_compliance::{RailCompliance, sign};
use super::settings::{NO_CEILING, Settings};
use super::transport::{UNREACHABLE, is_silence};
use super::uniform_failure::UniformFailure;
use super::{Activity, Adaptation, AskError, Asked, Identity, Parameters, Price, SetupError, hints, retry};
use crate::domain::{Dialogue, Paid, Prompt, Reply, Stop, Turn, Usage};

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
    /// Whether the endpoint has ever responded, be it with an error.
    reached: AtomicBool,
    retried: AtomicU64,
    /// The longest answer asked for, in tokens.
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
            reached: AtomicBool::new(false),
            retried: AtomicU64::new(0),
            max_tokens,
        })
    }

    /// The parameters requested.
    pub(crate) fn parameters(&self) -> &Parameters {
        self.format.parameters()
    }

    /// The most requests that can ever be in flight.
    pub(crate) fn most_in_flight(&self) -> usize {
        self.settings.limiter.most_in_flight()
    }

    /// What it may spend, if there is a ceiling.
    pub(crate) fn cost_budget(&self) -> Option<&std::sync::Arc<CostBudget>> {
        self.settings.cost_budget.as_ref()
    }

    /// Tokens that asking `prompt` once will take, about; real usage corrects it.
    pub(crate) fn expected_usage(&self, prompt: &Prompt) -> Usage {
        self.expected(&Exchange::Verdict(prompt))
    }

    /// Tokens that the next reply of `dialogue` will take, likewise. `None` where no dialogues are taken.
    pub fn expected_turn_usage(&self, dialogue: &Dialogue) -> Option<Usage> {
        self.format.turns().map(|turns| self.expected(&Exchange::Turn(dialogue, turns)))
    }

    fn expected(&self, exchange: &Exchange<'_>) -> Usage {
        let Cost { input, output } = self.estimate(exchange);
        // A limit on answers is not their usual length.
        Usage {
            prompt_tokens: Some(input),
            cached_tokens: None,
            completion_tokens: Some(output.min(exchange.usual_answer().into())),
        }
    }

    /// What tokens cost here, in US dollars each million; absent where no price is known.
    pub(crate) fn price(&self) -> Option<Price> {
        self.settings.price
    }

    fn estimate(&self, exchange: &Exchange<'_>) -> Cost {
        let answer = self.max_tokens.unwrap_or(exchange.usual_answer());
        Cost { input: exchange.tokens(), output: answer.into() }
    }

    /// Sets aside the worst that sending `body` can cost, where there is a ceiling.
    async fn reserve(&self, body: &[u8], attempts: u32) -> Result<Option<CostReservation>, AskError> {
        let Some((price, cost_budget)) = self.settings.price.zip(self.cost_budget()) else { return Ok(None) };
        let Some(worst) = price.worst(body.len(), self.max_tokens.unwrap_or(u32::MAX)) else {
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

    /// Whether an answer was cut off while the model thought, by a limit that nobody gave: then more room may do.
    fn lacks_room(&self, exchange: &Exchange<'_>, answer: &Answer, adapted: &AdaptationSet) -> bool {
        let cut = answer.stop == Stop::Truncated && exchange.is_mere_thought(answer);
        cut && self.format.parameters().is_capped() && self.format.parameters().has_limit(adapted)
    }

    /// The error of a question; of the run, where all questions so far ended so.
    fn failed(&self, code: String, message: String, attempts: u32) -> AskError {
        match self.uniform_failure.failed(&code) {
            Some(times) => {
                let why = format!("the first {times} answers are all the same error, {code}: {message}");
                self.run_error("same_error", &why)
            }
            None => self.question_error(code, message, attempts),
        }
    }

    /// Makes everyone wait for as long as the endpoint asks, or for longer and longer where it does not say.
    fn slow_down(
        &self,
        reservation: &QuotaReservation,
        wait: Option<Duration>,
        message: &str,
    ) -> Result<(), AskError> {
        self.settings.limiter.refused(reservation, wait, fastrand::f64());
        let asked_s = wait.map(|wait| wait.as_secs_f64());
        info!(model = self.identity.model, asked_s, "rate limited");
        if let Some(asked) = wait.filter(|asked| *asked > self.settings.max_wait) {
            let why = format!("asks to wait {} s, more than --max-wait allows: {message}", asked.as_secs());
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
        let (mut sent, mut failures, mut first_refused) = (0, 0, None);
        // The place of a refused request that is sent again at once, in another form.
        let mut held: Option<Slot> = None;
        let mut probe = AdaptationProbe::new(exchange.plain(format));
        let adapt = |probe: &AdaptationProbe| exchange.bearing(probe.adapt(self.adaptations.current()));
        loop {
            let admit = async {
                match held.take() {
                    Some(slot) => limiter.admit_again(tokens, slot).await,
                    None => limiter.admit(tokens).await,
                }
            };
            let Permit { slot, reservation } = tokio::select! {
                biased;
                () = stop.cancelled() => return Err(AskError::Stopped),
                permit = admit => permit,
            };
            // Only now: others may have found something out while this one waited.
            let adapted = adapt(&probe);
            let body = exchange.body(format, &self.body_templates, &adapted);
            let money = tokio::select! {
                biased;
                () = stop.cancelled() => return Err(AskError::Stopped),
                money = self.reserve(&body, sent) => money?,
            };
            sent += 1;
            let attempt_began = Instant::now();
            let failure = match self.attempt(exchange, &adapted, body, money, &reservation).await {
                Ok((answer, cost_usd)) => {
                    limiter.succeeded(reservation, attempt_began.elapsed(), used(&answer.usage));
                    self.uniform_failure.answered();
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
                    self.slow_down(&reservation, wait, &message)?;
                    drop(slot);
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
                    drop((reservation, slot));
                    failures += 1;
                    if failures >= self.settings.max_attempts {
                        // Where nobody ever answered, nobody will.
                        if code == UNREACHABLE && !self.reached.load(Ordering::Relaxed) {
                            return Err(self.run_error(UNREACHABLE, &message));
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
                    self.rest(delay, stop).await?;
                }
            }
        }
    }
}

impl Remote {
    /// What its replies and adaptations are kept under.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Tells that the endpoint has answered questions of this run before, so that it does not refuse all of them.
    pub(crate) fn answered_before(&self) {
        self.uniform_failure.answered();
    }

    /// Asks until there is a reply, the attempts are used up, or `stop` is cancelled; a request that is under way when
    /// that happens is still waited for.
    ///
    /// # Errors
    /// [`AskError::Question`] if this question has no answer, [`AskError::Run`] if none will have one.
    pub async fn ask(&self, prompt: &Prompt, stop: &CancellationToken) -> Result<Asked, AskError> {
        self.exchange(&Exchange::Verdict(prompt), stop).await
    }

    /// Whether dialogues are taken.
    ///
    /// # Errors
    /// When this is a function of this process: it takes prompts only.
    pub fn takes_turns(&self) -> Result<(), SetupError> {
        match self.format.turns() {
            Some(_) => Ok(()),
            None => Err(SetupError::FunctionTurns(self.identity.model.clone())),
        }
    }

    /// Asks for the next reply of `dialogue`, as [`Remote::ask`] does for a verdict. The reply's text is its message, which
    /// [`Remote::turn`] reads, and which goes back in [`Entry::Reply`](crate::domain::Entry::Reply).
    ///
    /// # Errors
    /// As [`Remote::ask`]; [`AskError::Run`] where [`Remote::takes_turns`] fails.
    pub async fn reply(&self, dialogue: &Dialogue, stop: &CancellationToken) -> Result<Asked, AskError> {
        match self.format.turns() {
            Some(turns) => self.exchange(&Exchange::Turn(dialogue, turns), stop).await,
            None => {
                let message = SetupError::FunctionTurns(self.identity.model.clone()).to_string();
                Err(AskError::Run { code: "no_turns".to_owned(), message })
            }
        }
    }

    /// What the message of a reply says; `None` for a text that is not one. A reply that a filter held back has no message, and
    /// says nothing.
    pub fn turn(&self, message: &str) -> Option<Turn> {
        let turns = self.format.turns()?;
        if message.is_empty() { Some(Turn::default()) } else { turns.turn(message) }
    }

    async fn exchange(&self, exchange: &Exchange<'_>, stop: &CancellationToken) -> Result<Asked, AskError> {
        let mut wasted = None;
        self.answer(exchange, stop, &mut wasted).await.map_err(|error| match wasted {
            Some(paid) => AskError::AfterAnswers { paid, error: Box::new(error) },
            None => error,
        })
    }

    /// What this judge found out about its endpoint, or was told of.
    pub(crate) fn adaptations(&self) -> Vec<Adaptation> {
        self.adaptations.current().into_iter().collect()
    }

    /// The form of rail that it turned to because its endpoint ignored an earlier one. What was answered in an earlier form
    /// may be worth asking again.
    pub(crate) fn fallback(&self) -> Option<Adaptation> {
        self.disobeyed.load(Ordering::Relaxed).then(|| rail(&self.adaptations.current())).flatten()
    }

    /// What counts the requests and tokens of its endpoint and model.
    pub(crate) fn limiter(&self) -> &Limiter {
        &self.settings.limiter
    }

    /// Another run was told to leave the endpoint alone for so long; whoever waits less finds out on its own.
    pub(crate) fn pause(&self, pause: Duration) {
        if !pause.is_zero() && pause <= self.settings.max_wait {
            self.settings.limiter.pause(pause);
        }
    }

    /// What is going on right now, for the progress display.
    pub fn activity(&self) -> Activity {
        Activity {
            in_flight: self.settings.limiter.in_flight(),
            throttled: self.settings.limiter.throttled(),
            retried: self.retried.load(Ordering::Relaxed),
            limited_by: self.settings.limiter.limited_by(),
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

fn is_overload(code: &str) -> bool {
    matches!(code, "http_503" | "http_529")
}
