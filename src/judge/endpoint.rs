//! A judge's endpoint: address, key and proxy.

use std::collections::BTreeMap;
use std::fmt;
use std::net::IpAddr;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use percent_encoding::percent_decode_str;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Proxy, Url};
use rustls::pki_types::CertificateDer;
use secrecy::{ExposeSecret, SecretString};

use super::redact::{REDACTED, Redactor};
use super::route::route;
use super::{Provider, SetupError, trust};

/// Shorter header and query values do not count as secrets, and could not be recognized in a message.
const SHORTEST_SECRET: usize = 6;

/// An endpoint. Keys, header values and query values are secrets: no log, error, store or manifest shows them.
#[derive(Clone)]
pub struct Endpoint {
    url: Url,
    key: Option<SecretString>,
    headers: Vec<(HeaderName, SecretString)>,
    query: Vec<(String, SecretString)>,
    proxy: Option<Proxy>,
    /// The proxy without user and password.
    public_proxy: Option<String>,
    /// The one that the system's settings name, likewise.
    system_proxy: Option<String>,
    /// Whether the proxy is another host.
    proxied: bool,
    ca_certificates: Vec<CertificateDer<'static>>,
    /// Whatever must not be shown.
    secrets: Vec<SecretString>,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("url", &self.public_url()).finish_non_exhaustive()
    }
}

