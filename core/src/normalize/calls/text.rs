//! Calls in a text, by trying its possible notations in turn: `"[{\"name\": …}]"`, `f(a=1)`, `<tool_call>{…}`.

use std::collections::BTreeSet;

use super::tagged::Place;
use super::{Markup, Reader, elements, thought};
use crate::domain::{Arguments, Calls, Flag, Json, Object, RowError, RowErrorCode, ToolCall};
use crate::normalize::call_syntax::{self, Argument, Call, Value};
use crate::normalize::python_literal::{self, Dialect, Scanner};

/// What stands in cells where nothing was called; letter case and a final full stop do not matter.
const NONE_TEXTS: &[&str] = &[
    "",
    "no tools called",
    "no tool called",
    "no tool calls",
    "no tools",
    "no function call",
    "no function calls",
    "none",
    "null",
    "nan",
    "n/a",
    "undefined",
    "[]",
    "{}",
];

/// What models end their turn with.
const END_TOKENS: &[&str] = &[
    "<|eot_id|>",
    "<|eom_id|>",
    "<|im_end|>",
    "</s>",
    "<bot_end>",
    "<|end|>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<｜end▁of▁sentence｜>",
    "<|END_OF_TURN_TOKEN|>",
    "<|observation|>",
    "<end_of_turn>",
    "<turn|>",
    "<seed:eos>",
    "[e~[",
];

/// What the chat templates put before an assistant's turn.
const START_TOKENS: &[&str] =
    &["<|start_header_id|>assistant<|end_header_id|>", "<|im_start|>assistant", "<|assistant|>"];

/// The languages of fences that hold calls.
const FENCE_LANGUAGES: &[&str] = &["json", "python", "tool_code", "tool_call", "xml"];

/// Objects as Python SDKs print them, and numpy's arrays. As long as no tool has such a name, none of them is a call.
pub(super) const PRINTED_CLASSES: &[&str] = &[
    "ChatCompletion",
    "ChatCompletionMessage",
    "ChatCompletionMessageToolCall",
    "ChatCompletionMessageFunctionToolCall",
    "ParsedChatCompletionMessage",
    "ParsedFunctionToolCall",
    "Choice",
    "Function",
    "Message",
    "ParsedMessage",
    "Response",
    "ModelResponse",
    "GenerateContentResponse",
    "Content",
    "Part",
    "AIMessage",
    "AIMessageChunk",
    "OrderedDict",
    "ToolUseBlock",
    "ResponseFunctionToolCall",
    "FunctionCall",
    "ToolCall",
    "AgentAction",
    "ToolAgentAction",
    "OpenAIToolAgentAction",
    "AgentActionMessageLog",
    "array",
];

/// How many times a JSON string may hold JSON: exporters encode what was encoded before.
const MAX_ENCODINGS: usize = 4;

