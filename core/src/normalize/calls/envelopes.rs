//! Whole responses and messages with calls in them: `{"role":"assistant","content":null,"tool_calls":[…]}`.

use super::bare::{id_in, is_schema};
use super::{Evidence, Reader, Reading, arguments, vendors};
use crate::domain::{Flag, Json, Object, ToolCall};
use crate::normalize::columns::Place;

/// What LangChain calls a message of the assistant's.
const LANGCHAIN_TYPES: &[&str] = &["ai", "AIMessage", "AIMessageChunk"];

/// Keys of a message's calls.
const CALL_KEYS: &[&str] = &["tool_calls", "toolCalls"];

/// Keys of a message's calls in logs that teams write themselves. Elsewhere they hold something else, so that they count only if that is a call
/// or a list of them.
const FURTHER_CALL_KEYS: &[&str] = &[
    "tool_call",
    "toolCall",
    "function_calls",
    "functionCalls",
    "tool_use",
    "toolUse",
    "tool_uses",
    "toolUses",
    "calls",
    "tools_called",
    "toolsCalled",
    "tool_invocations",
];

/// Keys of a message that may hold objects with names which are no calls, or calls that are read elsewhere.
const NAMED_KEYS: &[&str] = &[
    "tool_calls",
    "toolCalls",
    "invalid_tool_calls",
    "function_call",
    "functionCall",
    "tools",
    "functions",
    "tool_definitions",
    "tool_results",
    "toolResults",
    "toolInvocations",
    "content",
    "parts",
    "attachments",
    "files",
    "images",
    "documents",
    "sources",
    "annotations",
    "citations",
    "tags",
    "metadata",
];

/// `{"choices":[{"message":{…}}]}`
pub(super) fn chat_completion(reader: &mut Reader, object: &Object) -> Option<Reading> {
    let choices = object.get("choices")?.as_array()?;
    // One piece may be all of a streamed response.
    let first = choices.first()?;
    let message = first.get("message").or_else(|| first.get("delta"))?.as_object()?;
    reader.flag_choices(choices);
    Some(reader.call_object(message))
}

/// `{"choices":[{"text":"<tool_call>…"}]}`
pub(super) fn text_completion(reader: &mut Reader, object: &Object) -> Option<Reading> {
    let choices = object.get("choices")?.as_array()?;
    let text = choices.first()?.get("text")?.as_str()?;
    reader.flag_choices(choices);
    Some(Ok(reader.message_text(text)))
}

/// `{"candidates":[{"content":{"parts":[…]}}]}`
pub(super) fn gemini_response(reader: &mut Reader, object: &Object) -> Option<Reading> {
    let candidates = object.get("candidates")?.as_array()?;
    let parts = candidates.first()?.get("content")?.get("parts")?.as_array()?;
    reader.flag_choices(candidates);
    Some(reader.message_parts(parts))
}

/// `{"object":"response","output":[…]}`
pub(super) fn responses_response(reader: &mut Reader, object: &Object) -> Option<Reading> {
    object.get("object")?.as_str().filter(|kind| *kind == "response")?;
    Some(reader.parts(object.get("output")?.as_array()?))
}

/// `{"output":{"message":{"content":[…]}}}`
pub(super) fn bedrock_response(reader: &mut Reader, object: &Object) -> Option<Reading> {
    Some(reader.message_parts(object.get("output")?.get("message")?.get("content")?.as_array()?))
}

/// `{"message":{…},"done":true}` and other objects around one message.
pub(super) fn wrapped_message(reader: &mut Reader, object: &Object) -> Option<Reading> {
    Some(reader.call_object(object.get("message")?.as_object()?))
}

/// `{"content":{"parts":[…],"role":"model"}}`
pub(super) fn gemini_content(reader: &mut Reader, object: &Object) -> Option<Reading> {
    Some(reader.message_parts(object.get("content")?.get("parts")?.as_array()?))
}

/// `{"lc":1,"type":"constructor","id":[…,"AIMessage"],"kwargs":{…}}`
pub(super) fn langchain_constructor(reader: &mut Reader, object: &Object) -> Option<Reading> {
    object.get("lc")?;
    let message = object.get("kwargs")?.as_object()?;
    Some(match message.get("content") {
        Some(content) => reader.message(message, Some(content)),
        None => reader.call_object(message),
    })
}

