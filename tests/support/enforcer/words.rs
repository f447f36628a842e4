//! Headers' names and the ways in which they write times.

use std::time::{Duration, SystemTime};

pub(super) const REQUESTS: [[&str; 3]; 2] = [
    ["x-ratelimit-limit-requests", "x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"],
    [
        "anthropic-ratelimit-requests-limit",
        "anthropic-ratelimit-requests-remaining",
        "anthropic-ratelimit-requests-reset",
    ],
];
pub(super) const TOKENS: [[&str; 3]; 2] = [
    ["x-ratelimit-limit-tokens", "x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"],
    [
        "anthropic-ratelimit-tokens-limit",
        "anthropic-ratelimit-tokens-remaining",
        "anthropic-ratelimit-tokens-reset",
    ],
];

pub(super) fn whole_seconds(time: Duration) -> Duration {
    Duration::from_secs(time.as_nanos().div_ceil(1_000_000_000) as u64)
}

pub(super) fn http_date(time: SystemTime) -> String {
    let time = jiff::Timestamp::try_from(time).expect("a time of our days");
    jiff::fmt::rfc2822::DateTimePrinter::new()
        .timestamp_to_rfc9110_string(&time)
        .expect("a year of four digits")
}

pub(super) fn rfc3339(time: SystemTime) -> String {
    jiff::Timestamp::try_from(time).expect("a time of our days").to_string()
}

/// `12ms`, `1.2s`, `1m30s`.
pub(super) fn openai_duration(time: Duration) -> String {
    let millis = time.as_nanos().div_ceil(1_000_000) as u64;
    let (minutes, rest) = (millis / 60_000, millis % 60_000);
    match (minutes, rest) {
        (0, 0..1000) => format!("{rest}ms"),
        (0, _) => format!("{}s", rest as f64 / 1000.0),
        _ => format!("{minutes}m{}s", rest as f64 / 1000.0),
    }
}
