//! A user's own agent behind a server: one object in, one object out.
//!
//! It is sent each request once: its failures are part of what is tested, not passing trouble of a provider.

use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};

use super::failure::{Failure, excerpt};
use super::transport::{Transport, UNREACHABLE};
use super::{Endpoint, SetupError};

/// Enough of what a server says about its failure.
const LONGEST_REASON: usize = 200;

/// How long a server that has said that it failed may take to say why.
const PATIENCE: Duration = Duration::from_secs(1);

/// An agent behind an address.
#[derive(Debug)]
pub(crate) struct AgentServer {
    transport: Transport,
    hidden: String,
}

/// Why a server gave no object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AgentServerError {
    /// There was no answer, so the cause is unknown.
    Unreachable(String),
    /// It answered with an error.
    Failed(String),
    /// It answered with what cannot be read.
    Unreadable(String),
}

impl AgentServer {
    /// One at `url`. Each request has a connection of its own: on one that is kept, a server that closes it just now could not be told
    /// from one that fails.
    ///
    /// # Errors
    /// If `url` is none.
    pub(crate) fn new(url: &str, timeout: Duration) -> Result<AgentServer, SetupError> {
        let endpoint = Endpoint::new(url, None)?;
        // The address is one: an endpoint was made of it.
        let hidden = reqwest::Url::parse(url.trim()).map_or_else(
            |_| url.to_owned(),
            |url| format!("{:?}", (url.username(), url.password(), url.query())),
        );
        let hidden = blake3::hash(hidden.as_bytes()).to_hex().to_string();
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let whole = endpoint.url_of("", &[]);
        let transport = Transport::new(endpoint, whole, headers, timeout, 0)?.impatient(PATIENCE);
        Ok(AgentServer { transport, hidden })
    }

    /// The address without user, password and query.
    pub(crate) fn public_url(&self) -> String {
        self.transport.endpoint().public_url()
    }

    /// A hash of the address's secret parts.
    pub(crate) fn hidden_part(&self) -> String {
        self.hidden.clone()
    }

    /// Whether the cases would cross a network in the clear.
    pub(crate) fn is_exposed(&self) -> bool {
        self.transport.endpoint().is_exposed()
    }

    /// What the server answers to an object.
    pub(crate) async fn post(&self, body: String) -> Result<String, AgentServerError> {
        let response = self.transport.post(body.into_bytes()).await.map_err(|failure| match failure {
            Failure::Passing { code, message, .. } if code == UNREACHABLE => {
                AgentServerError::Unreachable(message)
            }
            Failure::Run { message, .. } => AgentServerError::Unreachable(message),
            Failure::Stopped => AgentServerError::Unreachable("the run was stopped".to_owned()),
            Failure::Passing { message, .. } | Failure::Throttled { message, .. } => {
                AgentServerError::Failed(message)
            }
            Failure::Question { message, .. }
            | Failure::BadRequest { message, .. }
            | Failure::Unsupported(_, message) => AgentServerError::Unreadable(message),
        })?;
        let text = String::from_utf8(response.body);
        match (response.status, text) {
            (200..=299, Ok(text)) => Ok(text),
            (200..=299, Err(_)) => Err(AgentServerError::Unreadable("the response is not UTF-8".to_owned())),
            (status, text) => {
                let said = excerpt(&text.unwrap_or_default(), LONGEST_REASON);
                Err(AgentServerError::Failed(format!("HTTP status {status}: {said}")))
            }
        }
    }
}
