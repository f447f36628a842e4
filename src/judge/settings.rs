//! Limits of a judge: rates, cost, retries and timeouts.

use std::sync::Arc;
use std::time::Duration;

use super::{Adaptation, CostBudget, Limiter, Limits, Parameters, Price, SetupError};

/// What a judge may use and spend, and how patient it is.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Shared by all judges that ask this model at this endpoint.
    pub limiter: Arc<Limiter>,
    /// What its tokens cost, where that is known.
    pub price: Option<Price>,
    /// What may be spent, shared by all judges of a run; no ceiling where there is none.
    pub cost_budget: Option<Arc<CostBudget>>,
    /// For one attempt, from connecting to the last byte.
    pub timeout: Duration,
    /// Attempts for one question; a 429 is not an attempt.
    pub max_attempts: u32,
    /// The longest wait that an endpoint may ask for; beyond it the quota is taken to be gone.
    pub max_wait: Duration,
}

impl Default for Settings {
    /// Only limits that the endpoint states, no cost limit, no price; two minutes for an attempt, six attempts, waits of up to
    /// ten minutes.
    fn default() -> Settings {
        Settings {
            limiter: Limiter::new(Limits::default()),
            price: None,
            cost_budget: None,
            timeout: Duration::from_secs(120),
            max_attempts: 6,
            max_wait: Duration::from_secs(600),
        }
    }
}

pub(super) const NO_CEILING: &str = "takes no limit on the length of answers, so that a cost ceiling cannot hold: leave out \
                                     --max-cost, or choose another model";

/// Fields of request bodies that decide how much is answered, or at what price.
const DEARER: &[&str] = &[
    "max_tokens",
    "max_completion_tokens",
    "max_output_tokens",
    "maxOutputTokens",
    "num_predict",
    "n_predict",
    "n",
    "best_of",
    "candidateCount",
    "service_tier",
    "tools",
    "web_search_options",
];

impl Settings {
    /// Fails, and says what to do, where there is a cost ceiling that could be broken.
    pub(super) fn can_hold_ceiling(
        &self,
        model: &str,
        parameters: &Parameters,
        known: &[Adaptation],
    ) -> Result<(), SetupError> {
        if self.cost_budget.is_none() {
            return Ok(());
        }
        if self.price.is_none() {
            let model = model.to_owned();
            return Err(match Price::is_listed_for_some(&model) {
                true => SetupError::NoPriceHere(model),
                false => SetupError::NoPrice(model),
            });
        }
        if parameters.max_tokens.is_none() {
            return Err(SetupError::NoMaxTokens);
        }
        if known.contains(&Adaptation::WithoutMaxTokens) {
            return Err(SetupError::NoCeiling(model.to_owned()));
        }
        if let Some(field) = parameters.own_names().into_iter().find(|name| DEARER.contains(name)) {
            return Err(SetupError::DearerField { field: field.to_owned(), model: model.to_owned() });
        }
        Ok(())
    }
}
