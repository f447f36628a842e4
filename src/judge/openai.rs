//! OpenAI chat completions, as spoken by OpenAI and by vLLM, Ollama, llama.cpp, LiteLLM and most gateways.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::{Value, json};

use super::failure::{Failure, excerpt};
use super::wire::{Answer, Parameters, Response, Wire, answer_schema};
use super::{Adaptation, Endpoint, Identity, Remote, Settings, hints};
use crate::domain::{Prompt, Stop, Usage};

/// Where `openai:MODEL` lives unless told otherwise.
pub const BASE_URL: &str = "https://api.openai.com/v1";

/// A judge that speaks chat completions. `known` is what the endpoint was found not to support before.
///
/// # Errors
/// When the key cannot be sent or the HTTP client cannot be set up.
pub fn judge(
    model: &str,
    endpoint: Endpoint,
    parameters: Parameters,
    settings: Settings,
    known: &[Adaptation],
) -> Result<Remote, String> {
    let identity = Identity {
        endpoint: endpoint.public_url(),
        model: model.to_owned(),
        parameters: parameters.to_json(),
    };
    let wire = Chat { model: model.to_owned(), parameters };
    Remote::new(identity, Box::new(wire), endpoint, settings, known, parameters.max_tokens)
}

struct Chat {
    model: String,
    parameters: Parameters,
}

impl Wire for Chat {
    fn path(&self) -> &str {
        "/chat/completions"
    }

    fn body(&self, prompt: &Prompt, adaptations: &BTreeSet<Adaptation>) -> String {
        let mut body = json!({
            "model": self.model,
            "messages": [{"role": "user", "content": prompt.text}],
        });
        if let Some(temperature) = self.parameters.temperature
            && !adaptations.contains(&Adaptation::WithoutTemperature)
        {
            body["temperature"] = json!(temperature);
        }
        if let Some(limit) = self.parameters.max_tokens
            && !adaptations.contains(&Adaptation::WithoutMaxTokens)
        {
            let newer = adaptations.contains(&Adaptation::MaxCompletionTokens);
            body[if newer { "max_completion_tokens" } else { "max_tokens" }] = json!(limit);
        }
        if !adaptations.contains(&Adaptation::TextRail) {
            body["response_format"] = json!({
                "type": "json_schema",
                "json_schema": {"name": "verdict", "strict": true, "schema": answer_schema(prompt)},
            });
        }
        body.to_string()
    }

    fn answer(&self, response: &Response) -> Result<Answer, Failure> {
        let text = String::from_utf8_lossy(&response.body);
        if response.status != 200 {
            return classify(response.status, response, &text);
        }
        let broken = |what: &str| Failure::Passing {
            code: "invalid_response".to_owned(),
            message: format!("{what}: {}", excerpt(&text, 120)),
            wait: None,
        };
        let completion: Completion =
            serde_json::from_str(&text).map_err(|_| broken("the response is no chat completion"))?;
        if let Some(error) = &completion.error
            && !error.is_null()
        {
            // Gateways report errors under status 200, with the real status inside.
            let status = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
            return classify(status.unwrap_or(500), response, &text);
        }
        let usage = completion.usage.map_or_else(Usage::default, |usage| Usage {
            prompt_tokens: usage.prompt_tokens,
            cached_tokens: None,
            completion_tokens: usage.completion_tokens,
        });
        let choice =
            completion.choices.into_iter().next().ok_or_else(|| broken("the response holds no choice"))?;
        let refused = choice.message.refusal.filter(|refusal| !refusal.is_empty());
        let stop = match (choice.finish_reason.as_deref(), &refused) {
            (_, Some(_)) => Stop::Refused,
            (Some("length"), _) => Stop::Truncated,
            (Some("content_filter"), _) => Stop::Filtered,
            _ => Stop::Finished,
        };
        let text = refused.unwrap_or_else(|| plain_text(choice.message.content));
        Ok(Answer { text, stop, usage, model: completion.model })
    }
}

#[derive(Deserialize)]
struct Completion {
    model: Option<String>,
    #[serde(default)]
    choices: Vec<Choice>,
    usage: Option<WireUsage>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    message: WireMessage,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct WireMessage {
    #[serde(default)]
    content: Value,
    refusal: Option<String>,
}

#[derive(Deserialize)]
struct WireUsage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
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

/// What an error response means.
fn classify(status: u16, response: &Response, text: &str) -> Result<Answer, Failure> {
    let problem = Problem::read(text);
    let message = format!("{status}: {}", problem.message);
    let wait = hints::wait(&response.headers, &problem.message, response.received);
    let run = |code| Err(Failure::Run { code, message: message.clone() });
    match status {
        _ if problem.is("insufficient_quota") || status == 402 => run("insufficient_quota"),
        401 => run("unauthorized"),
        403 => run("forbidden"),
        404 => run("unknown_model"),
        429 if problem.is_daily() => run("daily_quota"),
        429 => Err(Failure::Throttled { message, wait }),
        300..400 => run("redirected"),
        408 | 409 | 425 | 500..600 => Err(Failure::Passing { code: format!("http_{status}"), message, wait }),
        _ if problem.is("model_not_found") => run("unknown_model"),
        _ if problem.is("content_filter") => {
            Ok(Answer { text: String::new(), stop: Stop::Filtered, usage: Usage::default(), model: None })
        }
        _ if problem.is("context_length_exceeded") || status == 413 => {
            Err(Failure::Question { code: "prompt_too_long".to_owned(), message })
        }
        400 | 422 => Err(match problem.unsupported() {
            Some(adaptation) => Failure::Unsupported(adaptation, message),
            None => Failure::BadRequest { code: format!("http_{status}"), message },
        }),
        _ => Err(Failure::Question { code: format!("http_{status}"), message }),
    }
}

/// An error body, in any of the shapes that servers give it.
#[derive(Debug, Default)]
struct Problem {
    message: String,
    code: String,
    kind: String,
    param: String,
}

impl Problem {
    fn read(text: &str) -> Problem {
        let Ok(body) = serde_json::from_str::<Value>(text) else {
            return Problem { message: excerpt(text, 200), ..Problem::default() };
        };
        let error = body.get("error").filter(|error| !error.is_null()).unwrap_or(&body);
        let field = |name: &str| match error.get(name) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            _ => String::new(),
        };
        let message = match error {
            Value::String(message) => message.clone(),
            _ => {
                ["message", "detail"].into_iter().map(field).find(|text| !text.is_empty()).unwrap_or_default()
            }
        };
        let message = excerpt(if message.is_empty() { text } else { &message }, 300);
        Problem { message, code: field("code"), kind: field("type"), param: field("param") }
    }

    fn is(&self, code: &str) -> bool {
        self.code == code || self.kind == code
    }

    /// A quota that comes back tomorrow is gone for this run.
    fn is_daily(&self) -> bool {
        let message = self.message.to_ascii_lowercase();
        ["per day", "per-day", "daily", "(rpd)", "(tpd)"].into_iter().any(|word| message.contains(word))
    }

    /// Which of the parameters we sent is refused, by name.
    fn unsupported(&self) -> Option<Adaptation> {
        let named = |name: &str| self.param.starts_with(name) || self.message.contains(name);
        if named("max_completion_tokens") && named("max_tokens") {
            Some(Adaptation::MaxCompletionTokens)
        } else if named("response_format") || named("json_schema") {
            Some(Adaptation::TextRail)
        } else if named("temperature") {
            Some(Adaptation::WithoutTemperature)
        } else if named("max_tokens") || named("max_completion_tokens") {
            Some(Adaptation::WithoutMaxTokens)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests;
