//! The meaning of an error response, from any provider.

use std::time::Duration;

use reqwest::Url;
use reqwest::header::{HeaderMap, LOCATION};
use serde_json::Value;

use super::failure::{Failure, excerpt};
use super::provider_format::{Answer, Part, Response};
use super::{body_hints, hints};

/// An error body, in any of the shapes that servers give it.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Problem {
    status: u16,
    message: String,
    /// Every code, type, status and reason by which providers distinguish their errors.
    kinds: Vec<String>,
    /// The refused parameter, where the endpoint names it.
    param: String,
    retry_delay: Option<Duration>,
    /// Whether the body was JSON, as APIs answer.
    structured: bool,
    /// The prompt in lower case.
    prompt: String,
}

/// Texts that identify a prompt that is too long.
const TOO_LONG: &[&str] = &[
    "maximum context length",
    "context window",
    "context size",
    "context length",
    "prompt is too long",
    "input is too long",
    "input token count",
    "exceeds the maximum number of tokens",
];

/// Texts by which gateways say under status 400 that they do not know the model.
const UNKNOWN_MODEL: &[&str] = &[
    "invalid model name",
    "invalid model:",
    "is not a valid model",
    "model not exist",
    "model does not exist",
    "model identifier is invalid",
];

/// Texts and kinds by which they say so of the key.
const UNAUTHORIZED: &[&str] = &[
    "authentication error",
    "virtual key expected",
    "invalid proxy server token",
    "no api key passed in",
    "incorrect api key",
    "invalid api key",
    "api key not valid",
];
const UNAUTHORIZED_KINDS: &[&str] =
    &["invalid_api_key", "API_KEY_INVALID", "auth_error", "token_not_found_in_db", "no_db_connection"];

/// Texts that identify an address without a service, whatever its path.
const NO_PATH: &[&str] = &["invalid url", "no route", "not found on this server", "unknown url"];

/// Texts of quotas that only money brings back.
const UNPAID: &[&str] =
    &["credit balance is too low", "insufficient balance", "insufficient credits", "api usage limits"];

/// Texts of quotas that come back tomorrow, which is too late for this run.
const DAILY: &[&str] = &["per day", "per-day", "perday", "daily", "(rpd)", "(tpd)"];

impl Problem {
    /// The error in a response, if it is one: gateways report errors under status 200 too.
    pub(super) fn find(status: u16, body: &str) -> Option<Problem> {
        if !(200..300).contains(&status) {
            return Some(Problem { status, ..Problem::read(body) });
        }
        // Most answers hold no such word, and need not be read twice.
        if !body.contains("\"error\"") {
            return None;
        }
        let answer: Value = serde_json::from_str(body).ok()?;
        if says_nothing(&answer["error"]) && answer["type"] != "error" {
            return None;
        }
        let problem = Problem::read(body);
        let status = problem.status_within().unwrap_or(500);
        Some(Problem { status, ..problem })
    }

    fn read(body: &str) -> Problem {
        let Ok(value) = serde_json::from_str::<Value>(body) else {
            return Problem { message: excerpt(body, 200), ..Problem::default() };
        };
        // Streams wrap it into a list.
        let value = value.get(0).unwrap_or(&value);
        let error = value.get("error").filter(|error| !error.is_null()).unwrap_or(value);
        let mut problem = Problem { structured: true, ..Problem::default() };
        for (holder, name) in
            [(error, "code"), (error, "type"), (error, "status"), (&error["innererror"], "code")]
        {
            problem.kinds.extend(word(&holder[name]));
        }
        problem.param =
            word(&error["param"]).filter(|param| param != "None" && param != "null").unwrap_or_default();
        let message = match error {
            Value::String(message) => message.clone(),
            _ => ["message", "detail", "msg"]
                .iter()
                .find_map(|name| problem.message(&error[*name]))
                .unwrap_or_default(),
        };
        problem.details(&error["details"]);
        problem.message = excerpt(if message.is_empty() { body } else { &message }, 300);
        problem
    }

    /// A message is a text, or a list of complaints, each with the place it is about.
    fn message(&mut self, value: &Value) -> Option<String> {
        match value {
            Value::String(text) => Some(text.clone()).filter(|text| !text.is_empty()),
            Value::Object(object) => self.message(object.get("detail")?),
            Value::Array(complaints) => {
                let place = |complaint: &Value| {
                    let place = complaint["loc"].as_array()?.iter().filter_map(Value::as_str);
                    Some(place.filter(|part| *part != "body").collect::<Vec<_>>().join("."))
                };
                if self.param.is_empty() {
                    self.param = complaints.iter().find_map(place).unwrap_or_default();
                }
                let said: Vec<String> = complaints
                    .iter()
                    .filter_map(|complaint| {
                        Some(format!(
                            "{}: {}",
                            place(complaint).unwrap_or_default(),
                            complaint["msg"].as_str()?
                        ))
                    })
                    .collect();
                Some(said.join("; ")).filter(|text| !text.is_empty())
            }
            _ => None,
        }
    }

