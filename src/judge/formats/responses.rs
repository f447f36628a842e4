//! OpenAI responses.
//!
//! ```text
//! POST /responses
//! {"model": "m", "input": "...", "store": false, "temperature": 0.0, "max_output_tokens": 64,
//!  "text": {"format": {"type": "json_schema", "name": "verdict", "strict": true, "schema": {...}}},
//!  "include": ["message.output_text.logprobs"], "top_logprobs": 5}
//!
//! {"status": "completed", "model": "m-1", "error": null, "incomplete_details": null,
//!  "output": [{"type": "reasoning", ...}, {"type": "message", "content": [
//!    {"type": "output_text", "text": "{\"label\":\"correct\"}", "logprobs": [...]}]}],
//!  "usage": {"input_tokens": 9, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 5}}
//! ```

use serde::Deserialize;
use serde_json::{Value, json};

use super::{LOGPROBS, OWN_OR_WORDS, PLAIN, TEMPERATURE, asks_probabilities, probabilities, temperature};
use crate::domain::{Prompt, Stop, Usage};
use crate::judge::adaptation::{AdaptationSet, next_rail, rail};
use crate::judge::failure::Failure;
use crate::judge::provider_format::{Answer, Part, ProviderFormat, TOP_LOGPROBS, answer_schema, broken};
use crate::judge::turn_format::TurnFormat;
use crate::judge::{Adaptation, Parameters};

/// A judge that speaks the responses API.
pub(in crate::judge) struct Responses {
    pub model: String,
    pub parameters: Parameters,
}

impl ProviderFormat for Responses {
    fn path(&self) -> &str {
        "/responses"
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
        // Logged rows are private: nothing is to be kept on the other side.
        let mut body = json!({"model": self.model, "input": prompt.text, "store": false});
        if let Some(temperature) = temperature(&self.parameters, adapted) {
            body["temperature"] = json!(temperature);
        }
        if let Some(limit) = self.parameters.limit(prompt, adapted) {
            body["max_output_tokens"] = json!(limit);
        }
        if rail(adapted).is_none() {
            body["text"] = json!({"format": {
                "type": "json_schema", "name": "verdict", "strict": true, "schema": answer_schema(prompt),
            }});
        }
        if asks_probabilities(adapted) {
            body["include"] = json!(["message.output_text.logprobs"]);
            body["top_logprobs"] = json!(TOP_LOGPROBS);
        }
        body
    }

    fn parts(&self, adapted: &AdaptationSet) -> Vec<Part> {
        let mut parts = Vec::new();
        if self.parameters.has_limit(adapted) {
            parts.push(Part { names: &["max_output_tokens"], instead: Adaptation::WithoutMaxTokens });
        }
        if asks_probabilities(adapted) {
            parts.push(LOGPROBS);
        }
        if let Some(instead) = next_rail(self.forms(), adapted) {
            let names = &["text.format", "json_schema", "format", "structured output"];
            parts.push(Part { names, instead });
        }
        if temperature(&self.parameters, adapted).is_some() {
            parts.push(TEMPERATURE);
        }
        parts
    }

    fn read(&self, prompt: &Prompt, adapted: &AdaptationSet, body: &str) -> Result<Answer, Failure> {
        let reply: Reply = serde_json::from_str(body)
            .map_err(|_| broken("the response is not a Responses API response", body))?;
        let output = reply.output.ok_or_else(|| broken("the response holds no output", body))?;
        let contents = || output.iter().filter(|item| item.kind == "message").flat_map(|item| &item.content);
        let refused =
            contents().find_map(|content| content.refusal.clone().filter(|refusal| !refusal.is_empty()));
        let reason = reply.incomplete_details.and_then(|details| details.reason);
        let stop = match (reply.status.as_deref(), reason.as_deref(), &refused) {
            (_, _, Some(_)) => Stop::Refused,
            (_, Some("content_filter"), _) => Stop::Filtered,
            (Some("incomplete"), _, _) | (_, Some("max_output_tokens"), _) => Stop::Truncated,
            _ => Stop::Finished,
        };
        let mut tokens = Vec::new();
        for content in contents() {
            tokens.extend(content.logprobs.as_ref().and_then(Value::as_array).into_iter().flatten().cloned());
        }
        let said = || contents().filter_map(|content| content.text.as_deref()).collect();
        let usage = reply.usage.map(Usage::from).unwrap_or_default();
        Ok(Answer {
            text: refused.unwrap_or_else(said),
            stop,
            usage,
            model: reply.model,
            probabilities: probabilities((!tokens.is_empty()).then(|| tokens.into()), prompt, adapted),
        })
    }

    fn turns(&self) -> Option<&dyn TurnFormat> {
        Some(self)
    }
}

#[derive(Deserialize)]
struct Reply {
    status: Option<String>,
    #[serde(default, deserialize_with = "super::extra")]
    model: Option<String>,
    output: Option<Vec<Item>>,
    incomplete_details: Option<Incomplete>,
    #[serde(default, deserialize_with = "super::extra")]
    usage: Option<UsageFields>,
}

#[derive(Deserialize)]
struct Item {
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default)]
    content: Vec<Content>,
}

#[derive(Deserialize)]
struct Content {
    text: Option<String>,
    refusal: Option<String>,
    logprobs: Option<Value>,
}

#[derive(Deserialize)]
struct Incomplete {
    reason: Option<String>,
}

/// Tokens as the Responses API counts them.
#[derive(Deserialize)]
pub(super) struct UsageFields {
    #[serde(default, deserialize_with = "super::count")]
    input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "super::count")]
    output_tokens: Option<u64>,
    #[serde(default, deserialize_with = "super::extra")]
    input_tokens_details: Option<InputTokens>,
}

impl From<UsageFields> for Usage {
    fn from(usage: UsageFields) -> Usage {
        Usage {
            prompt_tokens: usage.input_tokens,
            cached_tokens: usage.input_tokens_details.and_then(|details| details.cached_tokens),
            completion_tokens: usage.output_tokens,
        }
    }
}

#[derive(Deserialize)]
struct InputTokens {
    #[serde(default, deserialize_with = "super::count")]
    cached_tokens: Option<u64>,
}
