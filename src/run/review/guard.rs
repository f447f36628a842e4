//! Access control: browsers on this machine with the token, on pages that the server sent.

use std::net::SocketAddr;
use std::sync::Mutex;

/// Bytes of a token.
const TOKEN: usize = 16;

/// Tells requests of the reviewer's browser from those that other sites and programs send.
#[derive(Debug)]
pub(super) struct Guard {
    /// Hashes are compared, in constant time.
    token: blake3::Hash,
    /// A token that lets in once: it is handed to a browser, whose arguments others on this machine can see.
    once: Mutex<Option<blake3::Hash>>,
    hosts: [String; 2],
    cookie: String,
}

/// What a request is after.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Aim {
    /// The page: links lead to it from anywhere, and the token may stand in its address.
    #[default]
    Page,
    /// What the page reads.
    Read,
    /// What changes something.
    Write,
}

/// What a request says of itself.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Claims<'a> {
    pub aim: Aim,
    pub hosts: &'a [&'a str],
    pub origin: Option<&'a str>,
    /// The header `Sec-Fetch-Site`.
    pub site: Option<&'a str>,
    /// The token in the address.
    pub token: Option<&'a str>,
    /// All cookies.
    pub cookies: &'a [&'a str],
}

/// That a request may not be answered, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    Host,
    Origin,
    Token,
}

impl Refusal {
    pub fn why(self) -> &'static str {
        match self {
            Refusal::Host => "This server answers only under the address that tooljudge review printed.",
            Refusal::Origin => "This server answers only its own page, not other sites.",
            Refusal::Token => "Open the whole address that tooljudge review printed, with its token.",
        }
    }
}

