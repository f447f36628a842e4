//! Turns in Gemini's generateContent.
//!
//! ```text
//! {"systemInstruction": {"parts": [{"text": "..."}]},
//!  "tools": [{"functionDeclarations": [{"name": "f", "description": "...", "parametersJsonSchema": {...schema...}}]}],
//!  "contents": [{"role": "user", "parts": [{"text": "..."}]},
//!   {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "..."}]},
//!   {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"result": "..."}}}]}]}
//!
//! {"candidates": [{"content": {"role": "model", "parts": [...]}, "finishReason": "STOP"}]}
//!  or, where the model wrote a call that cannot be read: {"finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": "..."}
//! ```
//!
//! The message of a reply is its candidate: the content, and why it ended. Schemas are sent as `parametersJsonSchema`:
//! `parameters` uses a dialect with few of JSON Schema's keywords, and refuses the others.

use serde_json::{Map, Value, json};

use super::{arguments, arguments_object, described, items, kept, parse, push_parts, reread, schema, text};
use super::{check_says_something, usage};
use crate::domain::{CallResult, Dialogue, Entry, Json, Object, Stop, ToolCall, ToolDefinition, Turn};
use crate::judge::Adaptation;
use crate::judge::adaptation::AdaptationSet;
use crate::judge::failure::Failure;
use crate::judge::formats::gemini::{Gemini, UsageMetadata, stop};
use crate::judge::formats::{TEMPERATURE, temperature};
use crate::judge::provider_format::{Answer, Part, broken};
use crate::judge::turn_format::TurnFormat;

/// Stands where the signature of a call would that another model made; the value is Google's.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

/// Why a candidate ends whose call could not be read.
const UNREAD: &[&str] = &["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"];

impl TurnFormat for Gemini {
    fn turn_body(&self, dialogue: &Dialogue, adapted: &AdaptationSet) -> Value {
        let mut contents = Vec::new();
        let mut linked = Vec::new();
        for entry in &dialogue.entries {
            let (role, parts) = match entry {
                Entry::User(text) => ("user", vec![json!({"text": text})]),
                Entry::Assistant { text, calls } => {
                    linked.clear();
                    ("model", logged(text, calls, adapted))
                }
                Entry::Reply { message, ids } => {
                    let parts = echo(message, ids);
                    linked = calls_of(&parts).map(|call| call.get("id").is_some()).collect();
                    ("model", parts)
                }
                Entry::Results(results) => {
                    let is_linked = |at: usize| linked.get(at).copied().unwrap_or(false);
                    let parts =
                        results.iter().enumerate().map(|(at, result)| returned(result, is_linked(at)));
                    ("user", parts.collect())
                }
            };
            push_parts(&mut contents, role, "parts", parts);
        }
        let mut body = json!({"contents": contents});
        if let Some(system) = dialogue.system.as_deref().filter(|system| !system.is_empty()) {
            body["systemInstruction"] = json!({"parts": [{"text": system}]});
        }
        if !dialogue.tools.is_empty() {
            let offers: Vec<Value> = dialogue.tools.iter().map(declaration).collect();
            body["tools"] = json!([{"functionDeclarations": offers}]);
        }
        let mut config = Map::new();
        if let Some(temperature) = temperature(&self.parameters, adapted) {
            config.insert("temperature".to_owned(), json!(temperature));
        }
        if let Some(limit) = self.parameters.turn_limit(adapted) {
            config.insert("maxOutputTokens".to_owned(), json!(limit));
        }
        if !config.is_empty() {
            body["generationConfig"] = Value::Object(config);
        }
        body
    }

    fn turn_parts(&self, dialogue: &Dialogue, adapted: &AdaptationSet) -> Vec<Part> {
        let mut parts = Vec::new();
        if self.parameters.has_limit(adapted) {
            let names = &["maxOutputTokens", "max_output_tokens"];
            parts.push(Part { names, instead: Adaptation::WithoutMaxTokens });
        }
        if temperature(&self.parameters, adapted).is_some() {
            parts.push(TEMPERATURE);
        }
        let is_unsigned =
            |entry: &Entry| matches!(entry, Entry::Assistant { calls, .. } if !calls.is_empty());
        if !adapted.contains(&Adaptation::UnsignedCalls) && dialogue.entries.iter().any(is_unsigned) {
            let names = &["thought_signature", "thoughtSignature", "thought signature"];
            parts.push(Part { names, instead: Adaptation::UnsignedCalls });
        }
        parts
    }

