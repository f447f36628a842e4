//! Ollama's own chat.
//!
//! ```text
//! POST /api/chat
//! {"model": "m", "messages": [{"role": "user", "content": "..."}], "stream": false, "truncate": false, "shift": false,
//!  "format": {...schema...}, "options": {"temperature": 0.0, "num_ctx": 8192, "num_predict": 64},
//!  "logprobs": true, "top_logprobs": 5}
//!
//! {"model": "m", "message": {"role": "assistant", "content": "{\"label\":\"correct\"}"}, "done": true,
//!  "done_reason": "stop", "prompt_eval_count": 9, "eval_count": 5, "logprobs": [{"token": "{", "logprob": -0.1, ...}]}
//! ```
//!
//! A prompt that does not fit into `num_ctx` tokens loses its beginning, under status 200: older servers do not know
//! `truncate`. So the window is always made large enough, and a count far too small for the prompt is a failure.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{LOGPROBS, OWN_OR_WORDS, PLAIN, TEMPERATURE, asks_probabilities, probabilities, temperature};
use crate::domain::{Prompt, Stop, Usage};
use crate::judge::adaptation::{AdaptationSet, next_rail, rail};
use crate::judge::failure::{Failure, excerpt};
use crate::judge::provider_format::{Answer, Part, ProviderFormat, TOP_LOGPROBS, answer_schema, broken};
use crate::judge::turn_format::TurnFormat;
use crate::judge::{Adaptation, Parameters};

/// A judge that speaks Ollama's chat.
pub(in crate::judge) struct Ollama {
    pub model: String,
    pub parameters: Parameters,
}

/// The code of an answer to a part of the prompt.
const PROMPT_TRUNCATED: &str = "prompt_truncated";

/// Sizes of the context window, in tokens. The server loads the model anew for each, so they are few.
const WINDOWS: [u64; 3] = [8_192, 32_768, 131_072];

/// Tokens kept free for an answer without a limit, and for what the model's own template puts around the prompt.
const ANSWER: u32 = 1_024;
const TEMPLATE: u64 = 128;

impl Ollama {
    fn num_ctx(&self, prompt: &Prompt, adapted: &AdaptationSet) -> u64 {
        let ours = || self.parameters.limit(prompt, adapted).map(|limit| limit.max(ANSWER));
        self.window(most_tokens(prompt.text.len()), self.parameters.max_tokens.or_else(ours))
    }

    /// The context window for so many tokens, and an answer up to this limit.
    pub(super) fn window(&self, tokens: u64, limit: Option<u32>) -> u64 {
        if let Some(given) = self.parameters.num_ctx {
            return u64::from(given);
        }
        let needed = tokens + u64::from(limit.unwrap_or(ANSWER)) + TEMPLATE;
        WINDOWS.into_iter().find(|window| *window >= needed).unwrap_or_else(|| needed.next_power_of_two())
    }
}

/// More tokens than a text of so many bytes takes: three bytes each, which JSON comes close to.
pub(super) fn most_tokens(bytes: usize) -> u64 {
    bytes.div_ceil(3) as u64
}

/// Fewer tokens than a text takes: eight characters each, white space aside.
pub(super) fn fewest_tokens(text: &str) -> u64 {
    (text.chars().filter(|c| !c.is_whitespace()).count() / 8) as u64
}

/// How much of what it was sent a model says it read.
pub(super) struct Read {
    pub tokens: u64,
    /// Fewer tokens than were sent.
    pub fewest: u64,
    /// Bytes that were sent.
    pub bytes: u64,
}

impl Read {
    fn of(prompt: &Prompt, tokens: u64) -> Read {
        Read { tokens, fewest: fewest_tokens(&prompt.text), bytes: prompt.text.len() as u64 }
    }

    /// Whether that can be no more than a part.
    ///
    /// A prompt that does not fit is cut down to two or three tokens above half of the window. A prompt of just that size
    /// is told apart by its length, if its tokens are not unusually long.
    fn is_truncated(&self, num_ctx: u64) -> bool {
        let Read { tokens, fewest, bytes } = *self;
        let half = num_ctx / 2;
        let halved = (half + 1..=half + 4).contains(&tokens) && bytes * 2 > tokens * 9;
        tokens < fewest || tokens >= num_ctx || halved
    }

    /// Fails where the model read a part only: its answer is to another question.
    pub(super) fn check(&self, num_ctx: u64) -> Result<(), Failure> {
        if !self.is_truncated(num_ctx) {
            return Ok(());
        }
        let Read { tokens, bytes, .. } = self;
        let about = bytes / 4;
        let message = format!(
            "the model read {tokens} tokens of a prompt of about {about}, with num_ctx {num_ctx}; raise num_ctx, or \
             take a model with a larger context window"
        );
        Err(Failure::Question { code: PROMPT_TRUNCATED.to_owned(), message })
    }
}

/// A response of a server that has not answered yet, such as while it loads the model: nothing was generated.
pub(super) fn not_done(body: &str) -> Failure {
    let message = format!("the model was not done: {}", excerpt(body, 120));
    Failure::Passing { code: "not_done".to_owned(), message, wait: None }
}

impl ProviderFormat for Ollama {
    fn path(&self) -> &str {
        "/api/chat"
    }