/// A new token, of 128 random bits.
pub(super) fn new_token() -> Result<String, String> {
    let mut bytes = [0; TOKEN];
    let random = rustls::crypto::ring::default_provider().secure_random;
    random.fill(&mut bytes).map_err(|_| "the system has no random numbers".to_owned())?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

impl Guard {
    pub fn new(address: SocketAddr, token: &str, once: &str) -> Guard {
        let port = address.port();
        Guard {
            token: blake3::hash(token.as_bytes()),
            once: Mutex::new(Some(blake3::hash(once.as_bytes()))),
            hosts: [format!("127.0.0.1:{port}"), format!("localhost:{port}")],
            // Browsers give cookies to all ports of a host.
            cookie: format!("tooljudge-review-{port}"),
        }
    }

    /// The cookie that a browser keeps in the place of the token.
    pub fn cookie(&self, token: &str) -> String {
        format!("{}={token}; HttpOnly; SameSite=Strict; Path=/", self.cookie)
    }

    /// Whether the request comes from where it should. Another site may have had its name point here (DNS rebinding), or may have a
    /// browser send what its user did not mean (cross-site request forgery).
    pub fn check(&self, claims: Claims<'_>) -> Result<(), Refusal> {
        let is_ours = |host: &str| self.hosts.iter().any(|known| known.eq_ignore_ascii_case(host));
        let [host] = claims.hosts else { return Err(Refusal::Host) };
        if !is_ours(host) {
            return Err(Refusal::Host);
        }
        let is_own_page = match claims.origin {
            // A page of ours on `localhost` has another origin than one on `127.0.0.1`.
            Some(origin) => {
                origin.strip_prefix("http://").is_some_and(|origin| origin.eq_ignore_ascii_case(host))
            }
            None => claims.aim != Aim::Write,
        };
        let is_near = match claims.aim {
            Aim::Page => true,
            Aim::Read | Aim::Write => claims.site.is_none_or(|site| site == "same-origin"),
        };
        if !is_own_page || !is_near {
            return Err(Refusal::Origin);
        }
        let name = format!("{}=", self.cookie);
        let cookies = claims.cookies.iter().flat_map(|cookies| cookies.split(';'));
        let mut kept = cookies.filter_map(|cookie| cookie.trim().strip_prefix(&name));
        let token = claims.token.filter(|_| claims.aim == Aim::Page);
        if token.is_some_and(|token| self.is_token(token)) || kept.any(|token| self.is_kept(token)) {
            Ok(())
        } else {
            Err(Refusal::Token)
        }
    }

    fn is_kept(&self, token: &str) -> bool {
        blake3::hash(token.as_bytes()) == self.token
    }

    fn is_token(&self, token: &str) -> bool {
        let hash = blake3::hash(token.as_bytes());
        let mut once = self.once.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        hash == self.token || once.take_if(|once| *once == hash).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard() -> Guard {
        Guard::new(SocketAddr::from(([127, 0, 0, 1], 8123)), "secret", "single")
    }

    #[test]
    fn requests_are_told_apart() {
        let guard = guard();
        let page = Claims { hosts: &["127.0.0.1:8123"], token: Some("secret"), ..Claims::default() };
        let mark = Claims {
            origin: Some("http://127.0.0.1:8123"),
            site: Some("same-origin"),
            aim: Aim::Write,
            token: None,
            cookies: &["a=b; tooljudge-review-8123=secret"],
            ..page
        };
        let cases: &[(Claims<'_>, Result<(), Refusal>)] = &[
            (page, Ok(())),
            (Claims { hosts: &["localhost:8123"], ..page }, Ok(())),
            (Claims { hosts: &["LOCALHOST:8123"], site: Some("cross-site"), ..page }, Ok(())),
            (Claims { token: None, cookies: mark.cookies, ..page }, Ok(())),
            (mark, Ok(())),
            (Claims { hosts: &["localhost:8123"], origin: Some("http://localhost:8123"), ..mark }, Ok(())),
            (Claims { hosts: &[], ..page }, Err(Refusal::Host)),
            (Claims { hosts: &["127.0.0.1:8123", "127.0.0.1:8123"], ..page }, Err(Refusal::Host)),
            (Claims { hosts: &["127.0.0.1"], ..page }, Err(Refusal::Host)),
            (Claims { hosts: &["evil.example:8123"], ..page }, Err(Refusal::Host)),
            (Claims { hosts: &["127.0.0.1:8123.evil.example"], ..page }, Err(Refusal::Host)),
            (Claims { hosts: &["127.0.0.1:8124"], ..page }, Err(Refusal::Host)),
            (Claims { origin: Some("http://evil.example"), ..page }, Err(Refusal::Origin)),
            (Claims { origin: Some("http://evil.example"), ..mark }, Err(Refusal::Origin)),
            (Claims { origin: Some("https://127.0.0.1:8123"), ..mark }, Err(Refusal::Origin)),
            (Claims { origin: Some("http://127.0.0.1:9000"), ..mark }, Err(Refusal::Origin)),
            (Claims { origin: Some("http://localhost:8123"), ..mark }, Err(Refusal::Origin)),
            (Claims { origin: Some("null"), ..mark }, Err(Refusal::Origin)),
            (Claims { origin: None, ..mark }, Err(Refusal::Origin)),
            (Claims { aim: Aim::Read, origin: None, site: None, ..mark }, Ok(())),
            (Claims { aim: Aim::Read, origin: None, site: Some("cross-site"), ..mark }, Err(Refusal::Origin)),
            (Claims { aim: Aim::Read, token: Some("secret"), ..page }, Err(Refusal::Token)),
            (Claims { token: Some("secret"), cookies: &[], ..mark }, Err(Refusal::Token)),
            (Claims { site: Some("same-site"), ..mark }, Err(Refusal::Origin)),
            (Claims { token: None, ..page }, Err(Refusal::Token)),
            (Claims { token: Some("secre"), ..page }, Err(Refusal::Token)),
            (Claims { token: Some(""), ..page }, Err(Refusal::Token)),
            (Claims { cookies: &["tooljudge-review-8123=other"], ..mark }, Err(Refusal::Token)),
            (Claims { cookies: &["tooljudge-review-8124=secret"], ..mark }, Err(Refusal::Token)),
            (Claims { cookies: &["xtooljudge-review-8123=secret"], ..mark }, Err(Refusal::Token)),
            (Claims { cookies: &["tooljudge-review-8123=single"], ..mark }, Err(Refusal::Token)),
        ];
        for (claims, expected) in cases {
            assert_eq!(guard.check(*claims), *expected, "{claims:?}");
        }
    }

    #[test]
    fn one_token_lets_in_once() {
        let guard = guard();
        let page = Claims { hosts: &["localhost:8123"], token: Some("single"), ..Claims::default() };
        assert_eq!(guard.check(page), Ok(()));
        assert_eq!(guard.check(page), Err(Refusal::Token));
    }

    #[test]
    fn tokens_differ() {
        let (one, other) = (new_token().unwrap(), new_token().unwrap());
        assert_eq!((one.len(), other.len()), (32, 32));
        assert_ne!(one, other);
    }
}
