//! The consequences of a failed attempt: for the question, for the run, for the next attempt.

use std::time::Duration;

use super::Adaptation;

/// Why an attempt brought no answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Failure {
    /// Every further request would fail too.
    Run { code: &'static str, message: String },
    /// This question cannot be answered.
    Question { code: String, message: String },
    /// The request as a whole was refused, for a reason that may be the form we ask the rail in.
    BadRequest { code: String, message: String },
    /// The endpoint does not take this; it takes it otherwise.
    Unsupported(Adaptation, String),
    /// We are too fast; says how long to wait where the endpoint does.
    Throttled { message: String, wait: Option<Duration> },
    /// Nobody answers any more, because the run is stopping.
    Stopped,
    /// May succeed when tried again.
    Passing { code: String, message: String, wait: Option<Duration> },
}

/// What a failure that ends the run means to its user, and what to do about it.
pub(super) fn advice(code: &str) -> Option<&'static str> {
    Some(match code {
        "unauthorized" => {
            "refuses the key: check the variable that holds it, or name another one with --api-key-env"
        }
        "forbidden" => {
            "does not let this key in: check what it is allowed, or name another one with --api-key-env"
        }
        "unknown_model" => "does not know this model: check its name after --judge",
        "unreachable" => "cannot be reached: is it running, and is its address right?",
        "redirected" => "sends requests elsewhere: give the address they end up at with --base-url",
        "proxy_authorization" => {
            "is behind a proxy that wants a user and a password: give them in its address, as in http://USER:PASSWORD@HOST:PORT"
        }
        "insufficient_quota" => "has no credit left for this key",
        "daily_quota" => "has given all that it gives in a day",
        _ => return None,
    })
}

/// At most `limit` characters of `text`, on one line.
pub(super) fn excerpt(text: &str, limit: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