    /// What Google says in a list of its own.
    fn details(&mut self, details: &Value) {
        for detail in details.as_array().into_iter().flatten() {
            self.kinds.extend(word(&detail["reason"]));
            self.kinds.extend(word(&detail["metadata"]["quota_limit"]));
            for violation in detail["violations"].as_array().into_iter().flatten() {
                self.kinds.extend(word(&violation["quotaId"]));
            }
            if let Some(delay) = detail["retryDelay"].as_str() {
                self.retry_delay = self.retry_delay.max(body_hints::duration(delay));
            }
        }
    }

    /// The status that an error under status 200 corresponds to.
    fn status_within(&self) -> Option<u16> {
        self.kinds.iter().find_map(|kind| match kind.as_str() {
            "overloaded_error" => Some(529),
            "rate_limit_error" | "rate_limit_exceeded" | "RESOURCE_EXHAUSTED" => Some(429),
            "authentication_error" | "invalid_api_key" | "UNAUTHENTICATED" => Some(401),
            "permission_error" | "PERMISSION_DENIED" => Some(403),
            "not_found_error" | "NOT_FOUND" => Some(404),
            "invalid_request_error" | "invalid_prompt" | "INVALID_ARGUMENT" => Some(400),
            number => number.parse().ok().filter(|status| (400..600).contains(status)),
        })
    }

    /// What follows from the error. `prompt` is what was asked, which the message may quote; `own` are the names of fields
    /// that are not ours but the user's.
    pub(super) fn meaning(
        mut self,
        response: &Response,
        prompt: &str,
        parts: &[Part],
        own: &[&str],
    ) -> Result<Answer, Failure> {
        let status = self.status;
        let message = format!("{status}: {}", self.message);
        let run = |code| Err(Failure::Run { code, message: message.clone() });
        self.prompt = prompt.to_ascii_lowercase();
        let asks = body_hints::OPENINGS.iter().any(|opening| self.says(&[*opening]));
        let said = if asks { self.message.as_str() } else { "" };
        let wait = hints::wait(&response.headers, said, response.received)
            .max(self.retry_delay)
            .max(body_hints::in_words(said));
        match status {
            402 => run("insufficient_quota"),
            _ if self.is(&["insufficient_quota", "billing_hard_limit_reached"]) || self.says(UNPAID) => {
                run("insufficient_quota")
            }
            _ if self.is_filter() => Ok(Answer::filtered()),
            401 => run("unauthorized"),
            _ if self.is(UNAUTHORIZED_KINDS) => run("unauthorized"),
            400 if self.is(&["401"]) || self.says(UNAUTHORIZED) => run("unauthorized"),
            403 => run("forbidden"),
            400 if self.is(&["FAILED_PRECONDITION"]) => run("forbidden"),
            _ if self.is(&["model_not_found", "DeploymentNotFound"]) => run("unknown_model"),
            400 if self.says(UNKNOWN_MODEL) => run("unknown_model"),
            // A page quotes the path, which may hold the model's name.
            404 if self.structured && !self.holds(NO_PATH) && self.holds(&["model", "deployment"]) => {
                run("unknown_model")
            }
            404 | 405 => Err(Failure::Run {
                code: "unknown_path",
                message: format!("{message} (nothing answers at this path; is the base URL right?)"),
            }),
            429 if self.is_daily() => run("daily_quota"),
            // It would be refused after any wait, and others would wait with it.
            429 if self.says(&["request too large"]) => {
                Err(Failure::Question { code: "prompt_too_long".to_owned(), message })
            }
            429 => Err(Failure::Throttled { message, wait }),
            300..400 => {
                let message = target(&response.headers).map_or(message, |to| format!("{status} to {to}"));
                Err(Failure::Run { code: "redirected", message })
            }
            407 => run("proxy_authorization"),
            _ if self.is_too_long() => Err(Failure::Question { code: "prompt_too_long".to_owned(), message }),
            408 | 409 | 425 | 500..600 => {
                Err(Failure::Passing { code: format!("http_{status}"), message, wait })
            }
            400 | 422 => {
                if let Some(name) = own.iter().find(|name| self.names(name)) {
                    let why =
                        format!("{message} (`{name}` is one of the request fields that were asked for)");
                    return Err(Failure::Run { code: "refused_parameter", message: why });
                }
                Err(match parts.iter().find(|part| self.refuses(part)) {
                    Some(part) => Failure::Unsupported(part.instead, message),
                    None => Failure::BadRequest { code: format!("http_{status}"), message },
                })
            }
            _ => Err(Failure::Question { code: format!("http_{status}"), message }),
        }
    }

    fn is(&self, kinds: &[&str]) -> bool {
        self.kinds.iter().any(|kind| kinds.contains(&kind.as_str()))
    }