impl Endpoint {
    /// `base_url` as its provider documents it, such as `https://api.openai.com/v1`; user and password in it are used
    /// where there is no key.
    pub fn new(base_url: &str, key: Option<SecretString>) -> Result<Endpoint, SetupError> {
        // The text may hold a password: errors do not repeat it.
        let mut url: Url = base_url.parse().map_err(|error| SetupError::Address(format!("{error}")))?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(SetupError::Scheme);
        }
        let mut secrets: Vec<SecretString> = key.iter().cloned().collect();
        secrets.extend(credentials(&url).map(SecretString::from));
        secrets.extend(
            url.query_pairs().filter(|(_, value)| hides(value)).map(|(_, value)| SecretString::from(&*value)),
        );
        if key.is_some() {
            // Both would travel in one header. Fails only for URLs that have neither.
            let _ = (url.set_username(""), url.set_password(None));
        }
        let (headers, query) = (Vec::new(), Vec::new());
        Ok(Endpoint {
            url,
            key,
            headers,
            query,
            proxy: None,
            public_proxy: None,
            system_proxy: None,
            proxied: false,
            ca_certificates: Vec::new(),
            secrets,
        })
    }

    /// Sends a header with every request, in place of ours of the same name. A gateway may choose by it who answers: replies are reused only
    /// where it is the same, unless its name says that it is a credential (`Authorization`, `X-Api-Key`, `Cookie`, a `token`, `secret` or the
    /// like) or differs from request to request.
    pub fn with_header(mut self, name: &str, value: SecretString) -> Result<Endpoint, SetupError> {
        let header = name.parse().map_err(|_| SetupError::HeaderName(name.to_owned()))?;
        self.hide(&value);
        self.headers.push((header, value));
        Ok(self)
    }

    /// Adds a pair to the query of every request. Which of them make a difference to the replies that are reused is as for
    /// [`Endpoint::with_header`]; a query in the base URL is treated in the same way.
    pub fn with_query(mut self, name: &str, value: SecretString) -> Endpoint {
        self.hide(&value);
        self.query.push((name.to_owned(), value));
        self
    }

    /// Sends everything through a proxy, regardless of the system's settings.
    pub fn with_proxy(mut self, url: &str) -> Result<Endpoint, SetupError> {
        // The text may hold a password: errors do not repeat it.
        let parsed: Url = url.parse().map_err(|error| SetupError::Proxy(format!(": {error}")))?;
        self.secrets.extend(credentials(&parsed).map(SecretString::from));
        self.proxied = !is_this_host(&parsed);
        self.public_proxy = Some(public(&parsed));
        self.proxy = Some(Proxy::all(url).map_err(|_| SetupError::Proxy(String::new()))?);
        Ok(self)
    }

    /// Trusts the certificates in `pem` too, beside the system's: authorities, or the server's own.
    pub fn with_ca_certificates(mut self, pem: &[u8]) -> Result<Endpoint, SetupError> {
        let certificates = trust::certificates(pem).map_err(SetupError::Certificates)?;
        if certificates.is_empty() {
            return Err(SetupError::NoCertificate);
        }
        self.ca_certificates.extend(certificates);
        Ok(self)
    }

    /// The URL without user, password, query and fragment: fit for logs, fingerprints and manifests.
    pub(crate) fn public_url(&self) -> String {
        public(&self.url)
    }

    /// A hash of the own headers and query pairs that may choose who answers; `None` where there are none.
    pub(super) fn route(&self) -> Option<String> {
        // Of two headers with one name the last one is sent.
        let headers: BTreeMap<&str, &str> =
            { self.headers.iter() }.map(|(name, value)| (name.as_str(), value.expose_secret())).collect();
        let in_url: Vec<_> = self.url.query_pairs().collect();
        let given = self.query.iter().map(|(name, value)| (name.as_str(), value.expose_secret()));
        route(headers.into_iter(), in_url.iter().map(|(name, value)| (&**name, &**value)).chain(given))
    }

    /// Whether both are served at one place: by the same scheme, host and port.
    pub fn is_beside(&self, other: &Endpoint) -> bool {
        self.url.origin() == other.url.origin()
    }

    /// The proxy likewise, where one was given.
    pub fn public_proxy(&self) -> Option<String> {
        self.public_proxy.clone()
    }

    /// Tells the proxy that the system's settings name, for messages only: it is heeded anyway.
    #[must_use]
    pub(crate) fn with_system_proxy(mut self, url: &str) -> Endpoint {
        let parsed = url.parse::<Url>().or_else(|_| format!("http://{url}").parse());
        if self.proxy.is_none()
            && !self.is_here()
            && let Ok(parsed) = parsed
        {
            self.secrets.extend(credentials(&parsed).map(SecretString::from));
            self.system_proxy = Some(public(&parsed));
        }
        self
    }

    /// The proxy on the way there, without user and password.
    pub(super) fn way(&self) -> Option<&str> {
        self.public_proxy.as_deref().or(self.system_proxy.as_deref())
    }

    /// Whether it is the provider's own address: its host, over an encrypted connection. For a local server, it is this machine.
    pub fn is_of(&self, provider: Provider) -> bool {
        let Some(usual) = provider.default_base_url().and_then(|url| url.parse::<Url>().ok()) else {
            return false;
        };
        let host = |url: &Url| {
            (url.scheme().to_owned(), url.host_str().map(str::to_owned), url.port_or_known_default())
        };
        host(&self.url) == host(&usual) || is_this_host(&usual) && self.is_here()
    }

    /// Whether rows and key would cross a network in the clear: plain http to any host but this one, or by way of one.
    pub(crate) fn is_exposed(&self) -> bool {
        self.url.scheme() == "http" && (self.proxied || !self.is_here())
    }

    /// Whether its user probably runs it too: a local server by its name, or plain http.
    pub(crate) fn is_self_hosted(&self, provider: Provider) -> bool {
        !provider.needs_key() || self.is_here() || self.url.scheme() == "http"
    }

    /// Whether a proxy on another host was given.
    pub fn is_proxied(&self) -> bool {
        self.proxied
    }

    /// Whether it is on this host.
    pub(crate) fn is_here(&self) -> bool {
        is_this_host(&self.url)
    }

    pub(super) fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }

    pub(super) fn proxy(&self) -> Option<&Proxy> {
        self.proxy.as_ref()
    }

    pub(super) fn ca_certificates(&self) -> &[CertificateDer<'static>] {
        &self.ca_certificates
    }

    /// The whole URL of `path`; the pairs of `defaults` are added where the endpoint does not name them itself.
    pub(super) fn url_of(&self, path: &str, defaults: &[(&str, &str)]) -> Url {
        let mut url = self.url.clone();
        url.set_path(&format!("{}{path}", self.url.path().trim_end_matches('/')));
        url.set_fragment(None);
        let named = |name: &str| {
            self.url.query_pairs().any(|(own, _)| own == name)
                || self.query.iter().any(|(own, _)| own == name)
        };
        let missing = defaults.iter().filter(|(name, _)| !named(name)).map(|(name, value)| (*name, *value));
        let given = self.query.iter().map(|(name, value)| (name.as_str(), value.expose_secret()));
        let pairs: Vec<_> = missing.chain(given).collect();
        if !pairs.is_empty() {
            url.query_pairs_mut().extend_pairs(pairs);
        }
        url
    }

    /// The headers of every request.
    ///
    /// # Errors
    /// When a value cannot travel in a header.
    pub(super) fn headers(&self, provider: Provider) -> Result<HeaderMap, SetupError> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        for (name, value) in provider.headers() {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        if let Some(key) = &self.key {
            let (name, scheme) = provider.key_header();
            let value = secret_value(&format!("{scheme}{}", key.expose_secret()));
            headers.insert(name, value.ok_or(SetupError::Key)?);
        }
        for (name, value) in &self.headers {
            let unfit = || SetupError::HeaderValue(name.to_string());
            headers.insert(name, secret_value(value.expose_secret()).ok_or_else(unfit)?);
        }
        Ok(headers)
    }

    /// `message` without secrets, should an endpoint echo them.
    pub(super) fn redact(&self, message: String) -> String {
        // A placeholder of a few letters in a key's place is none, and would be found within words.
        let secrets = self.secrets.iter().map(ExposeSecret::expose_secret).filter(|secret| hides(secret));
        secrets.fold(message, |message, secret| message.replace(secret, REDACTED))
    }

    /// What masks the secrets in responses.
    pub(super) fn redactor(&self) -> Redactor {
        Redactor::of(&self.secrets)
    }

    fn hide(&mut self, value: &SecretString) {
        let value = value.expose_secret();
        if hides(value) {
            self.secrets.push(value.into());
            // A scheme such as `Bearer` may be left out where it is echoed.
            self.secrets.extend(
                value
                    .split_once(' ')
                    .map(|(_, rest)| rest.trim())
                    .filter(|rest| hides(rest))
                    .map(SecretString::from),
            );
        }
    }
}

