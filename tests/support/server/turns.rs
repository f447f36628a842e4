//! Dialogues as each provider's format has them: what an agent was sent, and what it replies.

use serde_json::{Value, json};

use super::{Format, Seen};

/// What an agent says and calls.
#[derive(Debug, Clone, Default)]
pub struct Said {
    pub text: String,
    pub thinking: Option<String>,
    /// Names, and arguments as the model wrote them: they need not be JSON.
    pub calls: Vec<(String, String)>,
    pub end: End,
}

/// How a reply ends.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum End {
    #[default]
    Finished,
    /// Cut off at the limit.
    Length,
    Refused,
    Filtered,
    /// By Anthropic: to be continued.
    Paused,
}

impl Said {
    pub fn text(text: &str) -> Said {
        Said { text: text.to_owned(), ..Said::default() }
    }

    pub fn call(name: &str, arguments: &Value) -> Said {
        Said::default().and_call(name, &arguments.to_string())
    }

    #[must_use]
    pub fn and_call(mut self, name: &str, arguments: &str) -> Said {
        self.calls.push((name.to_owned(), arguments.to_owned()));
        self
    }

    #[must_use]
    pub fn thinking(self, thinking: &str) -> Said {
        Said { thinking: Some(thinking.to_owned()), ..self }
    }

    #[must_use]
    pub fn ending(self, end: End) -> Said {
        Said { end, ..self }
    }
}

/// The field that holds the messages of a dialogue.
fn field(format: Format) -> &'static str {
    match format {
        Format::Chat | Format::Messages | Format::OllamaChat => "messages",
        Format::Responses => "input",
        Format::GenerateContent => "contents",
    }
}

/// The prompt of a request, or where it is none, all that was said.
pub fn asked(format: Format, body: &Value) -> String {
    let messages = &body[field(format)];
    let alone = match messages.as_array() {
        Some(messages) if messages.len() == 1 => &messages[0],
        Some(_) => &Value::Null,
        None => messages,
    };
    let text = alone.as_str().or(alone["content"].as_str()).or(alone["parts"][0]["text"].as_str());
    text.map_or_else(|| messages.to_string(), str::to_owned)
}

impl Seen {
    fn messages(&self) -> &[Value] {
        self.body[field(self.format)].as_array().map_or(&[], Vec::as_slice)
    }

    /// The names of the tools on offer.
    pub fn tools(&self) -> Vec<&str> {
        let tools = match self.format {
            Format::GenerateContent => &self.body["tools"][0]["functionDeclarations"],
            _ => &self.body["tools"],
        };
        let tools = tools.as_array().map_or(&[][..], Vec::as_slice);
        tools.iter().filter_map(|tool| tool["function"]["name"].as_str().or(tool["name"].as_str())).collect()
    }

    /// How many turns of an assistant the dialogue holds.
    pub fn turns(&self) -> usize {
        let messages = self.messages();
        let begins = |at: usize| is_assistant(&messages[at]) && (at == 0 || !is_assistant(&messages[at - 1]));
        (0..messages.len()).filter(|at| begins(*at)).count()
    }

    /// What the calls of the last turn returned: the id of each or else its name, and the content.
    pub fn results(&self) -> Vec<(String, String)> {
        let messages = self.messages();
        let since = messages.iter().rposition(is_assistant).map_or(0, |at| at + 1);
        messages[since..].iter().flat_map(results).collect()
    }
}

fn is_assistant(message: &Value) -> bool {
    matches!(message["role"].as_str(), Some("assistant" | "model"))
        || matches!(message["type"].as_str(), Some("function_call" | "reasoning"))
}

fn results(message: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let first =
        |values: &[&Value]| text(values.iter().find(|value| value.is_string()).unwrap_or(&&Value::Null));
    if message["type"] == "function_call_output" {
        return vec![(text(&message["call_id"]), text(&message["output"]))];
    }
    if matches!(message["role"].as_str(), Some("tool" | "function")) {
        let id = first(&[&message["tool_call_id"], &message["tool_name"], &message["name"]]);
        return vec![(id, text(&message["content"]))];
    }
    let parts = message["content"].as_array().or(message["parts"].as_array());
    let result = |part: &Value| {
        if part["type"] == "tool_result" {
            return Some((text(&part["tool_use_id"]), text(&part["content"])));
        }
        let returned = part.get("functionResponse")?;
        let response = &returned["response"];
        Some((
            first(&[&returned["id"], &returned["name"]]),
            first(&[&response["result"], &response["error"]]),
        ))
    };
    parts.into_iter().flatten().filter_map(result).collect()
}

