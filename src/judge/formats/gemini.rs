//! Gemini's generateContent.
//!
//! ```text
//! POST /models/MODEL:generateContent
//! {"contents": [{"role": "user", "parts": [{"text": "..."}]}],
//!  "generationConfig": {"temperature": 0.0, "maxOutputTokens": 64, "responseMimeType": "application/json",
//!   "responseSchema": {"type": "OBJECT", ...}, "responseLogprobs": true, "logprobs": 5}}
//!  or, for a bare word: "responseMimeType": "text/x.enum", "responseSchema": {"type": "STRING", "enum": [...]}
//!
//! {"candidates": [{"content": {"parts": [{"text": "{\"label\":\"correct\"}"}]}, "finishReason": "STOP",
//!   "logprobsResult": {"chosenCandidates": [{"token": "{", "logProbability": -0.1}, ...],
//!    "topCandidates": [{"candidates": [...]}, ...]}}], "promptFeedback": {"blockReason": "SAFETY"},
//!  "usageMetadata": {"promptTokenCount": 9, "cachedContentTokenCount": 0, "candidatesTokenCount": 5,
//!   "thoughtsTokenCount": 7}, "modelVersion": "m-1"}
//! ```

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{OWN_OR_WORDS, PLAIN, TEMPERATURE, asks_probabilities, lenient, temperature};
use crate::domain::{FindingKind, Findings, Prompt, Stop, Usage};
use crate::judge::adaptation::{AdaptationSet, is_forced, next_rail, rail};
use crate::judge::failure::Failure;
use crate::judge::logprobs::{Candidate as Alternative, Token, rail_probabilities};
use crate::judge::provider_format::{Answer, Part, ProviderFormat, TOP_LOGPROBS, bare, broken};
use crate::judge::turn_format::TurnFormat;
use crate::judge::{Adaptation, Parameters};

/// A judge that speaks generateContent.
pub(in crate::judge) struct Gemini {
    path: String,
    pub(super) parameters: Parameters,
}

impl Gemini {
    /// `model` as the API names it, with or without `models/`.
    pub(in crate::judge) fn new(model: &str, parameters: Parameters) -> Gemini {
        let folder = if model.contains('/') { "" } else { "models/" };
        Gemini { path: format!("/{folder}{model}:generateContent"), parameters }
    }
}

impl ProviderFormat for Gemini {
    fn path(&self) -> &str {
        &self.path
    }

    fn usual_address(&self) -> &'static str {
        "Gemini's ends in /v1beta"
    }

    fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    fn forms(&self) -> &'static [Adaptation] {
        OWN_OR_WORDS
    }

    fn plain(&self) -> &'static [Adaptation] {
        PLAIN
    }

    fn body(&self, prompt: &Prompt, adapted: &AdaptationSet) -> Value {
        let mut config = Map::new();
        if let Some(temperature) = temperature(&self.parameters, adapted) {
            config.insert("temperature".to_owned(), json!(temperature));
        }
        if let Some(limit) = self.parameters.max_tokens
            && !adapted.contains(&Adaptation::WithoutMaxTokens)
        {
            config.insert("maxOutputTokens".to_owned(), json!(limit));
        }
        if rail(adapted).is_none() {
            let mime = if bare(prompt) { "text/x.enum" } else { "application/json" };
            config.insert("responseMimeType".to_owned(), json!(mime));
            config.insert("responseSchema".to_owned(), schema(prompt));
        }
        if asks_probabilities(adapted) {
            config.insert("responseLogprobs".to_owned(), json!(true));
            config.insert("logprobs".to_owned(), json!(TOP_LOGPROBS));
        }
        json!({
            "contents": [{"role": "user", "parts": [{"text": prompt.text}]}],
            "generationConfig": config,
        })
    }

    fn parts(&self, adapted: &AdaptationSet) -> Vec<Part> {
        let mut parts = Vec::new();
        if asks_probabilities(adapted) {
            let names = &["responseLogprobs", "response_logprobs", "logprobs"];
            parts.push(Part { names, instead: Adaptation::WithoutLogprobs });
        }
        if let Some(instead) = next_rail(self.forms(), adapted) {
            let names = &[
                "responseSchema",
                "response_schema",
                "responseMimeType",
                "response_mime_type",
                "response mime type",
                "json mode",
                "schema",
                "controlled generation",
                "enum",
            ];
            parts.push(Part { names, instead });
        }
        if self.parameters.max_tokens.is_some() && !adapted.contains(&Adaptation::WithoutMaxTokens) {
            let names = &["maxOutputTokens", "max_output_tokens"];
            parts.push(Part { names, instead: Adaptation::WithoutMaxTokens });
        }
        if temperature(&self.parameters, adapted).is_some() {
            parts.push(TEMPERATURE);
        }
        parts
    }

    fn read(&self, prompt: &Prompt, adapted: &AdaptationSet, body: &str) -> Result<Answer, Failure> {
        let reply: Reply =
            serde_json::from_str(body).map_err(|_| broken("the response is not generated content", body))?;
        let usage = reply.usage_metadata.map(Usage::from).unwrap_or_default();
        if reply.prompt_feedback.is_some_and(|feedback| feedback.block_reason.is_some()) {
            return Ok(Answer { usage, model: reply.model_version, ..Answer::filtered() });
        }
        let candidate = reply
            .candidates
            .into_iter()
            .next()
            .ok_or_else(|| broken("the response holds no candidate", body))?;
        let stop = stop(candidate.finish_reason.as_deref());
        let parts = candidate.content.unwrap_or_default().parts;
        let text =
            parts.iter().filter(|part| !part.thought).filter_map(|part| part.text.as_deref()).collect();
        let tokens = lenient::<Logprobs>(candidate.logprobs_result).tokens();
        Ok(Answer {
            text,
            stop,
            usage,
            model: reply.model_version,
            probabilities: rail_probabilities(&tokens, &prompt.rails, is_forced(adapted)),
        })
    }

    fn turns(&self) -> Option<&dyn TurnFormat> {
        Some(self)
    }
}

