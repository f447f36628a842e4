//! Sends prompts to judge models and returns their replies.
//!
//! The providers' formats (`formats`) are pure functions from prompt to request and from response to answer, and `problem` says
//! what an error response means. One transport sends all requests, except those to a `function` of this process. The limiter
//! decides how long a request waits for the rate limits, `retry` how long it waits after a failure, and the cost budget whether
//! there is money left for it. We learn what an endpoint does not support from its refusals (`adaptation`, `adaptation_probe`),
//! never from a model's name.

mod adaptation;
mod adaptation_probe;
mod agent_server;
mod billing;
mod body_hints;
mod body_repair;
mod body_template;
mod channel;
mod cost_budget;
mod endpoint;
mod exchange;
mod failure;
mod formats;
mod function;
mod hints;
#[cfg(any(test, feature = "laws"))]
pub(crate) mod laws;
mod limiter;
mod logprobs;
mod parameters;
mod price;
mod problem;
mod provider;
mod provider_format;
mod rail_compliance;
mod redact;
mod remote;
mod retry;
mod route;
mod settings;
mod setup_error;
mod starvation;
mod target;
mod transport;
mod trust;
mod turn_format;
mod uniform_failure;

pub use adaptation::Adaptation;
pub(crate) use agent_server::{AgentServer, AgentServerError};
pub use cost_budget::CostBudget;
pub(crate) use cost_budget::Purse;
pub use endpoint::Endpoint;
pub use function::{Function, FunctionCall, FunctionError};
pub(crate) use limiter::Errand;
pub use limiter::{Concurrency, LimitedBy, Limiter, Limits, Slot, Stated, UnknownConcurrency};
pub use parameters::Parameters;
pub use price::Price;
pub use provider::Provider;
pub(crate) use rail_compliance::ENOUGH as ANSWERS_TO_TELL;
pub(crate) use redact::Redactor;
pub use remote::Remote;
pub use settings::Settings;
pub use setup_error::{SetupError, UnknownProvider};
pub use target::{Target, connect, connect_function};

use crate::domain::{Paid, Reply};

/// What makes two judges give interchangeable replies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Without credentials and query.
    pub endpoint: String,
    /// The requested model, in the provider's spelling.
    pub model: String,
    /// The parameters *requested*, as JSON. May hold secrets of gateways: for fingerprints only.
    pub parameters: String,
    /// A hash of the headers and query pairs that may choose who answers; absent where there are none.
    pub route: Option<String>,
}

impl Identity {
    /// The endpoint as replies are kept under it: with the route behind it, where there is one.
    pub fn stored_endpoint(&self) -> String {
        match &self.route {
            None => self.endpoint.clone(),
            Some(route) => format!("{}#route:{route}", self.endpoint),
        }
    }
}

/// A reply, and the place in flight it still holds: to be dropped once the reply is safe.
#[derive(Debug)]
pub struct Asked {
    /// The answer.
    pub reply: Reply,
    /// Its place in flight.
    pub slot: Slot,
}

/// Why there is no reply.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AskError {
    /// This question has no answer; the next one may.
    #[error("{code}: {message}")]
    Question {
        /// The failure's short name, such as `http_404`.
        code: String,
        /// What happened, in words.
        message: String,
        /// Requests that were sent for it.
        attempts: u32,
    },
    /// No question will have an answer: the run is pointless.
    #[error("{message}")]
    Run {
        /// The failure's short name, such as `refused_parameter`.
        code: String,
        /// What happened, and what to do about it.
        message: String,
    },
    /// The cost ceiling leaves no room for this question.
    #[error("the cost ceiling is reached")]
    Ceiling,
    /// The run was stopped before an answer came.
    #[error("stopped")]
    Stopped,
    /// One of the others, after answers that were paid for and of no use.
    #[error("{error}")]
    AfterAnswers {
        /// What the useless answers cost.
        paid: Paid,
        /// The error that followed them.
        error: Box<AskError>,
    },
}

impl AskError {
    /// The error itself, and what was paid before it.
    pub(crate) fn apart(self) -> (AskError, Option<Paid>) {
        match self {
            AskError::AfterAnswers { paid, error } => (*error, Some(paid)),
            error => (error, None),
        }
    }
}

/// A glance at a judge at work.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Activity {
    /// Requests that wait for an answer.
    pub in_flight: usize,
    /// Times the endpoint said that we are too fast.
    pub throttled: u64,
    /// Requests that failed and were sent again.
    pub retried: u64,
    /// What keeps requests waiting, where something does.
    pub limited_by: Option<LimitedBy>,
}

impl Activity {
    /// What two judges do together.
    pub(crate) fn plus(self, other: Activity) -> Activity {
        Activity {
            in_flight: self.in_flight + other.in_flight,
            throttled: self.throttled + other.throttled,
            retried: self.retried + other.retried,
            limited_by: self.limited_by.or(other.limited_by),
        }
    }
}