    fn usual_address(&self) -> &'static str {
        "Ollama's own has no path, as in http://localhost:11434"
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
        let mut options = Map::new();
        if let Some(temperature) = temperature(&self.parameters, adapted) {
            options.insert("temperature".to_owned(), json!(temperature));
        }
        options.insert("num_ctx".to_owned(), json!(self.num_ctx(prompt, adapted)));
        if let Some(limit) = self.parameters.limit(prompt, adapted) {
            options.insert("num_predict".to_owned(), json!(limit));
        }
        let mut body = json!({
            "model": self.model,
            "messages": [{"role": "user", "content": prompt.text}],
            "stream": false,
            "truncate": false,
            "shift": false,
        });
        if rail(adapted).is_none() {
            body["format"] = answer_schema(prompt);
        }
        body["options"] = Value::Object(options);
        if asks_probabilities(adapted) {
            body["logprobs"] = json!(true);
            body["top_logprobs"] = json!(TOP_LOGPROBS);
        }
        body
    }

    /// The context window is sized to each prompt.
    fn differs_in_text_only(&self) -> bool {
        false
    }

    fn parts(&self, adapted: &AdaptationSet) -> Vec<Part> {
        let mut parts = Vec::new();
        if asks_probabilities(adapted) {
            parts.push(LOGPROBS);
        }
        if let Some(instead) = next_rail(self.forms(), adapted) {
            parts.push(Part { names: &["format", "json_schema", "schema", "grammar"], instead });
        }
        if temperature(&self.parameters, adapted).is_some() {
            parts.push(TEMPERATURE);
        }
        parts
    }

    fn read(&self, prompt: &Prompt, adapted: &AdaptationSet, body: &str) -> Result<Answer, Failure> {
        let reply: Reply = serde_json::from_str(body)
            .map_err(|_| broken("the response is not an Ollama chat response", body))?;
        let message = reply.message.ok_or_else(|| broken("the response holds no message", body))?;
        if reply.done == Some(false) || matches!(reply.done_reason.as_deref(), Some("load" | "unload")) {
            return Err(not_done(body));
        }
        if let Some(tokens) = reply.prompt_eval_count {
            Read::of(prompt, tokens).check(self.num_ctx(prompt, adapted))?;
        }
        let stop = match reply.done_reason.as_deref() {
            Some("length") => Stop::Truncated,
            _ => Stop::Finished,
        };
        let usage = Usage {
            prompt_tokens: reply.prompt_eval_count,
            cached_tokens: None,
            completion_tokens: reply.eval_count,
        };
        Ok(Answer {
            text: message.content.unwrap_or_default(),
            stop,
            usage,
            model: reply.model,
            probabilities: probabilities(reply.logprobs, prompt, adapted),
        })
    }

    fn turns(&self) -> Option<&dyn TurnFormat> {
        Some(self)
    }
}

#[derive(Deserialize)]
struct Reply {
    #[serde(default, deserialize_with = "super::extra")]
    model: Option<String>,
    message: Option<Message>,
    #[serde(default, deserialize_with = "super::extra")]
    done: Option<bool>,
    done_reason: Option<String>,
    #[serde(default, deserialize_with = "super::count")]
    prompt_eval_count: Option<u64>,
    #[serde(default, deserialize_with = "super::count")]
    eval_count: Option<u64>,
    logprobs: Option<Value>,
}

#[derive(Deserialize)]
struct Message {
    content: Option<String>,
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::domain::{AnswerForm, Rails};

    fn prompt(text: String) -> Prompt {
        Prompt { text, rails: Arc::new(Rails::correctness()), form: AnswerForm::LABEL }
    }

    #[test]
    fn the_window_fits_the_prompt_in_few_sizes() {
        let sized = |bytes: usize, parameters: Parameters| {
            Ollama { model: "m".into(), parameters }
                .num_ctx(&prompt("x".repeat(bytes)), &AdaptationSet::new())
        };
        let sizes =
            [10, 20_000, 21_500, 90_000, 300_000, 900_000].map(|bytes| sized(bytes, Parameters::default()));
        assert_eq!(sizes, [8_192, 8_192, 32_768, 32_768, 131_072, 524_288]);
        assert_eq!(sized(10, Parameters { max_tokens: Some(9_000), ..Parameters::default() }), 32_768);
        assert_eq!(sized(900_000, Parameters { num_ctx: Some(2_048), ..Parameters::default() }), 2_048);
    }

    #[test]
    fn counts_that_cannot_be_the_whole_prompt() {
        let words = "word ".repeat(4_000);
        let digits = "1234567890".repeat(2_000);
        for (text, read, num_ctx, expected) in [
            (&words, 4_011, 8_192, false),
            (&words, 4_090, 8_192, false),
            // The server's own limit was smaller than the window asked for.
            (&words, 1_026, 8_192, true),
            (&words, 8_192, 8_192, true),
            (&digits, 4_098, 8_192, true),
            (&digits, 7_000, 8_192, false),
        ] {
            assert_eq!(
                Read::of(&prompt(text.clone()), read).is_truncated(num_ctx),
                expected,
                "{read} of {}",
                text.len()
            );
        }
    }

    proptest::proptest! {
        #[test]
        fn a_prompt_that_was_read_whole_is_never_called_truncated(
            text in "[a-zA-Z0-9 {}:,\"\n]{1,4000}",
            bytes_per_token in 3.1_f64..5.0,
        ) {
            let prompt = prompt(text);
            let read = (prompt.text.len() as f64 / bytes_per_token) as u64 + 12;
            let num_ctx = Ollama { model: "m".into(), parameters: Parameters::default() }
                .num_ctx(&prompt, &AdaptationSet::new());
            proptest::prop_assert!(!Read::of(&prompt, read).is_truncated(num_ctx));
        }
    }
}
