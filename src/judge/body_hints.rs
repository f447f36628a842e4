//! Waits that an error body states if the headers do not.

use std::time::Duration;

/// How a message begins to say how long to wait.
pub(super) const OPENINGS: [&str; 4] = ["retry in ", "retry after ", "again in ", "again after "];

/// The wait that `message` states in words: `retry in 36.4s`, `retry after 20 seconds`, `try again in 250 ms`.
pub(super) fn in_words(message: &str) -> Option<Duration> {
    let message = message.to_ascii_lowercase();
    let (_, after) = OPENINGS.into_iter().find_map(|opening| message.split_once(opening))?;
    duration(after)
}

/// A number and its unit, at the beginning of `text`: `45.837906927s`, `20 seconds`. A bare number is seconds.
pub(super) fn duration(text: &str) -> Option<Duration> {
    let text = text.trim_start();
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let number: f64 = text[..end].trim_end_matches('.').parse().ok()?;
    let unit: String = text[end..]
        .trim_start()
        .chars()
        .take_while(char::is_ascii_alphabetic)
        .collect::<String>()
        .to_lowercase();
    let seconds = match unit.as_str() {
        "ms" | "millisecond" | "milliseconds" => 0.001,
        "m" | "min" | "minute" | "minutes" => 60.0,
        "h" | "hour" | "hours" => 3600.0,
        "d" | "day" | "days" => 86_400.0,
        // Whatever else follows is the next word of the sentence.
        _ => 1.0,
    };
    Duration::try_from_secs_f64(number * seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_in_words() {
        let cases = [
            ("Please retry in 36.429760048s.", Some(36.429_760_048)),
            ("Please retry after 86400 seconds. To increase", Some(86_400.0)),
            ("Retry after 7. Thanks", Some(7.0)),
            ("try again in 250 ms", Some(0.25)),
            ("try again in 2 minutes", Some(120.0)),
            ("retry in a while", None),
            ("retry", None),
            ("retry in 1e9", Some(1.0)),
            ("retry in 99999999999999999999999 hours", None),
        ];
        for (message, expected) in cases {
            assert_eq!(in_words(message).map(|wait| wait.as_secs_f64()), expected, "{message}");
        }
    }
}