/// `{"type":"ai","data":{"content":"","tool_calls":[…]}}`
pub(super) fn langchain_data(reader: &mut Reader, object: &Object) -> Option<Reading> {
    let kind = object.get("type")?.as_str()?;
    let message = object.get("data")?.as_object()?;
    LANGCHAIN_TYPES.contains(&kind).then(|| match message.get("content") {
        Some(content) => reader.message(message, Some(content)),
        None => reader.call_object(message),
    })
}

/// A message. Its calls may stand in several places at once, so the places are asked in turn and the first that has
/// some is believed.
pub(super) fn message(reader: &mut Reader, object: &Object) -> Option<Reading> {
    let says = |value: &&Json| !value.is_null() && value.as_str() != Some("");
    let content =
        object.get("content").filter(says).or_else(|| object.get("parts")).or_else(|| object.get("content"));
    let word = |key| object.get(key).and_then(Json::as_str);
    let spoken = word("role").is_some()
        || word("type").is_some_and(|kind| LANGCHAIN_TYPES.contains(&kind))
        || object.contains_key("additional_kwargs");
    let is_message = CALL_KEYS.iter().any(|key| object.contains_key(key))
        || spoken
            && (content.is_some()
                || reader.unknown_calls(object, false).is_some()
                || FURTHER_CALL_KEYS.iter().any(|key| object.contains_key(key))
                || Place::call_of(object).is_some());
    is_message.then(|| reader.message(object, content))
}

/// `{"intermediate_steps":[[action, observation], …]}`, `{"actions":[action, …]}`
pub(super) fn langchain_steps(reader: &mut Reader, object: &Object) -> Option<Reading> {
    let steps =
        ["intermediate_steps", "intermediateSteps", "actions"].iter().find_map(|key| object.get(key))?;
    steps.as_array()?;
    Some(reader.calls_under_key(steps))
}

/// Whether an object with a name is a tool on offer.
fn is_definition(object: &Object) -> bool {
    object.iter().any(|(_, value)| is_schema(value))
}

