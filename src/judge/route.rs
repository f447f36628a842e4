//! The headers and query parameters that make an endpoint another judge, because a gateway may choose the model by them.

/// Words in the names of headers and query pairs that are credentials: these do not change the answer, and are rotated from time
/// to time.
const CREDENTIALS: &[&str] = &[
    "apikey",
    "auth",
    "authentication",
    "authorization",
    "bearer",
    "cookie",
    "credential",
    "credentials",
    "jwt",
    "key",
    "passwd",
    "password",
    "secret",
    "session",
    "sig",
    "signature",
    "token",
];
/// Names that say only which request this is, or who sends it.
const OF_ONE_REQUEST: &[&str] =
    &["date", "traceparent", "tracestate", "user-agent", "x-correlation-id", "x-request-id"];
/// Keeps these hashes apart from all others of this program.
const KEY: &str = "tooljudge 2026 headers and query of an endpoint";

/// A hash of the headers and query pairs that may choose who answers, from which no value can be read; `None` where there are none. In
/// which order the headers were given makes no difference.
pub(super) fn route<'a>(
    headers: impl Iterator<Item = (&'a str, &'a str)>,
    query: impl Iterator<Item = (&'a str, &'a str)>,
) -> Option<String> {
    let counts = |(name, _): &(&str, &str)| !is_of_door(name);
    let (mut headers, query): (Vec<_>, Vec<_>) =
        (headers.filter(counts).collect(), query.filter(counts).collect());
    if headers.is_empty() && query.is_empty() {
        return None;
    }
    headers.sort_unstable();
    let mut hasher = blake3::Hasher::new_derive_key(KEY);
    for (kind, pairs) in [("header", headers), ("query", query)] {
        for text in pairs.into_iter().flat_map(|(name, value)| [kind, name, value]) {
            // Length first, so that no two lists of texts hash alike.
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
    }
    Some(hasher.finalize().to_hex()[..32].to_owned())
}

/// Whether a header or query pair of this name is a credential, or differs from request to request.
fn is_of_door(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    OF_ONE_REQUEST.contains(&name.as_str())
        || name.split(|char: char| !char.is_ascii_alphanumeric()).any(|word| CREDENTIALS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(headers: &[(&str, &str)], query: &[(&str, &str)]) -> Option<String> {
        route(headers.iter().copied(), query.iter().copied())
    }

    #[test]
    fn what_may_choose_who_answers_counts_and_what_opens_the_door_does_not() {
        assert_eq!(of(&[], &[]), None);
        for name in [
            "authorization",
            "api-key",
            "x-api-key",
            "x-goog-api-key",
            "cookie",
            "X-Token",
            "x-request-id",
            "X_AUTH_TOKEN",
        ] {
            assert_eq!(of(&[(name, "a")], &[(name, "a")]), None, "{name}");
        }
        for name in ["x-route", "x-team", "x-model", "x-keyboard", "openai-organization", "x-portkey-config"]
        {
            let [one, other, asked] =
                [of(&[(name, "a")], &[]), of(&[(name, "b")], &[]), of(&[], &[(name, "a")])];
            assert!(one.is_some() && one != other && one != asked, "{name}");
        }
    }

    #[test]
    fn order_and_credentials_make_no_difference_and_no_two_lists_are_alike() {
        let one = of(&[("a", "1"), ("b", "2")], &[]);
        assert_eq!(one, of(&[("b", "2"), ("a", "1")], &[]));
        assert_eq!(one, of(&[("b", "2"), ("authorization", "Bearer x"), ("a", "1")], &[("token", "y")]));
        assert_ne!(one, of(&[("a", "1b2")], &[]));
        assert_ne!(of(&[("a", "1")], &[("b", "2")]), of(&[("a", "1"), ("b", "2")], &[]));
        // A query may name one thing twice.
        assert_ne!(of(&[], &[("a", "1"), ("a", "2")]), of(&[], &[("a", "2"), ("a", "1")]));
    }

    #[test]
    fn the_page_of_settings_lists_what_does_not_count() {
        let page = include_str!("../../docs/settings.md");
        for name in CREDENTIALS.iter().chain(OF_ONE_REQUEST) {
            assert!(page.contains(&format!("`{name}`")), "{name}");
        }
    }
}