/// `url` without user, password, query and fragment.
fn public(url: &Url) -> String {
    let mut url = url.clone();
    // Fails only for URLs that cannot have them.
    let _ = (url.set_username(""), url.set_password(None));
    url.set_query(None);
    url.set_fragment(None);
    url.as_str().trim_end_matches('/').to_owned()
}

/// The secrets in user and password of `url`: as written, decoded, and as encoded in a header.
fn credentials(url: &Url) -> impl Iterator<Item = String> + use<> {
    let meant = |written: &str| percent_decode_str(written).decode_utf8_lossy().into_owned();
    let (user, password) = (meant(url.username()), url.password().map(meant));
    let header = BASE64_STANDARD.encode(format!("{user}:{}", password.as_deref().unwrap_or_default()));
    let secrets = match (password, url.password()) {
        (Some(password), Some(written)) => vec![written.to_owned(), password, header],
        // Alone, a user is a token.
        _ if hides(&user) => vec![url.username().to_owned(), user, header],
        _ => Vec::new(),
    };
    secrets.into_iter()
}

fn is_this_host(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let host = host.trim_matches(['[', ']']).trim_end_matches('.').to_ascii_lowercase();
    match host.parse::<IpAddr>() {
        // Connecting to the unspecified address means this host.
        Ok(address) => address.to_canonical().is_loopback() || address.is_unspecified(),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
}

fn hides(value: &str) -> bool {
    value.len() >= SHORTEST_SECRET
}

fn secret_value(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_url_holds_path_and_query_but_the_public_one_no_secret() {
        let endpoint = Endpoint::new("https://me:hunter2@host.example/a/?token=0123456#x", None)
            .unwrap()
            .with_query("api-version", "2030-01-01".into());
        assert_eq!(endpoint.public_url(), "https://host.example/a");
        let url = endpoint.url_of("/b", &[("api-version", "old"), ("c", "d e")]);
        assert_eq!(url.path(), "/a/b");
        assert_eq!(url.query(), Some("token=0123456&c=d+e&api-version=2030-01-01"));
        assert_eq!(format!("{endpoint:?}"), r#"Endpoint { url: "https://host.example/a", .. }"#);
        let echo = "hunter2, Basic bWU6aHVudGVyMg==, 0123456".to_owned();
        assert_eq!(endpoint.redact(echo), "[secret], Basic [secret], [secret]");
    }

    #[test]
    fn users_and_passwords_are_hidden_as_they_are_written_meant_and_sent() {
        let shown = |url: &str, echo: &str| Endpoint::new(url, None).unwrap().redact(echo.to_owned());
        let url = "https://me:p%40ss1word9@host.example";
        assert_eq!(shown(url, "p@ss1word9 p%40ss1word9 me"), "[secret] [secret] me");
        let header = BASE64_STANDARD.encode("me:p@ss1word9");
        assert_eq!(shown(url, &header), "[secret]");
        assert_eq!(shown("https://sk-0123456789@host.example", "sk-0123456789"), "[secret]");
        // Placeholders are no secrets, and occur within words.
        let endpoint = Endpoint::new("http://localhost", Some("e".into())).unwrap();
        assert_eq!(endpoint.redact("cannot be reached".to_owned()), "cannot be reached");
    }

    #[test]
    fn own_headers_and_queries_tell_judges_apart_wherever_they_stand() {
        let at = |url: &str| Endpoint::new(url, Some("the-key".into())).unwrap();
        let plain = "https://host.example/v1";
        assert_eq!(at(plain).route(), None);
        let routed = |value: &str| at(plain).with_header("X-Route", value.into()).unwrap().route();
        assert_ne!(routed("small"), routed("large"));
        assert_eq!(routed("small"), at(plain).with_header("x-route", "small".into()).unwrap().route());
        let of = |value: &str| at(plain).with_query("tenant", value.into()).route();
        assert!(of("1").is_some() && of("1") != of("2"));
        assert_eq!(of("1"), at("https://host.example/v1?tenant=1").route());
        assert_eq!(at("https://host.example/v1?key=0123456").route(), None);
        assert_eq!(at(plain).with_header("Authorization", "Bearer x".into()).unwrap().route(), None);
        assert!(!routed("a-secret-of-the-gateway").unwrap().contains("secret"));
    }

    #[test]
    fn what_goes_through_another_host_is_exposed() {
        let through = |url: &str, proxy: &str| {
            Endpoint::new(url, None).unwrap().with_proxy(proxy).unwrap().is_exposed()
        };
        assert!(through("http://localhost:8000", "http://proxy.example:3128"));
        assert!(!through("http://localhost:8000", "http://127.0.0.1:3128"));
        assert!(!through("https://api.example", "http://proxy.example:3128"));
    }

    #[test]
    fn plain_http_is_for_this_host_only() {
        for (url, exposed) in [
            ("http://localhost:8000/v1", false),
            ("http://api.localhost", false),
            ("http://LOCALHOST./", false),
            ("http://127.0.0.1/v1", false),
            ("http://127.9.9.9", false),
            ("http://127.1", false),
            ("http://[::1]:8000", false),
            ("http://[::ffff:127.0.0.1]", false),
            ("http://0.0.0.0:8000", false),
            ("https://api.example", false),
            ("http://api.example", true),
            ("http://localhost.example", true),
            ("http://notlocalhost", true),
            ("http://192.168.1.7:8000/v1", true),
            ("http://10.0.0.1", true),
            ("http://[fe80::1]", true),
        ] {
            assert_eq!(Endpoint::new(url, None).unwrap().is_exposed(), exposed, "{url}");
        }
    }

    #[test]
    fn headers_replace_ours_and_are_never_shown() {
        let endpoint = Endpoint::new("https://host.example", Some("the-key".into()))
            .unwrap()
            .with_header("Authorization", "Bearer another-key".into())
            .unwrap()
            .with_header("X-Short", "1".into())
            .unwrap();
        let headers = endpoint.headers(Provider::OpenAi).unwrap();
        assert_eq!(headers["authorization"], "Bearer another-key");
        assert!(headers["authorization"].is_sensitive() && headers["x-short"].is_sensitive());
        let echo = "1: the-key, Bearer another-key, another-key".to_owned();
        assert_eq!(endpoint.redact(echo), "1: [secret], [secret], [secret]");
        assert!(Endpoint::new("https://h.example", None).unwrap().with_header("a b", "x".into()).is_err());
        assert!(Endpoint::new("https://h.example", None).unwrap().with_ca_certificates(b"nonsense").is_err());
        assert!(
            Endpoint::new("https://h.example", Some("a\nb".into()))
                .unwrap()
                .headers(Provider::Azure)
                .is_err()
        );
    }
}
