//! The HTTP client: sends requests, applies timeouts, classifies failures.

use std::io;
use std::time::{Duration, Instant, SystemTime};

use reqwest::header::HeaderMap;
use reqwest::{Client, Url, redirect};
use tokio::time::timeout_at;
use tracing::debug;

use super::failure::{Failure, excerpt};
use super::provider_format::Response;
use super::redact::Redactor;
use super::{Endpoint, SetupError, trust};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// A verdict has a few hundred bytes; anything larger than this is not one.
const LARGEST_BODY: usize = 8 << 20;

/// Enough of what a server says of an error for whoever is impatient.
const LONGEST_REASON: usize = 64 << 10;

/// The code of a failure to connect at all.
pub(super) const UNREACHABLE: &str = "unreachable";
const TIMEOUT: &str = "timeout";
const LOST: &str = "connection_lost";

/// Whether a failure of this code means that nothing came back.
pub(super) fn is_silence(code: &str) -> bool {
    [UNREACHABLE, TIMEOUT, LOST].contains(&code)
}

/// A client bound to one endpoint.
#[derive(Debug)]
pub(super) struct Transport {
    client: Client,
    url: Url,
    endpoint: Endpoint,
    redactor: Redactor,
    timeout: Duration,
    /// How long to wait for the rest of a response that is an error.
    patience: Option<Duration>,
}

impl Transport {
    /// `headers` go with every request to `url`; so many idle `connections` are kept for the next.
    pub(super) fn new(
        endpoint: Endpoint,
        url: Url,
        headers: HeaderMap,
        timeout: Duration,
        connections: usize,
    ) -> Result<Transport, SetupError> {
        // Which library encrypts is one setting of a process; whoever has chosen one keeps it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut client = Client::builder()
            .user_agent(concat!("tooljudge/", env!("CARGO_PKG_VERSION")))
            .default_headers(headers)
            .connect_timeout(CONNECT_TIMEOUT.min(timeout))
            .read_timeout(timeout)
            .timeout(timeout)
            .pool_max_idle_per_host(connections)
            // A redirect could carry rows and key to another host.
            .redirect(redirect::Policy::none());
        // To read the system's certificates takes longer than a question and its answer.
        let is_bare = endpoint.proxy().is_none() && endpoint.is_here() && url.scheme() == "http";
        if is_bare {
            client = client.tls_certs_only([]);
        } else if let Some(config) = trust::config(endpoint.ca_certificates()).map_err(SetupError::Client)? {
            client = client.tls_backend_preconfigured(config);
        }
        if let Some(proxy) = endpoint.proxy() {
            client = client.proxy(proxy.clone());
        } else if endpoint.is_here() {
            // The system's proxy could not reach it, and has no business with it.
            client = client.no_proxy();
        }
        let client = client.build().map_err(|error| SetupError::Client(error.to_string()))?;
        let redactor = endpoint.redactor();
        Ok(Transport { client, url, endpoint, redactor, timeout, patience: None })
    }

    /// The same that waits so long at most for what a server says of an error.
    pub(super) fn impatient(self, patience: Duration) -> Transport {
        Transport { patience: Some(patience), ..self }
    }

    pub(super) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    pub(super) async fn post(&self, body: Vec<u8>) -> Result<Response, Failure> {
        let (began, bytes) = (Instant::now(), body.len());
        let outcome = self.exchange(body).await;
        let ms = began.elapsed().as_millis();
        let endpoint = self.endpoint.public_url();
        match &outcome {
            Ok(response) => debug!(%endpoint, bytes, status = response.status, ms, "answered"),
            Err(failure) => debug!(%endpoint, bytes, ms, ?failure, "not answered"),
        }
        outcome
    }

    async fn exchange(&self, body: Vec<u8>) -> Result<Response, Failure> {
        let sent = self.client.post(self.url.clone()).body(body).send().await;
        let mut response = sent.map_err(|error| self.failure(error))?;
        let (status, headers) = (response.status().as_u16(), std::mem::take(response.headers_mut()));
        let mut body = Vec::new();
        let patience = self.patience.filter(|_| status >= 400);
        let until = patience.map(|patience| tokio::time::Instant::now() + patience);
        loop {
            let chunk = match until {
                None => response.chunk().await.map_err(|error| self.failure(error))?,
                // That it failed is known, whatever else comes.
                Some(until) => match timeout_at(until, response.chunk()).await {
                    Ok(Ok(chunk)) if body.len() <= LONGEST_REASON => chunk,
                    _ => None,
                },
            };
            let Some(chunk) = chunk else { break };
            if body.len() + chunk.len() > LARGEST_BODY {
                return Err(Failure::Question {
                    code: "response_too_large".to_owned(),
                    message: format!("the response is larger than {} MB", LARGEST_BODY >> 20),
                });
            }
            body.extend_from_slice(&chunk);
        }
        // Whatever is kept of it later, and wherever it is cut.
        let body = self.redactor.apply(body);
        Ok(Response { status, headers, body, received: SystemTime::now() })
    }

    /// `message` without secrets, should an endpoint echo them.
    pub(super) fn redact(&self, message: String) -> String {
        self.endpoint.redact(message)
    }

    fn failure(&self, error: reqwest::Error) -> Failure {
        if error.is_timeout() && !error.is_connect() {
            let message = format!("no whole answer within {} s", self.timeout.as_secs_f64());
            return Failure::Passing { code: TIMEOUT.to_owned(), message, wait: None };
        }
        let code = if error.is_timeout() {
            TIMEOUT
        } else if error.is_connect() {
            UNREACHABLE
        } else {
            LOST
        };
        // The URL may hold credentials; the innermost cause is what a reader can act on.
        let error = error.without_url();
        let mut cause: &dyn std::error::Error = &error;
        let mut distrusted = false;
        while let Some(inner) = cause.source() {
            cause = inner;
            distrusted |= cause.downcast_ref::<io::Error>().is_some_and(is_invalid_data);
        }
        let mut message = excerpt(&cause.to_string(), 200);
        if let Some(proxy) = self.endpoint.way().filter(|_| code == UNREACHABLE || code == TIMEOUT) {
            message.push_str(&format!(", by way of the proxy {proxy}"));
        }
        if message.contains("proxy authorization required") {
            return Failure::Run { code: "proxy_authorization", message };
        }
        if distrusted && code == UNREACHABLE {
            let host = self.endpoint.host();
            let message = format!(
                "the TLS connection to {host} failed: {message}; a certificate authority of your own, or the certificate that \
                 the server has made for itself, can be given as `ca_cert` in tooljudge.toml"
            );
            return Failure::Run { code: "tls", message };
        }
        Failure::Passing { code: code.to_owned(), message, wait: None }
    }
}

/// What the TLS library refuses comes as invalid data, in as many wrappings as there are layers. Certificates do not heal
/// with time.
fn is_invalid_data(error: &io::Error) -> bool {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<io::Error>());
    error.kind() == io::ErrorKind::InvalidData || inner.is_some_and(is_invalid_data)
}