    fn read_turn(&self, _: &Dialogue, _: &AdaptationSet, body: &str) -> Result<Answer, Failure> {
        let reply = parse(body, "the response is not generated content")?;
        let usage = usage::<UsageMetadata>(reply.get("usageMetadata"));
        let model = text(&reply, "modelVersion").map(str::to_owned);
        if reply.get("promptFeedback").and_then(|feedback| text(feedback, "blockReason")).is_some() {
            return Ok(Answer { usage, model, ..Answer::filtered() });
        }
        let candidate = items(&reply, "candidates")
            .first()
            .filter(|candidate| candidate.as_object().is_some())
            .ok_or_else(|| broken("the response holds no candidate", body))?;
        let mut message = Object::new();
        for key in ["content", "finishReason", "finishMessage"] {
            if let Some(value) = candidate.get(key).filter(|value| !value.is_null()) {
                message.insert(key, value.clone());
            }
        }
        let (said, reason) = (Json::Object(message).to_string(), text(candidate, "finishReason"));
        let stop = stop(reason);
        if stop == Stop::Finished && reason != Some("STOP") {
            check_says_something(self.turn(&said), body)?;
        }
        Ok(Answer { text: said, stop, usage, model, probabilities: Vec::new() })
    }

    fn turn(&self, message: &str) -> Option<Turn> {
        let message = Json::parse(message).ok().filter(|message| message.as_object().is_some())?;
        let parts = message.get("content").map_or(&[][..], |content| items(content, "parts"));
        let is_thought = |part: &&Json| part.get("thought") == Some(&Json::Bool(true));
        let words = parts.iter().filter(|part| !is_thought(part)).filter_map(|part| text(part, "text"));
        let calls = parts.iter().filter_map(|part| part.get("functionCall"));
        let calls = calls.filter(|call| call.as_object().is_some()).map(|call| ToolCall {
            name: text(call, "name").unwrap_or_default().to_owned(),
            arguments: arguments(call.get("args")),
            id: text(call, "id").filter(|id| !id.is_empty()).map(str::to_owned),
        });
        let calls: Vec<ToolCall> = calls.collect();
        let reason = text(&message, "finishReason").filter(|reason| UNREAD.contains(reason));
        let unread = reason.map(|reason| text(&message, "finishMessage").unwrap_or(reason).to_owned());
        let unread_call = unread.filter(|_| calls.is_empty());
        Some(Turn { text: words.collect(), calls, unread_call, ..Turn::default() })
    }
}

/// A tool. One without parameters has no schema: the API refuses an empty one.
fn declaration(tool: &ToolDefinition) -> Value {
    let mut offer = described(tool);
    let schema = schema(tool);
    let is_empty = schema["properties"].as_object().is_some_and(Map::is_empty);
    let is_more = ["anyOf", "oneOf", "allOf", "$ref", "additionalProperties"];
    if !is_empty || is_more.iter().any(|key| schema[*key].is_object() || schema[*key].is_array()) {
        offer.insert("parametersJsonSchema".to_owned(), schema);
    }
    Value::Object(offer)
}

/// A turn of a logged conversation. Its calls have no ids here, and no signatures: newer models want the first one of each turn
/// to say so.
fn logged(text: &str, calls: &[ToolCall], adapted: &AdaptationSet) -> Vec<Value> {
    let words = (!text.is_empty()).then(|| json!({"text": text}));
    let calls = calls.iter().enumerate().map(|(at, call)| {
        let mut part =
            json!({"functionCall": {"name": call.name, "args": arguments_object(&call.arguments)}});
        if at == 0 && adapted.contains(&Adaptation::UnsignedCalls) {
            part["thoughtSignature"] = json!(NO_SIGNATURE);
        }
        part
    });
    words.into_iter().chain(calls).collect()
}

/// The parts of a reply as they came. Calls that came with ids go back with the given ones.
fn echo(message: &str, ids: &[String]) -> Vec<Value> {
    let Some(mut message) = kept(message) else { return Vec::new() };
    let Value::Array(mut parts) = message["content"]["parts"].take() else { return Vec::new() };
    parts.retain(|part| part.as_object().is_some_and(|part| !part.is_empty()));
    let calls = parts.iter_mut().filter_map(|part| part.get_mut("functionCall")?.as_object_mut());
    for (at, call) in calls.enumerate() {
        match call.get_mut("id") {
            Some(id) if id.as_str().is_some_and(|id| !id.is_empty()) => {
                if let Some(given) = ids.get(at) {
                    *id = json!(given);
                }
            }
            _ => drop(call.shift_remove("id")),
        }
        if call.get("args").is_some_and(|args| !args.is_object()) {
            let args = arguments(call.get("args").and_then(reread).as_ref());
            call.insert("args".to_owned(), arguments_object(&args));
        }
    }
    parts
}

fn calls_of(parts: &[Value]) -> impl Iterator<Item = &Map<String, Value>> {
    parts.iter().filter_map(|part| part.get("functionCall")?.as_object())
}

fn returned(result: &CallResult, is_linked: bool) -> Value {
    let outcome = if result.is_error { "error" } else { "result" };
    let mut response = json!({"name": result.tool, "response": { outcome: result.content }});
    if is_linked {
        response["id"] = json!(result.id);
    }
    json!({ "functionResponse": response })
}
