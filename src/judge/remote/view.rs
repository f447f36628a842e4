//! What other code can ask about a remote judge: its identity, its expected usage, its state.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::Remote;
use crate::domain::{Dialogue, Prompt, Turn, Usage};
use crate::judge::adaptation::rail;
use crate::judge::exchange::Exchange;
use crate::judge::limiter::{Cost, Limiter};
use crate::judge::{
    Activity, Adaptation, AskError, Asked, CostBudget, Identity, Parameters, Price, SetupError,
};

impl Remote {
    /// What its replies and adaptations are kept under.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// How long it has refused every request as too fast, if it does.
    pub(crate) fn starved(&self) -> Option<Duration> {
        self.starvation.lasts()
    }

    /// The longest wait that is accepted.
    pub(crate) fn max_wait(&self) -> Duration {
        self.settings.max_wait
    }

    /// In words, what it bills beyond what was thought possible.
    pub(crate) fn excess(&self) -> Option<String> {
        let place = self.channel.place(&self.identity.model);
        self.billing.excess().map(|excess| format!("{place} {excess}"))
    }

    /// Its name and address, for messages.
    pub(crate) fn place(&self) -> String {
        self.channel.place(&self.identity.model)
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
            self.starvation.waits(self.settings.limiter.pause(pause));
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

    /// The parameters requested.
    pub(crate) fn parameters(&self) -> &Parameters {
        self.format.parameters()
    }

    /// The most requests that can ever be in flight.
    pub(crate) fn most_in_flight(&self) -> usize {
        self.settings.limiter.most_in_flight()
    }

    /// What it may spend, if there is a ceiling.
    pub(crate) fn cost_budget(&self) -> Option<&Arc<CostBudget>> {
        self.settings.cost_budget.as_ref()
    }

    /// The most that a request of so many bytes can cost, in US dollars; absent where no price is known or none holds.
    pub(crate) fn worst_cost(&self, bytes: usize) -> Option<f64> {
        self.price()?.worst(bytes, self.max_tokens.unwrap_or(u32::MAX), self.billing.overrun())
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
}
