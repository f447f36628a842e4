//! Turns in Ollama's own chat.
//!
//! ```text
//! {"model": "m", "stream": false, "truncate": false, "shift": false, "options": {"num_ctx": 8192},
//!  "tools": [{"type": "function", "function": {"name": "f", "description": "...", "parameters": {...schema...}}}],
//!  "messages": [{"role": "user", "content": "..."},
//!   {"role": "assistant", "content": "", "thinking": "...", "tool_calls": [{"function": {"name": "f", "arguments": {}}}]},
//!   {"role": "tool", "tool_name": "f", "content": "..."}]}
//!
//! {"message": {"role": "assistant", "content": "", "thinking": "...", "tool_calls": [...]}, "done_reason": "stop"}
//! ```
//!
//! The message of a reply is `message`. Calls have ids since version 0.12.10; before it, and for results of calls without an id,
//! the order links them.

use serde_json::{Map, Value, json};

use super::without_thoughts;
use super::{arguments, arguments_object, drop_nulls, function, items, kept, link, parse, reread, text};
use crate::domain::{CallResult, Dialogue, Entry, Json, Stop, ToolCall, Turn, Usage};
use crate::judge::adaptation::AdaptationSet;
use crate::judge::failure::Failure;
use crate::judge::formats::ollama::{Ollama, Read, most_tokens, not_done};
use crate::judge::formats::{TEMPERATURE, temperature, token_count};
use crate::judge::provider_format::{Answer, Part, broken};
use crate::judge::turn_format::TurnFormat;

/// The server takes ids of any length; theirs are short.
const LONGEST_ID: usize = 128;

impl TurnFormat for Ollama {
    fn turn_body(&self, dialogue: &Dialogue, adapted: &AdaptationSet) -> Value {
        let mut messages = Vec::new();
        if let Some(system) = dialogue.system.as_deref() {
            messages.push(json!({"role": "system", "content": system}));
        }
        let mut linked: Vec<bool> = Vec::new();
        for entry in &dialogue.entries {
            match entry {
                Entry::User(text) => messages.push(json!({"role": "user", "content": text})),
                Entry::Assistant { text, calls } => {
                    linked = vec![true; calls.len()];
                    messages.push(logged(text, calls));
                }
                Entry::Reply { message, ids } => {
                    let echo = echo(message, ids);
                    let calls = echo.as_ref().and_then(|echo| echo["tool_calls"].as_array());
                    linked = calls.into_iter().flatten().map(|call| call.get("id").is_some()).collect();
                    messages.extend(echo);
                }
                Entry::Results(results) => {
                    let is_linked = |at: usize| linked.get(at).copied().unwrap_or(false);
                    let results = results.iter().enumerate();
                    messages.extend(results.map(|(at, result)| returned(result, is_linked(at))));
                }
            }
        }
        let mut options = Map::new();
        if let Some(temperature) = temperature(&self.parameters, adapted) {
            options.insert("temperature".to_owned(), json!(temperature));
        }
        options.insert("num_ctx".to_owned(), json!(self.turn_window(dialogue, adapted)));
        if let Some(limit) = self.parameters.turn_limit(adapted) {
            options.insert("num_predict".to_owned(), json!(limit));
        }
        let mut body = json!({
            "model": self.model,
            "messages": messages,
            "stream": false,
            "truncate": false,
            "shift": false,
            "options": options,
        });
        if !dialogue.tools.is_empty() {
            body["tools"] = dialogue.tools.iter().map(function).collect();
        }
        body
    }

    fn turn_parts(&self, _: &Dialogue, adapted: &AdaptationSet) -> Vec<Part> {
        temperature(&self.parameters, adapted).map(|_| TEMPERATURE).into_iter().collect()
    }

    fn read_turn(&self, dialogue: &Dialogue, adapted: &AdaptationSet, body: &str) -> Result<Answer, Failure> {
        let reply = parse(body, "the response is not an Ollama chat response")?;
        let message = reply
            .get("message")
            .filter(|message| message.as_object().is_some())
            .ok_or_else(|| broken("the response holds no message", body))?;
        let is_done = reply.get("done") != Some(&Json::Bool(false));
        if !is_done || matches!(text(&reply, "done_reason"), Some("load" | "unload")) {
            return Err(not_done(body));
        }
        let count = |key: &str| reply.get(key).and_then(|count| token_count(&count.into()));
        let prompt_tokens = count("prompt_eval_count");
        if let Some(tokens) = prompt_tokens {
            let read = Read { tokens, fewest: fewest_tokens(dialogue), bytes: dialogue.text_bytes() as u64 };
            read.check(self.turn_window(dialogue, adapted))?;
        }
        let stop = match text(&reply, "done_reason") {
            Some("length") => Stop::Truncated,
            _ => Stop::Finished,
        };
        Ok(Answer {
            text: message.to_string(),
            stop,
            usage: Usage { prompt_tokens, cached_tokens: None, completion_tokens: count("eval_count") },
            model: text(&reply, "model").map(str::to_owned),
            probabilities: Vec::new(),
        })
    }

