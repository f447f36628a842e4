//! Turns in OpenAI responses.
//!
//! ```text
//! {"model": "m", "instructions": "...", "store": false, "include": ["reasoning.encrypted_content"],
//!  "tools": [{"type": "function", "name": "f", "description": "...", "parameters": {...schema...}, "strict": false}],
//!  "input": [{"role": "user", "content": "..."}, {"type": "reasoning", ...}, {"type": "function_call", "call_id": "c1", ...},
//!   {"type": "function_call_output", "call_id": "c1", "output": "..."}]}
//!
//! {"status": "completed", "output": [{"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "..."},
//!   {"type": "message", "content": [{"type": "output_text", "text": "..."}]},
//!   {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "f", "arguments": "{}"}]}
//! ```
//!
//! The message of a reply is `output`, which is sent back item by item. The provider stores nothing, so a model's reasoning is
//! lost unless it is requested in encrypted form. Schemas are not strict: the default would change those of most tools.

use serde_json::{Value, json};

use super::{
    arguments, arguments_text, described, drop_nulls, items, kept, link, parse, schema, text, usage,
};
use crate::domain::{Dialogue, Entry, Json, Stop, ToolCall, Turn};
use crate::judge::Adaptation;
use crate::judge::adaptation::AdaptationSet;
use crate::judge::failure::Failure;
use crate::judge::formats::responses::{Responses, UsageFields};
use crate::judge::formats::{TEMPERATURE, temperature};
use crate::judge::provider_format::{Answer, Part, broken};
use crate::judge::turn_format::TurnFormat;

/// The longest `call_id`.
const LONGEST_ID: usize = 64;

/// How refusals name the reasoning that is asked for: models that do not reason have none to encrypt.
const REASONING: &[&str] =
    &["include", "reasoning.encrypted_content", "encrypted_content", "encrypted content", "reasoning"];

impl TurnFormat for Responses {
    fn turn_body(&self, dialogue: &Dialogue, adapted: &AdaptationSet) -> Value {
        let mut input = Vec::new();
        for entry in &dialogue.entries {
            match entry {
                Entry::User(text) => input.push(json!({"role": "user", "content": text})),
                Entry::Assistant { text, calls } => {
                    if calls.is_empty() || !text.is_empty() {
                        input.push(json!({"role": "assistant", "content": text}));
                    }
                    input.extend(calls.iter().map(logged_call));
                }
                Entry::Reply { message, ids } => input.extend(echo(message, ids, adapted)),
                Entry::Results(results) => input.extend(results.iter().map(|result| {
                    let id = link(&result.id, LONGEST_ID, false);
                    json!({"type": "function_call_output", "call_id": id, "output": result.content})
                })),
            }
        }
        let mut body = json!({"model": self.model, "input": input, "store": false});
        if let Some(system) = dialogue.system.as_deref() {
            body["instructions"] = json!(system);
        }
        if !dialogue.tools.is_empty() {
            let tools = dialogue.tools.iter().map(|tool| {
                let mut offer = described(tool);
                offer.insert("type".to_owned(), json!("function"));
                offer.insert("parameters".to_owned(), schema(tool));
                offer.insert("strict".to_owned(), json!(false));
                Value::Object(offer)
            });
            body["tools"] = tools.collect();
        }
        if !adapted.contains(&Adaptation::WithoutReasoning) {
            body["include"] = json!(["reasoning.encrypted_content"]);
        }
        if let Some(temperature) = temperature(&self.parameters, adapted) {
            body["temperature"] = json!(temperature);
        }
        if let Some(limit) = self.parameters.turn_limit(adapted) {
            body["max_output_tokens"] = json!(limit);
        }
        body
    }

