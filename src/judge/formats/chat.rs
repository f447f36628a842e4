//! OpenAI chat completions, as spoken by OpenAI, Azure, vLLM, llama.cpp, LiteLLM and most gateways.
//!
//! ```text
//! POST /chat/completions
//! {"model": "m", "messages": [{"role": "user", "content": "..."}], "temperature": 0.0, "max_tokens": 64,
//!  "response_format": {"type": "json_schema", "json_schema": {"name": "verdict", "strict": true, "schema": {...}}},
//!  "logprobs": true, "top_logprobs": 5}
//!
//! {"model": "m-1", "choices": [{"message": {"content": "{\"label\":\"correct\"}", "refusal": null},
//!  "finish_reason": "stop", "logprobs": {"content": [{"token": "{\"", "logprob": -0.1, "top_logprobs": [...]}, ...]}}],
//!  "usage": {"prompt_tokens": 9, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 0}}}
//! ```

use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    LOGPROBS, OWN_OR_WORDS, PLAIN, TEMPERATURE, asks_probabilities, lenient, llamacpp, probabilities,
    temperature, vllm,
};
use crate::domain::{Prompt, Stop, Usage};
use crate::judge::adaptation::{AdaptationSet, next_rail, rail};
use crate::judge::failure::Failure;
use crate::judge::provider_format::{Answer, Part, ProviderFormat, TOP_LOGPROBS, answer_schema, broken};
use crate::judge::turn_format::TurnFormat;
use crate::judge::{Adaptation, Parameters};

/// A judge that speaks chat completions.
pub(in crate::judge) struct Chat {
    /// The path below the base URL.
    pub path: String,
    pub model: String,
    pub parameters: Parameters,
    pub dialect: Dialect,
}

/// Whose way of forcing a rail is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::judge) enum Dialect {
    OpenAi,
    Vllm,
    LlamaCpp,
}

/// The JSON schema, where OpenAI and those after it take it.
pub(super) const RESPONSE_FORMAT: &[&str] =
    &["response_format", "json_schema", "structured output", "structured_outputs"];

impl ProviderFormat for Chat {
    fn path(&self) -> &str {
        &self.path
    }

    fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    fn forms(&self) -> &'static [Adaptation] {
        match self.dialect {
            Dialect::OpenAi => OWN_OR_WORDS,
            Dialect::Vllm => vllm::FORMS,
            Dialect::LlamaCpp => llamacpp::FORMS,
        }
    }

    fn plain(&self) -> &'static [Adaptation] {
        PLAIN
    }

    fn body(&self, prompt: &Prompt, adapted: &AdaptationSet) -> Value {
        let mut body = json!({
            "model": self.model,
            "messages": [{"role": "user", "content": prompt.text}],
        });
        if let Some(temperature) = temperature(&self.parameters, adapted) {
            body["temperature"] = json!(temperature);
        }
        if let Some(limit) = self.parameters.limit(prompt, adapted) {
            body[self.limit_name(adapted)] = json!(limit);
        }
        let constraint = match (rail(adapted), self.dialect) {
            (Some(Adaptation::TextRail | Adaptation::InstructedRail), _) => None,
            (None, Dialect::Vllm) => Some(vllm::structured_outputs(prompt)),
            (Some(Adaptation::GuidedRail), Dialect::Vllm) => Some(vllm::guided(prompt)),
            (None, Dialect::LlamaCpp) => llamacpp::grammar(prompt, &self.parameters.body),
            _ => Some(response_format(prompt)),
        };
        if let Some((name, value)) = constraint {
            body[name] = value;
        }
        if asks_probabilities(adapted) {
            body["logprobs"] = json!(true);
            body["top_logprobs"] = json!(TOP_LOGPROBS);
        }
        body
    }

    fn parts(&self, adapted: &AdaptationSet) -> Vec<Part> {
        let mut parts = self.limit_parts(adapted);
        if let Some(instead) = next_rail(self.forms(), adapted) {
            let names = match (rail(adapted), self.dialect) {
                (None, Dialect::Vllm) => vllm::STRUCTURED_OUTPUTS,
                (Some(Adaptation::GuidedRail), _) => vllm::GUIDED,
                (None, Dialect::LlamaCpp) => llamacpp::GRAMMAR,
                _ => RESPONSE_FORMAT,
            };
            parts.push(Part { names, instead });
        }
        if asks_probabilities(adapted) {
            parts.push(LOGPROBS);
        }
        if temperature(&self.parameters, adapted).is_some() {
            parts.push(TEMPERATURE);
        }
        parts
    }

    fn read(&self, prompt: &Prompt, adapted: &AdaptationSet, body: &str) -> Result<Answer, Failure> {
        let completion: Completion =
            serde_json::from_str(body).map_err(|_| broken("the response is not a chat completion", body))?;
        let usage = completion.usage.map(Usage::from).unwrap_or_default();
        let choice = completion
            .choices
            .into_iter()
            .next()
            .ok_or_else(|| broken("the response holds no choice", body))?;
        let refused = choice.message.refusal.filter(|refusal| !refusal.is_empty());
        let stop = match (choice.finish_reason.as_deref(), &refused) {
            (_, Some(_)) => Stop::Refused,
            (Some("length"), _) => Stop::Truncated,
            (Some("content_filter"), _) => Stop::Filtered,
            _ => Stop::Finished,
        };
        let text = refused.unwrap_or_else(|| plain_text(choice.message.content));
        let logprobs: Logprobs = lenient(choice.logprobs);
        Ok(Answer {
            text,
            stop,
            usage,
            model: completion.model,
            probabilities: probabilities(logprobs.content, prompt, adapted),
        })
    }

    fn ignored_form(&self, answer: &Answer, prompt: &Prompt, adapted: &AdaptationSet) -> Option<Adaptation> {
        match self.dialect {
            Dialect::Vllm => vllm::ignored_form(answer, prompt, adapted),
            _ => None,
        }
    }

    fn turns(&self) -> Option<&dyn TurnFormat> {
        Some(self)
    }
}

