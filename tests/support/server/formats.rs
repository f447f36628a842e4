//! Completions as each provider's format has them.

use serde_json::{Value, json};

use super::{Answer, Seen, turns};

/// The format of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Chat,
    Responses,
    Messages,
    GenerateContent,
    OllamaChat,
}

impl Format {
    /// Told apart by the path.
    pub fn of(path: &str) -> Option<Format> {
        [
            ("/chat/completions", Format::Chat),
            ("/v1/responses", Format::Responses),
            ("/v1/messages", Format::Messages),
            (":generateContent", Format::GenerateContent),
            ("/api/chat", Format::OllamaChat),
        ]
        .into_iter()
        .find_map(|(ending, format)| path.ends_with(ending).then_some(format))
    }
}

/// A response before it is decided how to deliver it.
pub struct Whole {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
    /// Whether a model has answered, and is paid for it.
    pub is_completion: bool,
}

/// What `answer` says, in the format that was asked for.
pub fn whole(answer: Answer, seen: &Seen) -> Whole {
    let with = |mut headers: Vec<(&'static str, String)>, body: Value| {
        if !headers.iter().any(|(name, _)| *name == "content-type") {
            headers.push(("content-type", "application/json".to_owned()));
        }
        Whole { status: 200, headers, body: body.to_string().into_bytes(), is_completion: true }
    };
    let completion = |body: Value| with(Vec::new(), body);
    match answer {
        Answer::Text(text) => completion(self::completion(seen, &text, None)),
        Answer::Sure(rails) => {
            let text = json!({"label": rails[0].0}).to_string();
            completion(self::completion(seen, &text, Some(&rails)))
        }
        Answer::Message(message, finish) => completion(chat(seen, message, finish, None)),
        Answer::Turn(said) => completion(turns::reply(seen, &said)),
        Answer::Completion { headers, body } => with(headers, body),
        Answer::Raw { status, headers, body } => {
            Whole { status, headers, body: body.into_bytes(), is_completion: false }
        }
        other => unreachable!("{other:?} is no response"),
    }
}

/// A label and how sure the model is of it, in the format that was asked for.
pub fn completion(seen: &Seen, text: &str, rails: Option<&[(&'static str, f64)]>) -> Value {
    let read = seen.prompt().len() / 4;
    let model = &seen.body["model"];
    let tokens = rails.map(|rails| tokens(rails, "logprob"));
    match seen.format {
        Format::Chat => chat(
            seen,
            json!({"role": "assistant", "content": text}),
            "stop",
            tokens.map(|tokens| json!({"content": tokens})),
        ),
        Format::Responses => json!({
            "status": "completed", "error": null, "model": model,
            "output": [{"type": "reasoning", "summary": []}, {"type": "message", "content": [
                {"type": "output_text", "text": text, "logprobs": tokens},
            ]}],
            "usage": {"input_tokens": read, "output_tokens": 5, "input_tokens_details": {"cached_tokens": 3}},
        }),
        Format::Messages => {
            let content = if seen.has("tool_choice") {
                json!({"type": "tool_use", "name": "verdict", "input": serde_json::from_str::<Value>(text).unwrap_or_else(|_| json!({ "said": text }))})
            } else {
                json!({"type": "text", "text": text})
            };
            json!({
                "type": "message", "model": model, "content": [content], "stop_reason": "end_turn",
                "usage": {"input_tokens": read - 3, "cache_read_input_tokens": 3, "output_tokens": 5},
            })
        }
        Format::GenerateContent => {
            let chosen = rails
                .map(|rails| tokens_as(rails, |text, p| json!({"token": text, "logProbability": p.ln()})));
            json!({
                "candidates": [{
                    "content": {"parts": [{"text": text}]}, "finishReason": "STOP",
                    "logprobsResult": chosen.map(|chosen| json!({
                        "chosenCandidates": chosen.iter().map(|best| best[0].clone()).collect::<Vec<_>>(),
                        "topCandidates": chosen.iter().map(|best| json!({"candidates": best})).collect::<Vec<_>>(),
                    })),
                }],
                "modelVersion": "m",
                "usageMetadata": {"promptTokenCount": read, "candidatesTokenCount": 5, "cachedContentTokenCount": 3},
            })
        }
        Format::OllamaChat => json!({
            "model": model, "message": {"role": "assistant", "content": text}, "done": true, "done_reason": "stop",
            "prompt_eval_count": read, "eval_count": 5, "logprobs": tokens,
        }),
    }
}

/// A chat completion.
pub fn chat(seen: &Seen, message: Value, finish: &str, logprobs: Option<Value>) -> Value {
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "model": seen.body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": logprobs}],
        "usage": {"prompt_tokens": seen.prompt().len() / 4, "completion_tokens": 5},
    })
}

/// The tokens of a JSON answer, each with its best alternatives, the chosen one first.
fn tokens_as(rails: &[(&'static str, f64)], entry: impl Fn(&str, f64) -> Value) -> Vec<Vec<Value>> {
    let label = rails.iter().map(|(label, p)| entry(label, *p)).collect();
    vec![vec![entry("{\"label\":\"", 1.0)], label, vec![entry("\"}", 1.0)]]
}

fn tokens(rails: &[(&'static str, f64)], name: &str) -> Value {
    let listed = tokens_as(rails, |text, p| json!({"token": text, name: p.ln()}));
    let token = |best: &Vec<Value>| {
        let mut token = best[0].clone();
        token["top_logprobs"] = json!(best);
        token
    };
    listed.iter().map(token).collect()
}
