//! Turns in Anthropic messages.
//!
//! ```text
//! {"model": "m", "max_tokens": 4096, "system": "...",
//!  "tools": [{"name": "f", "description": "...", "input_schema": {...schema...}}],
//!  "messages": [{"role": "user", "content": [{"type": "text", "text": "..."}]},
//!   {"role": "assistant", "content": [{"type": "thinking", "thinking": "...", "signature": "..."},
//!    {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}]},
//!   {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "...", "is_error": true}]}]}
//!
//! {"type": "message", "content": [...blocks...], "stop_reason": "tool_use"}
//! ```
//!
//! The message of a reply is its blocks and its stop reason: after `pause_turn` the same dialogue is sent again with the reply at
//! its end. Roles alternate, and results come before anything else that the user says.

use serde_json::{Value, json};

use super::{LOST_CALL, check_says_something, reread, schema, text, usage};
use super::{arguments, arguments_object, described, items, kept, link, parse, push_parts};
use crate::domain::{CallResult, Dialogue, Entry, Json, Object, Stop, ToolCall, Turn};
use crate::judge::adaptation::AdaptationSet;
use crate::judge::failure::Failure;
use crate::judge::formats::anthropic::{Anthropic, UsageFields};
use crate::judge::formats::{TEMPERATURE, temperature};
use crate::judge::provider_format::{Answer, Part, broken};
use crate::judge::turn_format::TurnFormat;

/// The API takes no request without a limit. The smallest one of models that are still served.
const MAX_TOKENS: u32 = 8192;

/// Longer ids than this were not seen; the API says only which letters they may have.
const LONGEST_ID: usize = 64;

impl TurnFormat for Anthropic {
    fn turn_body(&self, dialogue: &Dialogue, adapted: &AdaptationSet) -> Value {
        let mut messages = Vec::new();
        let mut push = |role, parts| push_parts(&mut messages, role, "content", parts);
        for entry in &dialogue.entries {
            match entry {
                Entry::User(text) => push("user", vec![json!({"type": "text", "text": text})]),
                Entry::Assistant { text, calls } => push("assistant", logged(text, calls)),
                Entry::Reply { message, ids } => push("assistant", echo(message, ids)),
                Entry::Results(results) => push("user", results.iter().map(returned).collect()),
            }
        }
        let mut body = json!({
            "model": self.model,
            "max_tokens": self.parameters.turn_limit(adapted).unwrap_or(MAX_TOKENS),
            "messages": messages,
        });
        if let Some(system) = dialogue.system.as_deref().filter(|system| !system.trim().is_empty()) {
            body["system"] = json!(system);
        }
        if !dialogue.tools.is_empty() {
            let tools = dialogue.tools.iter().map(|tool| {
                let mut offer = described(tool);
                offer.insert("input_schema".to_owned(), schema(tool));
                Value::Object(offer)
            });
            body["tools"] = tools.collect();
        }
        if let Some(temperature) = temperature(&self.parameters, adapted) {
            body["temperature"] = json!(temperature);
        }
        body
    }

    fn turn_parts(&self, _: &Dialogue, adapted: &AdaptationSet) -> Vec<Part> {
        temperature(&self.parameters, adapted).map(|_| TEMPERATURE).into_iter().collect()
    }

    fn read_turn(&self, _: &Dialogue, _: &AdaptationSet, body: &str) -> Result<Answer, Failure> {
        let response = parse(body, "the response is not a message")?;
        let content = response
            .get("content")
            .filter(|content| content.as_array().is_some())
            .ok_or_else(|| broken("the response holds no content", body))?;
        let reason = text(&response, "stop_reason");
        let stop = match reason {
            Some("max_tokens" | "model_context_window_exceeded") => Stop::Truncated,
            Some("refusal") => Stop::Refused,
            _ => Stop::Finished,
        };
        let mut message = Object::new();
        message.insert("content", content.clone());
        message.insert("stop_reason", reason.map_or(Json::Null, Json::from));
        let said = Json::Object(message).to_string();
        if reason == Some("tool_use") && self.turn(&said).is_none_or(|turn| turn.calls.is_empty()) {
            return Err(broken(LOST_CALL, body));
        }
        if reason.is_none() {
            check_says_something(self.turn(&said), body)?;
        }
        Ok(Answer {
            text: said,
            stop,
            usage: usage::<UsageFields>(response.get("usage")),
            model: text(&response, "model").map(str::to_owned),
            probabilities: Vec::new(),
        })
    }

    fn turn(&self, message: &str) -> Option<Turn> {
        let message = Json::parse(message).ok().filter(|message| message.get("content").is_some())?;
        let of_kind =
            |kind| items(&message, "content").iter().filter(move |block| text(block, "type") == Some(kind));
        let calls = of_kind("tool_use").map(|block| ToolCall {
            name: text(block, "name").unwrap_or_default().to_owned(),
            arguments: arguments(block.get("input")),
            id: text(block, "id").filter(|id| !id.is_empty()).map(str::to_owned),
        });
        Some(Turn {
            text: of_kind("text").filter_map(|block| text(block, "text")).collect(),
            calls: calls.collect(),
            parts: None,
            paused: text(&message, "stop_reason") == Some("pause_turn"),
            unread_call: None,
        })
    }
}

/// A turn of a logged conversation.
fn logged(text: &str, calls: &[ToolCall]) -> Vec<Value> {
    let words = (!text.trim().is_empty()).then(|| json!({"type": "text", "text": text}));
    let calls = calls.iter().map(|call| {
        json!({
            "type": "tool_use",
            "id": link(call.id.as_deref().unwrap_or_default(), LONGEST_ID, true),
            "name": call.name,
            "input": arguments_object(&call.arguments),
        })
    });
    words.into_iter().chain(calls).collect()
}

/// The blocks of a reply as they came, with the ids of its calls, but for empty texts: the API sends them and refuses them.
fn echo(message: &str, ids: &[String]) -> Vec<Value> {
    let mut blocks = match kept(message) {
        Some(mut message) => match message["content"].take() {
            Value::Array(blocks) => blocks,
            _ => return Vec::new(),
        },
        None => return Vec::new(),
    };
    let empty =
        |block: &Value| block["type"] == "text" && block["text"].as_str().unwrap_or("").trim().is_empty();
    blocks.retain(|block| block.is_object() && !empty(block));
    let calls = blocks.iter_mut().filter(|block| block["type"] == "tool_use");
    for (at, block) in calls.enumerate() {
        if let Some(id) = ids.get(at) {
            block["id"] = json!(link(id, LONGEST_ID, true));
        }
        if !block["input"].is_object() {
            block["input"] = arguments_object(&arguments(reread(&block["input"]).as_ref()));
        }
    }
    blocks
}

fn returned(result: &CallResult) -> Value {
    let mut block = json!({
        "type": "tool_result",
        "tool_use_id": link(&result.id, LONGEST_ID, true),
        "content": result.content,
    });
    if result.is_error {
        block["is_error"] = json!(true);
    }
    block
}