    /// Whether the endpoint says one of these. Words that also occur in the prompt do not count, since they may be a quotation,
    /// and a row must not be able to stop the run or to make others wait.
    fn says(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.holds(&[word]) && !self.prompt.contains(word))
    }

    fn holds(&self, words: &[&str]) -> bool {
        let message = self.message.to_ascii_lowercase();
        words.iter().any(|word| message.contains(word))
    }

    fn is_daily(&self) -> bool {
        self.says(DAILY) || self.kinds.iter().any(|kind| kind.contains("PerDay"))
    }

    /// The prompt was not let through, which says nothing about the next one.
    fn is_filter(&self) -> bool {
        const KINDS: &[&str] =
            &["content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation", "invalid_prompt"];
        const WORDS: &[&str] =
            &["content filtering policy", "content management policy", "input was flagged"];
        (400..500).contains(&self.status) && (self.is(KINDS) || self.says(WORDS))
    }

    fn is_too_long(&self) -> bool {
        const KINDS: &[&str] = &["context_length_exceeded", "request_too_large", "exceed_context_size_error"];
        self.status == 413 || self.is(KINDS) || self.says(TOO_LONG)
    }

    /// Whether the part is refused, by name. A length limit that wants its newer name is told apart by that name, which
    /// stands in the message only.
    fn refuses(&self, part: &Part) -> bool {
        let renamed = part.instead == super::Adaptation::MaxCompletionTokens;
        part.names.iter().any(|name| if renamed { mentions(&self.message, name) } else { self.names(name) })
    }

    /// Whether the error is about the parameter `name`.
    fn names(&self, name: &str) -> bool {
        mentions(if self.param.is_empty() { &self.message } else { &self.param }, name)
    }
}

/// Where a response sends its readers, without user, password and query.
fn target(headers: &HeaderMap) -> Option<String> {
    let told = headers.get(LOCATION)?.to_str().ok()?;
    let to = match told.parse::<Url>() {
        Ok(mut url) => {
            // Fails only for URLs that cannot have them.
            let _ = (url.set_username(""), url.set_password(None));
            url.to_string()
        }
        Err(_) => told.to_owned(),
    };
    let to = to.split(['?', '#']).next().unwrap_or_default();
    (!to.is_empty()).then(|| excerpt(to, 200))
}

/// Whether an error in an answer is none: some gateways always have the field.
pub(super) fn says_nothing(error: &Value) -> bool {
    match error {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::Bool(true) => false,
    }
}

fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Whether `text` contains `name` as a whole word, or in the plural, in any letter case.
fn mentions(text: &str, name: &str) -> bool {
    let (text, name) = (text.to_ascii_lowercase(), name.to_ascii_lowercase());
    let inner = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(&name).any(|(at, _)| {
        let after = text[at + name.len()..].trim_start_matches('s');
        !text[..at].ends_with(inner) && !after.starts_with(inner)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_whole_words() {
        for (text, name, expected) in [
            ("Unsupported parameter: 'max_tokens'", "max_tokens", true),
            ("use max_completion_tokens", "max_tokens", false),
            ("`temperature` is deprecated", "temperature", true),
            ("the temperatures", "temperature", true),
            ("set_temperature is no tool", "temperature", false),
            ("Logprobs is not enabled for models/g", "logprobs", true),
            ("generation_config.response_schema", "response_schema", true),
            ("Structured outputs are not available", "structured output", true),
            ("", "a", false),
        ] {
            assert_eq!(mentions(text, name), expected, "{text} {name}");
        }
    }

    #[test]
    fn shapes_of_errors() {
        let problem = Problem::read(
            r#"{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","logprobs"],"msg":"Extra inputs are not permitted","input":true}]},"type":"invalid_request_error"}"#,
        );
        assert_eq!(
            (problem.param.as_str(), problem.message.as_str()),
            ("logprobs", "logprobs: Extra inputs are not permitted")
        );
        let problem = Problem::read(r#"{"error":"model \"x\" not found"}"#);
        assert_eq!(problem.message, "model \"x\" not found");
        let problem = Problem::read(
            r#"[{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"m","details":[{"retryDelay":"1.5s"}]}}]"#,
        );
        assert_eq!(problem.kinds, ["429", "RESOURCE_EXHAUSTED"]);
        assert_eq!(problem.retry_delay, Some(Duration::from_millis(1500)));
        for nothing in ["null", "{}", "[]", "\"\"", "false", "0"] {
            let body = format!(r#"{{"error":{nothing},"status":"completed"}}"#);
            assert_eq!(Problem::find(200, &body), None, "{body}");
        }
        assert_eq!(Problem::find(200, r#"{"choices":[{"message":{"content":"\"error\""}}]}"#), None);
        assert_eq!(Problem::find(200, r#"{"error":{"code":429}}"#).unwrap().status, 429);
        assert_eq!(
            Problem::find(200, r#"{"type":"error","error":{"type":"overloaded_error"}}"#).unwrap().status,
            529
        );
        assert_eq!(Problem::find(200, r#"{"error":{"message":"oops"}}"#).unwrap().status, 500);
        // Whatever else is odd about it.
        assert_eq!(Problem::find(200, r#"{"type":7,"error":{"code":429}}"#).unwrap().status, 429);
        assert_eq!(Problem::find(200, r#"{"error":{},"error":{"code":429}}"#).unwrap().status, 429);
    }
}
