//! Anthropic messages.
//!
//! ```text
//! POST /messages
//! {"model": "m", "max_tokens": 1024, "messages": [{"role": "user", "content": "..."}], "temperature": 0.0,
//!  "output_config": {"format": {"type": "json_schema", "schema": {...}}}}
//!  or: "tools": [{"name": "verdict", "description": "...", "input_schema": {...}}],
//!      "tool_choice": {"type": "tool", "name": "verdict"}
//!
//! {"type": "message", "model": "m-1", "stop_reason": "end_turn", "content": [{"type": "text", "text": "{...}"}],
//!  "usage": {"input_tokens": 9, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0, "output_tokens": 5}}
//!  or: "content": [{"type": "tool_use", "name": "verdict", "input": {"label": "correct"}}], "stop_reason": "tool_use"
//! ```

use serde::Deserialize;
use serde_json::{Value, json};

use super::{TEMPERATURE, temperature};
use crate::domain::{Prompt, Stop, Usage};
use crate::judge::adaptation::{AdaptationSet, next_rail, rail};
use crate::judge::failure::Failure;
use crate::judge::provider_format::{Answer, Part, ProviderFormat, answer_schema, broken};
use crate::judge::turn_format::TurnFormat;
use crate::judge::{Adaptation, Parameters};

/// The API takes no request without a limit: enough for any explanation of a verdict.
const MAX_TOKENS: u32 = 1024;

const TOOL: &str = "verdict";

/// A judge that speaks the messages API.
pub(in crate::judge) struct Anthropic {
    path: &'static str,
    pub(super) model: String,
    pub(super) parameters: Parameters,
}

impl Anthropic {
    /// `base_url` with or without the version at its end: Anthropic's own tools are told it without.
    pub(in crate::judge) fn new(base_url: &str, model: String, parameters: Parameters) -> Anthropic {
        let path = if base_url.ends_with("/v1") { "/messages" } else { "/v1/messages" };
        Anthropic { path, model, parameters }
    }
}

impl ProviderFormat for Anthropic {
    fn path(&self) -> &str {
        self.path
    }

    fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    fn forms(&self) -> &'static [Adaptation] {
        &[Adaptation::ToolRail, Adaptation::TextRail]
    }

    fn plain(&self) -> &'static [Adaptation] {
        &[Adaptation::TextRail]
    }

    fn body(&self, prompt: &Prompt, adapted: &AdaptationSet) -> Value {
        let mut body = json!({
            "model": self.model,
            "max_tokens": self.parameters.limit(prompt, adapted).unwrap_or(MAX_TOKENS),
            "messages": [{"role": "user", "content": prompt.text}],
        });
        if let Some(temperature) = temperature(&self.parameters, adapted) {
            body["temperature"] = json!(temperature);
        }
        match rail(adapted) {
            None => {
                body["output_config"] =
                    json!({"format": {"type": "json_schema", "schema": answer_schema(prompt)}});
            }
            Some(Adaptation::ToolRail) => {
                body["tools"] = json!([{
                    "name": TOOL,
                    "description": "Records the verdict.",
                    "input_schema": answer_schema(prompt),
                }]);
                body["tool_choice"] = json!({"type": "tool", "name": TOOL});
            }
            Some(_) => {}
        }
        body
    }

    fn parts(&self, adapted: &AdaptationSet) -> Vec<Part> {
        let mut parts = Vec::new();
        if let Some(instead) = next_rail(self.forms(), adapted) {
            let names: &[&str] = match rail(adapted) {
                None => &["output_config", "output_format", "json_schema", "structured output"],
                _ => &["tool_choice", "tool", "input_schema", "tool use"],
            };
            parts.push(Part { names, instead });
        }
        if temperature(&self.parameters, adapted).is_some() {
            parts.push(TEMPERATURE);
        }
        parts
    }

    fn read(&self, _: &Prompt, _: &AdaptationSet, body: &str) -> Result<Answer, Failure> {
        let message: Message =
            serde_json::from_str(body).map_err(|_| broken("the response is not a message", body))?;
        let content = message.content.ok_or_else(|| broken("the response holds no content", body))?;
        let called =
            content.iter().find(|block| block.kind == "tool_use").and_then(|block| block.input.as_ref());
        let text = match called {
            Some(input) => input.to_string(),
            None => content.iter().filter_map(|block| block.text.as_deref()).collect(),
        };
        let stop = match message.stop_reason.as_deref() {
            Some("max_tokens" | "model_context_window_exceeded") => Stop::Truncated,
            Some("refusal") => Stop::Refused,
            _ => Stop::Finished,
        };
        let usage = message.usage.map(Usage::from).unwrap_or_default();
        Ok(Answer { text, stop, usage, model: message.model, probabilities: Vec::new() })
    }

    fn turns(&self) -> Option<&dyn TurnFormat> {
        Some(self)
    }
}

#[derive(Deserialize)]
struct Message {
    #[serde(default, deserialize_with = "super::extra")]
    model: Option<String>,
    content: Option<Vec<Block>>,
    stop_reason: Option<String>,
    #[serde(default, deserialize_with = "super::extra")]
    usage: Option<UsageFields>,
}

#[derive(Deserialize)]
struct Block {
    #[serde(default, rename = "type")]
    kind: String,
    text: Option<String>,
    input: Option<Value>,
}

/// Tokens as the messages API counts them.
#[derive(Deserialize)]
pub(super) struct UsageFields {
    #[serde(default, deserialize_with = "super::count")]
    input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "super::count")]
    output_tokens: Option<u64>,
    #[serde(default, deserialize_with = "super::count")]
    cache_read_input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "super::count")]
    cache_creation_input_tokens: Option<u64>,
}

impl From<UsageFields> for Usage {
    fn from(usage: UsageFields) -> Usage {
        // Theirs counts what was neither read from the cache nor written to it; ours counts the whole prompt.
        let cached = usage.cache_read_input_tokens;
        let written = usage.cache_creation_input_tokens.unwrap_or(0);
        Usage {
            prompt_tokens: usage.input_tokens.map(|rest| rest + cached.unwrap_or(0) + written),
            cached_tokens: cached,
            completion_tokens: usage.output_tokens,
        }
    }
}