impl Chat {
    /// What the limit on answers goes by.
    pub(super) fn limit_name(&self, adapted: &AdaptationSet) -> &'static str {
        if adapted.contains(&Adaptation::MaxCompletionTokens) {
            "max_completion_tokens"
        } else {
            "max_tokens"
        }
    }

    /// The limit on answers, as refusals may name it.
    pub(super) fn limit_parts(&self, adapted: &AdaptationSet) -> Vec<Part> {
        if !self.parameters.has_limit(adapted) {
            return Vec::new();
        }
        if adapted.contains(&Adaptation::MaxCompletionTokens) {
            let names = &["max_completion_tokens", "max_tokens"];
            return vec![Part { names, instead: Adaptation::WithoutMaxTokens }];
        }
        vec![
            Part { names: &["max_completion_tokens"], instead: Adaptation::MaxCompletionTokens },
            Part { names: &["max_tokens"], instead: Adaptation::WithoutMaxTokens },
        ]
    }
}

pub(super) fn response_format(prompt: &Prompt) -> (&'static str, Value) {
    let format = json!({
        "type": "json_schema",
        "json_schema": {"name": "verdict", "strict": true, "schema": answer_schema(prompt)},
    });
    ("response_format", format)
}

#[derive(Deserialize)]
struct Completion {
    #[serde(default, deserialize_with = "super::extra")]
    model: Option<String>,
    #[serde(default)]
    choices: Vec<Choice>,
    #[serde(default, deserialize_with = "super::extra")]
    usage: Option<UsageFields>,
}

#[derive(Deserialize)]
struct Choice {
    message: MessageFields,
    finish_reason: Option<String>,
    logprobs: Option<Value>,
}

#[derive(Deserialize)]
struct MessageFields {
    #[serde(default)]
    content: Value,
    refusal: Option<String>,
}

#[derive(Default, Deserialize)]
struct Logprobs {
    content: Option<Value>,
}

/// Tokens as chat completions count them.
#[derive(Deserialize)]
pub(super) struct UsageFields {
    #[serde(default, deserialize_with = "super::count")]
    prompt_tokens: Option<u64>,
    #[serde(default, deserialize_with = "super::count")]
    completion_tokens: Option<u64>,
    #[serde(default, deserialize_with = "super::extra")]
    prompt_tokens_details: Option<PromptTokens>,
}

impl From<UsageFields> for Usage {
    fn from(usage: UsageFields) -> Usage {
        Usage {
            prompt_tokens: usage.prompt_tokens,
            cached_tokens: usage.prompt_tokens_details.and_then(|details| details.cached_tokens),
            completion_tokens: usage.completion_tokens,
        }
    }
}

#[derive(Deserialize)]
struct PromptTokens {
    #[serde(default, deserialize_with = "super::count")]
    cached_tokens: Option<u64>,
}

/// A content is a text, null, or a list of parts.
fn plain_text(content: Value) -> String {
    match content {
        Value::String(text) => text,
        Value::Array(parts) => {
            parts.iter().filter_map(|part| part.get("text")?.as_str()).collect::<Vec<_>>().join("")
        }
        _ => String::new(),
    }
}