/// A reply in the format that was asked for. Ids of calls tell their turn and place; Gemini and Ollama give none.
pub fn reply(seen: &Seen, said: &Said) -> Value {
    let read = seen.prompt().len() / 4;
    let model = &seen.body["model"];
    let id = |at: usize| format!("call_{}_{at}", seen.turns());
    let object = |arguments: &str| {
        let parsed = serde_json::from_str::<Value>(arguments).ok().filter(Value::is_object);
        parsed.unwrap_or_else(|| json!(arguments))
    };
    let calls = said.calls.iter();
    match seen.format {
        Format::Chat => {
            let refused = said.end == End::Refused;
            let mut message = json!({"role": "assistant", "content": said.text, "refusal": null});
            if refused {
                message = json!({"role": "assistant", "content": null, "refusal": said.text});
            }
            if let Some(thinking) = &said.thinking {
                message["reasoning_content"] = json!(thinking);
            }
            if !said.calls.is_empty() {
                let calls = calls.enumerate().map(|(at, (name, arguments))| {
                    json!({"id": id(at), "type": "function", "function": {"name": name, "arguments": arguments}})
                });
                message["tool_calls"] = calls.collect();
            }
            let finish = match said.end {
                End::Length => "length",
                End::Filtered => "content_filter",
                _ if !said.calls.is_empty() => "tool_calls",
                _ => "stop",
            };
            super::formats::chat(seen, message, finish, None)
        }
        Format::Responses => {
            let mut output = Vec::new();
            if let Some(thinking) = &said.thinking {
                output.push(
                    json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": thinking}),
                );
            }
            let content = match said.end {
                End::Refused => json!({"type": "refusal", "refusal": said.text}),
                _ => json!({"type": "output_text", "text": said.text}),
            };
            if !said.text.is_empty() {
                output.push(json!({"type": "message", "role": "assistant", "content": [content]}));
            }
            output.extend(calls.enumerate().map(|(at, (name, arguments))| {
                json!({"type": "function_call", "call_id": id(at), "name": name, "arguments": arguments})
            }));
            let reason = match said.end {
                End::Length => json!({"reason": "max_output_tokens"}),
                End::Filtered => json!({"reason": "content_filter"}),
                _ => Value::Null,
            };
            json!({
                "status": if reason.is_null() { "completed" } else { "incomplete" }, "error": null, "model": model,
                "incomplete_details": reason, "output": output,
                "usage": {"input_tokens": read, "output_tokens": 5},
            })
        }
        Format::Messages => {
            let mut content = Vec::new();
            if let Some(thinking) = &said.thinking {
                content.push(json!({"type": "thinking", "thinking": thinking, "signature": "c2lnbmVk"}));
            }
            if !said.text.is_empty() {
                content.push(json!({"type": "text", "text": said.text}));
            }
            content.extend(calls.enumerate().map(|(at, (name, arguments))| {
                json!({"type": "tool_use", "id": id(at), "name": name, "input": object(arguments)})
            }));
            let reason = match said.end {
                End::Length => "max_tokens",
                End::Refused | End::Filtered => "refusal",
                End::Paused => "pause_turn",
                End::Finished if !said.calls.is_empty() => "tool_use",
                End::Finished => "end_turn",
            };
            json!({
                "type": "message", "model": model, "content": content, "stop_reason": reason,
                "usage": {"input_tokens": read, "output_tokens": 5},
            })
        }
        Format::GenerateContent => {
            let mut parts = Vec::new();
            if let Some(thinking) = &said.thinking {
                parts.push(json!({"text": thinking, "thought": true}));
            }
            if !said.text.is_empty() {
                parts.push(json!({"text": said.text}));
            }
            for (at, (name, arguments)) in calls.enumerate() {
                let mut part = json!({"functionCall": {"name": name, "args": object(arguments)}});
                if at == 0 {
                    part["thoughtSignature"] = json!("c2lnbmVk");
                }
                parts.push(part);
            }
            let unread = said.calls.iter().any(|(_, arguments)| !object(arguments).is_object());
            let candidate = match said.end {
                _ if unread => {
                    json!({"finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": "Malformed function call"})
                }
                End::Length => {
                    json!({"content": {"role": "model", "parts": parts}, "finishReason": "MAX_TOKENS"})
                }
                End::Refused | End::Filtered => json!({"finishReason": "SAFETY"}),
                End::Finished | End::Paused => {
                    json!({"content": {"role": "model", "parts": parts}, "finishReason": "STOP"})
                }
            };
            json!({
                "candidates": [candidate], "modelVersion": "m",
                "usageMetadata": {"promptTokenCount": read, "candidatesTokenCount": 5},
            })
        }
        Format::OllamaChat => {
            let mut message = json!({"role": "assistant", "content": said.text});
            if let Some(thinking) = &said.thinking {
                message["thinking"] = json!(thinking);
            }
            if !said.calls.is_empty() {
                let calls = calls.map(
                    |(name, arguments)| json!({"function": {"name": name, "arguments": object(arguments)}}),
                );
                message["tool_calls"] = calls.collect();
            }
            json!({
                "model": model, "message": message, "done": true,
                "done_reason": if said.end == End::Length { "length" } else { "stop" },
                "prompt_eval_count": read, "eval_count": 5,
            })
        }
    }
}
