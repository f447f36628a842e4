//! Turns in chat completions.
//!
//! ```text
//! {"model": "m", "messages": [{"role": "system", "content": "..."}, {"role": "user", "content": "..."},
//!   {"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
//!   {"role": "tool", "tool_call_id": "c1", "content": "..."}],
//!  "tools": [{"type": "function", "function": {"name": "f", "description": "...", "parameters": {...schema...}}}]}
//!
//! {"choices": [{"message": {"role": "assistant", "content": null, "tool_calls": [...], "refusal": null,
//!   "reasoning_content": "..."}, "finish_reason": "tool_calls"}]}
//!  or, from older gateways: "message": {"function_call": {"name": "f", "arguments": "{}"}}, answered by
//!  {"role": "function", "name": "f", "content": "..."}
//! ```
//!
//! The message of a reply is `message`.

use serde_json::{Map, Value, json};

use super::{LOST_CALL, check_says_something, parse, replies, reread, text, usage, without_thoughts};
use super::{arguments, arguments_object, arguments_text, drop_nulls, function, items, kept, link};
use crate::domain::{Arguments, CallResult, Dialogue, Entry, Json, Stop, ToolCall, Turn};
use crate::judge::Adaptation;
use crate::judge::adaptation::AdaptationSet;
use crate::judge::failure::Failure;
use crate::judge::formats::chat::{Chat, Dialect, UsageFields};
use crate::judge::formats::{TEMPERATURE, temperature};
use crate::judge::provider_format::{Answer, Part, broken};
use crate::judge::turn_format::TurnFormat;

/// The longest id of a call that OpenAI takes.
const LONGEST_ID: usize = 40;

/// What endpoints call the thoughts beside an answer.
const REASONING: &[&str] = &["reasoning_content", "reasoning_details", "reasoning"];

impl TurnFormat for Chat {
    fn turn_body(&self, dialogue: &Dialogue, adapted: &AdaptationSet) -> Value {
        let mut messages = Vec::new();
        if let Some(system) = dialogue.system.as_deref() {
            messages.push(json!({"role": "system", "content": system}));
        }
        let mut legacy = false;
        for entry in &dialogue.entries {
            match entry {
                Entry::User(text) => messages.push(json!({"role": "user", "content": text})),
                Entry::Assistant { text, calls } => {
                    legacy = false;
                    messages.push(self.logged(text, calls));
                }
                Entry::Reply { message, ids } => {
                    let echo = self.echo(message, ids, adapted);
                    legacy = echo.as_ref().is_some_and(|echo| echo.get("function_call").is_some());
                    messages.extend(echo);
                }
                Entry::Results(results) => {
                    messages.extend(results.iter().map(|result| returned(result, legacy)));
                }
            }
        }
        let mut body = json!({"model": self.model, "messages": messages});
        if !dialogue.tools.is_empty() {
            body["tools"] = dialogue.tools.iter().map(function).collect();
        }
        if let Some(temperature) = temperature(&self.parameters, adapted) {
            body["temperature"] = json!(temperature);
        }
        if let Some(limit) = self.parameters.turn_limit(adapted) {
            body[self.limit_name(adapted)] = json!(limit);
        }
        body
    }

    fn turn_parts(&self, dialogue: &Dialogue, adapted: &AdaptationSet) -> Vec<Part> {
        let mut parts = self.limit_parts(adapted);
        if temperature(&self.parameters, adapted).is_some() {
            parts.push(TEMPERATURE);
        }
        let thoughts = |message| {
            kept(message).is_some_and(|message| REASONING.iter().any(|name| !message[*name].is_null()))
        };
        if !adapted.contains(&Adaptation::WithoutReasoning) && replies(dialogue).any(thoughts) {
            parts.push(Part { names: REASONING, instead: Adaptation::WithoutReasoning });
        }
        parts
    }

    fn read_turn(&self, _: &Dialogue, _: &AdaptationSet, body: &str) -> Result<Answer, Failure> {
        let completion = parse(body, "the response is not a chat completion")?;
        let choice = items(&completion, "choices")
            .first()
            .ok_or_else(|| broken("the response holds no choice", body))?;
        let message = choice
            .get("message")
            .filter(|message| message.as_object().is_some())
            .ok_or_else(|| broken("the choice holds no message", body))?;
        let reason = text(choice, "finish_reason");
        let has_error = choice.get("error").is_some_and(|error| !error.is_null());
        if has_error || matches!(reason, Some("error" | "abort")) {
            return Err(broken("the reply broke off with an error of the server", body));
        }
        let stop = match reason {
            _ if refusal(message).is_some() => Stop::Refused,
            Some("length") => Stop::Truncated,
            Some("content_filter") => Stop::Filtered,
            _ => Stop::Finished,
        };
        let said = message.to_string();
        let calls = matches!(reason, Some("tool_calls" | "function_call"));
        if stop == Stop::Finished && calls && self.turn(&said).is_none_or(|turn| turn.calls.is_empty()) {
            return Err(broken(LOST_CALL, body));
        }
        if stop == Stop::Finished && !matches!(reason, Some("stop" | "tool_calls" | "function_call")) {
            check_says_something(self.turn(&said), body)?;
        }
        Ok(Answer {
            text: said,
            stop,
            usage: usage::<UsageFields>(completion.get("usage")),
            model: text(&completion, "model").map(str::to_owned),
            probabilities: Vec::new(),
        })
    }

