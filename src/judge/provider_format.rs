//! A provider's API format as pure functions: prompt to request, response to answer.

use std::borrow::Cow;
use std::time::SystemTime;

use memchr::memmem;
use reqwest::header::HeaderMap;
use serde_json::{Map, Value, json};

use super::adaptation::AdaptationSet;
use super::body_repair::readable;
use super::failure::{Failure, excerpt};
use super::problem::Problem;
use super::turn_format::TurnFormat;
use super::{Adaptation, Parameters};
use crate::domain::{FindingKind, Findings, Prompt, RailProbability, Stop, Usage};

/// Alternatives requested for each token.
pub(super) const TOP_LOGPROBS: u32 = 5;

/// A provider's request and response formats.
pub(super) trait ProviderFormat: Send + Sync {
    /// The path below the base URL.
    fn path(&self) -> &str;

    /// What base URLs of such endpoints look like.
    fn usual_address(&self) -> &'static str {
        "most end in /v1"
    }

    fn parameters(&self) -> &Parameters;

    /// The forms of rail that the provider has beside its own, in the order in which to try them.
    fn forms(&self) -> &'static [Adaptation];

    /// How the plainest request deviates: no forced rail, no probabilities.
    fn plain(&self) -> &'static [Adaptation];

    /// The body of the request for `prompt`.
    fn body(&self, prompt: &Prompt, adapted: &AdaptationSet) -> Value;

    /// Whether the bodies of prompts differ only in the prompts' text, and in whether that asks for a [`bare`] word.
    fn differs_in_text_only(&self) -> bool {
        true
    }

    /// What a body adapted so holds beside the prompt that an endpoint may refuse.
    fn parts(&self, adapted: &AdaptationSet) -> Vec<Part>;

    /// Reads a response that is not an error.
    fn read(&self, prompt: &Prompt, adapted: &AdaptationSet, body: &str) -> Result<Answer, Failure>;

    /// The form of rail to ask for at once instead, where one answer is enough to see that the endpoint ignores the present one.
    fn ignored_form(&self, _: &Answer, _: &Prompt, _: &AdaptationSet) -> Option<Adaptation> {
        None
    }

    /// How dialogues are sent, where the other side takes part in any.
    fn turns(&self) -> Option<&dyn TurnFormat> {
        None
    }
}

/// A part of a request, by the names that refusals give it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Part {
    pub names: &'static [&'static str],
    /// What to do where it is refused.
    pub instead: Adaptation,
}

/// The meaning of a response, an answer or an error.
pub(super) fn understand(
    format: &dyn ProviderFormat,
    prompt: &Prompt,
    adapted: &AdaptationSet,
    response: &Response,
) -> Result<Answer, Failure> {
    let body = response.text();
    match Problem::find(response.status, &body) {
        Some(problem) => {
            problem.meaning(response, &prompt.text, &format.parts(adapted), &format.parameters().own_names())
        }
        None => format.read(prompt, adapted, &body),
    }
}

/// A response, whole.
#[derive(Debug, Clone)]
pub(super) struct Response {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
    /// When it came, for hints that name a time of day.
    pub received: SystemTime,
}

impl Response {
    /// The body, repaired if it is almost JSON and its meaning is clear.
    pub(super) fn text(&self) -> Cow<'_, str> {
        readable(String::from_utf8_lossy(&self.body))
    }
}

/// What a model said, read out of its provider's format.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answer {
    pub text: String,
    pub stop: Stop,
    pub usage: Usage,
    pub model: Option<String>,
    /// By the model's own token probabilities; empty where it gives none.
    pub probabilities: Vec<RailProbability>,
}

impl Answer {
    /// The provider's filter would not let the prompt through.
    pub(super) fn filtered() -> Answer {
        Answer {
            text: String::new(),
            stop: Stop::Filtered,
            usage: Usage::default(),
            model: None,
            probabilities: Vec::new(),
        }
    }
}

/// The code of a response that is not what the provider documents.
pub(super) const UNREADABLE: &str = "invalid_response";

/// A response that is not what the provider documents.
pub(super) fn broken(what: &str, body: &str) -> Failure {
    Failure::Passing {
        code: UNREADABLE.to_owned(),
        message: format!("{what}: {}", excerpt(body, 120)),
        wait: None,
    }
}

/// Whether the prompt asks for a bare word: no explanation, and no mention of the JSON field that would hold the label.
///
/// An answer may be forced into either form, but a model's probabilities are meaningful only in the form that the prompt asks
/// for.
pub(super) fn bare(prompt: &Prompt) -> bool {
    prompt.form.is_label() && memmem::find(prompt.text.as_bytes(), b"\"label\"").is_none()
}

/// The JSON schema of one finding.
fn finding_schema() -> Value {
    let kinds = FindingKind::ALL.map(FindingKind::as_str);
    let properties = json!({
        "call": {"type": "integer"},
        "argument": {"type": "string"},
        "kind": {"type": "string", "enum": kinds},
        "quote": {"type": "string"},
    });
    let required = ["call", "argument", "kind", "quote"];
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

/// The JSON schema of an answer: the explanation and the findings, if any, before the label, so that the label follows from it.
pub(super) fn answer_schema(prompt: &Prompt) -> Value {
    let labels: Vec<&str> = prompt.rails.labels().collect();
    let mut properties = Map::new();
    if prompt.form.explain {
        properties.insert("explanation".to_owned(), json!({"type": "string"}));
    }
    if prompt.form.findings {
        properties.insert(Findings::FIELD.to_owned(), json!({"type": "array", "items": finding_schema()}));
    }
    properties.insert("label".to_owned(), json!({"type": "string", "enum": labels}));
    let required: Vec<String> = properties.keys().cloned().collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}
