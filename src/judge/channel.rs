//! How questions reach a judge: over HTTP, or by calling a function.

use super::failure::Failure;
use super::function::Function;
use super::provider_format::Response;
use super::transport::Transport;

/// The way to one judge.
pub(super) enum Channel {
    Http(Box<Transport>),
    Function(Function),
}

impl Channel {
    pub(super) async fn post(&self, body: Vec<u8>) -> Result<Response, Failure> {
        match self {
            Channel::Http(transport) => transport.post(body).await,
            Channel::Function(function) => function.call(&body).await,
        }
    }

    /// `message` without the secrets of this judge.
    pub(super) fn redact(&self, message: String) -> String {
        match self {
            Channel::Http(transport) => transport.redact(message),
            Channel::Function(_) => message,
        }
    }

    /// `model`, and where it is, for messages.
    pub(super) fn place(&self, model: &str) -> String {
        match self {
            Channel::Http(transport) => format!("{model} at {}", transport.endpoint().public_url()),
            Channel::Function(_) => format!("the function {model}"),
        }
    }
}