    fn turn(&self, message: &str) -> Option<Turn> {
        let message = Json::parse(message).ok().filter(|message| message.as_object().is_some())?;
        let said = match refusal(&message) {
            Some(refusal) => refusal.to_owned(),
            None => without_thoughts(&content(&message)).to_owned(),
        };
        let calls = items(&message, "tool_calls");
        let legacy = message.get("function_call").filter(|function| function.as_object().is_some());
        let calls = match legacy {
            Some(function) if calls.is_empty() => vec![called(function, None)],
            _ => calls.iter().map(call).collect(),
        };
        let parts = message.get("content").filter(|content| content.as_array().is_some()).cloned();
        Some(Turn { text: said, parts, calls, ..Turn::default() })
    }
}

impl Chat {
    /// A turn of a logged conversation.
    fn logged(&self, text: &str, calls: &[ToolCall]) -> Value {
        let mut message = json!({"role": "assistant"});
        if calls.is_empty() || !text.is_empty() {
            message["content"] = json!(text);
        }
        if !calls.is_empty() {
            let calls = calls.iter().map(|call| {
                let id = link(call.id.as_deref().unwrap_or_default(), LONGEST_ID, false);
                let arguments = self.arguments(&call.arguments);
                json!({"id": id, "type": "function", "function": {"name": call.name, "arguments": arguments}})
            });
            message["tool_calls"] = calls.collect();
        }
        message
    }

    /// Arguments as a text. vLLM and llama.cpp read them before the model does, and refuse the whole dialogue over some that are
    /// no object.
    fn arguments(&self, arguments: &Arguments) -> String {
        match (arguments, self.dialect) {
            (Arguments::Malformed(_), Dialect::Vllm | Dialect::LlamaCpp) => {
                arguments_object(arguments).to_string()
            }
            _ => arguments_text(arguments),
        }
    }

    /// A reply as it came, but for what a request cannot hold.
    fn echo(&self, message: &str, ids: &[String], adapted: &AdaptationSet) -> Option<Value> {
        let Some(Value::Object(mut message)) = kept(message) else { return None };
        drop_nulls(&mut message);
        if adapted.contains(&Adaptation::WithoutReasoning) {
            message.retain(|name, _| !REASONING.contains(&name.as_str()));
        }
        message.entry("role").or_insert_with(|| json!("assistant"));
        match message.get_mut("tool_calls").and_then(Value::as_array_mut) {
            Some(calls) if !calls.is_empty() => {
                for (at, call) in calls.iter_mut().enumerate() {
                    self.echo_call(call, ids.get(at));
                }
                message.shift_remove("function_call");
            }
            _ => {
                message.shift_remove("tool_calls");
                if !message.contains_key("function_call") {
                    message.entry("content").or_insert_with(|| json!(""));
                }
            }
        }
        Some(Value::Object(message))
    }

    fn echo_call(&self, call: &mut Value, id: Option<&String>) {
        if !call.is_object() {
            *call = json!({});
        }
        let Some(call) = call.as_object_mut() else { return };
        drop_nulls(call);
        if let Some(id) = id {
            call.insert("id".to_owned(), json!(link(id, LONGEST_ID, false)));
        }
        call.entry("type").or_insert_with(|| json!("function"));
        if let Some(function) = call.get_mut("function").and_then(Value::as_object_mut) {
            self.echo_arguments(function);
        }
    }

    /// A text goes back as it came, where the endpoint can stand it.
    fn echo_arguments(&self, function: &mut Map<String, Value>) {
        let arguments = arguments(function.get("arguments").and_then(reread).as_ref());
        let is_text = function.get("arguments").is_some_and(Value::is_string);
        if !is_text || matches!(arguments, Arguments::Malformed(_)) {
            function.insert("arguments".to_owned(), json!(self.arguments(&arguments)));
        }
    }
}

fn returned(result: &CallResult, legacy: bool) -> Value {
    match legacy {
        true => json!({"role": "function", "name": result.tool, "content": result.content}),
        false => {
            let id = link(&result.id, LONGEST_ID, false);
            json!({"role": "tool", "tool_call_id": id, "content": result.content})
        }
    }
}

fn call(call: &Json) -> ToolCall {
    called(call.get("function").unwrap_or(&Json::Null), text(call, "id"))
}

fn called(function: &Json, id: Option<&str>) -> ToolCall {
    ToolCall {
        name: text(function, "name").unwrap_or_default().to_owned(),
        arguments: arguments(function.get("arguments")),
        id: id.filter(|id| !id.is_empty()).map(str::to_owned),
    }
}

fn refusal(message: &Json) -> Option<&str> {
    text(message, "refusal").filter(|refusal| !refusal.is_empty())
}

/// A content is a text, null, or a list of parts.
fn content(message: &Json) -> String {
    match message.get("content") {
        Some(Json::String(text)) => text.clone(),
        Some(Json::Array(parts)) => parts.iter().filter_map(|part| text(part, "text")).collect(),
        _ => String::new(),
    }
}
