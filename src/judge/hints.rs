//! What a server states about its limits: `Retry-After` and similar headers, and remaining quotas.

use std::time::{Duration, SystemTime};

use reqwest::header::HeaderMap;

use super::limiter::{Claim, Meter, Reset};

/// The wait that the headers, or else `message`, ask for.
///
/// Headers: `retry-after-ms`; `retry-after` in seconds or as an HTTP date. Text: `try again in 1.2s`. Where neither asks,
/// the reset of a limit with nothing remaining does.
pub(super) fn wait(headers: &HeaderMap, message: &str, now: SystemTime) -> Option<Duration> {
    let millis = text(headers, "retry-after-ms")
        .and_then(|ms| ms.parse::<f64>().ok())
        .and_then(|ms| seconds(ms / 1000.0));
    let after =
        || text(headers, "retry-after").and_then(|after| duration(after).or_else(|| until_date(after, now)));
    let reset = || {
        let gone = claims(headers, now).into_iter().filter(|(_, claim)| claim.remaining == Some(0.0));
        gone.filter_map(|(_, claim)| claim.reset.map(Reset::wait)).max()
    };
    millis.or_else(after).or_else(|| in_text(message)).or_else(reset)
}

/// What the headers of any response say about the endpoint's limits: `x-ratelimit-limit-requests` and the like (OpenAI,
/// Azure, most gateways), `anthropic-ratelimit-requests-limit` and the like.
pub(super) fn claims(headers: &HeaderMap, now: SystemTime) -> Vec<(Meter, Claim)> {
    if !headers.keys().any(|name| name.as_str().contains("ratelimit")) {
        return Vec::new();
    }
    let read = |[limit, remaining, reset]: [&'static str; 3]| {
        let number = |name: &str| text(headers, name)?.parse::<f64>().ok();
        let reset = || {
            let text = text(headers, reset)?;
            duration(text).map(Reset::After).or_else(|| until_time(text, now).map(Reset::At))
        };
        Claim { header: limit, limit: number(limit), remaining: number(remaining), reset: reset() }
    };
    let found = HEADERS.iter().flat_map(|(meter, names)| names.map(|names| (*meter, read(names))));
    found.filter(|(_, claim)| *claim != Claim { header: claim.header, ..Claim::default() }).collect()
}

/// Limit, remaining and reset of each meter: as OpenAI, Azure and most gateways call them, and as Anthropic does.
const HEADERS: [(Meter, [[&str; 3]; 2]); 4] = {
    macro_rules! names {
        ($what:literal) => {
            [
                [
                    concat!("x-ratelimit-limit-", $what),
                    concat!("x-ratelimit-remaining-", $what),
                    concat!("x-ratelimit-reset-", $what),
                ],
                [
                    concat!("anthropic-ratelimit-", $what, "-limit"),
                    concat!("anthropic-ratelimit-", $what, "-remaining"),
                    concat!("anthropic-ratelimit-", $what, "-reset"),
                ],
            ]
        };
    }
    [
        (Meter::Requests, names!("requests")),
        (Meter::Tokens, names!("tokens")),
        (Meter::InputTokens, names!("input-tokens")),
        (Meter::OutputTokens, names!("output-tokens")),
    ]
};

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim)
}

/// `1.5`, `20s`, `120ms`, `6m0s`, `1h2m3s`; a bare number is seconds.
fn duration(text: &str) -> Option<Duration> {
    let mut rest = text.trim();
    let mut total = 0.0;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len());
        let number: f64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let unit = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        total += number
            * match &rest[..unit] {
                "ms" => 0.001,
                "" | "s" => 1.0,
                "m" => 60.0,
                "h" => 3600.0,
                "d" => 86400.0,
                _ => return None,
            };
        rest = &rest[unit..];
    }
    seconds(total)
}

fn seconds(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds).ok()
}

/// Until a date in one of the three forms of RFC 9110, 5.6.7; two of them are old, but to be understood.
fn until_date(text: &str, now: SystemTime) -> Option<Duration> {
    let old = || {
        let forms = ["%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"];
        let then = forms.iter().find_map(|form| jiff::civil::DateTime::strptime(form, text).ok())?;
        Some(then.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp())
    };
    let then = jiff::fmt::rfc2822::parse(text).ok().map(|date| date.timestamp()).or_else(old)?;
    Some(SystemTime::from(then).duration_since(now).unwrap_or_default())
}

/// Until a time of day, as RFC 3339 writes it.
fn until_time(text: &str, now: SystemTime) -> Option<Duration> {
    let then = SystemTime::from(text.parse::<jiff::Timestamp>().ok()?);
    Some(then.duration_since(now).unwrap_or_default())
}

