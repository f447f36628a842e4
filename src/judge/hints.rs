//! How long a server asks us to wait: `Retry-After` and its many friends.

use std::time::{Duration, SystemTime};

use reqwest::header::HeaderMap;

/// The longest wait that the headers, or else `message`, ask for.
///
/// Headers: `retry-after-ms`; `retry-after` in seconds or as an HTTP date; `x-ratelimit-reset-requests` and `-tokens`
/// where the matching `remaining` is 0. Text: `try again in 1.2s`.
pub(super) fn wait(headers: &HeaderMap, message: &str, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let millis =
        text("retry-after-ms").and_then(|ms| ms.parse::<f64>().ok()).and_then(|ms| seconds(ms / 1000.0));
    let after = text("retry-after").and_then(|after| duration(after).or_else(|| until_date(after, now)));
    let reset = ["requests", "tokens"].into_iter().filter_map(|what| {
        let exhausted = text(&format!("x-ratelimit-remaining-{what}")) == Some("0");
        exhausted.then(|| text(&format!("x-ratelimit-reset-{what}")).and_then(duration)).flatten()
    });
    millis.or(after).into_iter().chain(reset).max().or_else(|| in_text(message))
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

fn until_date(text: &str, now: SystemTime) -> Option<Duration> {
    let then = SystemTime::from(jiff::fmt::rfc2822::parse(text).ok()?.timestamp());
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
                Some(1.2),
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
}