impl Reader<'_> {
    /// What looks like calls under a key that nobody knows: objects that name a tool, or have a name and arguments. Anything else has
    /// a name as well: what the user may say next, a source. Beside words, only what has arguments or a tool's name looks like a call.
    fn unknown_calls<'m>(&self, message: &'m Object, says: bool) -> Option<(&'m str, &'m Json)> {
        const NAMES: &[&str] =
            &["tool", "tool_name", "toolName", "function", "function_name", "functionName", "name"];
        let name = |item: &Json| {
            let (key, name) = NAMES.iter().find_map(|key| Some((*key, item.get(key)?)))?;
            Some((key, name.as_str().or_else(|| name.get("name")?.as_str())?.to_owned()))
        };
        let is_call = |item: &Json| {
            let has_arguments = item.as_object().is_some_and(arguments::has_any);
            let is_definition = item.as_object().is_some_and(is_definition);
            !is_definition
                && name(item).is_some_and(|(key, name)| {
                    key != "name" && !says || has_arguments || self.definition(&name).is_some()
                })
        };
        let is_list = |value: &Json| {
            let items = value.as_array().unwrap_or_default();
            items.iter().all(|item| name(item).is_some()) && items.iter().any(is_call)
        };
        let is_one = |value: &Json| value.as_object().is_some_and(arguments::has_any) && is_call(value);
        let may_be = |key: &str| {
            let is_result = says && ["result", "output", "response"].iter().any(|word| key.contains(word));
            !NAMED_KEYS.contains(&key) && !is_result
        };
        message.iter().find(|(key, value)| may_be(key) && (is_list(value) || is_one(value)))
    }

    fn message(&mut self, message: &Object, content: Option<&Json>) -> Reading {
        let kwargs = message.get("additional_kwargs").and_then(Json::as_object);
        for holder in [Some(message), kwargs].into_iter().flatten() {
            for logged in CALL_KEYS.iter().filter_map(|key| holder.get(key)) {
                let mut calls = self.calls_under_key(logged)?;
                if !calls.is_empty() {
                    calls.extend(self.invalid_tool_calls(message)?);
                    return Ok(calls);
                }
            }
        }
        let invalid = self.invalid_tool_calls(message)?;
        if !invalid.is_empty() {
            return Ok(invalid);
        }
        for holder in [Some(message), kwargs].into_iter().flatten() {
            if let Some(calls) =
                vendors::function_call(self, holder).transpose()?.filter(|calls| !calls.is_empty())
            {
                return Ok(calls);
            }
        }
        if let Some(Json::Array(parts)) = content {
            let calls = self.parts(parts)?;
            if !calls.is_empty() {
                return Ok(calls);
            }
        }
        if let Some(calls) = self.calls_under_further_key(message) {
            self.unreadable = None;
            return Ok(calls);
        }
        let is_assistant =
            matches!(message.get("role").and_then(Json::as_str), Some("assistant" | "ai" | "model"));
        match Place::call_of(message).filter(|_| is_assistant) {
            Some(Ok(call)) => return self.calls_under_key(&Json::Array(vec![call])),
            Some(Err(name)) => {
                self.unreadable.get_or_insert(name);
            }
            None => {}
        }
        let says = match content {
            Some(Json::Array(parts)) => !parts.is_empty(),
            Some(Json::String(text)) => !text.trim().is_empty(),
            _ => false,
        };
        let calls = match content {
            Some(Json::Array(parts)) => self.message_parts(parts)?,
            Some(Json::String(text)) => self.message_text(text),
            Some(Json::Object(object)) => self.answer_object(object)?,
            _ => Vec::new(),
        };
        if calls.is_empty()
            && let Some((key, unknown)) = self.unknown_calls(message, says)
        {
            self.unreadable.get_or_insert_with(|| format!("{key}: {unknown}"));
        }
        Ok(calls)
    }

    /// Whether a part of an unknown type looks like a call: it has a name and arguments, itself or in an object.
    pub(super) fn is_unknown_call(part: &Object) -> bool {
        const NO_CALLS: &[&str] =
            &["result", "response", "output", "error", "approval", "source", "data", "file", "resource"];
        let kind = part.get("type").and_then(Json::as_str).unwrap_or_default();
        let names = ["tool", "tool_name", "toolName", "function", "function_name", "functionName", "name"];
        let is_call = |object: &Object| {
            arguments::has_any(object)
                && !is_definition(object)
                && names.iter().any(|key| object.get(key).is_some_and(|name| name.as_str().is_some()))
        };
        !NO_CALLS.iter().any(|word| kind.contains(word))
            && (is_call(part) || part.iter().any(|(_, value)| value.as_object().is_some_and(is_call)))
    }

    /// The calls under the first of [`FURTHER_CALL_KEYS`] that holds nothing but calls: each has a name and arguments.
    fn calls_under_further_key(&mut self, message: &Object) -> Option<Vec<ToolCall>> {
        let is_call = |item: &Json| {
            item.as_object().is_some_and(|call| {
                let call = call.get("function").and_then(Json::as_object).unwrap_or(call);
                arguments::has_any(call) && !is_definition(call)
            })
        };
        let are_calls = |value: &Json| match value {
            Json::Array(items) => !items.is_empty() && items.iter().all(is_call),
            value => is_call(value),
        };
        let logged =
            FURTHER_CALL_KEYS.iter().filter_map(|key| message.get(key)).find(|value| are_calls(value))?;
        self.attempt(|reader| {
            let items = logged.as_array().unwrap_or(std::slice::from_ref(logged));
            let calls: Option<Vec<_>> =
                items.iter().map(|item| reader.object(item.as_object()?, Evidence::Named)?.ok()).collect();
            calls.map(|calls| calls.concat()).filter(|calls| !calls.is_empty())
        })
    }

    /// LangChain's calls whose arguments were no JSON: `{"name":"f","args":"{\"a\":","id":"c1","error":"…"}`.
    fn invalid_tool_calls(&mut self, message: &Object) -> Reading {
        let Some(Json::Array(items)) = message.get("invalid_tool_calls") else { return Ok(Vec::new()) };
        let objects = items.iter().filter_map(Json::as_object);
        objects
            .map(|call| {
                let text = match arguments::of(call) {
                    Some(Json::String(text)) => text.clone(),
                    Some(value) => value.to_string(),
                    None => String::new(),
                };
                self.flag_if_cut(&text);
                let arguments = self.malformed(text);
                let name = super::bare::name_in(call, "name")?;
                Ok(ToolCall { name, arguments, id: id_in(call, &["id"]) })
            })
            .collect()
    }

    fn flag_choices(&mut self, choices: &[Json]) {
        if choices.len() > 1 {
            self.flags.insert(Flag::MultipleChoices);
        }
    }
}