impl Reader<'_> {
    /// The calls of a text that came out of `encodings` JSON strings.
    pub(super) fn text(&mut self, text: &str, encodings: usize) -> Result<Calls, RowError> {
        let stripped = strip(text);
        let answer = thought::after(stripped).map(strip).filter(|answer| !answer.is_empty());
        let thinks = thought::is_marked(stripped) && answer.is_some();
        let mut calls = None;
        if !thinks {
            calls = self.whole_text(text, stripped, encodings)?;
        }
        if let (None, Some(answer)) = (&calls, answer) {
            calls = self.whole_text(answer, answer, encodings)?;
        }
        Ok(calls.unwrap_or_else(|| {
            self.flag_if_cut(text);
            self.unparsed()
        }))
    }

    /// The calls of a text; `None` if it has none that can be read.
    fn whole_text(
        &mut self,
        text: &str,
        stripped: &str,
        encodings: usize,
    ) -> Result<Option<Calls>, RowError> {
        if means_none(text) || means_none(stripped) {
            return Ok(Some(Calls::Parsed(Vec::new())));
        }
        if let Some(values) = json_values(stripped)? {
            return self.values(&values, encodings).map(Some);
        }
        // Before tags are looked for: what is code as a whole may well speak of tags.
        if let Some(calls) = self.call_syntax(stripped) {
            return Ok(Some(Calls::Parsed(calls)));
        }
        if let Some(values) = python_literal::sequence(stripped, Dialect::Repr) {
            if python_literal::holds_nan(stripped, Dialect::Repr) {
                let why = "NaN or infinity, which JSON does not have";
                return Err(super::error(RowErrorCode::InvalidJson, why, stripped));
            }
            return self.values(&values, encodings).map(Some);
        }
        match self.marked_text(stripped, Place::Cell) {
            Markup::Calls(calls) => Ok(Some(Calls::Parsed(calls))),
            Markup::None | Markup::Unreadable => Ok(None),
        }
    }

    fn values(&mut self, values: &[Json], encodings: usize) -> Result<Calls, RowError> {
        match values {
            [Json::String(_)] if encodings >= MAX_ENCODINGS => Ok(self.unparsed()),
            [Json::String(inner)] => self.text(inner, encodings + 1),
            [value] => self.value(value),
            values => self.list(values),
        }
    }

    /// Calls that a line of its own or a tag marks as calls.
    pub(super) fn marked_text(&mut self, text: &str, place: Place) -> Markup {
        if is_broken(text) {
            return if begins_like_calls(text) { Markup::Unreadable } else { Markup::None };
        }
        if let Some(calls) = self.attempt(|reader| reader.name_line(text)) {
            return Markup::Calls(calls);
        }
        let flags = self.flags.clone();
        let found = match self.tagged(text, place) {
            Markup::None => self.lines(text),
            found => found,
        };
        if !matches!(found, Markup::Calls(_)) {
            self.flags = flags;
        }
        found
    }

    pub(super) fn call_syntax(&mut self, text: &str) -> Option<Vec<ToolCall>> {
        let calls = call_syntax::whole(text.strip_prefix("Call:").unwrap_or(text))?;
        let printed =
            |call: &Call| PRINTED_CLASSES.contains(&call.name) && self.definition(call.name).is_none();
        if calls.iter().any(|call| printed(call) || self.is_words(call)) {
            return None;
        }
        Some(calls.into_iter().map(|call| self.written_call(call)).collect())
    }

    /// Whether a name is several words, and no tool has it.
    pub(super) fn is_words(&self, call: &Call) -> bool {
        call.name.contains([' ', '/']) && self.definition(call.name).is_none()
    }

    /// A call of call syntax; its positional arguments get the names of the definition's parameters.
    pub(super) fn written_call(&mut self, call: Call) -> ToolCall {
        let positional = call.arguments.iter().any(|argument| argument.name.is_none());
        let definition = positional.then(|| self.definition(call.name)).flatten();
        let parameters = definition.and_then(|tool| tool.parameters.get("properties")?.as_object());
        let mut names = parameters.into_iter().flat_map(|properties| properties.keys());
        let mut position = 0..;
        let mut arguments = Vec::with_capacity(call.arguments.len());
        if let [Argument { name: None, value: Value::Literal(Json::Object(object)) }] = &call.arguments[..]
            && let Some(parameters) = parameters
            && holds_all(parameters, object, definition.map_or(&Json::Null, |tool| &tool.parameters))
        {
            let arguments = self.parsed(object.clone());
            return ToolCall { name: call.name.to_owned(), arguments, id: None };
        }
        for argument in call.arguments {
            if let Value::Entries(entries) = argument.value {
                arguments.extend(entries.iter().map(|(name, value)| (name.to_owned(), value.clone())));
                continue;
            }
            let name = match argument.name {
                Some(name) => name.to_owned(),
                None => {
                    let unnamed = position.next().unwrap_or(0);
                    let name = names.next();
                    self.flags.insert(if name.is_some() { Flag::PositionalMapped } else { Flag::Positional });
                    name.map_or_else(|| format!("${unnamed}"), str::to_owned)
                }
            };
            let value = match argument.value {
                Value::Literal(json) => json,
                Value::Entries(entries) => Json::Object(entries),
                Value::Expression(source) => {
                    self.flags.insert(Flag::NonLiteral);
                    Json::from(source)
                }
            };
            arguments.push((name, value));
        }
        let arguments: Arguments = self.parsed(arguments.into_iter().collect());
        ToolCall { name: call.name.to_owned(), arguments, id: None }
    }

    /// What `read` reads; what it remembered is forgotten if it reads nothing.
    pub(super) fn attempt<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let (flags, unreadable) = (self.flags.clone(), self.unreadable.take());
        let result = read(self);
        if result.is_none() {
            (self.flags, self.unreadable) = (flags, None);
        }
        self.unreadable = unreadable.or(self.unreadable.take());
        result
    }
}