    fn turn(&self, message: &str) -> Option<Turn> {
        let message = Json::parse(message).ok().filter(|message| message.as_object().is_some())?;
        let calls = items(&message, "tool_calls").iter().map(|call| {
            let function = call.get("function").unwrap_or(&Json::Null);
            ToolCall {
                name: text(function, "name").unwrap_or_default().to_owned(),
                arguments: arguments(function.get("arguments")),
                id: text(call, "id").filter(|id| !id.is_empty()).map(str::to_owned),
            }
        });
        let words = without_thoughts(text(&message, "content").unwrap_or_default());
        Some(Turn { text: words.to_owned(), calls: calls.collect(), ..Turn::default() })
    }
}

impl Ollama {
    /// The context window that holds the dialogue and its next reply.
    fn turn_window(&self, dialogue: &Dialogue, adapted: &AdaptationSet) -> u64 {
        let answer = self.parameters.max_tokens.or_else(|| self.parameters.turn_limit(adapted));
        self.window(most_tokens(dialogue.text_bytes()), answer)
    }
}

/// Fewer tokens than the dialogue takes, by what every model's template shows it: older thoughts are left out by some, and tools
/// are written in many ways.
fn fewest_tokens(dialogue: &Dialogue) -> u64 {
    let fewest = crate::judge::formats::ollama::fewest_tokens;
    let said = dialogue.entries.iter().map(|entry| match entry {
        Entry::User(text) => fewest(text),
        Entry::Results(results) => results.iter().map(|result| fewest(&result.content)).sum(),
        Entry::Assistant { .. } | Entry::Reply { .. } => 0,
    });
    dialogue.system.as_deref().map_or(0, fewest) + said.sum::<u64>()
}

/// A turn of a logged conversation.
fn logged(text: &str, calls: &[ToolCall]) -> Value {
    let mut message = json!({"role": "assistant", "content": text});
    if !calls.is_empty() {
        let calls = calls.iter().map(|call| {
            let id = link(call.id.as_deref().unwrap_or_default(), LONGEST_ID, false);
            let arguments = arguments_object(&call.arguments);
            json!({"id": id, "function": {"name": call.name, "arguments": arguments}})
        });
        message["tool_calls"] = calls.collect();
    }
    message
}

/// A reply as it came. Calls that came with ids go back with the given ones; their arguments must be objects.
fn echo(message: &str, ids: &[String]) -> Option<Value> {
    let Some(Value::Object(mut message)) = kept(message) else { return None };
    drop_nulls(&mut message);
    message.entry("role").or_insert_with(|| json!("assistant"));
    for (at, call) in
        message.get_mut("tool_calls").and_then(Value::as_array_mut).into_iter().flatten().enumerate()
    {
        let Some(call) = call.as_object_mut() else { continue };
        match (call.get("id").and_then(Value::as_str).is_some_and(|id| !id.is_empty()), ids.get(at)) {
            (true, Some(given)) => drop(call.insert("id".to_owned(), json!(link(given, LONGEST_ID, false)))),
            (true, None) => {}
            (false, _) => drop(call.shift_remove("id")),
        }
        let Some(function) = call.get_mut("function").and_then(Value::as_object_mut) else { continue };
        if !function.get("arguments").is_some_and(Value::is_object) {
            let given = arguments(function.get("arguments").and_then(reread).as_ref());
            function.insert("arguments".to_owned(), arguments_object(&given));
        }
    }
    Some(Value::Object(message))
}

fn returned(result: &CallResult, is_linked: bool) -> Value {
    let mut message = json!({"role": "tool", "tool_name": result.tool, "content": result.content});
    if is_linked {
        message["tool_call_id"] = json!(link(&result.id, LONGEST_ID, false));
    }
    message
}