    fn turn_parts(&self, _: &Dialogue, adapted: &AdaptationSet) -> Vec<Part> {
        let mut parts = Vec::new();
        if self.parameters.has_limit(adapted) {
            parts.push(Part { names: &["max_output_tokens"], instead: Adaptation::WithoutMaxTokens });
        }
        if temperature(&self.parameters, adapted).is_some() {
            parts.push(TEMPERATURE);
        }
        if !adapted.contains(&Adaptation::WithoutReasoning) {
            parts.push(Part { names: REASONING, instead: Adaptation::WithoutReasoning });
        }
        parts
    }

    fn read_turn(&self, _: &Dialogue, _: &AdaptationSet, body: &str) -> Result<Answer, Failure> {
        let reply = parse(body, "the response is not a Responses API response")?;
        let output = reply
            .get("output")
            .filter(|output| output.as_array().is_some())
            .ok_or_else(|| broken("the response holds no output", body))?;
        if matches!(text(&reply, "status"), Some("failed" | "cancelled" | "in_progress" | "queued")) {
            return Err(broken("the response was not completed", body));
        }
        let reason = reply.get("incomplete_details").and_then(|details| text(details, "reason"));
        let stop = match (text(&reply, "status"), reason) {
            _ if refusal(output).is_some() => Stop::Refused,
            (_, Some("content_filter")) => Stop::Filtered,
            (Some("incomplete"), _) | (_, Some("max_output_tokens")) => Stop::Truncated,
            _ => Stop::Finished,
        };
        Ok(Answer {
            text: output.to_string(),
            stop,
            usage: usage::<UsageFields>(reply.get("usage")),
            model: text(&reply, "model").map(str::to_owned),
            probabilities: Vec::new(),
        })
    }

    fn turn(&self, message: &str) -> Option<Turn> {
        let output = Json::parse(message).ok().filter(|output| output.as_array().is_some())?;
        let said = match refusal(&output) {
            Some(refusal) => refusal.to_owned(),
            None => contents(&output).filter_map(|content| text(content, "text")).collect(),
        };
        let calls = of_kind(&output, "function_call").map(|item| ToolCall {
            name: text(item, "name").unwrap_or_default().to_owned(),
            arguments: arguments(item.get("arguments")),
            id: text(item, "call_id").filter(|id| !id.is_empty()).map(str::to_owned),
        });
        Some(Turn { text: said, calls: calls.collect(), ..Turn::default() })
    }
}

fn logged_call(call: &ToolCall) -> Value {
    json!({
        "type": "function_call",
        "call_id": link(call.id.as_deref().unwrap_or_default(), LONGEST_ID, false),
        "name": call.name,
        "arguments": arguments_text(&call.arguments),
    })
}

/// The items of a reply as they came, with the ids of its calls.
fn echo(message: &str, ids: &[String], adapted: &AdaptationSet) -> Vec<Value> {
    let Some(Value::Array(mut output)) = kept(message) else { return Vec::new() };
    if adapted.contains(&Adaptation::WithoutReasoning) {
        output.retain(|item| item["type"] != "reasoning");
    }
    let mut ids = ids.iter();
    for item in &mut output {
        let is_call = item["type"] == "function_call";
        let Some(item) = item.as_object_mut() else { continue };
        drop_nulls(item);
        if is_call && let Some(id) = ids.next() {
            item.insert("call_id".to_owned(), json!(link(id, LONGEST_ID, false)));
        }
        if is_call && !item.contains_key("arguments") {
            item.insert("arguments".to_owned(), json!("{}"));
        }
    }
    output.retain(Value::is_object);
    output
}

fn of_kind<'a>(output: &'a Json, kind: &'a str) -> impl Iterator<Item = &'a Json> {
    let items = output.as_array().unwrap_or_default();
    items.iter().filter(move |item| text(item, "type") == Some(kind))
}

fn contents(output: &Json) -> impl Iterator<Item = &Json> {
    of_kind(output, "message").flat_map(|item| items(item, "content"))
}

fn refusal(output: &Json) -> Option<&str> {
    contents(output).find_map(|content| text(content, "refusal").filter(|refusal| !refusal.is_empty()))
}
