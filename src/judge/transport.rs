//! Sends requests: the one HTTP client, its timeouts, and the key that goes nowhere else.

use std::time::{Duration, SystemTime};

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Client, Url, redirect};
use secrecy::{ExposeSecret, SecretString};

use super::failure::{Failure, excerpt};
use super::wire::Response;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// A verdict is a few hundred bytes; whatever is larger than this is no verdict.
const LARGEST_BODY: usize = 8 << 20;

/// The code of a failure to connect at all.
pub(super) const UNREACHABLE: &str = "unreachable";

/// Where a judge lives, and what opens the door.
#[derive(Debug, Clone)]
pub struct Endpoint {
    url: Url,
    key: Option<SecretString>,
}

impl Endpoint {
    /// `base_url` as its provider documents it, such as `https://api.openai.com/v1`; user and password in it are used
    /// where there is no key.
    pub fn new(base_url: &str, key: Option<SecretString>) -> Result<Endpoint, String> {
        // The text may hold a password: errors do not repeat it.
        let mut url: Url = base_url.parse().map_err(|error| format!("no URL: {error}"))?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err("no http or https URL".to_owned());
        }
        if key.is_some() {
            // Both would travel in one header. Fails only for URLs that have neither.
            let _ = (url.set_username(""), url.set_password(None));
        }
        Ok(Endpoint { url, key })
    }

    /// The URL without user, password, query and fragment: fit for logs, fingerprints and manifests.
    pub fn public_url(&self) -> String {
        let mut url = self.url.clone();
        // Fails only for URLs that cannot have them.
        let _ = (url.set_username(""), url.set_password(None));
        url.set_query(None);
        url.set_fragment(None);
        url.as_str().trim_end_matches('/').to_owned()
    }

    fn at(&self, path: &str) -> Url {
        let mut url = self.url.clone();
        url.set_path(&format!("{}{path}", self.url.path().trim_end_matches('/')));
        url
    }
}

/// A client bound to one endpoint.
#[derive(Debug)]
pub(super) struct Transport {
    client: Client,
    url: Url,
    endpoint: Endpoint,
    timeout: Duration,
}

impl Transport {
    pub(super) fn new(
        endpoint: Endpoint,
        path: &str,
        timeout: Duration,
        connections: usize,
    ) -> Result<Transport, String> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(key) = &endpoint.key {
            let mut value = HeaderValue::from_str(&format!("Bearer {}", key.expose_secret()))
                .map_err(|_| "the API key holds characters that no header can carry".to_owned())?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        let client = Client::builder()
            .user_agent(concat!("tooljudge/", env!("CARGO_PKG_VERSION")))
            .default_headers(headers)
            .connect_timeout(CONNECT_TIMEOUT.min(timeout))
            .read_timeout(timeout)
            .timeout(timeout)
            .pool_max_idle_per_host(connections)
            // A redirect could carry rows and key to another host.
            .redirect(redirect::Policy::none())
            .build()
            .map_err(|error| format!("the HTTP client cannot be set up: {error}"))?;
        Ok(Transport { client, url: endpoint.at(path), endpoint, timeout })
    }

    pub(super) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    pub(super) async fn post(&self, body: String) -> Result<Response, Failure> {
        let sent = self.client.post(self.url.clone()).body(body).send().await;
        let mut response = sent.map_err(|error| self.failure(error))?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| self.failure(error))? {
            if body.len() + chunk.len() > LARGEST_BODY {
                return Err(Failure::Question {
                    code: "response_too_large".to_owned(),
                    message: format!("the response is larger than {} MB", LARGEST_BODY >> 20),
                });
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Response { status, headers, body, received: SystemTime::now() })
    }

    /// `message` without the key, should an endpoint echo it.
    pub(super) fn redact(&self, message: String) -> String {
        match &self.endpoint.key {
            Some(key) if !key.expose_secret().is_empty() => message.replace(key.expose_secret(), "[key]"),
            _ => message,
        }
    }

    fn failure(&self, error: reqwest::Error) -> Failure {
        let code = if error.is_timeout() {
            "timeout"
        } else if error.is_connect() {
            UNREACHABLE
        } else {
            "connection_lost"
        };
        let message = if error.is_timeout() && !error.is_connect() {
            format!("no whole answer within {} s", self.timeout.as_secs_f64())
        } else {
            // The URL may hold credentials; the innermost cause is what a reader can act on.
            let error = error.without_url();
            let mut cause: &dyn std::error::Error = &error;
            while let Some(inner) = cause.source() {
                cause = inner;
            }
            excerpt(&cause.to_string(), 200)
        };
        Failure::Passing { code: code.to_owned(), message, wait: None }
    }
}