/// Why a candidate ends.
pub(super) fn stop(finish_reason: Option<&str>) -> Stop {
    match finish_reason {
        Some("MAX_TOKENS") => Stop::Truncated,
        Some(
            "SAFETY"
            | "RECITATION"
            | "BLOCKLIST"
            | "PROHIBITED_CONTENT"
            | "SPII"
            | "IMAGE_SAFETY"
            | "IMAGE_PROHIBITED_CONTENT",
        ) => Stop::Filtered,
        _ => Stop::Finished,
    }
}

/// The schema of an answer in Google's own spelling, which names the order of the fields.
fn schema(prompt: &Prompt) -> Value {
    let labels: Vec<&str> = prompt.rails.labels().collect();
    let label = json!({"type": "STRING", "enum": labels});
    if bare(prompt) {
        return label;
    }
    let mut properties = Map::new();
    if prompt.form.explain {
        properties.insert("explanation".to_owned(), json!({"type": "STRING"}));
    }
    if prompt.form.findings {
        properties.insert(Findings::FIELD.to_owned(), json!({"type": "ARRAY", "items": finding_schema()}));
    }
    properties.insert("label".to_owned(), label);
    let fields: Vec<String> = properties.keys().cloned().collect();
    json!({"type": "OBJECT", "properties": properties, "required": fields, "propertyOrdering": fields})
}

/// The schema of one finding.
fn finding_schema() -> Value {
    let kinds = FindingKind::ALL.map(FindingKind::as_str);
    let properties = json!({
        "call": {"type": "INTEGER"},
        "argument": {"type": "STRING"},
        "kind": {"type": "STRING", "enum": kinds},
        "quote": {"type": "STRING"},
    });
    let fields = ["call", "argument", "kind", "quote"];
    json!({"type": "OBJECT", "properties": properties, "required": fields, "propertyOrdering": fields})
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reply {
    #[serde(default)]
    candidates: Vec<Candidate>,
    prompt_feedback: Option<PromptFeedback>,
    #[serde(default, deserialize_with = "super::extra")]
    usage_metadata: Option<UsageMetadata>,
    #[serde(default, deserialize_with = "super::extra")]
    model_version: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate {
    content: Option<Content>,
    finish_reason: Option<String>,
    logprobs_result: Option<Value>,
}

#[derive(Default, Deserialize)]
struct Content {
    #[serde(default)]
    parts: Vec<TextPart>,
}

#[derive(Deserialize)]
struct TextPart {
    text: Option<String>,
    #[serde(default)]
    thought: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PromptFeedback {
    block_reason: Option<String>,
}

/// Tokens as generateContent counts them.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct UsageMetadata {
    #[serde(default, deserialize_with = "super::count")]
    prompt_token_count: Option<u64>,
    #[serde(default, deserialize_with = "super::count")]
    cached_content_token_count: Option<u64>,
    #[serde(default, deserialize_with = "super::count")]
    candidates_token_count: Option<u64>,
    #[serde(default, deserialize_with = "super::count")]
    thoughts_token_count: Option<u64>,
}

impl From<UsageMetadata> for Usage {
    fn from(usage: UsageMetadata) -> Usage {
        Usage {
            prompt_tokens: usage.prompt_token_count,
            cached_tokens: usage.cached_content_token_count,
            completion_tokens: match (usage.candidates_token_count, usage.thoughts_token_count) {
                (None, None) => None,
                (said, thought) => Some(said.unwrap_or(0) + thought.unwrap_or(0)),
            },
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Logprobs {
    chosen_candidates: Vec<Alternative>,
    top_candidates: Vec<TopCandidates>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct TopCandidates {
    candidates: Vec<Alternative>,
}

impl Logprobs {
    /// The two lists run in parallel.
    fn tokens(self) -> Vec<Token> {
        let mut tops = self.top_candidates.into_iter();
        let chosen = self.chosen_candidates.into_iter();
        chosen
            .map(|chosen| Token { chosen, alternatives: tops.next().unwrap_or_default().candidates })
            .collect()
    }
}