fn in_text(message: &str) -> Option<Duration> {
    let message = message.to_ascii_lowercase();
    let (_, after) = message.split_once("try again in ")?;
    let end = after.find(|c: char| c.is_whitespace() || c == ',').unwrap_or(after.len());
    let (number, rest) = (after[..end].trim_end_matches('.'), after[end..].trim_start());
    let unit = if !number.ends_with(|c: char| c.is_ascii_digit()) {
        ""
    } else if rest.starts_with("minute") {
        "m"
    } else if rest.starts_with("hour") {
        "h"
    } else if rest.starts_with("milli") {
        "ms"
    } else {
        "s"
    };
    duration(&format!("{number}{unit}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::UNIX_EPOCH;

    #[test]
    #[expect(clippy::type_complexity, reason = "a table")]
    fn every_spelling_of_a_wait() {
        // 784111777 is the moment that RFC 9110 uses as its example.
        let now = UNIX_EPOCH + Duration::from_secs(784_111_777 - 90);
        let cases: &[(&[(&'static str, &str)], &str, Option<f64>)] = &[
            (&[], "", None),
            (&[("retry-after", "7")], "", Some(7.0)),
            (&[("retry-after", "0.25")], "", Some(0.25)),
            (&[("retry-after-ms", "1500"), ("retry-after", "9")], "", Some(1.5)),
            (&[("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")], "", Some(90.0)),
            (&[("retry-after", "Sunday, 06-Nov-94 08:49:37 GMT")], "", Some(90.0)),
            (&[("retry-after", "Sun Nov  6 08:49:37 1994")], "", Some(90.0)),
            (&[("retry-after", "Sat, 06 Nov 1993 08:49:37 GMT")], "", Some(0.0)),
            (&[("retry-after", "soon")], "", None),
            (&[("x-ratelimit-remaining-tokens", "0"), ("x-ratelimit-reset-tokens", "6m0s")], "", Some(360.0)),
            (&[("x-ratelimit-remaining-tokens", "9"), ("x-ratelimit-reset-tokens", "6m0s")], "", None),
            (
                &[
                    ("retry-after", "1"),
                    ("x-ratelimit-remaining-requests", "0"),
                    ("x-ratelimit-reset-requests", "1200ms"),
                ],
                "",
                Some(1.0),
            ),
            (
                &[("x-ratelimit-remaining-tokens", "0"), ("x-ratelimit-reset-tokens", "9s")],
                "try again in 2s",
                Some(2.0),
            ),
            (
                &[
                    ("anthropic-ratelimit-requests-remaining", "0"),
                    ("anthropic-ratelimit-requests-reset", "1994-11-06T08:48:37Z"),
                ],
                "",
                Some(30.0),
            ),
            (&[], "Rate limit reached. Please try again in 1.2s. Visit", Some(1.2)),
            (&[], "Please try again in 6m0s.", Some(360.0)),
            (&[], "try again in 20 seconds", Some(20.0)),
            (&[], "try again in 2 minutes.", Some(120.0)),
            (&[("retry-after", "-1")], "", None),
            (&[("retry-after", "1e400")], "", None),
        ];
        for (headers, message, expected) in cases {
            let map = headers.iter().map(|(k, v)| (k.parse().unwrap(), v.parse().unwrap())).collect();
            let got = wait(&map, message, now).map(|wait| wait.as_secs_f64());
            assert_eq!(got, *expected, "{headers:?} {message:?}");
        }
    }
    #[test]
    fn every_way_to_state_a_limit() {
        let now = UNIX_EPOCH + Duration::from_secs(784_111_777 - 90);
        let after = |seconds| Some(Reset::After(Duration::from_secs_f64(seconds)));
        let at = |seconds| Some(Reset::At(Duration::from_secs_f64(seconds)));
        let claim = |header, limit, remaining, reset| Claim { header, limit, remaining, reset };
        let headers: HeaderMap = [
            ("x-ratelimit-limit-requests", "10000"),
            ("x-ratelimit-remaining-requests", "9999"),
            ("x-ratelimit-reset-requests", "6ms"),
            ("x-ratelimit-limit-tokens", "many"),
            ("x-ratelimit-remaining-tokens", "149984"),
            ("anthropic-ratelimit-input-tokens-limit", "50000"),
            ("anthropic-ratelimit-input-tokens-remaining", "49000"),
            ("anthropic-ratelimit-input-tokens-reset", "1994-11-06T08:48:08.5Z"),
            ("anthropic-ratelimit-output-tokens-limit", "8000"),
            ("anthropic-ratelimit-output-tokens-reset", "yesterday"),
        ]
        .into_iter()
        .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
        .collect();
        assert_eq!(
            claims(&headers, now),
            [
                (
                    Meter::Requests,
                    claim("x-ratelimit-limit-requests", Some(10_000.0), Some(9999.0), after(0.006))
                ),
                (Meter::Tokens, claim("x-ratelimit-limit-tokens", None, Some(149_984.0), None)),
                (
                    Meter::InputTokens,
                    claim("anthropic-ratelimit-input-tokens-limit", Some(50_000.0), Some(49_000.0), at(1.5))
                ),
                (
                    Meter::OutputTokens,
                    claim("anthropic-ratelimit-output-tokens-limit", Some(8000.0), None, None)
                ),
            ]
        );
    }
}
