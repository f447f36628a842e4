//! A scenario as its file states it.

use std::collections::BTreeMap;

use axum::http::Version;
use serde::Deserialize;

use crate::support::enforcer::Hints;
use crate::support::server::Protocol;

/// A judge that misbehaves in one way, and what must come out.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// One sentence: what goes wrong, and what is right then.
    pub about: String,
    #[serde(default = "both")]
    pub judges: Vec<ProviderFormat>,
    /// Requests in flight at once.
    #[serde(default = "one")]
    pub concurrency: usize,
    /// What `label` is told beside the judge and that.
    #[serde(default)]
    pub flags: Vec<String>,
    /// The exit code.
    pub exit: i32,
    #[serde(rename = "row")]
    pub rows: Vec<Row>,
    #[serde(default)]
    pub server: ServerSpec,
    #[serde(default)]
    pub expect: ExpectedRun,
    #[serde(default)]
    pub again: Again,
}

/// The format that the judge is asked in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProviderFormat {
    OpenAi,
    Anthropic,
}

impl ProviderFormat {
    pub fn provider(self) -> &'static str {
        match self {
            ProviderFormat::OpenAi => "openai",
            ProviderFormat::Anthropic => "anthropic",
        }
    }
}

fn both() -> Vec<ProviderFormat> {
    vec![ProviderFormat::OpenAi, ProviderFormat::Anthropic]
}

/// How the server is set up.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerSpec {
    #[serde(default)]
    pub protocol: ProtocolName,
    /// Limits that are enforced, whatever the rows' answers are.
    pub limits: Option<Enforced>,
    /// What stops the run.
    pub breaks: Option<Breaks>,
}

/// Limits per minute. What is beyond them is refused.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Enforced {
    pub rpm: Option<f64>,
    pub tpm: Option<f64>,
    /// So many seconds' worth can be saved up.
    pub saves: Option<f64>,
    /// So many seconds' worth is given at the beginning of each stretch of so many seconds, in place of bit by bit.
    pub stretch: Option<f64>,
    pub hints: HintsName,
}

/// How limits and waits are told; see [`crate::support::enforcer::Hints`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HintsName {
    Nothing,
    RetryAfter,
    RetryAfterMs,
    Date,
    XRatelimit,
    AnthropicRatelimit,
}

impl HintsName {
    pub fn hints(self) -> Hints {
        match self {
            HintsName::Nothing => Hints::Silent,
            HintsName::RetryAfter => Hints::RetryAfter,
            HintsName::RetryAfterMs => Hints::RetryAfterMs,
            HintsName::Date => Hints::Date,
            HintsName::XRatelimit => Hints::OpenAi,
            HintsName::AnthropicRatelimit => Hints::Anthropic,
        }
    }
}

/// From some request on, whichever question it asks, everything is answered alike. Of the questions, so many have their
/// own answer by then, and the others are not asked: which ones is not said, for they go out in any order.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Breaks {
    /// Requests before that.
    pub after: usize,
    pub answer: Said,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub enum ProtocolName {
    #[default]
    #[serde(rename = "http/1.1")]
    Http1,
    #[serde(rename = "https/1.1")]
    Https1,
    #[serde(rename = "h2")]
    Http2,
}

impl ProtocolName {
    pub fn protocol(self) -> Protocol {
        match self {
            ProtocolName::Http1 => Protocol::Http1,
            ProtocolName::Https1 => Protocol::Https1,
            ProtocolName::Http2 => Protocol::Http2,
        }
    }

    pub fn version(self) -> Version {
        if self == ProtocolName::Http2 { Version::HTTP_2 } else { Version::HTTP_11 }
    }
}

/// One question, and what becomes of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// So many different questions that fare alike.
    #[serde(default = "one")]
    pub times: usize,
    /// So many rows with the same question, which is asked once for all of them.
    #[serde(default = "one")]
    pub copies: usize,
    /// What is asked beside the number that tells the questions apart.
    #[serde(default)]
    pub question: String,
    /// What the judge does at the first request, the second and so on; the last of these from then on.
    pub answers: Vec<Said>,
    pub expect: Expected,
}

fn one() -> usize {
    1
}

/// What the judge does with a request: a completion (`label`, `text`), an error (`status`, `code`, `message`), any body, or
/// no response at all.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Said {
    /// A completion with this label.
    pub label: Option<String>,
    /// A completion with this text.
    pub text: Option<String>,
    /// Why the completion stopped.
    pub stop: Option<StopReason>,
    pub status: Option<u16>,
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// What kind of error it is, in the words of the provider.
    pub code: Option<ByWire>,
    /// What the error says.
    pub message: Option<String>,
    /// A completion as it travels.
    pub completion: Option<ByWire>,
    /// A body that is neither a completion nor an error of the usual form.
    pub body: Option<ByWire>,
    /// The body is this many times as long.
    pub repeat: Option<usize>,
    /// How long the judge takes.
    pub after_ms: Option<u64>,
    /// How long the answer asks to be left alone. In its headers and message, `{date}` stands for the moment when that is
    /// over as HTTP writes it (a whole second, so the wait is as much longer), `{time}` for the same as RFC 3339 writes it.
    pub wait_ms: Option<u64>,
    pub manner: Option<MannerName>,
    /// No response.
    pub nothing: Option<Nothing>,
    /// What comes in place of a response.
    pub bytes: Option<String>,
}

/// The same for all, or as each format has it.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum ByWire {
    Same(String),
    Each { openai: String, anthropic: String },
}

impl ByWire {
    pub fn of(&self, format: ProviderFormat) -> &str {
        match (self, format) {
            (ByWire::Same(text), _) => text,
            (ByWire::Each { openai, .. }, ProviderFormat::OpenAi) => openai,
            (ByWire::Each { anthropic, .. }, ProviderFormat::Anthropic) => anthropic,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    Length,
    Refusal,
    /// OpenAI's only; Anthropic calls it a refusal.
    Filter,
}

/// How a body travels; see [`crate::support::server::Manner`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MannerName {
    Gzip,
    Drip,
    SlowDrip,
    HalfThenReset,
    HalfThenClose,
    HalfOfItsLength,
    HalfThenHang,
    Endless,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Nothing {
    Reset,
    Hang,
}

/// What the output says of a row, and how often the judge was asked for it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    pub status: String,
    /// Empty where there is none.
    #[serde(default)]
    pub label: String,
    /// The code of the error; where none is stated, it is the status's own, if it has one.
    pub error: Option<String>,
    /// What the error's message contains.
    #[serde(default)]
    pub message: String,
    /// As the output says; none for rows that were not asked.
    pub attempts: Option<usize>,
    /// As the judge saw them; as many as `attempts` where nothing is stated.
    pub requests: Option<usize>,
    /// Where it is left to chance how often the judge is asked: at most so often.
    pub at_most: Option<usize>,
    /// Requests when the same command is run again, by a judge that is well by then; where nothing is stated, one for
    /// rows without an answer, and none for the others.
    pub again: Option<usize>,
}

/// What must hold of the whole run.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedRun {
    /// What the standard error contains.
    #[serde(default)]
    pub stderr: Vec<String>,
    pub requests: Option<usize>,
    /// How many rows have which status, where it is not said of each row.
    #[serde(default)]
    pub statuses: BTreeMap<String, usize>,
    /// The most requests in flight at once.
    pub most_in_flight: Option<usize>,
    /// The server could not get rid of more than this.
    pub most_megabytes: Option<u64>,
}

/// The second run of the same command.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Again {
    /// Told in addition.
    #[serde(default)]
    pub flags: Vec<String>,
}
