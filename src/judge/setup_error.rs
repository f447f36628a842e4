//! Why a judge cannot be set up, and what to do about it.

use std::path::PathBuf;

use super::Provider;
use crate::domain::did_you_mean;

/// A judge that cannot be set up. No message shows an address, a key or a header: they may hold secrets.
///
/// `path` is a file, and `why` the cause.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "fields are explained once for all variants")]
pub enum SetupError {
    /// A provider whose address is everybody's own, and none given.
    #[error("{0} has no default address: give yours with --base-url URL, or in tooljudge.toml")]
    NoAddress(Provider),
    /// An address that is not a URL.
    #[error("no URL: {0}")]
    Address(String),
    /// A URL of another kind.
    #[error("no http or https URL; an address looks like http://localhost:8000/v1")]
    Scheme,
    /// A header whose name is none.
    #[error("`{0}` is not a valid header name")]
    HeaderName(String),
    /// A header whose value cannot be sent.
    #[error("the header {0} has a value that is not valid in a header")]
    HeaderValue(String),
    /// A key that cannot be sent.
    #[error("the API key holds characters that are not valid in a header")]
    Key,
    /// A proxy's address that is not a URL.
    #[error("no URL of a proxy{0}")]
    Proxy(String),
    /// A file of certificates that cannot be read.
    #[error("ca_cert: cannot read {}: {why}", path.display())]
    CaCertFile { path: PathBuf, why: String },
    /// A file without certificates.
    #[error("ca_cert: {}: {why}", path.display())]
    CaCert { path: PathBuf, why: Box<SetupError> },
    /// Bytes that are not certificates.
    #[error("no certificates in PEM form: {0}")]
    Certificates(String),
    /// Bytes without a certificate.
    #[error("no certificate in PEM form")]
    NoCertificate,
    /// The HTTP client refuses its settings.
    #[error("the HTTP client cannot be set up: {0}")]
    Client(String),
    /// A cost ceiling without a price.
    #[error(
        "a cost limit needs the price of {0}: add it to tooljudge.toml (`price` in the judge's entry, or [prices]), or leave out \
         --max-cost"
    )]
    NoPrice(String),
    /// A cost ceiling without a price, at another address than the provider's own.
    #[error(
        "a cost limit needs the price of {0} at this address, for its list price holds at the provider's own only: add it to tooljudge.toml \
         (`price` in the judge's entry, or [prices]), or leave out --max-cost"
    )]
    NoPriceHere(String),
    /// A cost ceiling for a function.
    #[error("what the function {0} costs is not known, so that no cost limit can hold: leave out --max-cost")]
    FunctionCost(String),
    /// A function where an agent is wanted.
    #[error(
        "the function {0} judges prompts and takes no part in dialogues: choose a model behind an endpoint, such as \
         openai:gpt-5-mini"
    )]
    FunctionTurns(String),
    /// A cost ceiling without a limit on answers.
    #[error("a cost limit needs the maximum length of an answer: give --max-tokens N")]
    NoMaxTokens,
    /// A cost ceiling for a model whose answers cannot be limited.
    #[error("{0} {why}", why = super::settings::NO_CEILING)]
    NoCeiling(String),
    /// A cost ceiling beside a body field that raises the cost.
    #[error(
        "the body field `{field}` of {model} makes a cost limit impossible: remove the field or --max-cost"
    )]
    DearerField { field: String, model: String },
}

impl SetupError {
    /// Whether it is about a cost limit that cannot be kept, rather than a judge that cannot be used.
    #[cfg(feature = "cli")]
    pub(crate) fn is_of_cost_limit(&self) -> bool {
        use SetupError::{DearerField, FunctionCost, NoCeiling, NoMaxTokens, NoPrice, NoPriceHere};
        matches!(
            self,
            NoPrice(_) | NoPriceHere(_) | FunctionCost(_) | NoMaxTokens | NoCeiling(_) | DearerField { .. }
        )
    }
}

/// A name that is not a provider's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a provider: use {providers}{near}",
    providers = Provider::ALL.map(Provider::as_str).join(", "),
    near = did_you_mean(.0, Provider::ALL.map(Provider::as_str))
)]
pub struct UnknownProvider(pub String);