/// Whether an object that is the only argument holds all arguments by name, as in JavaScript: `f({city: 'Oslo', days: 3})`. It is one
/// value if the first parameter takes objects, unless the object's keys are parameters.
fn holds_all(parameters: &Object, object: &Object, root: &Json) -> bool {
    let Some((_, first)) = parameters.iter().next() else { return false };
    let mut types = BTreeSet::new();
    let takes_objects = !elements::allowed(first, root, 0, &mut types) || types.contains("object");
    let by_name = !object.is_empty() && object.keys().all(|key| parameters.contains_key(key));
    let is_only = parameters.len() == 1 && types.contains("object");
    if takes_objects { by_name && !is_only } else { true }
}

pub(super) fn means_none(text: &str) -> bool {
    let text = text.trim();
    let text = text.strip_suffix('.').unwrap_or(text);
    NONE_TEXTS.iter().any(|none| none.eq_ignore_ascii_case(text))
}

/// The text without a fence around it and without the tokens around a turn.
pub(super) fn strip(text: &str) -> &str {
    let text = strip_tokens(text);
    let Some(inside) = text.strip_prefix("```").and_then(|text| text.strip_suffix("```")) else {
        return text;
    };
    let language = inside
        .find(|c: char| c.is_whitespace())
        .filter(|&end| FENCE_LANGUAGES.iter().any(|language| language.eq_ignore_ascii_case(&inside[..end])));
    strip_tokens(&inside[language.unwrap_or(0)..])
}

pub(super) fn strip_tokens(mut text: &str) -> &str {
    loop {
        text = text.trim();
        let mut before = END_TOKENS.iter().chain(START_TOKENS);
        let shorter = END_TOKENS.iter().find_map(|token| text.strip_suffix(token));
        match shorter.or_else(|| before.find_map(|token| text.strip_prefix(token))) {
            Some(shorter) => text = shorter,
            None => return text,
        }
    }
}

/// Whether a text begins with an object, or a list of them, that breaks off. Tags in there stand within its strings.
fn is_broken(text: &str) -> bool {
    let item = text.strip_prefix('[').map_or(text, str::trim_start);
    let key = item.strip_prefix('{').map_or("", str::trim_start);
    key.starts_with(['"', '\''])
        && Json::parse_prefix(text).is_err()
        && Scanner::new(text, Dialect::Repr).value(0).is_none()
}

/// Whether what breaks off begins as calls do: with a name beside arguments, or under a key of calls.
fn begins_like_calls(text: &str) -> bool {
    let head = &text[..text.floor_char_boundary(300)];
    let says = |key: &str| ['"', '\''].iter().any(|quote| head.contains(&format!("{quote}{key}{quote}:")));
    let calls = ["tool_calls", "function_call", "tool_use", "functionCall", "toolUse"].into_iter().any(says);
    calls || says("name") && ["arguments", "parameters", "args", "input"].into_iter().any(says)
}

/// The JSON values that make up `text`, one after another; `None` if it is no JSON.
pub(super) fn json_values(text: &str) -> Result<Option<Vec<Json>>, RowError> {
    let mut values = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        if !rest.starts_with(['{', '[', '"']) {
            return Ok(None);
        }
        match Json::parse_prefix(rest) {
            Ok((value, end)) => {
                values.push(value);
                rest = rest[end..].trim_start_matches(|c: char| c.is_whitespace() || c == ',' || c == ';');
            }
            Err(error) if error.is_too_deep() => {
                let why = "nesting deeper than 128 levels";
                return Err(super::error(RowErrorCode::NestingTooDeep, why, RowError::excerpt(text)));
            }
            Err(_) => return Ok(None),
        }
    }
    Ok(Some(values))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_what_surrounds_a_call() {
        for (text, expected) in [
            (" f() ", "f()"),
            ("```json\n[1]\n```", "[1]"),
            ("```JSON [1]```", "[1]"),
            ("```\nf()\n```<|im_end|>", "f()"),
            ("```tool_code\nf()<|eot_id|>\n```", "f()"),
            ("```rust\nf()\n```", "rust\nf()"),
            ("f()</s> <|eom_id|>", "f()"),
            ("<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\nf()<|eot_id|>", "f()"),
            ("```", "```"),
            ("``````", ""),
        ] {
            assert_eq!(strip(text), expected, "{text}");
        }
    }

    #[test]
    fn knows_the_ways_to_say_none() {
        for text in ["", " \n", "No tools called", "no tool calls.", "NaN", "N/A", "[]", "{}", "None."] {
            assert!(means_none(text), "{text}");
        }
        for text in ["no", "none of them", "[1]", ".."] {
            assert!(!means_none(text), "{text}");
        }
    }
}
